//! Integrators of trajectories, volume preserving and reversible: leapfrog, and one of two stages.

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

/// How a trajectory is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Integrator {
    /// Half a kick, a drift, half a kick.
    Leapfrog,
    /// Kicks of b, 1 - 2b and b steps with half a drift between them, which costs two gradients, and has far smaller errors than two
    /// leapfrogs (eq. 31): where many coordinates share the error that is tolerated, steps are more than twice as long.
    TwoStage,
}

impl Integrator {
    /// McLachlan's b (1995), for the smallest error of third order.
    const B: f64 = 0.193_183_327_503_783_7;

    /// Gradients of one step.
    pub fn n_gradients(self) -> usize {
        match self {
            Self::Leapfrog => 1,
            Self::TwoStage => 2,
        }
    }

    /// The share of a step by which its first and last kick go.
    pub(super) fn outer_kick(self) -> f64 {
        match self {
            Self::Leapfrog => 0.5,
            Self::TwoStage => Self::B,
        }
    }

    /// Moves `point` by `n_steps` steps of size `step` (negative: backwards in time).
    ///
    /// Values are only needed where the trajectory ends, so everything between asks for gradients alone.
    pub fn follow(
        self,
        point: &mut PhasePoint,
        target: &mut impl Target,
        inverse_mass: &[f64],
        step: f64,
        n_steps: usize,
    ) {
        point.evaluated.follow(self, target, &mut point.momentum, inverse_mass, (step, n_steps));
    }
}

/// Moves `point` by `n_steps` leapfrog steps of size `step` (negative: backwards in time).
pub fn leapfrog(point: &mut PhasePoint, target: &mut impl Target, inverse_mass: &[f64], step: f64, n_steps: usize) {
    Integrator::Leapfrog.follow(point, target, inverse_mass, step, n_steps);
}
