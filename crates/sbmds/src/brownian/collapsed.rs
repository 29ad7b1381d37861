//! The locations' density with Sigma integrated out, and draws of Sigma^-1 given the locations.

use crate::cholesky::{cholesky, inverse};
use std::f64::consts::PI;

use rand_chacha::ChaCha8Rng;

use super::precision::{draw_wishart, log_gamma};
use super::{BrownianPrior, BrownianWorkspace, Precision, WishartPrior};

impl BrownianPrior {
    /// Log density of the locations when Sigma^-1 has a Wishart prior and is integrated out (eq. 20). Not finite if the
    /// locations are not.
    pub fn collapsed_log_density(&self, workspace: &mut BrownianWorkspace, x: &[f64], prior: &WishartPrior) -> f64 {
        self.quadratic(workspace, x);
        self.collapsed_from(workspace, prior)
    }

    /// The same; adds the gradient with respect to `x` (eq. 21) to `gradient`.
    pub fn collapsed_log_density_and_gradient(
        &self,
        workspace: &mut BrownianWorkspace,
        x: &[f64],
        prior: &WishartPrior,
        gradient: &mut [f64],
    ) -> f64 {
        let log_density = self.collapsed_log_density(workspace, x, prior);
        let mut middle = std::mem::take(&mut workspace.inverse);
        inverse(self.n_dims(), &workspace.factor, &mut middle);
        self.weigh(workspace, &middle);
        workspace.inverse = middle;
        self.add_gradient(workspace, self.posterior_degrees_of_freedom(prior), gradient);
        log_density
    }

    /// Draws Sigma^-1 given the locations: Wishart(d0 + N, (T0^-1 + S)^-1) (eq. 19); `None` if their squares are not finite.
    pub fn draw_precision(
        &self,
        workspace: &mut BrownianWorkspace,
        x: &[f64],
        prior: &WishartPrior,
        rng: &mut ChaCha8Rng,
    ) -> Option<Precision> {
        self.quadratic(workspace, x);
        self.factor_posterior_scale(workspace, prior)?;
        Some(draw_wishart(self.n_dims(), self.posterior_degrees_of_freedom(prior), &workspace.factor, rng))
    }

    fn posterior_degrees_of_freedom(&self, prior: &WishartPrior) -> f64 {
        prior.degrees_of_freedom() + self.n_objects() as f64
    }

    /// The Cholesky factor of T0^-1 + S into `workspace.factor`, from S in `workspace.square`; returns its log determinant.
    fn factor_posterior_scale(&self, workspace: &mut BrownianWorkspace, prior: &WishartPrior) -> Option<f64> {
        assert_eq!(prior.scale().n_dims(), self.n_dims(), "a prior of the locations' dimensions");
        let BrownianWorkspace { square, factor, .. } = workspace;
        square.iter_mut().zip(prior.scale_inverse()).for_each(|(square, prior)| *square += prior);
        cholesky(self.n_dims(), square, factor)
    }

    /// Eq. 20, from S in `workspace.square`.
    fn collapsed_from(&self, workspace: &mut BrownianWorkspace, prior: &WishartPrior) -> f64 {
        let Some(log_det) = self.factor_posterior_scale(workspace, prior) else { return f64::NEG_INFINITY };
        let (n_objects, n_dims) = (self.n_objects() as f64, self.n_dims() as f64);
        let half = 0.5 * self.posterior_degrees_of_freedom(prior);
        let posterior_normaliser = half * (n_dims * std::f64::consts::LN_2 - log_det) + log_gamma(self.n_dims(), half);
        -0.5 * n_dims * (n_objects * (2.0 * PI).ln() + self.log_det()) + posterior_normaliser - prior.log_normaliser()
    }
}
