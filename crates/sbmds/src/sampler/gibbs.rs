//! The blocks beside the locations: the noise variance by Metropolis, their prior's spread by Gibbs.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::adaptation::StepSize;
use super::target::Evaluated;
use crate::likelihood::log_phi_cdf;
use crate::numeric::sum_of_squares;
use crate::posterior::{Density, Posterior, ScalePrior, Spread, Workspace, draw_inverse_gamma};
use crate::random::positive_normal;

/// Random walk on sigma^2 with proposals from a normal truncated to positive values (the paper's, Hastings-corrected).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct NoiseWalk {
    pub(super) step: StepSize,
}

/// What became of a proposal.
pub(super) struct NoiseMove {
    pub(super) variance: f64,
    pub(super) accepted: bool,
    pub(super) acceptance: f64,
}

impl NoiseWalk {
    /// `density_at(variance)`: the locations' density given that noise; its prior is added here.
    pub(super) fn transition(
        &self,
        variance: f64,
        current: Density,
        posterior: &Posterior,
        rng: &mut ChaCha8Rng,
        density_at: impl FnOnce(f64) -> Density,
    ) -> NoiseMove {
        let tau = self.step.get();
        let proposed = positive_normal(variance, tau, rng);
        let prior = &posterior.priors().noise;
        // The truncated proposals are not symmetric: q(v|v*) / q(v*|v) = Phi(v / tau) / Phi(v* / tau).
        let hastings = log_phi_cdf(variance / tau) - log_phi_cdf(proposed / tau);
        let change = density_at(proposed).log_density - current.log_density + prior.log_density(proposed)
            - prior.log_density(variance)
            + hastings;
        let acceptance = if change.is_nan() { 0.0 } else { change.exp().min(1.0) };
        let accepted = rng.random::<f64>() < acceptance;
        NoiseMove { variance: if accepted { proposed } else { variance }, accepted, acceptance }
    }
}

/// Draws the spread given the locations; true if their density is another one now.
pub(super) fn draw_spread(
    posterior: &Posterior,
    workspace: &mut Workspace,
    x: &[f64],
    spread: &mut Spread,
    rng: &mut ChaCha8Rng,
) -> bool {
    let mut draw_precision = || {
        let tree = posterior.tree()?;
        tree.brownian.draw_precision(workspace.tree(tree), x, &tree.wishart, rng)
    };
    match spread {
        Spread::Scales(scales) => draw_scales(posterior, x, scales, rng),
        Spread::Precision(precision) => draw_precision().map(|drawn| *precision = drawn).is_some(),
        Spread::Collapsed(precision) => {
            if let Some(drawn) = draw_precision() {
                *precision = drawn;
            }
            false
        }
    }
}

/// Moves the whole map along the tree's prior given Sigma^-1, which no distance notices; false if there is no tree.
pub(super) fn draw_centre(
    posterior: &Posterior,
    workspace: &mut Workspace,
    x: &mut [f64],
    spread: &Spread,
    rng: &mut ChaCha8Rng,
) -> bool {
    let (Some(tree), Some(precision)) = (posterior.tree(), spread.precision()) else { return false };
    tree.brownian.draw_centre(workspace.tree(tree), x, precision, rng);
    true
}

/// Moves the whole map under the prior x_n ~ N(0, Lambda): its centre is independent of all else, N(0, Lambda / N). A prior
/// that is wide beside the noise would otherwise make trajectories as long as it is wide.
pub(super) fn shift_to_new_centre(current: &mut Evaluated, n_objects: usize, scales: &[f64], rng: &mut ChaCha8Rng) {
    let to_new_centre = |(x, scale): (&[f64], &f64)| {
        let centre = x.iter().sum::<f64>() / n_objects as f64;
        (scale / n_objects as f64).sqrt() * rng.sample::<f64, _>(StandardNormal) - centre
    };
    let shifts: Vec<f64> = current.position().chunks_exact(n_objects).zip(scales).map(to_new_centre).collect();
    current.shift(n_objects, &shifts, scales);
}

/// Lambda_d | x ~ IG(a + N/2, b + sum_n x_nd^2 / 2), if the scales are learned.
fn draw_scales(posterior: &Posterior, x: &[f64], scales: &mut [f64], rng: &mut ChaCha8Rng) -> bool {
    let ScalePrior::Learned { shape, rate } = posterior.priors().scales else { return false };
    let n_objects = posterior.likelihood().n_objects();
    for (scale, values) in scales.iter_mut().zip(x.chunks_exact(n_objects)) {
        *scale = draw_inverse_gamma(shape + 0.5 * n_objects as f64, rate + 0.5 * sum_of_squares(values), rng);
    }
    true
}
