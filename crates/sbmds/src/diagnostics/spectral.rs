//! The effective sample size of R's coda package: from the spectrum at frequency zero of an autoregression.
//!
//! Figures drawn in R mostly report this one. It sees one chain at a time, so chains that disagree still add up:
//! use it to compare with such figures, and [`ess_bulk`](super::ess_bulk) to judge a run.

use super::chains::{Chains, mean, variance};

/// coda's `effectiveSize` of an `mcmc.list`: the sum over chains.
pub fn spectral_ess(chains: &Chains) -> f64 {
    chains.iter().map(spectral_ess_of_chain).sum()
}

/// coda's `effectiveSize` of one chain: n variance / spectrum at zero.
///
/// 0 for a chain that never moves or moves on a straight line; NaN for fewer than two draws or draws that are not
/// finite. Antithetic chains may have more effective than actual draws.
pub fn spectral_ess_of_chain(draws: &[f64]) -> f64 {
    if draws.len() < 2 || !draws.iter().all(|draw| draw.is_finite()) {
        return f64::NAN;
    }
    if is_straight_line(draws) {
        return 0.0;
    }
    draws.len() as f64 * variance(draws) / spectrum_at_zero(draws)
}

/// Whether the residuals of a regression on time vanish, by R's `all.equal(sd, 0)`.
fn is_straight_line(draws: &[f64]) -> bool {
    /// sqrt of the machine epsilon: the default tolerance of `all.equal`.
    const TOLERANCE: f64 = 1.4901161193847656e-8;
    let last = draws.len() as f64 - 1.0;
    let centre = mean(draws);
    let times = || (0..draws.len()).map(|t| t as f64 - last / 2.0);
    let covariance: f64 = times().zip(draws).map(|(time, draw)| time * (draw - centre)).sum();
    let slope = covariance / times().map(|time| time * time).sum::<f64>();
    let squares: f64 = times().zip(draws).map(|(time, draw)| (draw - centre - slope * time).powi(2)).sum();
    (squares / last).sqrt() <= TOLERANCE
}

/// Spectral density at zero of the Yule-Walker autoregression whose order has the smallest AIC (R's `ar`).
fn spectrum_at_zero(draws: &[f64]) -> f64 {
    let n_draws = draws.len() as f64;
    let max_order = ((10.0 * n_draws.log10()).floor() as usize).min(draws.len() - 1);
    let fits = autoregressions(&autocovariance(draws, max_order));
    let aic = |order: usize| n_draws * fits[order].innovation_variance.ln() + 2.0 * order as f64;
    let best = (1..fits.len()).fold(0, |best, order| if aic(order) < aic(best) { order } else { best });
    let unbiased = fits[best].innovation_variance * n_draws / (n_draws - (best as f64 + 1.0));
    unbiased / (1.0 - fits[best].coefficients.iter().sum::<f64>()).powi(2)
}

/// Autocovariance at lags 0 to `max_lag`, each divided by n. So few lags are summed faster than transformed.
fn autocovariance(draws: &[f64], max_lag: usize) -> Vec<f64> {
    let centre = mean(draws);
    let centred: Vec<f64> = draws.iter().map(|draw| draw - centre).collect();
    let at = |lag: usize| centred.iter().zip(&centred[lag..]).map(|(a, b)| a * b).sum::<f64>();
    (0..=max_lag).map(|lag| at(lag) / draws.len() as f64).collect()
}

/// An autoregression of some order and the variance it leaves unexplained.
struct Autoregression {
    coefficients: Vec<f64>,
    innovation_variance: f64,
}

/// The solutions of the Yule-Walker equations of order 0, 1, ..., by the Levinson-Durbin recursion.
fn autoregressions(autocovariance: &[f64]) -> Vec<Autoregression> {
    let mut fits = vec![Autoregression { coefficients: vec![], innovation_variance: autocovariance[0] }];
    for order in 1..autocovariance.len() {
        let Autoregression { coefficients, innovation_variance } = &fits[order - 1];
        let explained: f64 = coefficients.iter().zip(autocovariance[1..order].iter().rev()).map(|(a, r)| a * r).sum();
        let partial = (autocovariance[order] - explained) / innovation_variance;
        let updated = coefficients.iter().zip(coefficients.iter().rev()).map(|(a, mirrored)| a - partial * mirrored);
        fits.push(Autoregression {
            coefficients: updated.chain([partial]).collect(),
            innovation_variance: innovation_variance * (1.0 - partial * partial),
        });
    }
    fits
}
