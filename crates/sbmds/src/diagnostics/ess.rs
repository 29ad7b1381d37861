//! Effective sample sizes: how many independent draws would estimate as well.

use super::autocovariance::mean_autocovariance;
use super::chains::{Chains, HalfChains, mean, variance};
use super::rank::{Ordered, quantile_of_sorted, sorted};

/// The probabilities whose quantiles the tail effective sample size watches (Vehtari et al. 2021, section 4.3).
pub(super) const TAILS: [f64; 2] = [0.05, 0.95];

/// Effective draws for the bulk of the distribution: of the rank-normalised split chains.
pub fn ess_bulk(chains: &Chains) -> f64 {
    if chains.are_usable() { ess(&Ordered::new(&chains.split()).normal_scores()) } else { f64::NAN }
}

/// Effective draws for the tails: the smaller of those of the 5% and the 95% quantile.
pub fn ess_tail(chains: &Chains) -> f64 {
    if chains.are_usable() { ess_tail_of_sorted(chains, &sorted(chains.pooled())) } else { f64::NAN }
}

/// Effective draws for the quantile at `probability`.
pub fn ess_quantile(chains: &Chains, probability: f64) -> f64 {
    if !chains.are_usable() {
        return f64::NAN;
    }
    ess_below(chains, quantile_of_sorted(&sorted(chains.pooled()), probability))
}

/// Effective draws for the mean: of the split chains as they are.
pub fn ess_mean(chains: &Chains) -> f64 {
    if chains.are_usable() { ess(&chains.split()) } else { f64::NAN }
}

/// Effective draws for the standard deviation: of the squared distances from the mean.
pub fn ess_sd(chains: &Chains) -> f64 {
    if !chains.are_usable() {
        return f64::NAN;
    }
    let centre = mean(&chains.pooled());
    ess(&chains.split_map(|draw| (draw - centre).powi(2)))
}

/// The tail effective sample size when the pooled draws are already in order.
pub(super) fn ess_tail_of_sorted(chains: &Chains, sorted: &[f64]) -> f64 {
    let [low, high] = TAILS.map(|probability| ess_below(chains, quantile_of_sorted(sorted, probability)));
    low.min(high)
}

/// Effective draws for the probability of being at or below `threshold`.
fn ess_below(chains: &Chains, threshold: f64) -> f64 {
    ess(&chains.split_map(|draw| f64::from(u8::from(draw <= threshold))))
}

/// Effective sample size of split chains (Vehtari et al. 2021, equations 9-13), NaN where draws are not finite.
pub(super) fn ess(chains: &HalfChains) -> f64 {
    let n_total = chains.values.len() as f64;
    if is_constant(&chains.values) {
        return n_total;
    }
    let autocorrelation = pooled_autocorrelation(chains);
    if autocorrelation.iter().any(|value| value.is_nan()) {
        return f64::NAN;
    }
    // Antithetic chains may beat independent draws, by at most this factor (ArviZ and Stan agree on the bound).
    n_total / autocorrelation_time(&autocorrelation).max(1.0 / n_total.log10())
}

/// Whether all values agree to 1e-15, below which ArviZ sees no movement.
fn is_constant(values: &[f64]) -> bool {
    let (low, high) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)));
    high - low < 1e-15
}

/// Autocorrelation at each lag with the variance pooled over chains, so that disagreeing chains never decorrelate
/// (Vehtari et al. 2021, equation 10).
fn pooled_autocorrelation(chains: &HalfChains) -> Vec<f64> {
    let n_draws = chains.n_draws as f64;
    let means: Vec<f64> = chains.iter().map(mean).collect();
    let mut autocovariance = mean_autocovariance(chains);
    let within = autocovariance[0] * n_draws / (n_draws - 1.0);
    let between = if means.len() > 1 { variance(&means) } else { 0.0 };
    let pooled = within * (n_draws - 1.0) / n_draws + between;
    autocovariance.iter_mut().for_each(|value| *value = 1.0 - (within - *value) / pooled);
    autocovariance[0] = 1.0;
    autocovariance
}

/// 1 + 2 sum of autocorrelations, cut and smoothed by Geyer's (1992) initial monotone sequence.
///
/// Sums of neighbouring lags are positive and decreasing for a reversible chain; the estimate stops where noise makes
/// them negative and never lets one exceed its predecessor.
fn autocorrelation_time(autocorrelation: &[f64]) -> f64 {
    let n_lags = autocorrelation.len();
    let pair = |lag: usize| autocorrelation[lag] + autocorrelation[lag + 1];
    let mut time = -1.0;
    let mut smallest_pair = f64::INFINITY;
    let mut lag = 0;
    // The last lags rest on too few products to be used: the same three as in ArviZ.
    while lag + 4 < n_lags && pair(lag) > 0.0 {
        smallest_pair = smallest_pair.min(pair(lag));
        time += 2.0 * smallest_pair;
        lag += 2;
    }
    // One more even lag is positive in expectation. After a cut it is kept only when it is positive indeed.
    let last = autocorrelation[lag];
    time + if pair(lag) < 0.0 { last.max(0.0) } else { last }
}
