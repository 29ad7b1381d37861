//! Random-walk Metropolis on the locations: all objects at once (the paper's), or one object at a time.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::adaptation::StepSize;
use super::moves::{Conditions, Move};
use super::settings::{Entry, SamplerSettings};
use super::{Evaluated, StepInfo};
use crate::coupling::Position;
use crate::likelihood::MapPoint;
use crate::posterior::Given;

/// In the list of samplers; 0.234 is the optimum for many dimensions (Roberts, Gelman & Gilks 1997).
pub(super) const JOINT: Entry = Entry {
    name: "mh",
    independent_after: 1_000,
    target_acceptance: 0.234,
    has_gradients: false,
    start: start_joint,
    load: |tuning| Ok(Box::new(postcard::from_bytes::<JointWalk>(tuning)?)),
};

/// In the list of samplers; 0.35 is near the optimum for a few dimensions.
pub(super) const SINGLE: Entry = Entry {
    name: "mwg",
    independent_after: 100,
    target_acceptance: 0.35,
    has_gradients: false,
    start: start_single,
    load: |tuning| Ok(Box::new(postcard::from_bytes::<SingleWalk>(tuning)?)),
};

fn start_joint(
    settings: &SamplerSettings,
    x: Vec<f64>,
    conditions: &mut Conditions,
    _rng: &mut ChaCha8Rng,
) -> (Evaluated, Box<dyn Move>) {
    // 2.4 / sqrt(dimension) posterior standard deviations (Roberts, Gelman & Gilks 1997).
    let tau = 2.4 * conditions.given().sigma / (x.len() as f64).sqrt();
    let current = Evaluated::value_at(&mut conditions.locations(), x);
    (current, Box::new(JointWalk { step: settings.step_size(tau, settings.target()) }))
}

/// Every object begins with the same step.
fn start_single(
    settings: &SamplerSettings,
    x: Vec<f64>,
    conditions: &mut Conditions,
    _rng: &mut ChaCha8Rng,
) -> (Evaluated, Box<dyn Move>) {
    let step = settings.step_size(conditions.given().sigma, settings.target());
    let current = Evaluated::value_at(&mut conditions.locations(), x);
    (current, Box::new(SingleWalk { steps: vec![step; conditions.posterior.likelihood().n_objects()] }))
}

/// The paper's joint adaptive Metropolis: every coordinate moves by N(0, tau^2).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct JointWalk {
    step: StepSize,
}

impl Move for JointWalk {
    fn name(&self) -> &'static str {
        JOINT.name
    }

    fn step(
        &mut self,
        current: &mut Evaluated,
        conditions: &mut Conditions,
        _warmup: Option<usize>,
        rng: &mut ChaCha8Rng,
    ) -> StepInfo {
        let tau = self.step.get();
        let coordinates = current.position().iter();
        let moved = coordinates.map(|x| x + tau * rng.sample::<f64, _>(StandardNormal)).collect();
        let moved = Evaluated::value_at(&mut conditions.locations(), moved);
        let change = moved.log_density() - current.log_density();
        let acceptance = if change.is_nan() { 0.0 } else { change.exp().min(1.0) };
        let accepted = rng.random::<f64>() < acceptance;
        if accepted {
            *current = moved;
        }
        self.step.learn(acceptance, accepted);
        let energy = -current.log_density();
        StepInfo { acceptance, accepted, energy, step_size: tau, ..StepInfo::default() }
    }

    fn freeze(&mut self) {
        self.step.freeze();
    }

    fn evaluate(&self, position: Vec<f64>, conditions: &mut Conditions) -> Evaluated {
        Evaluated::value_at(&mut conditions.locations(), position)
    }
}

/// Metropolis within Gibbs: one object after another, each with a step of its own, at the cost of its partners.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct SingleWalk {
    steps: Vec<StepSize>,
}

impl Move for SingleWalk {
    fn name(&self) -> &'static str {
        SINGLE.name
    }

    /// One sweep over all objects.
    fn step(
        &mut self,
        current: &mut Evaluated,
        conditions: &mut Conditions,
        warmup: Option<usize>,
        rng: &mut ChaCha8Rng,
    ) -> StepInfo {
        let n_objects = self.steps.len();
        let mut x = current.position().to_vec();
        let mut log_prior = current.value().density.log_prior_x;
        let mut acceptance_sum = 0.0;
        let mut step_sum = 0.0;
        let mut n_accepted = 0;
        for (position, step) in self.steps.iter_mut().enumerate() {
            let tau = step.get();
            let from: Vec<f64> = x.chunks_exact(n_objects).map(|values| values[position]).collect();
            let to: Vec<f64> = from.iter().map(|x| x + tau * rng.sample::<f64, _>(StandardNormal)).collect();
            let prior_change = prior_change(conditions, &mut x, position, (&from, &to), log_prior);
            let Given { sigma, own, .. } = conditions.given();
            let at = MapPoint { x: &x, sigma, own };
            let likelihood = conditions.posterior.likelihood();
            let change = prior_change
                + likelihood.change_when_moved(&mut conditions.workspace.likelihood, at, Position::new(position), &to);
            let acceptance = if change.is_nan() { 0.0 } else { change.exp().min(1.0) };
            let accepted = rng.random::<f64>() < acceptance;
            if accepted {
                put(&mut x, n_objects, position, &to);
                log_prior += prior_change;
            }
            if warmup.is_some() {
                step.learn(acceptance, accepted);
            }
            acceptance_sum += acceptance;
            step_sum += tau;
            n_accepted += usize::from(accepted);
        }
        // Evaluated afresh: a sum of many changes would drift.
        *current = self.evaluate(x, conditions);
        StepInfo {
            acceptance: acceptance_sum / n_objects as f64,
            accepted: n_accepted > 0,
            energy: -current.log_density(),
            step_size: step_sum / n_objects as f64,
            ..StepInfo::default()
        }
    }

    fn freeze(&mut self) {
        self.steps.iter_mut().for_each(StepSize::freeze);
    }

    fn evaluate(&self, position: Vec<f64>, conditions: &mut Conditions) -> Evaluated {
        Evaluated::value_at(&mut conditions.locations(), position)
    }
}

/// Change of the log prior of the locations, now `log_prior`, when an object moves: unless the objects are independent, the
/// whole prior is computed again.
fn prior_change(
    conditions: &mut Conditions,
    x: &mut [f64],
    position: usize,
    (from, to): (&[f64], &[f64]),
    log_prior: f64,
) -> f64 {
    let Conditions { posterior, workspace, spread, .. } = conditions;
    if let Some(variances) = posterior.locations().independent_variances(spread) {
        let change = |((from, to), variance): ((&f64, &f64), &f64)| (from * from - to * to) / (2.0 * variance);
        return from.iter().zip(to).zip(variances).map(change).sum();
    }
    let n_objects = posterior.likelihood().n_objects();
    put(x, n_objects, position, to);
    let moved = posterior.log_prior_x(workspace, x, spread);
    put(x, n_objects, position, from);
    moved - log_prior
}

fn put(x: &mut [f64], n_objects: usize, position: usize, to: &[f64]) {
    for (dim, &value) in to.iter().enumerate() {
        x[dim * n_objects + position] = value;
    }
}
