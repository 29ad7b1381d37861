//! How well a fit predicts pairs it has not seen: leave-one-out by importance sampling, and exactly by folds.
//!
//! [`leave_one_out`] asks of every coupled pair how probable its dissimilarity would have been without it. The draws of the whole
//! fit are weighted by one over the pair's own likelihood, with the largest weights smoothed ([`psis`]): one fit answers for all pairs, and
//! the shape k of a pair's weights says where the answer cannot be trusted. [`Folds`] parts the pairs so that fits without a part of them
//! answer exactly.

mod folds;
mod observed;
pub mod psis;
mod score;

use rayon::prelude::*;

pub use folds::Folds;
pub use observed::Observed;
pub use score::{Difference, Score};

use crate::measurement::{NoiseScale, PairNoise};
use crate::predict::PosteriorDraws;
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
    noise: impl Into<PairNoise>,
    pairs: &[impl Observed],
    relative_efficiency: f64,
) -> Vec<LeftOut> {
    let noise: PairNoise = noise.into();
    let left_out = |room: &mut Vec<(f64, NoiseScale)>, pair: &_| {
        let logs = log_likelihoods(draws, noise, pair, room);
        let (elpd, Smoothed { log_weights, shape }) = leave_out(&logs, relative_efficiency);
        let expected = |(&(distance, scale), weight): (&(f64, NoiseScale), &f64)| {
            weight.exp() * noise.family.mean(distance, scale)
        };
        let mean = room.iter().zip(&log_weights).map(expected).sum();
        LeftOut { elpd, lpd: log_mean(&logs), mean, shape }
    };
    pairs.par_iter().map_init(Vec::new, left_out).collect()
}

/// The same of pairs that the draws do not know.
pub fn held_out(draws: &PosteriorDraws, noise: impl Into<PairNoise>, pairs: &[impl Observed]) -> Vec<LeftOut> {
    let noise: PairNoise = noise.into();
    let held_out = |room: &mut Vec<(f64, NoiseScale)>, pair: &_| {
        let logs = log_likelihoods(draws, noise, pair, room);
        let elpd = log_mean(&logs);
        let expected = |&(distance, scale): &(f64, NoiseScale)| noise.family.mean(distance, scale);
        let mean = room.iter().map(expected).sum::<f64>() / room.len() as f64;
        LeftOut { elpd, lpd: elpd, mean, shape: 0.0 }
    };
    pairs.par_iter().map_init(Vec::new, held_out).collect()
}

/// Log density of what was measured of a pair in every draw; `room` then holds the pair's distances.
fn log_likelihoods(
    draws: &PosteriorDraws,
    noise: PairNoise,
    pair: &impl Observed,
    room: &mut Vec<(f64, NoiseScale)>,
) -> Vec<f64> {
    let (a, b) = pair.pair();
    draws.distances(a, b, room);
    room.iter().map(|&(distance, scale)| pair.log_likelihood(noise, distance, scale)).collect()
}

fn log_mean(logs: &[f64]) -> f64 {
    log_sum_exp(logs) - (logs.len() as f64).ln()
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;
    use crate::Locations;
    use crate::dissimilarity::{Observation, Term};
    use crate::measurement::{Family, NoiseScale};
    use crate::quality::KnownPair;

    /// Thirty draws of two objects.
    fn two_objects() -> PosteriorDraws {
        let map = |k: usize| Locations::from_fn(2, 1, |object, _| object as f64 * (1.0 + 0.01 * k as f64));
        let noise = |k: usize| NoiseScale { sigma: 0.2 + 0.002 * k as f64, nu: 3.0 + k as f64 };
        PosteriorDraws::with_noise((0..30).map(map).collect(), (0..30).map(noise).collect())
    }

    fn held_out_of(terms: &[Term], family: Family) -> f64 {
        held_out(&two_objects(), family, &[terms])[0].elpd
    }

    #[test]
    fn families_limits_weights_and_repeats_count_as_in_the_fit() {
        let exact = |value| Term::new(0, 1, Observation::Exact(value));
        for family in Family::ALL {
            let pair = KnownPair { a: 0, b: 1, delta: 1.3 };
            let plain = held_out(&two_objects(), family, &[pair])[0];
            assert_relative_eq!(held_out_of(&[exact(1.3)], family), plain.elpd, max_relative = 1e-14);
            // By hand: the mean density over the draws.
            let mut room = Vec::new();
            two_objects().distances(0, 1, &mut room);
            let densities = room.iter().map(|&(distance, noise)| {
                family.log_density(Observation::Exact(1.3), distance, noise.sigma, noise.nu).value.exp()
            });
            assert_relative_eq!(plain.elpd, (densities.sum::<f64>() / 30.0).ln(), max_relative = 1e-11);
            let limit = Term::new(0, 1, Observation::Below(1.3));
            let probabilities = room.iter().map(|&(distance, noise)| family.cumulative(1.3, distance, noise));
            let expected = (probabilities.sum::<f64>() / 30.0).ln();
            assert_relative_eq!(held_out_of(&[limit], family), expected, max_relative = 1e-11);
            let twice = Term { weight: 2.0, ..exact(1.3) };
            let repeated = held_out_of(&[exact(1.3), exact(1.3)], family);
            assert_relative_eq!(held_out_of(&[twice], family), repeated, max_relative = 1e-14);
            assert!(repeated > 2.0 * plain.elpd, "draws that know both predict the second better");
            let vague = Term { standard_error: 1.0, ..exact(1.3) };
            assert!(held_out_of(&[vague], family) < plain.elpd, "{family}");
        }
    }

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
