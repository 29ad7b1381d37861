//! Iterations that are interrupted: nothing more is computed, and the chain goes on as if nobody had asked it to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use sbmds::coupling::{Pairs, Position};
use sbmds::likelihood::{self, Conditional, LikelihoodValue, LogLikelihood, MapGradient, MapPoint, Noise};
use sbmds::posterior::{Posterior, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Chain, Sampler};

use crate::kit::{Model, Problem, SAMPLERS, priors, settings};

/// Wants to stop after so many evaluations, and counts those that come after.
#[derive(Default)]
struct Bell {
    stop: AtomicBool,
    n_left: AtomicUsize,
    n_after: AtomicUsize,
}

impl Bell {
    fn set(&self, n_evaluations: usize) {
        self.stop.store(n_evaluations == 0, Relaxed);
        self.n_left.store(n_evaluations, Relaxed);
        self.n_after.store(0, Relaxed);
    }

    fn count(&self) {
        if self.stop.load(Relaxed) {
            self.n_after.fetch_add(1, Relaxed);
        } else if self.n_left.fetch_sub(1, Relaxed) == 1 {
            self.stop.store(true, Relaxed);
        }
    }
}

/// A likelihood whose evaluations are counted.
struct Counted {
    likelihood: Posterior,
    bell: Arc<Bell>,
}

impl Counted {
    fn inner(&self) -> &dyn LogLikelihood {
        self.likelihood.likelihood()
    }
}

impl LogLikelihood for Counted {
    fn n_objects(&self) -> usize {
        self.inner().n_objects()
    }

    fn n_dims(&self) -> usize {
        self.inner().n_dims()
    }

    fn n_pairs(&self) -> usize {
        self.inner().n_pairs()
    }

    fn value(&self, workspace: &mut likelihood::Workspace, at: MapPoint) -> f64 {
        self.bell.count();
        self.inner().value(workspace, at)
    }

    fn both(&self, workspace: &mut likelihood::Workspace, at: MapPoint, gradient: MapGradient) -> LikelihoodValue {
        self.bell.count();
        self.inner().both(workspace, at, gradient)
    }

    fn visit_partners(&self, position: Position, visit: &mut dyn FnMut(Position, f64) -> bool) {
        self.inner().visit_partners(position, visit);
    }

    fn conditional(&self) -> Option<Box<dyn Conditional + '_>> {
        self.inner().conditional()
    }
}

const N_WARMUP: usize = 60;

fn problem() -> (Problem, Posterior, Arc<Bell>) {
    let (_, priors) = priors(2).swap_remove(2);
    let model = Model::new(8, 2, Pairs::full(8), Noise::TruncatedNormal, priors);
    let problem = model.draw(&mut stream(5, 0, Purpose::Simulation));
    let bell = Arc::new(Bell::default());
    let counted = Counted { likelihood: problem.posterior.clone(), bell: Arc::clone(&bell) };
    let posterior = problem.posterior.clone().with_likelihood(Arc::new(counted));
    (problem, posterior, bell)
}

fn draws_of(sampler: Sampler, is_interrupted: bool) -> Vec<f64> {
    let (problem, posterior, bell) = problem();
    bell.set(usize::MAX);
    let rng = stream(9, 0, Purpose::Sampling);
    let settings = settings(sampler, N_WARMUP);
    let mut chain = Chain::start(&posterior, &settings, problem.truth, rng, Workspace::serial());
    let mut draws = Vec::new();
    for iteration in 0..2 * N_WARMUP {
        if is_interrupted {
            let before = format!("{:?}", chain.state());
            // In the middle of most trajectories; 0: before the first step.
            bell.set(iteration % 5);
            let info = chain.step_unless(&bell.stop, chain.state().clone());
            match bell.stop.load(Relaxed) {
                true => {
                    assert!(info.is_none());
                    assert_eq!(format!("{:?}", chain.state()), before, "{sampler} at {iteration}");
                    // One sweep over the objects, pair by pair, costs no more than one value of the whole.
                    let is_silent = sampler == Sampler::Mwg || bell.n_after.load(Relaxed) == 0;
                    assert!(is_silent, "{sampler} at {iteration}: {:?} more", bell.n_after);
                }
                false => {
                    draws.extend_from_slice(chain.x());
                    continue;
                }
            }
            bell.set(usize::MAX);
        }
        chain.step();
        draws.extend_from_slice(chain.x());
    }
    draws
}

#[test]
fn a_chain_interrupted_at_every_iteration_has_the_draws_of_one_that_was_not() {
    for sampler in SAMPLERS {
        assert_eq!(draws_of(sampler, true), draws_of(sampler, false), "{sampler}");
    }
}

#[test]
fn a_chain_that_is_interrupted_at_its_start_has_not_begun() {
    let (problem, posterior, bell) = problem();
    for n_evaluations in [0, 1, 3, usize::MAX] {
        bell.set(n_evaluations);
        let rng = stream(9, 0, Purpose::Sampling);
        let settings = settings(Sampler::Nuts, N_WARMUP);
        let start = problem.truth.clone();
        let chain = Chain::start_unless(&posterior, &settings, start, rng, Workspace::serial(), &bell.stop);
        assert_eq!(chain.is_some(), n_evaluations == usize::MAX);
        assert_eq!(bell.n_after.load(Relaxed), 0);
    }
}
