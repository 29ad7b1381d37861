//! What `sbmds bench kernels` prints: a table for people, or one JSON document.

use serde::Serialize;

use super::coupled::Coupled;
use super::measure::{Best, Quantity};
use super::numbers::{grouped, short};
use super::problem::{Problem, SIGMA};
use sbmds::likelihood::Arithmetic;

/// Everything measured.
#[derive(Serialize)]
pub struct Report {
    pub machine: Machine,
    pub sigma: f64,
    pub configurations: Vec<Configuration>,
    pub comparisons: Vec<Comparison>,
    /// What was left out, and why.
    pub skipped: Vec<String>,
}

/// Where it was measured.
#[derive(Serialize)]
pub struct Machine {
    pub instruction_set: String,
    pub threads: usize,
    pub cores: usize,
}

/// One problem and its times.
#[derive(Serialize)]
pub struct Configuration {
    pub n_objects: usize,
    pub n_dims: usize,
    #[serde(rename = "couplings")]
    pub coupled: Coupled,
    pub n_pairs: usize,
    pub build_seconds: f64,
    pub timings: Vec<Timing>,
}

/// The kernel and the plain loop side by side.
#[derive(Serialize)]
pub struct Timing {
    pub quantity: Quantity,
    pub arithmetic: Arithmetic,
    pub threads: usize,
    pub ns_per_pair: f64,
    /// The plain loop, one thread.
    pub plain_ns_per_pair: f64,
    /// How many times faster the kernel is.
    pub ratio: f64,
}

/// Gradients of two problems (or of one, on one and on all threads) against each other.
#[derive(Serialize)]
pub struct Comparison {
    pub n_objects: usize,
    pub n_dims: usize,
    pub what: String,
    pub ratio: f64,
    /// What the project aims at, where it has an aim.
    pub aim: Option<&'static str>,
}

impl Machine {
    pub fn here() -> Self {
        Self {
            instruction_set: sbmds::likelihood::InstructionSet::best().to_string(),
            threads: rayon::current_num_threads(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

impl Report {
    pub fn new() -> Self {
        let machine = Machine::here();
        Self { machine, sigma: SIGMA, configurations: Vec::new(), comparisons: Vec::new(), skipped: Vec::new() }
    }

    /// Adds what was measured together, and returns its lines of the table.
    pub fn add(&mut self, problems: &[Problem], best: &[[Best; 3]]) -> String {
        let first = self.configurations.len();
        let threads = self.machine.threads;
        self.configurations
            .extend(problems.iter().zip(best).map(|(problem, best)| configuration(problem, best, threads)));
        let group = &self.configurations[first..];
        self.comparisons.extend(comparisons(group, threads));
        group.iter().map(|configuration| configuration.lines(threads)).collect()
    }

    /// What the numbers of the table are.
    pub fn heading(&self) -> String {
        let Machine { instruction_set, threads, cores } = &self.machine;
        let mut heading = format!(
            "Kernels on {instruction_set}, {threads} threads, {cores} cores. Nanoseconds per pair; in brackets, how many \
             times faster than\nthe plain libm loop on one thread; f32: than f64. "
        );
        let columns = format!(
            "{:>9}  {:<13} {:>2} {:>11}  {:<10} {:>6}  {:>14}  {:>14}",
            "objects", "couplings", "D", "pairs", "", "plain", "f64, 1 thread", "f32, 1 thread",
        );
        if *threads > 1 {
            heading += &format!(
                "One thread: processor time. {threads} threads: wall time, which needs an idle machine.\n\n\
                 {columns}  {:>14}  {:>8}  {:>14}  {:>8}\n",
                format!("f64, {threads} threads"),
                "speed-up",
                format!("f32, {threads} threads"),
                "speed-up"
            );
        } else {
            heading += &format!("Processor time.\n\n{columns}\n");
        }
        heading
    }

    /// The ratios the project watches.
    pub fn closing(&self) -> String {
        let mut lines = String::new();
        if !self.comparisons.is_empty() {
            lines += "\nGradients against each other\n";
            lines += &format!("{:>9}  {:>2}  {:<34} {:>5}\n", "objects", "D", "", "ratio");
        }
        for Comparison { n_objects, n_dims, what, ratio, aim } in &self.comparisons {
            let (n_objects, ratio) = (grouped(*n_objects), short(*ratio));
            let aim = aim.map(|aim| format!("  (aim: {aim})")).unwrap_or_default();
            lines += &format!("{n_objects:>9}  {n_dims:>2}  {what:<34} {ratio:>5}{aim}\n");
        }
        lines
    }
}

fn configuration(problem: &Problem, best: &[Best; 3], threads: usize) -> Configuration {
    let timing = |best: &Best, arithmetic, threads, ns_per_pair| Timing {
        quantity: best.quantity,
        arithmetic,
        threads,
        ns_per_pair,
        plain_ns_per_pair: best.plain,
        ratio: best.plain / ns_per_pair,
    };
    let timings = best.iter().flat_map(|best| {
        let measured = [(1, Some(best.one_thread)), (threads, best.all_threads)];
        measured.into_iter().flat_map(move |(threads, times)| {
            let times = times.into_iter().flat_map(|times| Arithmetic::ALL.into_iter().zip(times));
            times.map(move |(arithmetic, time)| timing(best, arithmetic, threads, time))
        })
    });
    Configuration {
        n_objects: problem.likelihood.n_objects(),
        n_dims: problem.likelihood.n_dims(),
        coupled: problem.coupled,
        n_pairs: problem.likelihood.n_pairs(),
        build_seconds: problem.build_seconds,
        timings: timings.collect(),
    }
}

impl Configuration {
    fn timing(&self, quantity: Quantity, arithmetic: Arithmetic, threads: usize) -> Option<&Timing> {
        let wanted = (quantity, arithmetic, threads);
        self.timings.iter().find(|timing| (timing.quantity, timing.arithmetic, timing.threads) == wanted)
    }

    /// Time on one thread over time on all, if there are more.
    fn speed_up(&self, quantity: Quantity, arithmetic: Arithmetic, threads: usize) -> Option<f64> {
        let (one, all) = (self.timing(quantity, arithmetic, 1)?, self.timing(quantity, arithmetic, threads)?);
        (threads > 1).then_some(one.ns_per_pair / all.ns_per_pair)
    }

    /// A time, and how many times faster it is than the plain loop, or single precision than double.
    fn cell(&self, quantity: Quantity, arithmetic: Arithmetic, threads: usize) -> Option<String> {
        let timing = self.timing(quantity, arithmetic, threads)?;
        let ratio = match arithmetic {
            Arithmetic::F64 => timing.ratio,
            Arithmetic::F32 => self.timing(quantity, Arithmetic::F64, threads)?.ns_per_pair / timing.ns_per_pair,
        };
        Some(format!("  {:>5} {:>8}", short(timing.ns_per_pair), format!("({}x)", short(ratio))))
    }

    fn lines(&self, threads: usize) -> String {
        let mut lines = String::new();
        for quantity in Quantity::ALL {
            // Only the first line says what all three are about.
            lines += &match quantity {
                Quantity::Gradient => format!(
                    "{:>9}  {:<13} {:>2} {:>11}",
                    grouped(self.n_objects),
                    self.coupled,
                    self.n_dims,
                    grouped(self.n_pairs)
                ),
                _ => format!("{:>9}  {:<13} {:>2} {:>11}", "", "", "", ""),
            };
            let plain = self.timing(quantity, Arithmetic::F64, 1).map_or(f64::NAN, |timing| timing.plain_ns_per_pair);
            lines += &format!("  {:<10} {:>6}", quantity.name(), short(plain));
            for arithmetic in Arithmetic::ALL {
                lines += &self.cell(quantity, arithmetic, 1).unwrap_or_default();
            }
            for arithmetic in Arithmetic::ALL {
                if let Some(speed_up) = self.speed_up(quantity, arithmetic, threads) {
                    lines += &self.cell(quantity, arithmetic, threads).unwrap_or_default();
                    lines += &format!("  {:>8}", short(speed_up));
                }
            }
            lines += "\n";
        }
        lines
    }
}

/// The number of objects for which the project has aims.
const AIMED_AT: usize = 10_000;

/// The comparisons that can be made within one group of configurations of the same size.
fn comparisons(group: &[Configuration], threads: usize) -> Vec<Comparison> {
    let mut found = Vec::new();
    for one in group {
        let mut add = |what, ratio, aim: Option<&'static str>| {
            let aim = aim.filter(|_| one.n_objects == AIMED_AT);
            found.push(Comparison { n_objects: one.n_objects, n_dims: one.n_dims, what, ratio, aim });
        };
        if let (Coupled::Band(50), Some(speed_up)) =
            (one.coupled, one.speed_up(Quantity::Gradient, Arithmetic::F64, threads))
        {
            let aim = (threads == 2).then_some("at least 1.8, both cores idle");
            add(format!("{}, 1 thread / {threads} threads", one.coupled), speed_up, aim);
        }
        let [double, single] =
            Arithmetic::ALL.map(|arithmetic| one.timing(Quantity::Gradient, arithmetic, 1).map(|t| t.ns_per_pair));
        if let Some((double, single)) = double.zip(single) {
            let aim = match (one.coupled, one.n_dims) {
                (Coupled::Band(50), 2) => Some("at least 3"),
                (Coupled::Band(50), 6) => Some("at least 2.5"),
                _ => None,
            };
            add(format!("{}, f64 / f32, 1 thread", one.coupled), double / single, aim);
        }
        let (band, aim) = match one.coupled {
            Coupled::Dispersed(bands) => (Coupled::Band(bands), "at most 1.15"),
            Coupled::Graph(bands) => (Coupled::Band(bands), "at most 3"),
            Coupled::Anchored(_) | Coupled::Band(_) | Coupled::Full | Coupled::Landmark(_) => continue,
        };
        let gradient = |configuration: &Configuration| {
            Some(configuration.timing(Quantity::Gradient, Arithmetic::F64, 1)?.ns_per_pair)
        };
        let other = group.iter().find(|other| other.coupled == band);
        if let Some((time, band_time)) = gradient(one).zip(other.and_then(gradient)) {
            add(format!("{} / {band}, 1 thread", one.coupled), time / band_time, Some(aim));
        }
    }
    found
}
