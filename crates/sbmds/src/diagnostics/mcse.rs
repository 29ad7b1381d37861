//! Monte Carlo standard errors: how far an estimate may be off because the run is finite.

use super::chains::{Chains, mean, variance};
use super::ess::{ess_mean, ess_quantile, ess_sd};
use super::rank::sorted;
use super::special::beta_quantile;

/// Monte Carlo standard error of the posterior mean.
pub fn mcse_mean(chains: &Chains) -> f64 {
    (variance(&chains.pooled()) / ess_mean(chains)).sqrt()
}

/// Monte Carlo standard error of the posterior standard deviation.
///
/// That of the variance, from the fourth central moment, carried over by the delta method: sd' = 1 / (2 sd).
pub fn mcse_sd(chains: &Chains) -> f64 {
    let pooled = chains.pooled();
    let centre = mean(&pooled);
    let squares: Vec<f64> = pooled.iter().map(|draw| (draw - centre).powi(2)).collect();
    let second_moment = mean(&squares);
    let fourth_moment = squares.iter().map(|square| square * square).sum::<f64>() / squares.len() as f64;
    let error_of_variance = (fourth_moment - second_moment.powi(2)) / ess_sd(chains);
    (error_of_variance / second_moment / 4.0).sqrt()
}

/// Monte Carlo standard error of the posterior quantile at `probability`.
///
/// Half the width between the draws that bound the quantile as one standard error does a normal mean; their ranks
/// follow from the beta distribution of order statistics (Vehtari et al. 2021, section 4.4).
pub fn mcse_quantile(chains: &Chains, probability: f64) -> f64 {
    /// Normal probabilities of -1 and +1, with the digits ArviZ gives them.
    const ONE_SIGMA: [f64; 2] = [0.1586553, 0.8413447];
    let ess = ess_quantile(chains, probability);
    if ess.is_nan() {
        return f64::NAN;
    }
    let draws = sorted(chains.pooled());
    let last = draws.len() as f64 - 1.0;
    let [low, high] = ONE_SIGMA.map(|level| {
        let share = beta_quantile(level, ess * probability + 1.0, ess * (1.0 - probability) + 1.0);
        (share * draws.len() as f64 - 1.0).clamp(0.0, last)
    });
    (draws[high.ceil() as usize] - draws[low.floor() as usize]) / 2.0
}
