//! Figure 8: effective draws per hour of three samplers on full and sparse models.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use rand::RngExt;
use sbmds::diagnostics::spectral_ess_of_chain;
use sbmds::figures::{Axis, AxisScale, Chart, Panel, Scene, draw_chart};
use sbmds::fit::{Follower, Step, drive};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Chain, Sampler};

use super::authors::efficiency as authors;
use super::data::{first_map, half_normal, posterior, simulated, start};
use super::draw::{chain, check};
use super::measures::log_efficiency;
use super::page::{exact, short};
use super::plot::{authors as hollow, colour, ours, point};
use super::{About, Cell, Experiment, Findings, Method, Page, ReproduceError, Row, Scale, Table};

/// The experiment.
pub(super) struct Efficiency {
    /// When set, a chain ends.
    pub stop: Arc<AtomicBool>,
}

const SAMPLERS: [Sampler; 3] = [Sampler::Mh, Sampler::Hmc, Sampler::Nuts];
const METHODS: [(Method, usize); 4] =
    [(Method::Full, 0), (Method::Band, 10), (Method::Landmark, 10), (Method::Dispersed, 10)];
/// The paper's noise level.
const NOISE: f64 = 0.2;
/// Effective draws below which a number is rough: what the authors' chains ran until.
const ENOUGH: f64 = 100.0;

/// Distances that are monitored: all, or a random sample of this many.
const MONITORED: usize = 500;
/// Draws kept; when there are more, every other is dropped and from then on only every second kept.
const KEPT: usize = 4_096;

impl Experiment for Efficiency {
    fn about(&self) -> About {
        About {
            name: "efficiency",
            source: "The paper's Figure 8",
            summary: "log of the smallest effective sample size per hour, by sampler, model and N",
            full: Some("the paper's sizes, and longer chains"),
            needs: "",
        }
    }

    fn is_timed(&self) -> bool {
        true
    }

    fn cells(&self, scale: Scale) -> Vec<Cell> {
        let sizes = scale.pick(vec![20], vec![20, 80, 320], vec![20, 40, 80, 160, 320]);
        let mut cells = Vec::new();
        for n_objects in sizes {
            for sampler in SAMPLERS {
                // With 10 of 19 bands there is little left to disperse: at N = 20 that is the full model.
                let methods = METHODS.into_iter().map(|(m, count)| Cell::new(n_objects, NOISE, m, count));
                cells.extend(methods.map(|cell| Cell { sampler, ..cell }));
            }
        }
        cells
    }

    fn measured(&self) -> Vec<String> {
        ["min_ess", "median_ess", "seconds", "iterations", "log_efficiency"].map(String::from).to_vec()
    }

    fn run(&self, cell: &Cell, scale: Scale) -> Result<Vec<f64>, ReproduceError> {
        let data = simulated(cell, half_normal(cell));
        let posterior = posterior(cell, &data);
        let warmup = if cell.sampler == Sampler::Mh { 20_000 } else { 1_000 };
        let warmup = scale.pick(warmup / 20, warmup / 2, warmup);
        let mut chain = chain(cell, &posterior, start(&posterior, &first_map(cell, &data)), warmup, 0);
        let (target, seconds) = scale.pick((20.0, 0.05), (100.0, 1.5), (400.0, 120.0));
        let record = Record::until(&mut chain, cell, Enough { min_ess: target, seconds }, &self.stop)?;
        let efficiency = log_efficiency(record.min_ess, record.seconds);
        Ok(vec![record.min_ess, record.median_ess, record.seconds, record.iterations as f64, efficiency])
    }

    fn cost(&self, cell: &Cell) -> f64 {
        if cell.sampler == Sampler::Mh { 3.0 } else { 1.0 }
    }

    fn findings(&self, rows: &[Row], scale: Scale) -> Findings {
        let mut table = Table::new(&[
            "objects",
            "sampler",
            "method",
            "count",
            "min_ess",
            "median_ess",
            "seconds",
            "iterations",
            "log_efficiency",
            "authors_log_efficiency",
            "ratio",
        ]);
        let mut comparison = Table::new(&[
            "N",
            "sampler",
            "model",
            "min ESS per second",
            "log efficiency",
            "authors",
            "ours / authors (per hour)",
        ]);
        for Row { cell, values } in rows {
            let theirs = quoted(cell);
            let faster = theirs.map(|theirs| short((values[4] - theirs).exp())).unwrap_or_default();
            let settings = [cell.n_objects.to_string(), cell.sampler.to_string()];
            let model = model(cell);
            let numbers = [short(values[0] / values[2]), format!("{:.1}", values[4])];
            let authors = [theirs.map(|t| format!("{t:.1}")).unwrap_or_default(), faster.clone()];
            comparison.rows.push([&settings[..], &[model], &numbers, &authors].concat());
            let setting = [cell.method.to_string(), cell.count.to_string()];
            let found: Vec<String> = values.iter().copied().map(exact).collect();
            table
                .rows
                .push([&settings[..], &setting, &found, &[theirs.map(exact).unwrap_or_default(), faster]].concat());
        }
        let page = Page {
            about: vec![
                format!(
                    "Standard normal locations in two dimensions, half-normal noise {NOISE}, 10 bands, landmarks or dispersed bands. Efficiency is \
                     the natural logarithm of the smallest effective sample size (coda's, by the spectrum at zero) over the distances of all \
                     pairs, or of {MONITORED} random pairs, per hour of sampling on one core."
                ),
                "Samplers: the paper's joint random-walk Metropolis (mh) and HMC with 20 leapfrog steps (hmc), and NUTS, all with \
                 step sizes adapted in a warm-up that is not counted. A chain runs until the smallest effective sample size is \
                 large enough or its time is over; the authors ran theirs until it was 100."
                    .into(),
            ],
            comparisons: vec![("Ours beside the authors' (\"ours / authors\" is a ratio of effective draws per hour):".into(), comparison)],
            remarks: vec![
                "The authors' times are of another machine and of chains whose steps adapt without end; ratios say what a user gains, not what \
                 a single idea does."
                    .into(),
                "HMC's trajectories all have 20 steps. Directions whose period is near that length hardly move, which may be why the \
                 smallest effective sample size of HMC jumps from model to model; NUTS chooses the length of each trajectory."
                    .into(),
            ]
            .into_iter()
            .chain(about_short_chains(rows))
            .collect(),
        };
        Findings { table, figure: figure(rows, scale), page }
    }
}

fn model(cell: &Cell) -> String {
    if cell.count > 0 { format!("{}:{}", cell.method, cell.count) } else { cell.method.to_string() }
}

/// Chains that did not reach the authors' 100 effective draws.
fn about_short_chains(rows: &[Row]) -> Option<String> {
    let of = |Row { cell, values }: &Row| {
        format!("{} on {} at N = {} ({})", cell.sampler, model(cell), cell.n_objects, short(values[0]))
    };
    let short_ones: Vec<String> = rows.iter().filter(|row| row.values[0] < ENOUGH).map(of).collect();
    (!short_ones.is_empty()).then(|| {
        format!(
            "These chains did not reach {ENOUGH} effective draws in their time, so that their numbers are rough and mostly too high: {}.",
            short_ones.join(", ")
        )
    })
}

fn quoted(cell: &Cell) -> Option<f64> {
    authors::efficiency(cell.sampler, cell.method, cell.n_objects)
}

/// What a chain did.
struct Record {
    pairs: Vec<(usize, usize)>,
    /// Distances of each pair.
    draws: Vec<Vec<f64>>,
    /// Iterations per kept draw.
    thin: usize,
    iterations: usize,
    seconds: f64,
    min_ess: f64,
    median_ess: f64,
}

/// When a record is long enough.
#[derive(Clone, Copy)]
struct Enough {
    /// At this smallest effective sample size.
    min_ess: f64,
    /// After so long, in any case.
    seconds: f64,
}

impl Record {
    /// Draws until that is enough; the chain alone is timed.
    fn until(chain: &mut Chain, cell: &Cell, enough: Enough, stop: &AtomicBool) -> Result<Self, ReproduceError> {
        let pairs = monitored(cell);
        let draws = vec![Vec::with_capacity(KEPT); pairs.len()];
        let record = Self { pairs, draws, thin: 1, iterations: 0, seconds: 0.0, min_ess: 0.0, median_ess: 0.0 };
        let mut timed = Timed { record, enough, stop, next_look: 512, begin: Instant::now() };
        drive(chain, 1, &mut timed)?;
        Ok(timed.record)
    }

    fn keep(&mut self, chain: &Chain) {
        for (&(a, b), draws) in self.pairs.iter().zip(&mut self.draws) {
            draws.push(chain.distance(a, b));
        }
        if self.draws[0].len() >= KEPT {
            self.thin *= 2;
            self.draws.iter_mut().for_each(|draws| *draws = draws.iter().skip(1).step_by(2).copied().collect());
        }
    }

    fn look(&mut self) {
        let mut ess: Vec<f64> = self.draws.iter().map(|draws| spectral_ess_of_chain(draws)).collect();
        ess.sort_by(f64::total_cmp);
        (self.min_ess, self.median_ess) = (ess[0], ess[ess.len() / 2]);
    }
}

/// A record that grows along a chain.
struct Timed<'a> {
    record: Record,
    enough: Enough,
    stop: &'a AtomicBool,
    /// Iterations after which to look at effective sample sizes.
    next_look: usize,
    /// When the present iteration began.
    begin: Instant,
}

impl Follower for Timed<'_> {
    type Error = ReproduceError;

    fn goes_on(&mut self, _: &Chain) -> Result<bool, ReproduceError> {
        let Self { record, enough, .. } = self;
        let is_over = record.seconds >= enough.seconds;
        if record.iterations.is_multiple_of(record.thin) && (is_over || record.iterations >= self.next_look) {
            record.look();
            if is_over || record.min_ess >= enough.min_ess {
                return Ok(false);
            }
            self.next_look = record.iterations * 3 / 2;
        }
        check(self.stop)?;
        self.begin = Instant::now();
        Ok(true)
    }

    fn iterated(&mut self, _: &Chain, step: Step) -> Result<(), ReproduceError> {
        if !step.is_warmup {
            self.record.seconds += self.begin.elapsed().as_secs_f64();
            self.record.iterations += 1;
        }
        Ok(())
    }

    fn draw(&mut self, chain: &Chain) -> Result<(), ReproduceError> {
        if self.record.iterations.is_multiple_of(self.record.thin) {
            self.record.keep(chain);
        }
        Ok(())
    }
}

/// All pairs if they are few, else a random sample.
fn monitored(cell: &Cell) -> Vec<(usize, usize)> {
    let n = cell.n_objects;
    if n * (n - 1) / 2 <= MONITORED {
        return (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
    }
    random_pairs(n, MONITORED)
}

/// Random pairs, the same for every cell of this many objects.
pub(super) fn random_pairs(n_objects: usize, count: usize) -> Vec<(usize, usize)> {
    let mut rng = stream(n_objects as u64, 0, Purpose::Monitoring);
    let mut pair = || {
        let a = rng.random_range(0..n_objects);
        let b = rng.random_range(0..n_objects - 1);
        (a, b + usize::from(b >= a))
    };
    (0..count).map(|_| pair()).collect()
}

fn figure(rows: &[Row], scale: Scale) -> Scene {
    let panel = |sampler: Sampler| {
        let mut series = Vec::new();
        for (method, _) in METHODS {
            let here = || rows.iter().filter(move |row| row.cell.sampler == sampler && row.cell.method == method);
            let found = here().map(|row| point(row.cell.n_objects as f64, row.values[4])).collect();
            series.push(ours(method.name(), colour(method), found));
            let theirs: Vec<_> =
                here().filter_map(|row| Some(point(row.cell.n_objects as f64, quoted(&row.cell)?))).collect();
            if !theirs.is_empty() {
                series.push(hollow(colour(method), theirs));
            }
        }
        Panel { title: sampler.to_string().to_uppercase(), series }
    };
    draw_chart(&Chart {
        title: "Log of the smallest effective sample size per hour against the number of objects".into(),
        note: scale.note().into(),
        x: Axis { title: "Objects N".into(), scale: AxisScale::Log },
        y: Axis { title: "log (min ESS per hour)".into(), scale: AxisScale::Linear },
        n_columns: SAMPLERS.len(),
        panels: SAMPLERS.into_iter().map(panel).collect(),
        width_mm: 183.0,
    })
}
