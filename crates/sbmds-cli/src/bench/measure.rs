//! Contenders take turns, and the best time of each counts.

use std::hint::black_box;
use std::time::{Duration, Instant};

use sbmds::Locations;
use sbmds::likelihood::{Noise, Workspace, reference};
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
    OneThread,
    /// The kernels on all threads.
    AllThreads,
}

/// The best times of one quantity of one problem, in nanoseconds per pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    pub quantity: Quantity,
    pub plain: f64,
    pub one_thread: f64,
    /// None on a machine with one thread.
    pub all_threads: Option<f64>,
}

/// Evaluations are repeated until one measurement takes this long, so that neither clock nor cold caches matter.
const SHORTEST: Duration = Duration::from_millis(1);
const MOST_REPEATS: f64 = 1_000.0;
/// However slow a contender is, it gets more than one chance.
const FEWEST_ROUNDS: usize = 3;

struct Contender<'p> {
    problem: &'p Problem,
    quantity: Quantity,
    engine: Engine,
    repeats: usize,
    best: f64,
}

/// Times everything on every problem for about `seconds` in all; three quantities for each problem.
pub fn measure(problems: &[Problem], data: &Data, seconds: f64) -> Vec<[Best; 3]> {
    let mut engines = vec![Engine::Plain, Engine::OneThread];
    if rayon::current_num_threads() > 1 {
        engines.push(Engine::AllThreads);
    }
    let mut contenders = Vec::new();
    for problem in problems {
        for quantity in Quantity::ALL {
            contenders.extend(engines.iter().map(|&engine| Contender::new(problem, quantity, engine)));
        }
    }
    let mut course = Course::new(data);
    for contender in &mut contenders {
        contender.warm_up(&mut course);
    }
    let start = Instant::now();
    let mut round = 0;
    while round < FEWEST_ROUNDS || start.elapsed().as_secs_f64() < seconds {
        for contender in &mut contenders {
            contender.take_turn(&mut course);
        }
        round += 1;
    }
    contenders.chunks(3 * engines.len()).map(best_times).collect()
}

/// The times of one problem's contenders.
fn best_times(contenders: &[Contender<'_>]) -> [Best; 3] {
    Quantity::ALL.map(|quantity| {
        let best = |engine| contenders.iter().find(|c| (c.quantity, c.engine) == (quantity, engine)).map(|c| c.best);
        Best {
            quantity,
            plain: best(Engine::Plain).unwrap_or(f64::NAN),
            one_thread: best(Engine::OneThread).unwrap_or(f64::NAN),
            all_threads: best(Engine::AllThreads),
        }
    })
}

impl<'p> Contender<'p> {
    fn new(problem: &'p Problem, quantity: Quantity, engine: Engine) -> Self {
        Self { problem, quantity, engine, repeats: 1, best: f64::INFINITY }
    }

    /// Fills caches and workspaces, and finds how many repeats a measurement needs.
    fn warm_up(&mut self, course: &mut Course<'_>) {
        let once = course.time(self).min(course.time(self));
        let repeats = SHORTEST.as_secs_f64() / once.as_secs_f64().max(1e-9);
        self.repeats = repeats.ceil().clamp(1.0, MOST_REPEATS) as usize;
    }

    fn take_turn(&mut self, course: &mut Course<'_>) {
        let time = course.time(self).as_secs_f64();
        self.best = self.best.min(1e9 * time / (self.repeats * self.n_pairs()) as f64);
    }

    fn n_pairs(&self) -> usize {
        match self.engine {
            Engine::Plain => self.problem.sample.pairs.len(),
            Engine::OneThread | Engine::AllThreads => self.problem.likelihood.n_pairs(),
        }
    }
}

/// Where the contenders run: the locations, and memory they share.
struct Course<'d> {
    x: &'d Locations,
    gradient: Locations,
    sample_gradient: Locations,
    serial: Workspace,
    parallel: Workspace,
}

impl<'d> Course<'d> {
    fn new(data: &'d Data) -> Self {
        let x = data.x();
        Self {
            x,
            gradient: Locations::zeros(x.n_objects(), x.n_dims()),
            sample_gradient: Locations::zeros(0, x.n_dims()),
            serial: Workspace::serial(),
            parallel: Workspace::parallel(),
        }
    }

    fn time(&mut self, contender: &Contender<'_>) -> Duration {
        let Contender { problem, quantity, engine, repeats, .. } = contender;
        if *engine == Engine::Plain {
            self.sample_gradient = problem.sample.x.clone();
        }
        let clock = if *engine == Engine::AllThreads { Clock::Wall } else { Clock::Thread };
        clock.time(|| {
            for _ in 0..*repeats {
                black_box(self.evaluate(problem, *quantity, *engine));
            }
        })
    }

    fn evaluate(&mut self, problem: &Problem, quantity: Quantity, engine: Engine) -> f64 {
        let Self { x, gradient, sample_gradient, serial, parallel } = self;
        let workspace = match engine {
            Engine::Plain => return plain(&problem.sample, quantity, sample_gradient),
            Engine::OneThread => serial,
            Engine::AllThreads => parallel,
        };
        match quantity {
            Quantity::Likelihood => problem.likelihood.log_likelihood(workspace, x, SIGMA),
            Quantity::Fused => problem.likelihood.log_likelihood_and_gradient(workspace, x, SIGMA, gradient),
            Quantity::Gradient => {
                problem.likelihood.gradient(workspace, x, SIGMA, gradient);
                gradient.as_slice()[0]
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
                let slope = noise.slope(delta, distance, SIGMA) / distance;
                for dim in 0..x.n_dims() {
                    let push = slope * (x.get(n, dim) - x.get(m, dim));
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
            let mut course = Course::new(&data);
            course.sample_gradient = problem.sample.x.clone();
            let mut run = |quantity, engine| {
                let value = course.evaluate(&problem, quantity, engine);
                let plain = engine == Engine::Plain;
                (value, if plain { &course.sample_gradient } else { &course.gradient }.as_slice().to_vec())
            };
            let (value, gradient) = run(Quantity::Fused, Engine::Plain);
            for engine in [Engine::Plain, Engine::OneThread, Engine::AllThreads] {
                assert!((run(Quantity::Likelihood, engine).0 - value).abs() < 1e-10 * value.abs(), "{coupled}");
                for quantity in [Quantity::Gradient, Quantity::Fused] {
                    let found = run(quantity, engine).1;
                    assert!(found.iter().zip(&gradient).all(|(a, b)| (a - b).abs() < 1e-9), "{coupled}, {engine:?}");
                }
            }
        }
    }
}
