//! The blocks beside the locations: the noise variance by Metropolis, the centre of the map by Gibbs.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::Evaluated;
use super::adaptation::StepSize;
use crate::likelihood::log_phi_cdf;
use crate::posterior::{Posterior, Variance};
use crate::random::positive_normal;

/// Random walk on sigma^2 with proposals from a normal truncated to positive values (the paper's, Hastings-corrected).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct NoiseWalk {
    pub(super) step: StepSize,
}

/// What became of a proposal.
pub(super) struct NoiseMove {
    pub(super) variance: Variance,
    pub(super) accepted: bool,
    pub(super) acceptance: f64,
}

impl NoiseWalk {
    /// `current` and `density_at(variance)`: the locations' log density given that noise; its prior is added here.
    pub(super) fn transition(
        &self,
        variance: Variance,
        current: f64,
        posterior: &Posterior,
        rng: &mut ChaCha8Rng,
        density_at: impl FnOnce(Variance) -> f64,
    ) -> NoiseMove {
        let tau = self.step.get();
        let proposed = Variance::new(positive_normal(variance.get(), tau, rng));
        let prior = posterior.noise();
        // The truncated proposals are not symmetric: q(v|v*) / q(v*|v) = Phi(v / tau) / Phi(v* / tau).
        let hastings = log_phi_cdf(variance.get() / tau) - log_phi_cdf(proposed.get() / tau);
        let change =
            density_at(proposed) - current + prior.log_density(proposed) - prior.log_density(variance) + hastings;
        let acceptance = if change.is_nan() { 0.0 } else { change.exp().min(1.0) };
        let accepted = rng.random::<f64>() < acceptance;
        NoiseMove { variance: if accepted { proposed } else { variance }, accepted, acceptance }
    }
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
