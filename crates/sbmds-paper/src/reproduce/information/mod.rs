//! How much of the full posterior sparse couplings keep: width, means and coverage of distances, beside those of all pairs.

mod data;
mod page;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use sbmds::coupling::Couplings;
use sbmds::diagnostics::hellinger;
use sbmds::fit::Fitted;

use self::data::Data;
pub use self::data::OwnFiles;
use super::efficiency::random_pairs;
use super::{About, Cell, Experiment, Findings, Method, ReproduceError, Row, Scale, Source};

/// Distances that are compared.
const DISTANCES: usize = 300;

/// The experiment.
pub struct Information {
    files: OwnFiles,
    /// Objects of the user's distances.
    n_distances: Option<usize>,
    /// When set, a chain ends.
    stop: Arc<AtomicBool>,
    /// Draws under all pairs, by data set: every method is compared with the same ones.
    full: Mutex<HashMap<DataSet, Arc<Draws>>>,
}

/// Where data come from, and the numbers that make them this data set.
type DataSet = (Source, u64, u64, usize);

/// What is kept of a fit.
struct Draws {
    /// By pair.
    distances: Vec<Vec<f64>>,
    /// trace(Sigma) of the diffusion along a tree.
    rate: Vec<f64>,
    seconds: f64,
}

impl Information {
    /// The experiment, with these files of the user's beside simulated data.
    pub fn new(files: OwnFiles, stop: Arc<AtomicBool>) -> Self {
        Self { n_distances: files.n_distances(), files, stop, full: Mutex::default() }
    }
}

/// A data set, and the numbers of bands (or landmarks) for it.
struct Setting {
    cell: Cell,
    counts: Vec<usize>,
    methods: Vec<Method>,
}

impl Information {
    fn settings(&self, scale: Scale) -> Vec<Setting> {
        let all = vec![Method::Band, Method::Landmark, Method::Dispersed, Method::Anchored];
        let two = vec![Method::Dispersed, Method::Anchored];
        let setting = |cell: Cell, counts: &[usize], methods: &[Method]| Setting {
            cell,
            counts: counts.to_vec(),
            methods: methods.to_vec(),
        };
        let cell = |n_objects, sd| Cell::new(n_objects, sd, Method::Full, 0);
        if scale == Scale::Toy {
            return vec![setting(cell(40, 0.2), &[5], &all)];
        }
        let is_full = scale == Scale::Full;
        let mut settings: Vec<Setting> = [0.1, 0.4].map(|sd| setting(cell(200, sd), &[10, 20], &all)).into();
        let log_normal = Cell { source: Source::LogNormal, ..cell(200, 0.4) };
        settings.push(setting(log_normal, &[10, 20], &two));
        settings.push(setting(Cell { true_dims: 4, ..cell(200, 0.1) }, &[10, 20, 40], &two));
        let large: &[usize] = if is_full { &[10, 20, 40] } else { &[20, 40] };
        settings.extend([0.1, 0.4].map(|sd| setting(cell(1_000, sd), large, if is_full { &all } else { &two })));
        if let Some(n_objects) = self.n_distances {
            let own = Cell { source: Source::Distances, ..cell(n_objects, 0.0) };
            settings.push(setting(own.clone(), &[10, 20, 50], &two));
            if self.files.tree.is_some() {
                let along = |n_dims| Cell { source: Source::Tree, n_dims, true_dims: n_dims, ..own.clone() };
                settings.extend([2, 6].map(|n_dims| setting(along(n_dims), &[20, 50], &two)));
            }
        }
        if self.files.embeddings.is_some() {
            let own = Cell { source: Source::Embeddings, ..cell(scale.pick(100, 600, 1_500), 0.0) };
            settings.push(setting(own, &[20, 60], &two));
        }
        if is_full {
            settings.extend([0.1, 0.4].map(|sd| setting(cell(5_000, sd), &[20, 40], &two)));
        }
        settings
    }
}

impl Experiment for Information {
    fn about(&self) -> About {
        About {
            name: "information",
            source: "New here",
            summary: "width and means of distances under sparse and anchored couplings, beside those of all pairs \
                      (with --distances, --tree, --embeddings on files of yours, too)",
            full: Some("5,000 objects, 1,500 embeddings, every method at 1,000 objects, and more draws"),
            needs: "",
        }
    }

    fn data(&self) -> String {
        self.files.hash()
    }

    fn flags(&self) -> String {
        self.files.flags()
    }

    fn revision(&self) -> u32 {
        3
    }

    fn cells(&self, scale: Scale) -> Vec<Cell> {
        let of = |setting: Setting| {
            let Setting { cell, counts, methods } = setting;
            let one = |method, count| Cell { method, count, ..cell.clone() };
            let mut cells: Vec<Cell> = counts
                .iter()
                .flat_map(|&count| methods.iter().map(move |&method| (method, count)))
                .map(|(m, c)| one(m, c))
                .collect();
            // A second fit of all pairs, with other random numbers: what Monte Carlo error alone gives.
            cells.push(one(Method::Full, 0));
            cells
        };
        self.settings(scale).into_iter().flat_map(of).collect()
    }

    fn measured(&self) -> Vec<String> {
        [
            "sd_ratio",
            "shift",
            "hellinger",
            "coverage",
            "estimated_sd_ratio",
            "estimated_shift",
            "estimated_sigma_shift",
            "holds",
            "rate_ratio",
            "rate_sd_ratio",
            "pairs",
            "seconds",
            "full_seconds",
        ]
        .map(String::from)
        .to_vec()
    }

    fn run(&self, cell: &Cell, scale: Scale) -> Result<Vec<f64>, ReproduceError> {
        let data = Data::of(cell, &self.files)?;
        let full = self.full(cell, &data, scale)?;
        let (fitted, draws) = self.fit(cell, &data, cell.couplings(), scale, 2)?;
        let pairs = random_pairs(cell.n_objects, DISTANCES);
        // Distances in too few dimensions, or with noise that is never small, are not the true ones in any posterior.
        let is_true = cell.true_dims == cell.n_dims && cell.source == Source::Simulated;
        let truth: Option<Vec<f64>> = data
            .truth
            .as_ref()
            .filter(|_| is_true)
            .map(|simulation| pairs.iter().map(|&(a, b)| simulation.truth().distance(a, b)).collect());
        let mut values = compare(&draws.distances, &full.distances, truth.as_deref());
        let check = fitted.summary().anchor.as_ref();
        values.extend(
            check.map_or([f64::NAN; 4], |check| {
                [check.sd_ratio, check.shift, check.sigma_shift, f64::from(check.holds)]
            }),
        );
        let ((mean, sd), (full_mean, full_sd)) = (moments(&draws.rate), moments(&full.rate));
        let n_pairs = if cell.method == Method::Full { full_pairs(cell.n_objects) } else { cell.pairs().count() };
        values.extend([mean / full_mean, sd / full_sd, n_pairs as f64, draws.seconds, full.seconds]);
        Ok(values)
    }

    fn cost(&self, cell: &Cell) -> f64 {
        (cell.n_objects * cell.n_objects * cell.n_dims) as f64
    }

    fn findings(&self, rows: &[Row], scale: Scale) -> Findings {
        page::findings(rows, scale, &self.measured())
    }
}

impl Information {
    fn full(&self, cell: &Cell, data: &Data, scale: Scale) -> Result<Arc<Draws>, ReproduceError> {
        let key = (cell.source, cell.seed(), cell.sd.to_bits(), cell.n_dims);
        // The lock is held while the model is fitted: no other thread should fit it again.
        let mut known = self.full.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(full) = known.get(&key) {
            return Ok(Arc::clone(full));
        }
        let full = Arc::new(self.fit(cell, data, Couplings::Full, scale, 1)?.1);
        known.insert(key, Arc::clone(&full));
        Ok(full)
    }

    fn fit(
        &self,
        cell: &Cell,
        data: &Data,
        couplings: Couplings,
        scale: Scale,
        seed: u64,
    ) -> Result<(Fitted, Draws), ReproduceError> {
        let (warmup, draws) = scale.pick((100, 100), (300, 400), (500, 1_000));
        let begin = Instant::now();
        let fit = data.fit().dims(cell.n_dims).couplings(couplings).chains(2).warmup(warmup).draws(draws);
        let fitted = fit.seed(seed).threads(1).stop_when(&self.stop).run()?;
        let seconds = begin.elapsed().as_secs_f64();
        if self.stop.load(Ordering::Relaxed) {
            return Err(ReproduceError::Interrupted);
        }
        let chains = 0..fitted.reader().n_chains();
        let rate = chains.flat_map(|chain| fitted.reader().scalar("trait_trace", chain).unwrap_or_default()).collect();
        let draws = Draws { distances: distances(cell.n_objects, &fitted), rate, seconds };
        Ok((fitted, draws))
    }
}

fn full_pairs(n_objects: usize) -> usize {
    n_objects * (n_objects - 1) / 2
}

fn distances(n_objects: usize, fitted: &Fitted) -> Vec<Vec<f64>> {
    let pairs = random_pairs(n_objects, DISTANCES);
    let mut draws = vec![Vec::new(); pairs.len()];
    // A fit in memory cannot be damaged.
    let _ = fitted.draws().for_each_x(|_, _, x| {
        draws.iter_mut().zip(&pairs).for_each(|(draws, &(a, b))| draws.push(x.distance(a, b)));
    });
    draws
}

/// Ratio of standard deviations (geometric mean), root mean square shift of means in standard deviations, mean Hellinger distance
/// and coverage of the truth by 95% intervals.
fn compare(draws: &[Vec<f64>], full: &[Vec<f64>], truth: Option<&[f64]>) -> Vec<f64> {
    let n = draws.len() as f64;
    let (mut log_ratio, mut shift, mut apart, mut covered) = (0.0, 0.0, 0.0, 0.0);
    for (k, (draws, full)) in draws.iter().zip(full).enumerate() {
        let ((mean, sd), (full_mean, full_sd)) = (moments(draws), moments(full));
        log_ratio += (sd / full_sd).ln() / n;
        shift += ((mean - full_mean) / full_sd).powi(2) / n;
        apart += hellinger(draws, full) / n;
        let truth = truth.map_or(f64::NAN, |truth| truth[k]);
        let below = draws.iter().filter(|&&draw| draw < truth).count() as f64 / draws.len() as f64;
        covered += if truth.is_nan() { f64::NAN } else { f64::from((0.025..=0.975).contains(&below)) / n };
    }
    vec![log_ratio.exp(), shift.sqrt(), apart, covered]
}

fn moments(draws: &[f64]) -> (f64, f64) {
    let n = draws.len() as f64;
    let mean = draws.iter().sum::<f64>() / n;
    (mean, (draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt())
}
