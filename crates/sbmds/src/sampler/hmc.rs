//! Hamiltonian Monte Carlo with a fixed number of leapfrog steps: the paper's sampler of the locations.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::adaptation::StepSize;
use super::hamiltonian::{DIVERGENCE, Integrator, PhasePoint, draw_momentum};
use super::moves::{Conditions, Move};
use super::settings::{Entry, SamplerSettings};
use super::target::{ExactValues, Target};
use super::{Evaluated, StepInfo};
use crate::likelihood::Arithmetic;

/// In the list of samplers; 0.65 is the paper's acceptance rate.
pub(super) const ENTRY: Entry = Entry {
    name: "hmc",
    independent_after: 20,
    target_acceptance: 0.65,
    has_gradients: true,
    start,
    load: |tuning| Ok(Box::new(postcard::from_bytes::<Hmc>(tuning)?)),
};

fn start(
    settings: &SamplerSettings,
    x: Vec<f64>,
    conditions: &mut Conditions,
    rng: &mut ChaCha8Rng,
) -> (Evaluated, Box<dyn Move>) {
    let inverse_mass = vec![1.0; x.len()];
    let mut target = conditions.locations();
    let current = Evaluated::at(&mut target, x);
    let step = reasonable_step(Integrator::Leapfrog, &current, &mut target, &inverse_mass, rng);
    let step = settings.step_size(step, settings.target());
    let (n_steps, jitter) = (settings.leapfrog_steps, settings.jitter);
    (current, Box::new(Hmc { step, n_steps, jitter, inverse_mass }))
}

/// Tuning of the sampler.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Hmc {
    step: StepSize,
    n_steps: usize,
    jitter: f64,
    /// All ones: the paper's kinetic energy.
    inverse_mass: Vec<f64>,
}

impl Move for Hmc {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn step(
        &mut self,
        current: &mut Evaluated,
        conditions: &mut Conditions,
        _warmup: Option<usize>,
        rng: &mut ChaCha8Rng,
    ) -> StepInfo {
        let info = match conditions.workspace.likelihood.arithmetic {
            Arithmetic::F64 => self.transition(current, &mut conditions.locations(), rng),
            Arithmetic::F32 => self.transition(current, &mut ExactValues(conditions.locations()), rng),
        };
        self.step.learn(info.acceptance, info.accepted);
        info
    }

    fn freeze(&mut self) {
        self.step.freeze();
    }

    fn evaluate(&self, position: Vec<f64>, conditions: &mut Conditions) -> Evaluated {
        match conditions.workspace.likelihood.arithmetic {
            Arithmetic::F64 => Evaluated::at(&mut conditions.locations(), position),
            Arithmetic::F32 => Evaluated::at(&mut ExactValues(conditions.locations()), position),
        }
    }

    fn takes_single_gradients(&self) -> bool {
        true
    }
}

impl Hmc {
    /// One trajectory, accepted or not (eq. 14).
    fn transition(&self, current: &mut Evaluated, target: &mut impl Target, rng: &mut ChaCha8Rng) -> StepInfo {
        let n_steps = self.draw_n_steps(rng);
        transition(Integrator::Leapfrog, current, target, &self.inverse_mass, (self.step.get(), n_steps), rng)
    }

    /// Uniform on n (1 +- jitter): trajectories of one length can be periodic.
    fn draw_n_steps(&self, rng: &mut ChaCha8Rng) -> usize {
        let spread = (self.jitter * self.n_steps as f64) as usize;
        if spread == 0 { self.n_steps } else { rng.random_range(self.n_steps - spread..=self.n_steps + spread).max(1) }
    }
}

/// One trajectory of `n_steps` steps, accepted or not (eq. 14).
pub(super) fn transition(
    integrator: Integrator,
    current: &mut Evaluated,
    target: &mut impl Target,
    inverse_mass: &[f64],
    (step, n_steps): (f64, usize),
    rng: &mut ChaCha8Rng,
) -> StepInfo {
    let mut point = PhasePoint { evaluated: current.clone(), momentum: draw_momentum(inverse_mass, rng) };
    let energy = point.energy(inverse_mass);
    integrator.follow(&mut point, target, inverse_mass, step, n_steps);
    let error = point.energy(inverse_mass) - energy;
    let acceptance = if error.is_finite() { (-error).exp().min(1.0) } else { 0.0 };
    let accepted = rng.random::<f64>() < acceptance;
    if accepted {
        *current = point.evaluated;
    }
    StepInfo {
        acceptance,
        accepted,
        energy: if accepted { energy + error } else { energy },
        step_size: step,
        n_gradients: n_steps * integrator.n_gradients(),
        diverging: error.is_nan() || error > DIVERGENCE,
        tree_depth: 0,
    }
}

/// A first step that is accepted with a probability around 1/2 (Hoffman & Gelman 2014, algorithm 4).
pub(super) fn reasonable_step(
    integrator: Integrator,
    current: &Evaluated,
    target: &mut impl Target,
    inverse_mass: &[f64],
    rng: &mut ChaCha8Rng,
) -> f64 {
    let start = PhasePoint { evaluated: current.clone(), momentum: draw_momentum(inverse_mass, rng) };
    let energy = start.energy(inverse_mass);
    let mut log_acceptance = |step: f64| {
        let mut point = start.clone();
        integrator.follow(&mut point, target, inverse_mass, step, 1);
        let error = point.energy(inverse_mass) - energy;
        if error.is_nan() { f64::NEG_INFINITY } else { -error }
    };
    let mut step = 0.1;
    let half = -std::f64::consts::LN_2;
    let grow = log_acceptance(step) > half;
    // 2^60 either way: a density so flat or so steep has other problems.
    for _ in 0..60 {
        let next = if grow { 2.0 * step } else { 0.5 * step };
        if (log_acceptance(next) > half) != grow {
            return if grow { step } else { next };
        }
        step = next;
    }
    step
}
