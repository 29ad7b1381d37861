//! Coordinates in which the tree's correlations are gone: x = mu0 + L z with L L' = V (eq. 22).
//!
//! If X ~ MN(mu0, V, Sigma), the N rows of Z are independent N(0, Sigma). Row i of Z is contrast i divided by its standard
//! deviation, the last row is the root's. Rows are in the order of the merges and have nothing to do with objects.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::{BrownianPrior, BrownianWorkspace, Precision, passes};

impl BrownianPrior {
    /// x = mu0 + L z; both N * D numbers, dimension by dimension.
    pub fn from_whitened(&self, workspace: &mut BrownianWorkspace, z: &[f64], x: &mut [f64]) {
        let BrownianWorkspace { slots, contrasts, .. } = workspace;
        interleave(z, &self.plan.deviations, contrasts);
        passes::tips(self.n_dims(), &self.plan.merges, contrasts, slots);
        x.chunks_exact_mut(self.n_objects()).zip(&self.settings.root_mean).for_each(|(x, mean)| x.fill(*mean));
        passes::scatter(self.n_dims(), &self.plan.positions, slots, 1.0, x);
    }

    /// z = L^-1 (x - mu0)
    pub fn to_whitened(&self, workspace: &mut BrownianWorkspace, x: &[f64], z: &mut [f64]) {
        self.pass_up(workspace, x);
        deinterleave(&workspace.contrasts, &self.plan.deviations, z, |contrast, deviation| contrast / deviation);
    }

    /// The gradient with respect to z from that with respect to x: L' g.
    pub fn pull_back(&self, workspace: &mut BrownianWorkspace, gradient_x: &[f64], gradient_z: &mut [f64]) {
        let BrownianWorkspace { slots, contrasts, inverse, .. } = workspace;
        inverse.fill(0.0);
        passes::gather(&self.plan.positions, gradient_x, &inverse[..self.n_dims()], slots);
        passes::tips_transposed(self.n_dims(), &self.plan.merges, slots, contrasts);
        deinterleave(contrasts, &self.plan.deviations, gradient_z, |derivative, deviation| derivative * deviation);
    }

    /// Locations drawn from the prior given Sigma^-1.
    pub fn draw(&self, workspace: &mut BrownianWorkspace, precision: &Precision, rng: &mut ChaCha8Rng, x: &mut [f64]) {
        let mut rows: Vec<f64> = (0..x.len()).map(|_| rng.sample(StandardNormal)).collect();
        rows.chunks_exact_mut(self.n_dims()).for_each(|row| precision.colour(row));
        let mut z = vec![0.0; x.len()];
        deinterleave(&rows, &self.plan.deviations, &mut z, |row, _| row);
        self.from_whitened(workspace, &z, x);
    }
}

/// From dimension by dimension to point by point, every point multiplied by its factor.
fn interleave(by_dim: &[f64], factors: &[f64], by_point: &mut [f64]) {
    let n_dims = by_point.len() / factors.len();
    for (point, (values, factor)) in by_point.chunks_exact_mut(n_dims).zip(factors).enumerate() {
        for (dim, value) in values.iter_mut().enumerate() {
            *value = by_dim[dim * factors.len() + point] * factor;
        }
    }
}

/// From point by point to dimension by dimension, every number combined with its point's factor.
fn deinterleave(by_point: &[f64], factors: &[f64], by_dim: &mut [f64], combine: impl Fn(f64, f64) -> f64) {
    let n_dims = by_point.len() / factors.len();
    for (point, (values, factor)) in by_point.chunks_exact(n_dims).zip(factors).enumerate() {
        for (dim, value) in values.iter().enumerate() {
            by_dim[dim * factors.len() + point] = combine(*value, *factor);
        }
    }
}
