//! Random-walk Metropolis on the locations: all objects at once (the paper's), or one object at a time.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::StepInfo;
use super::adaptation::StepSize;
use super::target::Evaluated;
use crate::Locations;
use crate::posterior::{Posterior, Spread, Workspace};

/// The paper's joint adaptive Metropolis: every coordinate moves by N(0, tau^2).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct JointWalk {
    pub(super) step: StepSize,
}

impl JointWalk {
    pub(super) fn transition(
        &self,
        current: &mut Evaluated,
        posterior: &Posterior,
        workspace: &mut Workspace,
        (sigma, spread): (f64, &Spread),
        rng: &mut ChaCha8Rng,
    ) -> StepInfo {
        let tau = self.step.get();
        let moved: Vec<f64> = current.position.iter().map(|x| x + tau * rng.sample::<f64, _>(StandardNormal)).collect();
        let density = posterior.value(workspace, &moved, sigma, spread);
        let change = density.log_density - current.log_density();
        let acceptance = if change.is_nan() { 0.0 } else { change.exp().min(1.0) };
        let accepted = rng.random::<f64>() < acceptance;
        if accepted {
            *current = Evaluated::without_gradient(moved, density);
        }
        let energy = -current.log_density();
        StepInfo { acceptance, accepted, energy, step_size: tau, ..StepInfo::default() }
    }
}

/// Metropolis within Gibbs: one object after another, each with a step of its own, at the cost of its partners.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct SingleWalk {
    steps: Vec<StepSize>,
}

impl SingleWalk {
    /// Every object begins with the same step.
    pub(super) fn new(n_objects: usize, step: StepSize) -> Self {
        Self { steps: vec![step; n_objects] }
    }

    /// One sweep over all objects; `learn` during warm-up.
    pub(super) fn sweep(
        &mut self,
        current: &mut Evaluated,
        posterior: &Posterior,
        workspace: &mut Workspace,
        (sigma, spread): (f64, &Spread),
        learn: bool,
        rng: &mut ChaCha8Rng,
    ) -> StepInfo {
        let likelihood = posterior.likelihood();
        let (n_objects, n_dims) = (likelihood.n_objects(), likelihood.n_dims());
        let mut x = Locations::from_fn(n_objects, n_dims, |n, d| current.position[d * n_objects + n]);
        let mut log_prior = current.density.log_prior_x;
        let mut acceptance_sum = 0.0;
        let mut step_sum = 0.0;
        let mut n_accepted = 0;
        for object in 0..n_objects {
            let tau = self.steps[object].get();
            let from = x.object(object);
            let to: Vec<f64> = from.iter().map(|x| x + tau * rng.sample::<f64, _>(StandardNormal)).collect();
            let prior_change = prior_change(posterior, workspace, &mut x, spread, (object, &to), log_prior);
            let change = prior_change + likelihood.change_when_moved(&mut workspace.likelihood, &x, sigma, object, &to);
            let acceptance = if change.is_nan() { 0.0 } else { change.exp().min(1.0) };
            let accepted = rng.random::<f64>() < acceptance;
            if accepted {
                put(&mut x, object, &to);
                log_prior += prior_change;
            }
            if learn {
                self.steps[object].learn(acceptance, accepted);
            }
            acceptance_sum += acceptance;
            step_sum += tau;
            n_accepted += usize::from(accepted);
        }
        let position = x.as_slice().to_vec();
        // Evaluated afresh: a sum of many changes would drift.
        let density = posterior.value(workspace, &position, sigma, spread);
        *current = Evaluated::without_gradient(position, density);
        StepInfo {
            acceptance: acceptance_sum / n_objects as f64,
            accepted: n_accepted > 0,
            energy: -density.log_density,
            step_size: step_sum / n_objects as f64,
            ..StepInfo::default()
        }
    }

    pub(super) fn freeze(&mut self) {
        self.steps.iter_mut().for_each(StepSize::freeze);
    }
}

/// Change of the log prior of the locations, now `log_prior`, when an object moves: with a tree the whole prior is computed
/// again, O(N D).
fn prior_change(
    posterior: &Posterior,
    workspace: &mut Workspace,
    x: &mut Locations,
    spread: &Spread,
    (object, to): (usize, &[f64]),
    log_prior: f64,
) -> f64 {
    let from = x.object(object);
    if let Some(scales) = spread.scales() {
        return from
            .iter()
            .zip(to)
            .zip(scales)
            .map(|((from, to), scale)| (from * from - to * to) / (2.0 * scale))
            .sum();
    }
    put(x, object, to);
    let moved = posterior.log_prior_x(workspace, x.as_slice(), spread);
    put(x, object, &from);
    moved - log_prior
}

fn put(x: &mut Locations, object: usize, to: &[f64]) {
    for (dim, &value) in to.iter().enumerate() {
        x.set(object, dim, value);
    }
}
