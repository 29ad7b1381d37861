//! The first steps of a chain of a large map: from near the mode to where the posterior has its mass.
//!
//! Chains of large maps start at an optimum. Half a unit of energy per coordinate is missing there, and trajectories that gain it have
//! energy errors that all point one way: their sum grows with the coordinates, that of errors in equilibrium with the root of
//! their number. Dual averaging would answer with steps ten times too short and less, and warm-up would go by in trajectories of a
//! thousand gradients. A few short trajectories that nobody rejects bring the energy in, at any number of coordinates.

use rand_chacha::ChaCha8Rng;

use super::Evaluated;
use super::hamiltonian::{PhasePoint, draw_momentum, leapfrog};
use super::target::Target;

/// Maps with this many coordinates are large: below, the first iterations cost little, and rejecting is the safer rule.
const LARGE: usize = 20_000;
/// Step sizes, in units of the time in which a coordinate with the guessed variance turns by one radian: the shorter, the nearer is
/// what is left to the posterior itself.
const STEPS: [f64; 6] = [0.4, 0.4, 0.2, 0.2, 0.1, 0.1];
/// How long each trajectory takes: a quarter of a period trades locations for momenta.
const TIME: f64 = 1.5;

/// Whether a map has enough coordinates that its chains are to be brought into equilibrium first.
pub(super) fn is_large(n_coordinates: usize) -> bool {
    n_coordinates >= LARGE
}

/// The end of trajectories from `start`. Where one gains more energy than the momenta have, the steps are too long: it is not taken.
pub(super) fn equilibrate(
    start: Evaluated,
    target: &mut impl Target,
    inverse_mass: &[f64],
    rng: &mut ChaCha8Rng,
) -> Evaluated {
    let most = 0.5 * inverse_mass.len() as f64;
    STEPS.into_iter().fold(start, |current, step| {
        let mut point = PhasePoint { evaluated: current.clone(), momentum: draw_momentum(inverse_mass, rng) };
        let energy = point.energy(inverse_mass);
        leapfrog(&mut point, target, inverse_mass, step, (TIME / step).round() as usize);
        let gain = point.energy(inverse_mass) - energy;
        if gain < most { point.evaluated } else { current }
    })
}
