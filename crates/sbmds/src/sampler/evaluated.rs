//! A point with the density and gradient that belong to it.

use super::hamiltonian::Integrator;
use super::target::{Target, Value};
use crate::numeric::sum_of_squares;

/// A position, the value of a target there and, where a move needs it, the gradient. Every function that changes the position
/// computes the rest anew, and all of them are in this file: a value can never be stale.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Evaluated {
    position: Vec<f64>,
    value: Value,
    gradient: Option<Vec<f64>>,
}

impl Evaluated {
    /// Evaluates the target at `position`.
    pub fn at(target: &mut impl Target, position: Vec<f64>) -> Self {
        let mut gradient = vec![0.0; position.len()];
        let value = target.evaluate(&position, &mut gradient);
        Self { position, value, gradient: Some(gradient) }
    }

    /// The value alone, for moves that need no gradient.
    pub fn value_at(target: &mut impl Target, position: Vec<f64>) -> Self {
        let value = target.value(&position);
        Self { position, value, gradient: None }
    }

    /// Where.
    pub fn position(&self) -> &[f64] {
        &self.position
    }

    /// The value there, with its parts.
    pub fn value(&self) -> Value {
        self.value
    }

    /// The log density there.
    pub fn log_density(&self) -> f64 {
        self.value.log_density
    }

    /// Its gradient, if it was computed.
    pub fn gradient(&self) -> Option<&[f64]> {
        self.gradient.as_deref()
    }

    /// Follows `n_steps` steps of size `step`; see [`Integrator::follow`].
    ///
    /// # Panics
    /// If the point was evaluated without a gradient.
    pub(super) fn follow(
        &mut self,
        integrator: Integrator,
        target: &mut impl Target,
        momentum: &mut [f64],
        inverse_mass: &[f64],
        (step, n_steps): (f64, usize),
    ) {
        let Self { position, value, gradient } = self;
        let gradient = gradient.as_mut().expect("trajectories start where the gradient is known");
        let outer = integrator.outer_kick();
        target.kick(momentum, outer * step, gradient);
        for remaining in (0..n_steps).rev() {
            match integrator {
                Integrator::Leapfrog => target.drift(position, step, momentum, inverse_mass),
                Integrator::TwoStage => {
                    target.drift(position, 0.5 * step, momentum, inverse_mass);
                    target.gradient(position, gradient);
                    target.kick(momentum, (1.0 - 2.0 * outer) * step, gradient);
                    target.drift(position, 0.5 * step, momentum, inverse_mass);
                }
            }
            if remaining > 0 {
                target.gradient(position, gradient);
                target.kick(momentum, 2.0 * outer * step, gradient);
            } else {
                *value = target.evaluate(position, gradient);
                target.kick(momentum, outer * step, gradient);
            }
        }
    }

    /// The same after a shift of the whole map by `shifts`, one per dimension, under the prior N(0, Lambda): no distance
    /// notices it, so that only the prior and its gradient change.
    pub(super) fn shift(&mut self, n_objects: usize, shifts: &[f64], scales: &[f64]) {
        for (dim, (shift, scale)) in shifts.iter().zip(scales).enumerate() {
            let coordinates = dim * n_objects..(dim + 1) * n_objects;
            let x = &mut self.position[coordinates.clone()];
            let before: f64 = sum_of_squares(x);
            x.iter_mut().for_each(|x| *x += shift);
            let change = -0.5 * (sum_of_squares(x) - before) / scale;
            if let Some(gradient) = &mut self.gradient {
                gradient[coordinates].iter_mut().for_each(|derivative| *derivative -= shift / scale);
            }
            self.value.density.log_prior_x += change;
            self.value.log_density += change;
        }
    }
}
