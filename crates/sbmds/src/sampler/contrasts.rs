//! Momenta of a tree's contrasts instead of its tips: near-identical tips then need no tiny steps.
//!
//! Two tips at the ends of tiny branches move together, and apart by very little; no diagonal mass of their own coordinates
//! can say so. Their contrast (eq. 15) and their common estimate can each have a mass of its own. With x = mu0 + L z (eq. 22)
//! the trajectories are those of z under a diagonal mass; positions and gradients stay those of x.

use super::target::Target;
use crate::brownian::{BrownianPrior, BrownianWorkspace};
use crate::posterior::Density;

/// A target whose first N * D numbers are locations along a tree, with momenta that belong to the contrasts.
pub(super) struct WithContrasts<'a, T> {
    target: T,
    prior: &'a BrownianPrior,
    workspace: BrownianWorkspace,
    buffer: Vec<f64>,
}

impl<'a, T: Target> WithContrasts<'a, T> {
    pub(super) fn new(target: T, prior: &'a BrownianPrior) -> Self {
        let buffer = vec![0.0; prior.n_objects() * prior.n_dims()];
        Self { target, prior, workspace: prior.workspace(), buffer }
    }
}

impl<T: Target> Target for WithContrasts<'_, T> {
    fn evaluate(&mut self, position: &[f64], gradient: &mut [f64]) -> Density {
        self.target.evaluate(position, gradient)
    }

    fn gradient(&mut self, position: &[f64], gradient: &mut [f64]) {
        self.target.gradient(position, gradient);
    }

    /// x += step L M^-1 p
    fn drift(&mut self, position: &mut [f64], step: f64, momentum: &[f64], inverse_mass: &[f64]) {
        let (x, rest) = position.split_at_mut(self.buffer.len());
        let (of_x, of_rest) = momentum.split_at(self.buffer.len());
        let (mass_x, mass_rest) = inverse_mass.split_at(self.buffer.len());
        let velocities = of_x.iter().zip(mass_x).map(|(p, inverse)| p * inverse);
        self.buffer.iter_mut().zip(velocities).for_each(|(to, velocity)| *to = velocity);
        self.prior.add_from_whitened(&mut self.workspace, step, &self.buffer, x);
        self.target.drift(rest, step, of_rest, mass_rest);
    }

    /// p += step L' g
    fn kick(&mut self, momentum: &mut [f64], step: f64, gradient: &[f64]) {
        let (of_x, of_rest) = momentum.split_at_mut(self.buffer.len());
        let (gradient_x, gradient_rest) = gradient.split_at(self.buffer.len());
        self.prior.pull_back(&mut self.workspace, gradient_x, &mut self.buffer);
        of_x.iter_mut().zip(&self.buffer).for_each(|(p, slope)| *p += step * slope);
        self.target.kick(of_rest, step, gradient_rest);
    }

    /// z = L^-1 (x - mu0)
    fn coordinates(&mut self, position: &[f64]) -> Vec<f64> {
        let (x, rest) = position.split_at(self.buffer.len());
        let mut coordinates = vec![0.0; position.len()];
        let (z, of_rest) = coordinates.split_at_mut(self.buffer.len());
        self.prior.to_whitened(&mut self.workspace, x, z);
        of_rest.copy_from_slice(rest);
        coordinates
    }
}
