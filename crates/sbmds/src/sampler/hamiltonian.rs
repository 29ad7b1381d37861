//! The leapfrog integrator: one gradient per step, volume preserving, reversible.

use rand::Rng;
use rand::RngExt;
use rand_distr::StandardNormal;

use super::Evaluated;
use super::target::Target;
use crate::numeric::weighted_dot;

/// Energy errors beyond this are divergences; Stan, nuts-rs and blackjax use the same.
pub(super) const DIVERGENCE: f64 = 1000.0;

/// A point with momentum.
#[derive(Clone, Debug)]
pub struct PhasePoint {
    /// Where, with its density.
    pub evaluated: Evaluated,
    /// Momentum.
    pub momentum: Vec<f64>,
}

impl PhasePoint {
    /// Negative log density plus kinetic energy.
    pub fn energy(&self, inverse_mass: &[f64]) -> f64 {
        kinetic_energy(&self.momentum, inverse_mass) - self.evaluated.log_density()
    }
}

/// Momentum ~ N(0, M), with M = 1 / inverse_mass.
pub fn draw_momentum(inverse_mass: &[f64], rng: &mut impl Rng) -> Vec<f64> {
    let mut momentum: Vec<f64> = inverse_mass.iter().map(|_| rng.sample(StandardNormal)).collect();
    for (p, inverse) in momentum.iter_mut().zip(inverse_mass) {
        *p /= inverse.sqrt();
    }
    momentum
}

/// p' M^-1 p / 2
pub fn kinetic_energy(momentum: &[f64], inverse_mass: &[f64]) -> f64 {
    0.5 * weighted_dot(momentum, momentum, inverse_mass)
}

/// Moves `point` by `n_steps` leapfrog steps of size `step` (negative: backwards in time).
///
/// Values are only needed where the trajectory ends, so the steps between ask for gradients alone.
pub fn leapfrog(point: &mut PhasePoint, target: &mut impl Target, inverse_mass: &[f64], step: f64, n_steps: usize) {
    point.evaluated.follow(target, &mut point.momentum, inverse_mass, step, n_steps);
}
