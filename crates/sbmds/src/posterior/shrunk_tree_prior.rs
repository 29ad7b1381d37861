//! Locations that diffuse along a tree, with shrinkage on the eigenvalues of the diffusion: superfluous dimensions vanish.

use rand_chacha::ChaCha8Rng;

use super::half_cauchy::{HalfCauchy, draw_rotation};
use super::{FreeMotions, LocationPrior, Spread};
use crate::brownian::{BrownianPrior, BrownianWorkspace, CloseMerge, Precision};
use crate::likelihood::Scratch;

/// X ~ MN(0, V, Sigma) along a tree; the square roots of the eigenvalues of Sigma are half-Cauchy. Sigma is kept diagonal: its axes mean nothing
/// ([`HalfCauchy`]).
#[derive(Clone, Debug)]
pub struct ShrunkTreePrior {
    brownian: BrownianPrior,
    eigenvalues: HalfCauchy,
    /// Mean variance of the tips about their centre, for Sigma = I.
    tip_variance: f64,
}

impl ShrunkTreePrior {
    /// Along a tree, with half-Cauchy roots of the eigenvalues of Sigma.
    ///
    /// # Panics
    /// If the root's mean is not the origin, about which maps turn.
    pub fn new(brownian: BrownianPrior, eigenvalues: HalfCauchy) -> Self {
        assert!(brownian.settings().root_mean.iter().all(|&mean| mean == 0.0), "a root mean at the origin");
        let tip_variance = brownian.tip_variance();
        Self { brownian, eigenvalues, tip_variance }
    }

    fn workspace<'a>(&self, scratch: &'a mut Scratch) -> &'a mut BrownianWorkspace {
        scratch.get(|| self.brownian.workspace())
    }

    fn spread(&self, variances: &[f64]) -> Spread {
        Spread::Precision(Precision::diagonal(variances.iter().map(|variance| 1.0 / variance)))
    }
}

fn precision(spread: &Spread) -> &Precision {
    spread.precision().expect("the spread of another prior")
}

/// The eigenvalues of Sigma.
fn variances(spread: &Spread) -> Vec<f64> {
    let precision = precision(spread);
    precision.as_slice().iter().step_by(precision.n_dims() + 1).map(|p| 1.0 / p).collect()
}

impl LocationPrior for ShrunkTreePrior {
    fn log_density(&self, scratch: &mut Scratch, x: &[f64], spread: &Spread) -> f64 {
        self.brownian.log_density(self.workspace(scratch), x, precision(spread))
    }

    fn add_gradient(&self, scratch: &mut Scratch, x: &[f64], spread: &Spread, gradient: &mut [f64]) -> f64 {
        self.brownian.log_density_and_gradient(self.workspace(scratch), x, precision(spread), gradient)
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> (Vec<f64>, Spread) {
        let variances: Vec<f64> = (0..self.brownian.n_dims()).map(|_| self.eigenvalues.draw(rng)).collect();
        let spread = self.spread(&variances);
        let mut x = vec![0.0; self.brownian.n_objects() * self.brownian.n_dims()];
        self.brownian.draw(&mut self.brownian.workspace(), precision(&spread), rng, &mut x);
        (x, spread)
    }

    /// The variances of the contrasts, or the prior's scale where these are not finite.
    fn start_spread(&self, x: &[f64], _rng: &mut ChaCha8Rng) -> Spread {
        let (n_objects, n_dims) = (self.brownian.n_objects() as f64, self.brownian.n_dims());
        let mut workspace = self.brownian.workspace();
        let squares = self.brownian.quadratic(&mut workspace, x);
        let variance = |dim: usize| Some(squares[dim * (n_dims + 1)] / n_objects).filter(|v| v.is_finite() && *v > 0.0);
        self.spread(&(0..n_dims).map(|dim| variance(dim).unwrap_or(self.eigenvalues.scale.powi(2))).collect::<Vec<_>>())
    }

    fn log_density_of_spread(&self, spread: &Spread) -> f64 {
        variances(spread).iter().map(|&variance| self.eigenvalues.log_density(variance)).sum()
    }

    fn draw_spread(&self, scratch: &mut Scratch, x: &[f64], spread: &mut Spread, rng: &mut ChaCha8Rng) -> bool {
        let (n_objects, n_dims) = (self.brownian.n_objects(), self.brownian.n_dims());
        let squares = self.brownian.quadratic(self.workspace(scratch), x);
        let drawn: Vec<f64> = (variances(spread).iter().enumerate())
            .map(|(dim, &now)| self.eigenvalues.draw_given(now, n_objects, squares[dim * (n_dims + 1)], rng))
            .collect();
        if drawn.iter().any(|variance| !(variance.is_finite() && *variance > 0.0)) {
            return false;
        }
        *spread = self.spread(&drawn);
        true
    }

    fn draw_centre(&self, scratch: &mut Scratch, x: &mut [f64], spread: &Spread, rng: &mut ChaCha8Rng) -> bool {
        self.brownian.draw_centre(self.workspace(scratch), x, precision(spread), rng);
        true
    }

    fn draw_rotation(&self, scratch: &mut Scratch, x: &mut [f64], spread: &Spread, rng: &mut ChaCha8Rng) -> bool {
        let mut squares = self.brownian.quadratic(self.workspace(scratch), x).to_vec();
        let precisions: Vec<f64> = variances(spread).iter().map(|variance| 1.0 / variance).collect();
        draw_rotation(self.brownian.n_objects(), &precisions, &mut squares, x, rng);
        true
    }

    fn rescaled(&self, spread: &Spread, axis: usize, factor: f64) -> Option<(Spread, f64)> {
        let mut variances = variances(spread);
        let before = self.eigenvalues.log_density_of_log_sd(variances[axis]);
        variances[axis] *= factor * factor;
        let change = self.eigenvalues.log_density_of_log_sd(variances[axis]) - before;
        Some((self.spread(&variances), change))
    }

    fn vanishing_variances(&self, spread: &Spread) -> Option<Vec<f64>> {
        Some(variances(spread).iter().map(|variance| variance * self.tip_variance).collect())
    }

    fn free_motions(&self) -> FreeMotions {
        FreeMotions::RotationsAndShifts
    }

    fn close_pairs(&self, spread: &Spread, known: f64) -> Vec<CloseMerge> {
        let per_dim = precision(spread).trace_covariance() / self.brownian.n_dims() as f64;
        self.brownian.close_merges(known / per_dim, per_dim)
    }

    fn power_of_unit(&self, _spread: &Spread) -> f64 {
        2.0 * self.brownian.n_dims() as f64
    }

    fn warnings(&self) -> Vec<String> {
        self.brownian.coincident_tips().iter().map(ToString::to_string).collect()
    }
}
