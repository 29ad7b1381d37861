//! Figure 9 and Table 3: the rate of diffusion along a tree with full and sparse likelihoods, on the user's distances and tree.

use std::path::PathBuf;

use sbmds::diagnostics::kernel_density::{bandwidth, density, thinned};
use sbmds::diagnostics::{Diagnosis, hellinger};
use sbmds::dissimilarity::{ReadOptions, read};
use sbmds::figures::{Axis, AxisScale, Chart, Panel, Scene, Series, draw_chart};
use sbmds::run::{FinishedRun, FitConfig, InputConfig, Keep, RunConfig, RunError, TreeConfig};
use sbmds::sampler::{Sampler, SamplerSettings};
use sbmds::tree::{Tree, TreeChoice};

use super::authors::influenza::table_3;
use super::convergence::{Mixing, model, remark};
use super::on_files::{config, file_name, hash, how_it_went, left_out, sparse_counts};
use super::page::{exact, ratio, short};
use super::plot::{colour, curve, point};
use super::{About, Cell, Experiment, Findings, Method, Page, ReproduceError, Row, Scale, Table, Workplace};

/// How the experiment is listed.
pub(super) const ABOUT: About = About {
    name: "influenza",
    source: "The paper's Figure 9 and Table 3",
    summary: "rate of diffusion along a tree, Hellinger distance to the full model and efficiency speed-up",
    full: Some(
        "the paper's dimensions and numbers of bands and landmarks, and longer chains of NUTS (the paper: HMC with 20 leapfrog steps)",
    ),
    needs: "--distances and --tree",
};

/// Draws of the rate that are kept of a cell.
const KEPT: usize = 1_000;
/// Measured numbers before the draws.
const N_NUMBERS: usize = 6;

/// The experiment, on distances and a tree of the user's.
pub struct Influenza {
    distances: PathBuf,
    tree: PathBuf,
    n_objects: usize,
    data: String,
    workplace: Workplace,
}

impl Influenza {
    /// The experiment on these files.
    ///
    /// # Errors
    /// If a file cannot be read, or the tips of the tree (the last of its file) are not the objects.
    pub fn new(distances: PathBuf, tree: PathBuf, workplace: Workplace) -> Result<Self, ReproduceError> {
        let found = read(&distances, &ReadOptions::default()).map_err(RunError::from)?;
        let last = Tree::read(&tree, TreeChoice::Last).map_err(RunError::from)?;
        // What a fit would refuse is said before any work.
        last.match_tips(found.names(), false).map_err(RunError::from)?;
        let data = format!("distances {}, tree {}", hash(&distances)?, hash(&tree)?);
        Ok(Self { distances, tree, n_objects: found.n_objects(), data, workplace })
    }

    fn config(&self, cell: &Cell, scale: Scale) -> FitConfig {
        let (chains, n_warmup, draws) = effort(scale);
        // Another seed than the full model's: equal posteriors must not give equal draws.
        let seed = if cell.method == Method::Full { 1 } else { 2 };
        let input = InputConfig { path: self.distances.clone(), ..InputConfig::default() };
        FitConfig {
            tree: Some(TreeConfig::new(self.tree.clone())),
            sampler: SamplerSettings { sampler: cell.sampler, n_warmup, ..SamplerSettings::default() },
            run: RunConfig { chains, draws, seed, keep: Keep::Summary, ..RunConfig::default() },
            ..config(cell, input)
        }
    }
}

impl Experiment for Influenza {
    fn about(&self) -> About {
        ABOUT
    }

    fn is_timed(&self) -> bool {
        true
    }

    fn data(&self) -> String {
        self.data.clone()
    }

    fn flags(&self) -> String {
        format!(" --distances {} --tree {}", file_name(&self.distances), file_name(&self.tree))
    }

    fn cells(&self, scale: Scale) -> Vec<Cell> {
        let n_dims = scale.pick(2, 6, 6);
        let sparse =
            sparse_counts(counts(scale), self.n_objects).flat_map(|count| Method::SPARSE.map(|method| (method, count)));
        let cell = |(method, count)| {
            let cell = Cell::new(self.n_objects, 0.0, method, count);
            Cell { n_dims, true_dims: n_dims, sampler: Sampler::Nuts, ..cell }
        };
        sparse.chain([(Method::Full, 0)]).map(cell).collect()
    }

    fn left_out(&self, scale: Scale) -> Option<String> {
        left_out(counts(scale), self.n_objects)
    }

    fn measured(&self) -> Vec<String> {
        ["mean", "sd", "ess", "seconds", "min_ess", "max_rhat", "draws"].map(String::from).to_vec()
    }

    fn run(&self, cell: &Cell, scale: Scale) -> Result<Vec<f64>, ReproduceError> {
        self.workplace.fit(self.config(cell, scale), numbers)
    }

    fn cost(&self, cell: &Cell) -> f64 {
        cell.pairs().count() as f64
    }

    fn findings(&self, rows: &[Row], scale: Scale) -> Findings {
        let full = rows.iter().find(|row| row.cell.method == Method::Full);
        let lines: Vec<Line> = rows.iter().map(|row| Line::new(row, full)).collect();
        let mut table = Table::new(&[
            "method",
            "count",
            "rate_mean",
            "rate_sd",
            "ess",
            "seconds",
            "min_ess",
            "max_rhat",
            "hellinger",
            "speed_up",
            "authors_hellinger",
            "authors_speed_up",
            "speed_up_ratio",
        ]);
        let mut comparison = Table::new(&[
            "method",
            "count",
            "rate",
            "sd",
            "Hellinger distance to full",
            "authors",
            "speed-up",
            "authors (min, max)",
            "ours / authors",
        ]);
        for line in &lines {
            table.rows.push(line.exact());
            comparison.rows.push(line.short());
        }
        let page = Page {
            about: self.paragraphs(scale),
            comparisons: vec![("Ours beside the authors' Table 3:".into(), comparison)],
            remarks: remarks(rows, scale),
        };
        Findings { table, figure: figure(rows, scale), page }
    }
}

impl Influenza {
    fn paragraphs(&self, scale: Scale) -> Vec<String> {
        let (chains, warmup, draws) = effort(scale);
        let n_dims = scale.pick(2, 6, 6);
        vec![
            format!(
                "{} objects in {n_dims} dimensions; their locations diffuse along the tree (the last of its file), with the paper's priors. NUTS, \
                 {chains} chains of {warmup} iterations of warm-up and {draws} draws; objects are shuffled before they are coupled.",
                self.n_objects
            ),
            format!(
                "The rate is trace(Sigma) / T, T the total length of the tree: squared distance per unit of the tree's time. The Hellinger distance is \
                 that between kernel densities (Silverman's bandwidth) of at most {KEPT} draws of the rate; two samples of {KEPT} independent draws of one \
                 distribution are about 0.04 apart, fewer effective draws more. The speed-up is the effective sample size (bulk) of the rate per \
                 second of chains, warm-up included, over that of the full model."
            ),
        ]
    }
}

/// Numbers of bands or landmarks.
fn counts(scale: Scale) -> &'static [usize] {
    scale.pick(&[5], &[50], &[50, 100, 200])
}

/// (chains, warm-up, draws).
fn effort(scale: Scale) -> (usize, usize, usize) {
    scale.pick((2, 60, 40), (2, 500, 500), (4, 1_000, 1_000))
}

/// What is kept of a run.
fn numbers(run: &FinishedRun) -> Result<Vec<f64>, ReproduceError> {
    let rate = run.quantity("diffusion_rate")?;
    let Diagnosis { mean, sd, ess_bulk, .. } = Diagnosis::new(&rate);
    let draws: Vec<f64> = rate.chains().iter().flatten().copied().collect();
    let numbers = [mean, sd, ess_bulk].into_iter().chain(how_it_went(run.summary()));
    Ok(numbers.chain(thinned(&draws, KEPT)).collect())
}

/// The draws of the rate.
fn draws(row: &Row) -> &[f64] {
    &row.values[N_NUMBERS..]
}

/// One line of the tables.
struct Line<'a> {
    row: &'a Row,
    hellinger: f64,
    speed_up: f64,
}

impl<'a> Line<'a> {
    fn new(row: &'a Row, full: Option<&Row>) -> Self {
        let efficiency = |row: &Row| row.values[2] / row.values[3];
        let is_sparse = row.cell.method != Method::Full;
        let (hellinger, speed_up) = match full {
            Some(full) if is_sparse => (hellinger(draws(row), draws(full)), efficiency(row) / efficiency(full)),
            _ => (f64::NAN, f64::NAN),
        };
        Self { row, hellinger, speed_up }
    }

    fn exact(&self) -> Vec<String> {
        let theirs = table_3(self.row.cell.method, self.row.cell.count);
        let numbers = self.row.values[..N_NUMBERS].iter().copied().chain([self.hellinger, self.speed_up]).map(exact);
        let quoted = [theirs.map(|t| t.hellinger), theirs.map(|t| t.speed_up)].map(|t| t.map_or(String::new(), exact));
        let ratio = ratio(self.speed_up, theirs.map(|t| t.speed_up));
        model(self.row).into_iter().chain(numbers).chain(quoted).chain([ratio]).collect()
    }

    fn short(&self) -> Vec<String> {
        let theirs = table_3(self.row.cell.method, self.row.cell.count);
        let their_speed_up = theirs.map(|t| format!("{:.2} ({:.2}, {:.2})", t.speed_up, t.range.0, t.range.1));
        let numbers = [
            short(self.row.values[0]),
            short(self.row.values[1]),
            short(self.hellinger),
            theirs.map_or(String::new(), |t| t.hellinger.to_string()),
            short(self.speed_up),
            their_speed_up.unwrap_or_default(),
            ratio(self.speed_up, theirs.map(|t| t.speed_up)),
        ];
        model(self.row).into_iter().chain(numbers).collect()
    }
}

fn remarks(rows: &[Row], scale: Scale) -> Vec<String> {
    let mut remarks = vec![
        "The authors' numbers are means over four strains, of HMC with 20 leapfrog steps, 1,000 kept draws and another machine; these are of the files \
         given."
            .to_owned(),
        "Their Hellinger distances come from another estimator: a distance of vectors (R package textmineR), and what the vectors were is not said. They \
         lie below what two samples of 1,000 draws of one distribution are apart by ours, so the two columns cannot be compared as numbers."
            .to_owned(),
    ];
    remarks.extend(remark(rows, |row| Mixing {
        max_rhat: row.values[5],
        min_ess: row.values[4],
        n_chains: effort(scale).0,
    }));
    remarks
}

/// Densities of the rate: one panel for each count, the full model in all.
fn figure(rows: &[Row], scale: Scale) -> Scene {
    let mut counts: Vec<usize> = rows.iter().map(|row| row.cell.count).filter(|&count| count > 0).collect();
    counts.dedup();
    let ends = rows.iter().map(|row| (row, 3.0 * bandwidth(draws(row)))).flat_map(|(row, margin)| {
        let margins = [-margin, margin];
        draws(row).iter().flat_map(move |draw| margins.map(|margin| draw + margin))
    });
    let range = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), end| (low.min(end), high.max(end)));
    let series = |row: &Row| -> Series {
        let curve_points = density(draws(row), bandwidth(draws(row)), range, 200);
        curve(
            row.cell.method.name(),
            colour(row.cell.method),
            curve_points.into_iter().map(|(x, y)| point(x, y)).collect(),
        )
    };
    let panel = |count: &usize| {
        let here = rows.iter().filter(|row| row.cell.count == *count || row.cell.method == Method::Full);
        Panel { title: format!("{count} bands or landmarks"), series: here.map(series).collect() }
    };
    let panels: Vec<Panel> = counts.iter().map(panel).collect();
    draw_chart(&Chart {
        title: "Posterior densities of the rate of diffusion of full and sparse models".into(),
        note: scale.note().into(),
        x: Axis { title: "Squared distance per unit of the tree's time".into(), scale: AxisScale::Linear },
        y: Axis { title: "Density".into(), scale: AxisScale::FromZero },
        n_columns: panels.len().max(1),
        width_mm: if panels.len() > 1 { 183.0 } else { 89.0 },
        panels,
    })
}
