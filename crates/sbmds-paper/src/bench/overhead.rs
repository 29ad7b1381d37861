//! What a gradient costs inside a sampler, beside the bare gradient of the likelihood in the same run.

use std::convert::Infallible;
use std::hint::black_box;

use sbmds::fit::{Follower, Step, drive};
use sbmds::likelihood::{MapGradient, MapPoint};
use sbmds::posterior::{Given, Posterior, Spread, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Chain, Evaluated, LocationsTarget, PhasePoint, draw_momentum, leapfrog};
use serde::Serialize;

use super::clock::Clock;

/// Processor time per gradient, as multiples of the bare gradient's.
#[derive(Serialize)]
pub struct Overhead {
    /// The unit: one gradient of the likelihood alone.
    pub bare_gradient_seconds: f64,
    /// A leapfrog step: gradient of likelihood and prior, new momentum, new position.
    pub leapfrog_step: f64,
    /// A whole iteration, with momentum draw, noise and bookkeeping, divided by its gradients.
    pub iteration: f64,
}

/// The contenders take turns; a median forgives the turns somebody else disturbed.
const ROUNDS: usize = 25;
/// Gradients in one turn of small problems: a turn must outlast the clock's grain.
const GRADIENTS_PER_TURN: usize = 200;
const STEPS: usize = 20;

impl Overhead {
    /// Goes on with `chain`, whose trajectories step by `step_size`.
    pub fn measure(posterior: &Posterior, chain: &mut Chain, step_size: f64) -> Self {
        let gradients = GRADIENTS_PER_TURN.min(20_000_000 / posterior.likelihood().n_pairs().max(1)).max(STEPS);
        let mut course = Course::new(posterior, chain, step_size);
        let mut turns: [Vec<f64>; 3] = Default::default();
        for _ in 0..ROUNDS {
            turns[0].push(course.bare(gradients));
            turns[1].push(course.leapfrog(gradients));
            turns[2].push(iterations(chain, gradients));
        }
        let [bare, leapfrog_step, iteration] = turns.map(median);
        Self { bare_gradient_seconds: bare, leapfrog_step: leapfrog_step / bare, iteration: iteration / bare }
    }
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// Seconds per gradient of whole iterations.
fn iterations(chain: &mut Chain, gradients: usize) -> f64 {
    let mut count = Gradients { done: 0, wanted: gradients };
    let time = Clock::Thread.time(|| {
        let Ok(()) = drive(chain, 1, &mut count);
    });
    time.as_secs_f64() / count.done as f64
}

/// Follows a chain for this many gradients.
struct Gradients {
    done: usize,
    wanted: usize,
}

impl Follower for Gradients {
    type Error = Infallible;

    fn goes_on(&mut self, _: &Chain) -> Result<bool, Infallible> {
        Ok(self.done < self.wanted)
    }

    fn iterated(&mut self, _: &Chain, step: Step) -> Result<(), Infallible> {
        self.done += step.info.n_gradients.max(1);
        Ok(())
    }

    fn draw(&mut self, _: &Chain) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Where the bare gradient and the leapfrog steps run: around the point where the chain was.
struct Course<'a> {
    posterior: &'a Posterior,
    workspace: Workspace,
    sigma: f64,
    spread: Spread,
    start: PhasePoint,
    inverse_mass: Vec<f64>,
    step_size: f64,
    gradient: Vec<f64>,
}

impl<'a> Course<'a> {
    fn new(posterior: &'a Posterior, chain: &Chain, step_size: f64) -> Self {
        let mut workspace = Workspace::serial();
        let (sigma, spread) = (chain.sigma(), chain.spread().clone());
        let given = Given { sigma, spread: &spread, own: &[] };
        let mut target = LocationsTarget { posterior, workspace: &mut workspace, given };
        let evaluated = Evaluated::at(&mut target, chain.x().to_vec());
        let inverse_mass = vec![1.0; chain.x().len()];
        let momentum = draw_momentum(&inverse_mass, &mut stream(1, 0, Purpose::Sampling));
        let gradient = vec![0.0; chain.x().len()];
        let start = PhasePoint { evaluated, momentum };
        Self { posterior, workspace, sigma, spread, start, inverse_mass, step_size, gradient }
    }

    /// Seconds per gradient of the likelihood alone.
    fn bare(&mut self, gradients: usize) -> f64 {
        let Self { posterior, workspace, sigma, start, gradient, .. } = self;
        let time = Clock::Thread.time(|| {
            for _ in 0..gradients {
                let x = black_box(start.evaluated.position());
                let at = MapPoint { x, sigma: *sigma, own: &[] };
                let gradient = MapGradient { x: gradient, own: &mut [] };
                posterior.likelihood().gradient(&mut workspace.likelihood, at, gradient);
            }
        });
        time.as_secs_f64() / gradients as f64
    }

    /// Seconds per leapfrog step.
    fn leapfrog(&mut self, gradients: usize) -> f64 {
        let Self { posterior, workspace, sigma, spread, start, inverse_mass, step_size, .. } = self;
        let given = Given { sigma: *sigma, spread, own: &[] };
        let mut target = LocationsTarget { posterior, workspace, given };
        let trajectories = gradients.div_ceil(STEPS);
        let time = Clock::Thread.time(|| {
            for trajectory in 0..trajectories {
                // There and back: the steps stay where the density is.
                let step = if trajectory % 2 == 0 { *step_size } else { -*step_size };
                leapfrog(black_box(start), &mut target, inverse_mass, step, STEPS);
            }
        });
        time.as_secs_f64() / (trajectories * STEPS) as f64
    }
}
