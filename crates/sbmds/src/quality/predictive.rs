//! Where the posterior expects dissimilarities, and how often they are there.

use super::mixture::Mixture;
use super::pairs::KnownPair;
use crate::Locations;
use crate::likelihood::Noise;
use crate::measurement::NoiseScale;

/// The share of dissimilarities that a predictive interval should hold.
const LEVEL: f64 = 0.95;
/// Draws below which a mixture says little about tails of 2.5%.
const FEWEST_DRAWS: usize = 20;

/// The central posterior predictive interval of a dissimilarity at a `level` such as 0.95, from draws (distance, sigma) of its pair:
/// quantiles of the mixture of the noise around all distances. `None` without draws.
pub fn predictive_interval(noise: Noise, draws: &[(f64, f64)], level: f64) -> Option<(f64, f64)> {
    let draws: Vec<_> = draws.iter().map(|&(distance, sigma)| (distance, NoiseScale::of_sigma(sigma))).collect();
    Mixture::new(noise, &draws).map(|mixture| mixture.interval(level))
}

/// Collects over draws where the dissimilarities of some pairs lie in their predictive distributions.
pub(super) struct Coverage {
    noise: Noise,
    pairs: Vec<KnownPair>,
    /// Sum over draws of the probability of a smaller dissimilarity.
    below: Vec<f64>,
    n_draws: usize,
}

impl Coverage {
    pub fn new(noise: Noise, pairs: Vec<KnownPair>) -> Self {
        Self { noise, below: vec![0.0; pairs.len()], pairs, n_draws: 0 }
    }

    pub fn visit(&mut self, x: &Locations, sigma: f64) {
        self.n_draws += 1;
        for (below, &KnownPair { a, b, delta }) in self.below.iter_mut().zip(&self.pairs) {
            *below += self.noise.cumulative(delta, x.distance(a, b), sigma);
        }
    }

    /// The share of the pairs whose dissimilarity lies in its 95% predictive interval; `None` with too few draws or no pairs.
    pub fn share(&self) -> Option<f64> {
        if self.n_draws < FEWEST_DRAWS || self.pairs.is_empty() {
            return None;
        }
        let tail = 0.5 * (1.0 - LEVEL);
        let is_within = |below: &&f64| (tail..=1.0 - tail).contains(&(**below / self.n_draws as f64));
        Some(self.below.iter().filter(is_within).count() as f64 / self.pairs.len() as f64)
    }
}

/// Collects the distances of some pairs, for their predictive intervals.
pub(super) struct Intervals {
    noise: Noise,
    pairs: Vec<KnownPair>,
    /// (distance, sigma) of each pair, draw by draw.
    draws: Vec<Vec<(f64, f64)>>,
}

impl Intervals {
    pub fn new(noise: Noise, pairs: Vec<KnownPair>) -> Self {
        Self { noise, draws: vec![Vec::new(); pairs.len()], pairs }
    }

    pub fn visit(&mut self, x: &Locations, sigma: f64) {
        for (draws, pair) in self.draws.iter_mut().zip(&self.pairs) {
            draws.push((x.distance(pair.a, pair.b), sigma));
        }
    }

    /// One for each pair; `None` with too few draws.
    pub fn finish(&self) -> Vec<Option<(f64, f64)>> {
        let enough = |draws: &&Vec<(f64, f64)>| draws.len() >= FEWEST_DRAWS;
        let of_pair = |draws: &Vec<(f64, f64)>| predictive_interval(self.noise, Some(draws).filter(enough)?, LEVEL);
        self.draws.iter().map(of_pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::random::{Purpose, stream};

    #[test]
    fn one_draw_gives_the_quantiles_of_the_noise() {
        let (low, high) = predictive_interval(Noise::Normal, &[(3.0, 0.5)], 0.95).unwrap();
        // 1.959963984540054 is the 97.5% quantile of the standard normal distribution.
        assert_relative_eq!(low, 3.0 - 0.5 * 1.959_963_984_540_054, max_relative = 1e-9);
        assert_relative_eq!(high, 3.0 + 0.5 * 1.959_963_984_540_054, max_relative = 1e-9);
        // At distance zero truncated noise is half-normal: 0.0313379... and 2.2414027... (scipy 1.15, halfnorm.ppf).
        let (low, high) = predictive_interval(Noise::TruncatedNormal, &[(0.0, 1.0)], 0.95).unwrap();
        assert_relative_eq!(low, 0.031_337_982_021_426_48, max_relative = 1e-7);
        assert_relative_eq!(high, 2.241_402_727_604_947, max_relative = 1e-7);
        assert!(predictive_interval(Noise::Normal, &[], 0.95).is_none());
    }

    #[test]
    fn an_interval_of_many_draws_is_that_of_simulated_dissimilarities() {
        let mut rng = stream(3, 0, Purpose::MapVerdict);
        let draws: Vec<(f64, f64)> =
            (0..300).map(|_| (1.0 + 0.8 * rng.random::<f64>(), 0.2 + 0.3 * rng.random::<f64>())).collect();
        let (low, high) = predictive_interval(Noise::Normal, &draws, 0.9).unwrap();
        let n = 200_000;
        let mut counts = [0, 0];
        for k in 0..n {
            let (distance, sigma) = draws[k % draws.len()];
            let normal: f64 = StandardNormal.sample(&mut rng);
            let delta = distance + sigma * normal;
            counts[0] += usize::from(delta < low);
            counts[1] += usize::from(delta > high);
        }
        // Each tail holds 5%, with a standard error of 0.05% over all simulations.
        counts.iter().for_each(|&count| assert_relative_eq!(count as f64 / n as f64, 0.05, epsilon = 0.002));
    }

    #[test]
    fn coverage_counts_the_dissimilarities_inside() {
        let line = Locations::from_fn(3, 1, |object, _| object as f64);
        let pair = |a, b, delta| KnownPair { a, b, delta };
        let pairs = vec![pair(0, 1, 1.1), pair(1, 2, 1.3), pair(0, 2, 2.0), pair(0, 2, 1.7)];
        let mut coverage = Coverage::new(Noise::Normal, pairs);
        (0..FEWEST_DRAWS - 1).for_each(|_| coverage.visit(&line, 0.1));
        assert_eq!(coverage.share(), None);
        coverage.visit(&line, 0.1);
        assert_eq!(coverage.share(), Some(0.5));
    }
}
