//! How much of the full posterior sparse couplings keep: width, means and coverage of distances, beside those of all pairs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use sbmds::coupling::Couplings;
use sbmds::diagnostics::hellinger;
use sbmds::dissimilarity::{Dissimilarities, Names};
use sbmds::figures::{Axis, AxisScale, Chart, Panel, Scene, draw_chart};
use sbmds::fit::{Fit, Fitted};
use sbmds::settings::PriorFamily;
use sbmds::simulate::Simulation;

use super::data::{half_normal, simulated};
use super::efficiency::random_pairs;
use super::groups::{Group, grouped};
use super::page::{exact, short};
use super::plot::{colour, ours, point};
use super::{About, Cell, Experiment, Findings, Method, Page, ReproduceError, Row, Scale, Table};

/// Distances that are compared.
const DISTANCES: usize = 300;

/// The experiment.
pub(super) struct Information {
    /// When set, a chain ends.
    pub stop: Arc<AtomicBool>,
    /// Distances under all pairs, by data set: every method is compared with the same draws.
    pub full: Mutex<HashMap<(u64, u64, usize), Arc<Distances>>>,
}

/// Draws of distances, and how long they took.
pub(super) struct Distances {
    /// By pair.
    draws: Vec<Vec<f64>>,
    seconds: f64,
}

impl Experiment for Information {
    fn about(&self) -> About {
        About {
            name: "information",
            source: "New here",
            summary: "width and means of distances under sparse and anchored couplings, beside those of all pairs",
            full: Some("1,000 objects, and more draws"),
            needs: "",
        }
    }

    fn cells(&self, scale: Scale) -> Vec<Cell> {
        let sizes = scale.pick(vec![40], vec![200], vec![200, 1_000]);
        let mut cells = Vec::new();
        for n_objects in sizes {
            for noise in scale.pick(vec![0.2], vec![0.1, 0.4], vec![0.1, 0.2, 0.4]) {
                let counts = if n_objects < 100 { vec![5] } else { vec![10, 20, 40] };
                for count in counts {
                    let sparse = [Method::Band, Method::Landmark, Method::Dispersed, Method::Anchored];
                    cells.extend(sparse.map(|method| Cell::new(n_objects, noise, method, count)));
                }
                // A second fit of all pairs, with other random numbers: what Monte Carlo error alone gives.
                cells.push(Cell::new(n_objects, noise, Method::Full, 0));
            }
        }
        cells
    }

    fn measured(&self) -> Vec<String> {
        [
            "sd_ratio",
            "shift",
            "hellinger",
            "coverage",
            "estimated_sd_ratio",
            "estimated_shift",
            "seconds",
            "full_seconds",
        ]
        .map(String::from)
        .to_vec()
    }

    fn run(&self, cell: &Cell, scale: Scale) -> Result<Vec<f64>, ReproduceError> {
        let data = simulated(cell, half_normal(cell));
        let full = self.full(cell, &data, scale)?;
        let begin = Instant::now();
        let fitted = self.fit(cell, &data, cell.couplings(), scale, 2)?;
        let seconds = begin.elapsed().as_secs_f64();
        let draws = distances(cell, &fitted);
        let truth = random_pairs(cell.n_objects, DISTANCES).into_iter().map(|(a, b)| data.truth().distance(a, b));
        let mut values = compare(&draws, &full.draws, truth);
        let check = fitted.summary().anchor.as_ref();
        values.extend([check.map_or(f64::NAN, |check| check.sd_ratio), check.map_or(f64::NAN, |check| check.shift)]);
        values.extend([seconds, full.seconds]);
        Ok(values)
    }

    fn cost(&self, cell: &Cell) -> f64 {
        (cell.n_objects * cell.n_objects) as f64
    }

    fn findings(&self, rows: &[Row], scale: Scale) -> Findings {
        let columns = [
            "N",
            "noise",
            "couplings",
            "sd ratio",
            "shift",
            "Hellinger",
            "coverage",
            "sd ratio (check)",
            "shift (check)",
        ];
        let mut comparison = Table::new(&columns);
        let mut table = Table::new(
            &[
                &["objects", "noise", "method", "count"][..],
                &self.measured().iter().map(String::as_str).collect::<Vec<_>>(),
            ]
            .concat(),
        );
        for Row { cell, values } in rows {
            let setting = [cell.n_objects.to_string(), cell.sd.to_string()];
            let known = |value: f64| if value.is_nan() { String::new() } else { short(value) };
            let found: Vec<String> = values[..6].iter().map(|&value| known(value)).collect();
            comparison.rows.push([&setting[..], &[cell.couplings().to_string()], &found].concat());
            let method = [cell.method.to_string(), cell.count.to_string()];
            table.rows.push([&setting[..], &method, &values.iter().copied().map(exact).collect::<Vec<_>>()].concat());
        }
        Findings { table, figure: figure(&grouped(rows), scale), page: page(comparison) }
    }
}

impl Information {
    fn full(&self, cell: &Cell, data: &Simulation, scale: Scale) -> Result<Arc<Distances>, ReproduceError> {
        let key = (cell.seed(), cell.sd.to_bits(), scale as usize);
        let known = |full: &Self| full.full.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(full) = known(self) {
            return Ok(full);
        }
        let begin = Instant::now();
        let fitted = self.fit(cell, data, Couplings::Full, scale, 1)?;
        let full = Arc::new(Distances { draws: distances(cell, &fitted), seconds: begin.elapsed().as_secs_f64() });
        self.full.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&full));
        Ok(full)
    }

    fn fit(
        &self,
        cell: &Cell,
        data: &Simulation,
        couplings: Couplings,
        scale: Scale,
        seed: u64,
    ) -> Result<Fitted, ReproduceError> {
        let (warmup, draws) = scale.pick((100, 100), (300, 500), (500, 1_000));
        let data = Dissimilarities::from_fn(Names::numbered(cell.n_objects), |a, b| data.delta(a, b));
        let fit = Fit::of(&data).dims(cell.n_dims).couplings(couplings).priors(PriorFamily::Paper).chains(2);
        let fit = fit.warmup(warmup).draws(draws).seed(seed).threads(1).stop_when(&self.stop);
        let fitted = fit.run()?;
        if self.stop.load(Ordering::Relaxed) { Err(ReproduceError::Interrupted) } else { Ok(fitted) }
    }
}

fn distances(cell: &Cell, fitted: &Fitted) -> Vec<Vec<f64>> {
    let pairs = random_pairs(cell.n_objects, DISTANCES);
    let mut draws = vec![Vec::new(); pairs.len()];
    // A fit in memory cannot be damaged.
    let _ = fitted.draws().for_each_x(|_, _, x| {
        draws.iter_mut().zip(&pairs).for_each(|(draws, &(a, b))| draws.push(x.distance(a, b)));
    });
    draws
}

/// Ratio of standard deviations (geometric mean), root mean square shift of means in standard deviations, mean Hellinger distance
/// and coverage of the truth by 95% intervals.
fn compare(draws: &[Vec<f64>], full: &[Vec<f64>], truth: impl Iterator<Item = f64>) -> Vec<f64> {
    let n = draws.len() as f64;
    let (mut log_ratio, mut shift, mut apart, mut covered) = (0.0, 0.0, 0.0, 0.0);
    for ((draws, full), truth) in draws.iter().zip(full).zip(truth) {
        let ((mean, sd), (full_mean, full_sd)) = (moments(draws), moments(full));
        log_ratio += (sd / full_sd).ln() / n;
        shift += ((mean - full_mean) / full_sd).powi(2) / n;
        apart += hellinger(draws, full) / n;
        let below = draws.iter().filter(|&&draw| draw < truth).count() as f64 / draws.len() as f64;
        covered += f64::from((0.025..=0.975).contains(&below)) / n;
    }
    vec![log_ratio.exp(), shift.sqrt(), apart, covered]
}

fn moments(draws: &[f64]) -> (f64, f64) {
    let n = draws.len() as f64;
    let mean = draws.iter().sum::<f64>() / n;
    (mean, (draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt())
}

fn page(comparison: Table) -> Page {
    Page {
        about: vec![format!(
            "Standard normal locations in two dimensions, half-normal noise. {DISTANCES} random distances under each coupling are compared \
             with draws under all pairs: the ratio of their standard deviations, the root mean square shift of their means in standard \
             deviations, the mean Hellinger distance, and how often 95% intervals hold the true distance. The row `full` is a second \
             fit of all pairs with another seed: what Monte Carlo error alone gives. The last two columns are what the fit itself \
             estimates without knowing the full posterior."
        )],
        comparisons: vec![("Sparse couplings beside all pairs:".into(), comparison)],
        remarks: vec![
            "Half-normal noise is above zero on average, and the model's is not: intervals of all pairs are centred beside the truth, and \
             the narrower they are the less often they hold it. Wide sparse intervals hold it more often for the wrong reason."
                .into(),
        ],
    }
}

fn figure(groups: &[Group], scale: Scale) -> Scene {
    let mut settings: Vec<(usize, u64)> =
        groups.iter().map(|group| (group.cell.n_objects, group.cell.sd.to_bits())).collect();
    settings.sort_unstable();
    settings.dedup();
    let methods = [Method::Band, Method::Landmark, Method::Dispersed, Method::Anchored];
    let panel = |&(n_objects, sd): &(usize, u64)| {
        let of = |method: Method| {
            let here = groups.iter().filter(|group| {
                (group.cell.n_objects, group.cell.sd.to_bits(), group.cell.method) == (n_objects, sd, method)
            });
            let points = here.map(|group| point(group.cell.count as f64, group.mean(0))).collect();
            ours(method.name(), colour(method), points)
        };
        Panel { title: format!("N = {n_objects}, noise {}", f64::from_bits(sd)), series: methods.map(of).to_vec() }
    };
    draw_chart(&Chart {
        title: "Standard deviation of distances, as a multiple of that under all pairs".into(),
        note: scale.note().into(),
        x: Axis { title: "Bands or landmarks".into(), scale: AxisScale::Log },
        y: Axis { title: "sd ratio".into(), scale: AxisScale::FromZero },
        n_columns: settings.len().min(3),
        panels: settings.iter().map(panel).collect(),
        width_mm: 183.0,
    })
}
