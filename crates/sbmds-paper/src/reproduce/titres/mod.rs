//! Held-out titres of influenza: the ten models of Bedford et al. (2014), eLife 3:e01914, on the user's titres and tree.

mod findings;
mod model;
mod split;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sbmds::dissimilarity::{Dissimilarities, Titer, Titers, read_titers};
use sbmds::run::RunError;
use sbmds::tree::{Tree, TreeChoice};
use sbmds::{Fit, Fitted};

use self::model::{MODELS, Model};
use self::split::{Score, held_out};
use super::on_files::{file_name, hash, how_it_went};
use super::{About, Cell, Experiment, Findings, Method, ReproduceError, Row, Scale, Workplace};

/// How the experiment is listed.
pub(super) const ABOUT: About = About {
    name: "titres",
    source: "Bedford et al. (2014), eLife 3:e01914, Table 1",
    summary: "mean absolute error of held-out log2 titres, models 1 to 10",
    full: Some("chains of ten times the length"),
    needs: "--titers (long form, with years) and --tree",
};

/// What is kept from a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeldOut {
    /// A tenth of the rows; others of the same virus and serum may stay.
    Rows,
    /// A tenth of the pairs of virus and serum, with all their rows.
    Pairs,
}

impl HeldOut {
    const ALL: [Self; 2] = [Self::Rows, Self::Pairs];

    fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Pairs => "pairs",
        }
    }
}

/// The experiment, on titres and a tree of the user's.
pub struct Titres {
    titers: Titers,
    files: [PathBuf; 2],
    data: String,
    stop: Arc<AtomicBool>,
    n_threads: usize,
}

impl Titres {
    /// The experiment on these files.
    ///
    /// # Errors
    /// If a file cannot be read, or viruses are no tips of the tree (the last of its file).
    pub fn new(titers: PathBuf, tree: PathBuf, workplace: Workplace) -> Result<Self, ReproduceError> {
        let found = read_titers(&titers).map_err(RunError::from)?;
        Tree::read(&tree, TreeChoice::Last).map_err(RunError::from)?;
        let data = format!("titers {}, tree {}", hash(&titers)?, hash(&tree)?);
        let Workplace { stop, n_threads, .. } = workplace;
        Ok(Self { titers: found, files: [titers, tree], data, stop, n_threads })
    }

    /// What one model says of the rows it did not see.
    fn fit(&self, cell: &Cell, scale: Scale) -> Result<Vec<f64>, ReproduceError> {
        let (model, kind) = (&MODELS[cell.count - 1], cell.held_out.unwrap_or(HeldOut::Rows));
        let is_held_out = held_out(&self.titers, kind, cell.repeat as u64);
        let seen = self.titers.with_rows(|row| !is_held_out[row]).map_err(RunError::from)?;
        let (chains, n_warmup, draws) = effort(scale);
        let data = Dissimilarities::from_titers(seen.clone());
        let fitted = Fit::of(&data)
            .with(|config| model.apply(config, &self.files[1]))
            .dims(model.n_dims)
            .chains(chains)
            .warmup(n_warmup)
            .draws(draws)
            .seed(cell.repeat as u64 + 1)
            .threads(self.n_threads)
            .stop_when(&self.stop)
            .run();
        if self.stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(ReproduceError::Interrupted);
        }
        let fitted = fitted?;
        let expected = expected(&fitted, model, &seen)?;
        let rows = self.titers.rows().iter().enumerate().filter(|(row, _)| is_held_out[*row]);
        let mut score = Score::default();
        for (_, row) in rows {
            score.add(row.titer, expected[row.virus * self.titers.n_sera() + row.serum]);
        }
        let [seconds, min_ess, max_rhat] = how_it_went(fitted.summary());
        Ok([score.numbers(), vec![seconds, min_ess, max_rhat]].concat())
    }
}

/// Expected log2 titre of every cell of the table: the mean over draws of mu.
fn expected(fitted: &Fitted, model: &Model, seen: &Titers) -> Result<Vec<f64>, ReproduceError> {
    let (reader, n_viruses, n_sera) = (fitted.draws(), seen.n_viruses(), seen.n_sera());
    let largest = seen.largest();
    let mut sums = vec![0.0; n_viruses * n_sera];
    let mut n_draws = 0.0;
    for chain in 0..reader.n_chains() {
        let stored = |name: &str| reader.scalar(name, chain).map_err(RunError::from);
        let potencies = if model.has_potencies { Some(stored("potency")?) } else { None };
        let avidities = if model.has_avidities { Some(stored("avidity")?) } else { None };
        for draw in 0..reader.n_complete(chain) {
            let x = reader.x(chain, draw).map_err(RunError::from)?;
            for (cell, sum) in sums.iter_mut().enumerate() {
                let (virus, serum) = (cell / n_sera, cell % n_sera);
                let potency = potencies.as_ref().map_or(largest[n_viruses + serum], |all| all[draw * n_sera + serum]);
                let level = avidities.as_ref().map_or(potency, |all| 0.5 * (all[draw * n_viruses + virus] + potency));
                *sum += level - x.distance(virus, n_viruses + serum);
            }
            n_draws += 1.0;
        }
    }
    Ok(sums.into_iter().map(|sum| sum / n_draws).collect())
}

impl Experiment for Titres {
    fn about(&self) -> About {
        ABOUT
    }

    fn revision(&self) -> u32 {
        2
    }

    fn data(&self) -> String {
        self.data.clone()
    }

    fn flags(&self) -> String {
        format!(" --titers {} --tree {}", file_name(&self.files[0]), file_name(&self.files[1]))
    }

    fn is_timed(&self) -> bool {
        // One fit after the other, each with all threads: there are few.
        true
    }

    fn cells(&self, scale: Scale) -> Vec<Cell> {
        let n_objects = self.titers.names().len();
        let mut cells = Vec::new();
        for repeat in 0..scale.pick(1, 3, 3) {
            for held_out in HeldOut::ALL {
                for number in scale.pick(vec![2, 10], (1..=10).collect(), (1..=10).collect()) {
                    let n_dims = MODELS[number - 1].n_dims;
                    let cell = Cell::new(n_objects, 0.0, Method::Full, number).repeated(repeat);
                    cells.push(Cell { n_dims, true_dims: n_dims, held_out: Some(held_out), ..cell });
                }
            }
        }
        cells
    }

    fn measured(&self) -> Vec<String> {
        Score::NAMES.into_iter().chain(["seconds", "min_ess", "max_rhat"]).map(String::from).collect()
    }

    fn run(&self, cell: &Cell, scale: Scale) -> Result<Vec<f64>, ReproduceError> {
        self.fit(cell, scale)
    }

    fn cost(&self, cell: &Cell) -> f64 {
        // Fits along a tree take longer.
        if cell.count > 5 { 2.0 } else { 1.0 }
    }

    fn findings(&self, rows: &[Row], scale: Scale) -> Findings {
        let n_limits = self.titers.rows().iter().filter(|row| !matches!(row.titer, Titer::Number(_))).count();
        findings::findings(rows, scale, (self.titers.rows().len(), n_limits))
    }
}

/// Chains, iterations of warm-up, draws.
fn effort(scale: Scale) -> (usize, usize, usize) {
    scale.pick((1, 40, 20), (2, 400, 200), (4, 2_000, 2_000))
}
