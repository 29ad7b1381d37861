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
        interleave(self.n_objects(), z, contrasts);
        passes::scale(self.n_dims(), &self.plan.variances, contrasts, f64::sqrt);
        passes::tips(self.n_dims(), &self.plan.merges, contrasts, slots);
        let mean = &self.settings.root_mean;
        passes::scatter(&self.plan.places, slots, self.n_dims(), x, |out, dim, value| *out = mean[dim] + value);
    }

    /// z = L^-1 (x - mu0)
    pub fn to_whitened(&self, workspace: &mut BrownianWorkspace, x: &[f64], z: &mut [f64]) {
        self.pass_up(workspace, x);
        let contrasts = &mut workspace.contrasts;
        passes::scale(self.n_dims(), &self.plan.precisions, contrasts, f64::sqrt);
        deinterleave(self.n_objects(), contrasts, z);
    }

    /// The gradient with respect to z from that with respect to x: L' g.
    pub fn pull_back(&self, workspace: &mut BrownianWorkspace, gradient_x: &[f64], gradient_z: &mut [f64]) {
        let BrownianWorkspace { slots, contrasts, inverse, .. } = workspace;
        inverse.fill(0.0);
        passes::gather(&self.plan.places, gradient_x, &inverse[..self.n_dims()], slots);
        passes::tips_transposed(self.n_dims(), &self.plan.merges, slots, contrasts);
        passes::scale(self.n_dims(), &self.plan.variances, contrasts, f64::sqrt);
        deinterleave(self.n_objects(), contrasts, gradient_z);
    }

    /// Locations drawn from the prior given Sigma^-1.
    pub fn draw(&self, workspace: &mut BrownianWorkspace, precision: &Precision, rng: &mut ChaCha8Rng, x: &mut [f64]) {
        let mut rows: Vec<f64> = (0..x.len()).map(|_| rng.sample(StandardNormal)).collect();
        rows.chunks_exact_mut(self.n_dims()).for_each(|row| precision.colour(row));
        let mut z = vec![0.0; x.len()];
        deinterleave(self.n_objects(), &rows, &mut z);
        self.from_whitened(workspace, &z, x);
    }
}

/// From dimension by dimension to point by point.
fn interleave(n_points: usize, by_dim: &[f64], by_point: &mut [f64]) {
    let n_dims = by_dim.len() / n_points;
    for (dim, values) in by_dim.chunks_exact(n_points).enumerate() {
        by_point[dim..].iter_mut().step_by(n_dims).zip(values).for_each(|(out, value)| *out = *value);
    }
}

/// From point by point to dimension by dimension.
fn deinterleave(n_points: usize, by_point: &[f64], by_dim: &mut [f64]) {
    let n_dims = by_dim.len() / n_points;
    for (dim, values) in by_dim.chunks_exact_mut(n_points).enumerate() {
        by_point[dim..].iter().step_by(n_dims).zip(values).for_each(|(value, out)| *out = *value);
    }
}
