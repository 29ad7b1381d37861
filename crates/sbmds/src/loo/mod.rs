//! How well a fit predicts pairs it has not seen: leave-one-out by importance sampling, and exactly by folds.
//!
//! [`leave_one_out`] asks of every coupled pair how probable its dissimilarity would have been without it. The draws of the whole
//! fit are weighted by one over the pair's own likelihood, with the largest weights smoothed ([`psis`]): one fit answers for all pairs, and
//! the shape k of a pair's weights says where the answer cannot be trusted. [`Folds`] parts the pairs so that fits without a part of them
//! answer exactly.

mod folds;
pub mod psis;
mod score;

use rayon::prelude::*;

pub use folds::Folds;
pub use score::{Difference, Score};

use crate::likelihood::Noise;
use crate::predict::PosteriorDraws;
use crate::quality::KnownPair;
use psis::{Smoothed, smooth};

/// What leaving out one pair says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeftOut {
    /// Log predictive density of its dissimilarity.
    pub elpd: f64,
    /// Log density of its dissimilarity by the draws that know it.
    pub lpd: f64,
    /// Predictive mean.
    pub mean: f64,
    /// Shape k of its weights; 0 where the pair was really left out.
    pub shape: f64,
}

/// Beyond this shape an answer from this many draws is not reliable: 0.7, less with few draws (Vehtari et al. 2024, section 3.2.4).
pub fn reliable_shape(n_draws: usize) -> f64 {
    (1.0 - 1.0 / (n_draws as f64).log10()).min(0.7)
}

/// log of the sum of exponentials.
pub(crate) fn log_sum_exp(logs: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest.is_infinite() {
        return largest;
    }
    largest + logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln()
}

/// Log predictive density without an observation, from its log-likelihood in every draw, and the weights that leave it out.
pub fn leave_out(log_likelihood: &[f64], relative_efficiency: f64) -> (f64, Smoothed) {
    let smoothed = smooth(log_likelihood.iter().map(|log| -log).collect(), relative_efficiency);
    let weighted: Vec<f64> =
        log_likelihood.iter().zip(&smoothed.log_weights).map(|(log, weight)| log + weight).collect();
    (log_sum_exp(&weighted), smoothed)
}

/// Leaves out every pair in turn, by weights. The answer does not depend on the number of threads.
pub fn leave_one_out(
    draws: &PosteriorDraws,
    noise: Noise,
    pairs: &[KnownPair],
    relative_efficiency: f64,
) -> Vec<LeftOut> {
    let left_out = |room: &mut Vec<(f64, f64)>, pair: &KnownPair| {
        draws.distances(pair.a, pair.b, room);
        let logs: Vec<f64> =
            room.iter().map(|&(distance, sigma)| noise.log_density(pair.delta, distance, sigma)).collect();
        let (elpd, Smoothed { log_weights, shape }) = leave_out(&logs, relative_efficiency);
        let expected = |(&(distance, sigma), weight): (&(f64, f64), &f64)| weight.exp() * noise.mean(distance, sigma);
        let mean = room.iter().zip(&log_weights).map(expected).sum();
        LeftOut { elpd, lpd: log_mean(&logs), mean, shape }
    };
    pairs.par_iter().map_init(Vec::new, left_out).collect()
}

/// The same of pairs that the draws do not know.
pub fn held_out(draws: &PosteriorDraws, noise: Noise, pairs: &[KnownPair]) -> Vec<LeftOut> {
    let held_out = |room: &mut Vec<(f64, f64)>, pair: &KnownPair| {
        draws.distances(pair.a, pair.b, room);
        let logs: Vec<f64> =
            room.iter().map(|&(distance, sigma)| noise.log_density(pair.delta, distance, sigma)).collect();
        let elpd = log_mean(&logs);
        let mean = room.iter().map(|&(distance, sigma)| noise.mean(distance, sigma)).sum::<f64>() / room.len() as f64;
        LeftOut { elpd, lpd: elpd, mean, shape: 0.0 }
    };
    pairs.par_iter().map_init(Vec::new, held_out).collect()
}

fn log_mean(logs: &[f64]) -> f64 {
    log_sum_exp(logs) - (logs.len() as f64).ln()
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    #[derive(serde::Deserialize)]
    struct Fixture {
        log_likelihood: Vec<Vec<f64>>,
        cases: Vec<Case>,
    }

    #[derive(serde::Deserialize)]
    struct Case {
        reff: f64,
        elpd_loo: f64,
        se: f64,
        p_loo: f64,
        elpd_i: Vec<f64>,
        pareto_k: Vec<f64>,
    }

    /// See tests/loo_fixtures/README.md.
    #[test]
    fn arviz_says_the_same() {
        let Fixture { log_likelihood, cases } =
            serde_json::from_str(include_str!("../../tests/loo_fixtures/loo.json")).unwrap();
        for Case { reff, elpd_loo, se, p_loo, elpd_i, pareto_k } in cases {
            let mut left_out = Vec::new();
            for ((logs, elpd), k) in log_likelihood.iter().zip(elpd_i).zip(pareto_k) {
                let (found, Smoothed { shape, .. }) = leave_out(logs, reff);
                assert_relative_eq!(found, elpd, max_relative = 1e-10);
                assert_relative_eq!(shape, k, max_relative = 1e-8);
                left_out.push(LeftOut { elpd: found, lpd: log_mean(logs), mean: 0.0, shape });
            }
            let observed = vec![0.0; left_out.len()];
            let score = Score::of(&left_out, &observed, reliable_shape(500));
            assert_relative_eq!(score.elpd, elpd_loo, max_relative = 1e-10);
            assert_relative_eq!(score.p_loo, p_loo, max_relative = 1e-9);
            assert_relative_eq!(score.se, se, max_relative = 1e-10);
        }
    }
}
