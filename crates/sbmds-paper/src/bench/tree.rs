//! `sbmds bench tree`: what the prior along a tree costs beside the likelihood, and a whole iteration beside the published code.

use std::hint::black_box;
use std::sync::Arc;

use clap::Args;
use rand::RngExt;
use sbmds::Locations;
use sbmds::brownian::{BrownianPrior, BrownianSettings, Precision, WishartPrior};
use sbmds::likelihood::{Likelihood, MapGradient, MapPoint, Noise, Storage};
use sbmds::posterior::{Given, Posterior, PrecisionUpdate, Priors, Spread, TreePrior, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Evaluated, LocationsTarget, PhasePoint, draw_momentum, leapfrog};
use sbmds::tree::{Tree, TreeBuilder};
use serde::Serialize;

use super::clock::Clock;
use super::coupled::Coupled;
use super::error::BenchError;
use super::numbers::{grouped, short};
use super::passing::Passing;

/// Leapfrog steps of the paper's iterations.
const STEPS: usize = 20;
/// Seconds that the published code takes for one of them at N = 372: with all pairs, and with 50 bands.
const PUBLISHED: [(usize, Coupled, f64); 2] = [(372, Coupled::Full, 0.30), (372, Coupled::Band(50), 0.13)];

/// Flags of `sbmds bench tree`.
#[derive(Args)]
pub struct TreeBench {
    /// Numbers of objects
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [372, 1_400])]
    objects: Vec<usize>,
    /// Dimensions
    #[arg(long, value_name = "D", default_value_t = 6)]
    dims: usize,
    /// Turns of every contender; the median counts
    #[arg(long, value_name = "R", default_value_t = 25)]
    rounds: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One line of the report. Times are processor time, on one thread.
#[derive(Serialize)]
struct Row {
    n_objects: usize,
    n_dims: usize,
    couplings: String,
    /// Gradient of the likelihood.
    likelihood_seconds: f64,
    /// Value and gradient of the prior along the tree with Sigma integrated out.
    prior_seconds: f64,
    /// The second over the first.
    prior_over_likelihood: f64,
    /// A trajectory of 20 leapfrog steps of likelihood and prior.
    iteration_seconds: f64,
    /// How many times faster than the published code, where that was measured.
    over_published: Option<f64>,
}

impl TreeBench {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        if self.rounds == 0 || self.dims == 0 || self.objects.iter().any(|&n| n < 3) {
            return Err(BenchError::new("--rounds and --dims must be at least 1, --objects at least 3"));
        }
        let mut rows = Vec::new();
        for &n_objects in &self.objects {
            for coupled in [Coupled::Full, Coupled::Band(50), Coupled::Dispersed(50)] {
                let _line = Passing::line(format_args!("{} objects, {coupled}", grouped(n_objects)));
                rows.push(self.measure(n_objects, coupled)?);
            }
        }
        if self.json {
            println!("{}", serde_json::to_string_pretty(&rows).map_err(BenchError::new)?);
        } else {
            self.print(&rows);
        }
        Ok(())
    }

    fn print(&self, rows: &[Row]) {
        println!(
            "D = {}, one thread; published: 20 leapfrog steps at N = 372 take 0.30 s (full), 0.13 s (50 bands)",
            self.dims
        );
        let titles = ["likelihood us", "prior us", "prior/lik.", "20 steps ms", "x published"];
        println!("{:>8}  {:<13}{}", "objects", "couplings", titles.map(|title| format!("{title:>15}")).concat());
        for row in rows {
            let numbers = [
                short(row.likelihood_seconds * 1e6),
                short(row.prior_seconds * 1e6),
                format!("{:.3}", row.prior_over_likelihood),
                short(row.iteration_seconds * 1e3),
                row.over_published.map_or_else(String::new, |times| format!("{times:.0}")),
            ];
            let numbers = numbers.map(|number| format!("{number:>15}")).concat();
            println!("{:>8}  {:<13}{numbers}", grouped(row.n_objects), row.couplings);
        }
    }

    fn measure(&self, n_objects: usize, coupled: Coupled) -> Result<Row, BenchError> {
        let problem = Problem::new(n_objects, self.dims, coupled)?;
        let mut turns: [Vec<f64>; 3] = Default::default();
        let mut course = Course::new(&problem);
        for _ in 0..self.rounds {
            turns[0].push(course.likelihood());
            turns[1].push(course.prior());
            turns[2].push(course.iteration());
        }
        let [likelihood_seconds, prior_seconds, iteration_seconds] = turns.map(|mut seconds| {
            seconds.sort_by(f64::total_cmp);
            seconds[seconds.len() / 2]
        });
        let published = PUBLISHED.iter().find(|(n, known, _)| *n == n_objects && *known == coupled);
        Ok(Row {
            n_objects,
            n_dims: self.dims,
            couplings: coupled.to_string(),
            likelihood_seconds,
            prior_seconds,
            prior_over_likelihood: prior_seconds / likelihood_seconds,
            iteration_seconds,
            over_published: published.map(|(_, _, seconds)| seconds / iteration_seconds),
        })
    }
}

/// Locations that diffused along a tree, and their distances with some noise.
struct Problem {
    posterior: Posterior,
    x: Vec<f64>,
    spread: Spread,
}

const SIGMA: f64 = 0.1;

impl Problem {
    fn new(n_objects: usize, n_dims: usize, coupled: Coupled) -> Result<Self, BenchError> {
        let mut rng = stream(1, 0, Purpose::Simulation);
        let tip_positions: Vec<usize> = (0..n_objects).collect();
        let tree = coalescent(n_objects, &mut rng);
        let settings = BrownianSettings { root_sample_size: 1.0, ..BrownianSettings::paper(n_dims) };
        let brownian = BrownianPrior::new(&tree, &tip_positions, settings).map_err(BenchError::new)?;
        let precision = Precision::identity(n_dims);
        let mut x = vec![0.0; n_objects * n_dims];
        brownian.draw(&mut brownian.workspace(), &precision, &mut rng, &mut x);
        let map = Locations::from_values(n_objects, x.clone());
        let distance = |a: usize, b: usize| map.distance(a, b) * (1.0 + SIGMA * ((a * 31 + b) as f64).sin());
        let pairs = coupled.pairs(n_objects);
        let likelihood = Likelihood::new(n_objects, n_dims, &pairs, Noise::TruncatedNormal, Storage::F64, distance);
        let tree = TreePrior { brownian, wishart: WishartPrior::paper(n_dims), update: PrecisionUpdate::Collapsed };
        let posterior = Posterior::new(Arc::new(likelihood), Priors::paper(n_dims)).with_tree(tree);
        Ok(Self { posterior, x, spread: Spread::Collapsed(precision) })
    }
}

/// A random tree: pairs of lineages join one after another.
fn coalescent(n_tips: usize, rng: &mut impl rand::Rng) -> Tree {
    let mut builder = TreeBuilder::new();
    let mut length = |n_lineages: usize| (1e-3 - rng.random::<f64>().max(1e-9).ln()) * 2.0 / n_lineages as f64;
    let mut lineages: Vec<usize> = (0..n_tips).map(|tip| builder.tip(format!("t{tip}"), length(n_tips))).collect();
    while lineages.len() > 1 {
        let n_lineages = lineages.len();
        let a = lineages.swap_remove(n_lineages / 3);
        let b = lineages.swap_remove(n_lineages / 2 - usize::from(n_lineages == 2));
        lineages.push(builder.parent(&[a, b], length(n_lineages)));
    }
    builder.finish()
}

/// Where all contenders run.
struct Course<'a> {
    problem: &'a Problem,
    workspace: Workspace,
    start: PhasePoint,
    inverse_mass: Vec<f64>,
    gradient: Vec<f64>,
    forward: bool,
}

/// Gradients in one turn.
const PER_TURN: usize = 40;

impl<'a> Course<'a> {
    fn new(problem: &'a Problem) -> Self {
        let mut workspace = Workspace::serial();
        let Problem { posterior, x, spread } = problem;
        let given = Given { sigma: SIGMA, spread, own: &[] };
        let mut target = LocationsTarget { posterior, workspace: &mut workspace, given };
        let evaluated = Evaluated::at(&mut target, x.clone());
        let inverse_mass = vec![1.0; x.len()];
        let momentum = draw_momentum(&inverse_mass, &mut stream(1, 0, Purpose::Sampling));
        let start = PhasePoint { evaluated, momentum };
        Self { problem, workspace, start, inverse_mass, gradient: vec![0.0; x.len()], forward: true }
    }

    /// Seconds of a gradient of the likelihood.
    fn likelihood(&mut self) -> f64 {
        let Self { problem, workspace, gradient, .. } = self;
        let likelihood = problem.posterior.likelihood();
        let time = Clock::Thread.time(|| {
            for _ in 0..PER_TURN {
                let at = MapPoint { x: black_box(&problem.x), sigma: SIGMA, own: &[] };
                let gradient = MapGradient { x: gradient, own: &mut [] };
                likelihood.gradient(&mut workspace.likelihood, at, gradient);
            }
        });
        time.as_secs_f64() / PER_TURN as f64
    }

    /// Seconds of a gradient of the prior.
    fn prior(&mut self) -> f64 {
        let Self { problem, workspace, gradient, .. } = self;
        let time = Clock::Thread.time(|| {
            for _ in 0..PER_TURN {
                problem.posterior.add_prior_gradient(workspace, black_box(&problem.x), &problem.spread, gradient);
            }
        });
        time.as_secs_f64() / PER_TURN as f64
    }

    /// Seconds of a trajectory; there and back, so that it stays where the density is.
    fn iteration(&mut self) -> f64 {
        let Self { problem, workspace, start, inverse_mass, forward, .. } = self;
        let Problem { posterior, spread, .. } = problem;
        let given = Given { sigma: SIGMA, spread, own: &[] };
        let mut target = LocationsTarget { posterior, workspace, given };
        let step = if *forward { 1e-5 } else { -1e-5 };
        *forward = !*forward;
        Clock::Thread.time(|| leapfrog(black_box(start), &mut target, inverse_mass, step, STEPS)).as_secs_f64()
    }
}
