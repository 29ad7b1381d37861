//! Densities as the Hamiltonian samplers see them: a vector of numbers, a log density and its gradient.

use std::sync::atomic::{AtomicBool, Ordering};

use super::rigid::RigidMotions;
use crate::likelihood::MapGradient;
use crate::numeric::{add_scaled, add_scaled_product};
use crate::posterior::{Density, FreeMotions, Given, Posterior, Unknowns, Workspace};

/// A log density at one position of its target.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Value {
    /// Log density of everything that the target moves, given the rest.
    pub log_density: f64,
    /// What is worth recording of it.
    pub density: Density,
}

impl Value {
    /// No number.
    const NONE: Self =
        Self { log_density: f64::NAN, density: Density { log_likelihood: f64::NAN, log_prior_x: f64::NAN } };
}

/// A log density over R^n.
pub trait Target {
    /// Log density at `position`; overwrites `gradient`.
    fn evaluate(&mut self, position: &[f64], gradient: &mut [f64]) -> Value;

    /// The same without the gradient, where that is cheaper.
    fn value(&mut self, position: &[f64]) -> Value {
        self.evaluate(position, &mut vec![0.0; position.len()])
    }

    /// Gradient alone, where no value is needed.
    fn gradient(&mut self, position: &[f64], gradient: &mut [f64]);

    /// Moves `position` for a time `step` with the velocity that belongs to `momentum`.
    fn drift(&mut self, position: &mut [f64], step: f64, momentum: &[f64], inverse_mass: &[f64]) {
        add_scaled_product(position, step, momentum, inverse_mass);
    }

    /// Adds what the gradient does to `momentum` in a time `step`.
    fn kick(&mut self, momentum: &mut [f64], step: f64, gradient: &[f64]) {
        add_scaled(momentum, step, gradient);
    }

    /// The coordinates whose masses are diagonal: the position itself, unless momenta are of something else.
    fn coordinates(&mut self, position: &[f64]) -> Vec<f64> {
        position.to_vec()
    }

    /// Rotations (and shifts) that leave all distances unchanged; `None` when there are too few to affect the U-turn check.
    fn rigid_motions(&mut self, _position: &[f64]) -> Option<RigidMotions> {
        None
    }
}

/// The locations given the noise, the spread and the measurement's own parameters.
pub struct LocationsTarget<'a> {
    /// What is sampled.
    pub posterior: &'a Posterior,
    /// Scratch memory.
    pub workspace: &'a mut Workspace,
    /// The rest.
    pub given: Given<'a>,
}

impl LocationsTarget<'_> {
    fn value_of(density: Density) -> Value {
        Value { log_density: density.of_locations(), density }
    }
}

impl Target for LocationsTarget<'_> {
    fn evaluate(&mut self, position: &[f64], gradient: &mut [f64]) -> Value {
        let by_own = &mut vec![0.0; self.given.own.len()];
        let gradient = MapGradient { x: gradient, own: by_own };
        Self::value_of(self.posterior.evaluate(self.workspace, position, self.given, gradient).density)
    }

    fn value(&mut self, position: &[f64]) -> Value {
        Self::value_of(self.posterior.value(self.workspace, position, self.given))
    }

    fn gradient(&mut self, position: &[f64], gradient: &mut [f64]) {
        let by_own = &mut vec![0.0; self.given.own.len()];
        self.posterior.gradient(self.workspace, position, self.given, MapGradient { x: gradient, own: by_own });
    }

    fn rigid_motions(&mut self, position: &[f64]) -> Option<RigidMotions> {
        rigid_motions(self.posterior, position)
    }
}

/// A target of which nothing more is computed once somebody wants to stop: it then is no number anywhere, trajectories end, and what
/// they lead to must not be used.
pub struct Interruptible<'a, T> {
    pub(super) target: T,
    pub(super) stop: Option<&'a AtomicBool>,
}

impl<'a, T> Interruptible<'a, T> {
    /// Computes until `stop` becomes true.
    pub fn new(target: T, stop: Option<&'a AtomicBool>) -> Self {
        Self { target, stop }
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

impl<T: Target> Target for Interruptible<'_, T> {
    fn evaluate(&mut self, position: &[f64], gradient: &mut [f64]) -> Value {
        if self.is_stopped() {
            gradient.fill(0.0);
            return Value::NONE;
        }
        self.target.evaluate(position, gradient)
    }

    fn value(&mut self, position: &[f64]) -> Value {
        if self.is_stopped() { Value::NONE } else { self.target.value(position) }
    }

    fn gradient(&mut self, position: &[f64], gradient: &mut [f64]) {
        if self.is_stopped() {
            return gradient.fill(0.0);
        }
        self.target.gradient(position, gradient);
    }

    fn drift(&mut self, position: &mut [f64], step: f64, momentum: &[f64], inverse_mass: &[f64]) {
        self.target.drift(position, step, momentum, inverse_mass);
    }

    fn kick(&mut self, momentum: &mut [f64], step: f64, gradient: &[f64]) {
        self.target.kick(momentum, step, gradient);
    }

    fn coordinates(&mut self, position: &[f64]) -> Vec<f64> {
        self.target.coordinates(position)
    }

    fn rigid_motions(&mut self, position: &[f64]) -> Option<RigidMotions> {
        self.target.rigid_motions(position)
    }
}

/// A target whose values are f64 whatever arithmetic its gradients are computed in.
pub(super) struct ExactValues<T>(pub(super) T);

impl<T: Target> Target for ExactValues<T> {
    fn evaluate(&mut self, position: &[f64], gradient: &mut [f64]) -> Value {
        self.0.gradient(position, gradient);
        self.0.value(position)
    }

    fn value(&mut self, position: &[f64]) -> Value {
        self.0.value(position)
    }

    fn gradient(&mut self, position: &[f64], gradient: &mut [f64]) {
        self.0.gradient(position, gradient);
    }
}

/// Locations, noise and the measurement's own parameters together, given the spread; see [`Unknowns`] for the order. The noise
/// moves in its coordinate ([`SigmaPrior`]), which is log sigma where sigma has no floor.
///
/// [`SigmaPrior`]: crate::posterior::SigmaPrior
pub struct JointTarget<'a> {
    posterior: &'a Posterior,
    workspace: &'a mut Workspace,
    given: Given<'a>,
    unknowns: Unknowns,
}

impl<'a> JointTarget<'a> {
    /// Of `given`, the spread is used, and sigma where it is known.
    pub fn new(posterior: &'a Posterior, workspace: &'a mut Workspace, given: Given<'a>) -> Self {
        Self { posterior, workspace, given, unknowns: posterior.joint_unknowns() }
    }
}

impl Target for JointTarget<'_> {
    fn evaluate(&mut self, position: &[f64], gradient: &mut [f64]) -> Value {
        let (x, w, own) = self.unknowns.split(position);
        let (by_x, by_w, by_own) = self.unknowns.split_mut(gradient);
        let noise = self.posterior.noise();
        let given = Given { sigma: w.map_or(self.given.sigma, |w| noise.sigma_at(w)), own, ..self.given };
        let by_map = MapGradient { x: by_x, own: &mut *by_own };
        let evaluation = self.posterior.evaluate(self.workspace, x, given, by_map);
        let density = evaluation.density;
        let mut log_density = density.of_locations();
        if let (Some(w), Some(by_w)) = (w, by_w) {
            *by_w = evaluation.by_log_sigma * noise.log_sigma_by_coordinate(w) + noise.derivative_at(w);
            log_density += noise.log_density_at(w);
        }
        if let Some(parameters) = self.posterior.likelihood().own() {
            log_density += parameters.add_log_prior(own, by_own);
        }
        Value { log_density, density }
    }

    fn gradient(&mut self, position: &[f64], gradient: &mut [f64]) {
        // The derivative by log sigma needs the value's sums.
        self.evaluate(position, gradient);
    }

    fn rigid_motions(&mut self, position: &[f64]) -> Option<RigidMotions> {
        rigid_motions(self.posterior, position)
    }
}

/// Rotations of the map about its centre, and shifts where the prior draws the centre by itself: no distance notices them.
fn rigid_motions(posterior: &Posterior, position: &[f64]) -> Option<RigidMotions> {
    let (n_objects, n_dims) = (posterior.likelihood().n_objects(), posterior.likelihood().n_dims());
    let shifts = match posterior.locations().free_motions() {
        FreeMotions::RotationsAndShifts => Some(vec![1.0; n_objects]),
        FreeMotions::Rotations => None,
        FreeMotions::None => return None,
    };
    let mut x = position[..n_objects * n_dims].to_vec();
    // Far from the origin rotations would look like shifts.
    for x in x.chunks_exact_mut(n_objects) {
        let centre = x.iter().sum::<f64>() / n_objects as f64;
        x.iter_mut().for_each(|x| *x -= centre);
    }
    RigidMotions::new(&x, n_dims, shifts)
}
