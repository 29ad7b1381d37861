//! Contenders take turns, and the best time of each counts.

use std::hint::black_box;
use std::time::{Duration, Instant};

use sbmds::Locations;
use sbmds::likelihood::{Arithmetic, Noise, Workspace, reference};
use serde::Serialize;

use super::clock::Clock;
use super::problem::{Data, Problem, SIGMA, Sample};

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Quantity {
    Gradient,
    Likelihood,
    /// Both at once.
    Fused,
}

impl Quantity {
    pub const ALL: [Self; 3] = [Self::Gradient, Self::Likelihood, Self::Fused];

    pub fn name(self) -> &'static str {
        match self {
            Self::Gradient => "gradient",
            Self::Likelihood => "likelihood",
            Self::Fused => "fused",
        }
    }
}

/// What computes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The double loop with libm, one thread.
    Plain,
    /// The kernels on one thread.
    OneThread(Arithmetic),
    /// The kernels on all threads.
    AllThreads(Arithmetic),
}

/// The best times of one quantity of one problem, in nanoseconds per pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    pub quantity: Quantity,
    pub plain: f64,
    /// In f64 and in f32.
    pub one_thread: [f64; 2],
    /// None on a machine with one thread.
    pub all_threads: Option<[f64; 2]>,
}

/// Evaluations are repeated until one measurement takes this long, so that neither clock nor cold caches matter.
const SHORTEST: Duration = Duration::from_millis(1);
const MOST_REPEATS: f64 = 1_000.0;
/// However slow a contender is, it gets more than one chance.
const FEWEST_ROUNDS: usize = 3;

struct Contender {
    quantity: Quantity,
    engine: Engine,
    repeats: usize,
    best: f64,
}

/// Times everything on every problem for about `seconds` in all; three quantities for each problem.
pub fn measure(problems: &[Problem], data: &Data, seconds: f64) -> Vec<[Best; 3]> {
    let mut engines = vec![Engine::Plain];
    engines.extend(Arithmetic::ALL.map(Engine::OneThread));
    if rayon::current_num_threads() > 1 {
        engines.extend(Arithmetic::ALL.map(Engine::AllThreads));
    }
    let mut contenders = Vec::new();
    // As in a chain, a workspace serves one likelihood.
    let mut courses: Vec<Course> = problems.iter().map(|problem| Course::new(problem, data)).collect();
    for course in &mut courses {
        for quantity in Quantity::ALL {
            contenders.extend(engines.iter().map(|&engine| Contender::warmed_up(course, quantity, engine)));
        }
    }
    let start = Instant::now();
    let mut round = 0;
    while round < FEWEST_ROUNDS || start.elapsed().as_secs_f64() < seconds {
        for (course, contenders) in courses.iter_mut().zip(contenders.chunks_mut(3 * engines.len())) {
            for contender in contenders {
                contender.take_turn(course);
            }
        }
        round += 1;
    }
    contenders.chunks(3 * engines.len()).map(best_times).collect()
}

/// The times of one problem's contenders.
fn best_times(contenders: &[Contender]) -> [Best; 3] {
    Quantity::ALL.map(|quantity| {
        let best = |engine| contenders.iter().find(|c| (c.quantity, c.engine) == (quantity, engine)).map(|c| c.best);
        let all_threads = Arithmetic::ALL.map(|arithmetic| best(Engine::AllThreads(arithmetic)));
        Best {
            quantity,
            plain: best(Engine::Plain).unwrap_or(f64::NAN),
            one_thread: Arithmetic::ALL.map(|arithmetic| best(Engine::OneThread(arithmetic)).unwrap_or(f64::NAN)),
            all_threads: all_threads[0].zip(all_threads[1]).map(|(double, single)| [double, single]),
        }
    })
}

impl Contender {
    /// Fills caches and workspaces, and finds how many repeats a measurement needs.
    fn warmed_up(course: &mut Course<'_>, quantity: Quantity, engine: Engine) -> Self {
        let mut contender = Self { quantity, engine, repeats: 1, best: f64::INFINITY };
        let once = course.time(&contender).min(course.time(&contender));
        // Threads that slept while others had their turn must first wake up.
        let shortest = if matches!(engine, Engine::AllThreads(_)) { 20 * SHORTEST } else { SHORTEST };
        let repeats = shortest.as_secs_f64() / once.as_secs_f64().max(1e-9);
        contender.repeats = repeats.ceil().clamp(1.0, MOST_REPEATS) as usize;
        contender
    }

    fn take_turn(&mut self, course: &mut Course<'_>) {
        let time = course.time(self).as_secs_f64();
        self.best = self.best.min(1e9 * time / (self.repeats * course.n_pairs(self.engine)) as f64);
    }
}

/// Where the contenders of one problem run: the locations, and memory they share.
struct Course<'p> {
    problem: &'p Problem,
    x: &'p Locations,
    gradient: Locations,
    sample_gradient: Locations,
    serial: Workspace,
    parallel: Workspace,
}

impl<'p> Course<'p> {
    fn new(problem: &'p Problem, data: &'p Data) -> Self {
        let (x, sample) = (data.x(), &problem.sample);
        Self {
            problem,
            x,
            gradient: Locations::zeros(x.n_objects(), x.n_dims()),
            sample_gradient: Locations::zeros(sample.x.n_objects(), x.n_dims()),
            serial: Workspace::serial(),
            parallel: Workspace::parallel(),
        }
    }

    fn n_pairs(&self, engine: Engine) -> usize {
        match engine {
            Engine::Plain => self.problem.sample.pairs.len(),
            Engine::OneThread(_) | Engine::AllThreads(_) => self.problem.likelihood.n_pairs(),
        }
    }

    fn time(&mut self, contender: &Contender) -> Duration {
        let clock = if matches!(contender.engine, Engine::AllThreads(_)) { Clock::Wall } else { Clock::Thread };
        clock.time(|| {
            for _ in 0..contender.repeats {
                black_box(self.evaluate(contender.quantity, contender.engine));
            }
        })
    }

    fn evaluate(&mut self, quantity: Quantity, engine: Engine) -> f64 {
        let Self { problem: Problem { likelihood, sample, .. }, x, gradient, sample_gradient, serial, parallel } = self;
        let (workspace, arithmetic) = match engine {
            Engine::Plain => return plain(sample, quantity, sample_gradient),
            Engine::OneThread(arithmetic) => (serial, arithmetic),
            Engine::AllThreads(arithmetic) => (parallel, arithmetic),
        };
        let (x, gradient) = (x.as_slice(), gradient.as_mut_slice());
        match quantity {
            Quantity::Likelihood => likelihood.value_in(arithmetic, workspace, x, SIGMA),
            Quantity::Fused => likelihood.evaluate_in(arithmetic, workspace, x, SIGMA, gradient).log_likelihood,
            Quantity::Gradient => {
                likelihood.gradient_in(arithmetic, workspace, x, SIGMA, gradient);
                gradient[0]
            }
        }
    }
}

/// The plain loop: the reference, or the half of it that is wanted.
fn plain(sample: &Sample, quantity: Quantity, gradient: &mut Locations) -> f64 {
    let Sample { pairs, x } = sample;
    let (pairs, noise) = (pairs.iter().copied(), Noise::TruncatedNormal);
    match quantity {
        Quantity::Fused => reference::log_likelihood_and_gradient(pairs, noise, x, SIGMA, gradient),
        Quantity::Likelihood => pairs.map(|(n, m, delta)| noise.log_density(delta, x.distance(n, m), SIGMA)).sum(),
        Quantity::Gradient => {
            gradient.as_mut_slice().fill(0.0);
            for (n, m, delta) in pairs {
                let distance = x.distance(n, m);
                let derivative = noise.derivative(delta, distance, SIGMA) / distance;
                for dim in 0..x.n_dims() {
                    let push = derivative * (x.get(n, dim) - x.get(m, dim));
                    gradient.set(n, dim, gradient.get(n, dim) + push);
                    gradient.set(m, dim, gradient.get(m, dim) - push);
                }
            }
            gradient.as_slice()[0]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::coupled::Coupled;

    /// A bench that computes something else than it says would be worth nothing.
    #[test]
    fn all_engines_compute_the_same() {
        let data = Data::new(60, 3);
        for coupled in [Coupled::Band(10), Coupled::Landmark(5), Coupled::Dispersed(4), Coupled::Graph(6)] {
            let problem = Problem::build(coupled, &data);
            let mut course = Course::new(&problem, &data);
            let mut run = |quantity, engine| {
                let value = course.evaluate(quantity, engine);
                let plain = engine == Engine::Plain;
                (value, if plain { &course.sample_gradient } else { &course.gradient }.as_slice().to_vec())
            };
            let (value, gradient) = run(Quantity::Fused, Engine::Plain);
            let kernels = Arithmetic::ALL.into_iter().flat_map(|a| [Engine::OneThread(a), Engine::AllThreads(a)]);
            for engine in kernels.chain([Engine::Plain]) {
                let is_single =
                    matches!(engine, Engine::OneThread(Arithmetic::F32) | Engine::AllThreads(Arithmetic::F32));
                let precision = if is_single { 1e-4 } else { 1e-9 };
                assert!((run(Quantity::Likelihood, engine).0 - value).abs() < precision, "{coupled}, {engine:?}");
                for quantity in [Quantity::Gradient, Quantity::Fused] {
                    let found = run(quantity, engine).1;
                    let is_close = found.iter().zip(&gradient).all(|(a, b)| (a - b).abs() < precision);
                    assert!(is_close, "{coupled}, {engine:?}");
                }
            }
        }
    }
}
