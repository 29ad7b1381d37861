//! The paper's simulations: standard normal locations and noisy distances, made pair by pair without a matrix.

use std::convert::Infallible;

use rand::{Rng, TryRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use crate::Locations;
use crate::random::positive_normal;

/// How an observed dissimilarity delta differs from the true distance d.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Noise {
    /// delta = d.
    None,
    /// delta = d + |e|, e ~ N(0, sd^2): what the paper's simulations add. It is not the model's noise: even a
    /// perfect fit keeps a bias.
    HalfNormal {
        /// Standard deviation of e.
        sd: f64,
    },
    /// delta ~ N(d, sd^2) restricted to delta > 0: the model itself.
    TruncatedNormal {
        /// Standard deviation before truncation.
        sd: f64,
    },
    /// delta = d + exp(e), e ~ N(0, sd^2): the paper's heavy tails ("log-normal noise centered at 0"; its median is
    /// 1 for every sd).
    LogNormal {
        /// Standard deviation of e.
        sd: f64,
    },
}

/// True locations and the dissimilarities observed between them.
///
/// The noise of a pair is a function of the pair alone (a counter-based generator), so that any coupling of any
/// size sees the same data and N = 10,000 needs no matrix.
#[derive(Clone, Debug)]
pub struct Simulation {
    truth: Locations,
    noise: Noise,
    key: u64,
}

impl Simulation {
    /// `n_objects` locations from N(0, I) in `n_dims` dimensions, and a key for the noise.
    pub fn new(n_objects: usize, n_dims: usize, noise: Noise, rng: &mut ChaCha8Rng) -> Self {
        let truth = Locations::from_fn(n_objects, n_dims, |_, _| StandardNormal.sample(rng));
        Self::around(truth, noise, rng)
    }

    /// Noisy dissimilarities between the given locations.
    pub fn around(truth: Locations, noise: Noise, rng: &mut ChaCha8Rng) -> Self {
        Self { truth, noise, key: rng.next_u64() }
    }

    /// The true locations.
    pub fn truth(&self) -> &Locations {
        &self.truth
    }

    /// The noise.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// The noise-free distance of a pair.
    pub fn distance(&self, i: usize, j: usize) -> f64 {
        self.truth.distance(i, j)
    }

    /// The observed dissimilarity of a pair: symmetric, zero for i = j, the same at every call.
    pub fn delta(&self, i: usize, j: usize) -> f64 {
        if i == j {
            return 0.0;
        }
        let distance = self.distance(i, j);
        let mut rng = PairStream::new(self.key, i, j);
        match self.noise {
            Noise::None => distance,
            Noise::HalfNormal { sd } => distance + (sd * standard_normal(&mut rng)).abs(),
            Noise::TruncatedNormal { sd } => positive_normal(distance, sd, &mut rng),
            Noise::LogNormal { sd } => distance + (sd * standard_normal(&mut rng)).exp(),
        }
    }
}

fn standard_normal(rng: &mut (impl Rng + ?Sized)) -> f64 {
    StandardNormal.sample(rng)
}

/// Random numbers that depend on a key and an unordered pair alone: SplitMix64 (Steele, Lea and Flood 2014),
/// started at a hash of the pair.
struct PairStream(u64);

/// SplitMix64's increment: 2^64 over the golden ratio, made odd.
const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

impl PairStream {
    fn new(key: u64, i: usize, j: usize) -> Self {
        let first = mix(key.wrapping_add(INCREMENT).wrapping_add(i.min(j) as u64));
        Self(mix(first.wrapping_add(INCREMENT).wrapping_add(i.max(j) as u64)))
    }
}

/// SplitMix64's output function: a bijection under which every input bit changes each output bit half the time.
fn mix(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

impl TryRng for PairStream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        // The high half: the low bits of a product are the weaker ones.
        self.try_next_u64().map(|word| (word >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0 = self.0.wrapping_add(INCREMENT);
        Ok(mix(self.0))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let Ok(word) = self.try_next_u64();
            chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn simulation(n_objects: usize, n_dims: usize, noise: Noise, seed: u64) -> Simulation {
        Simulation::new(n_objects, n_dims, noise, &mut ChaCha8Rng::seed_from_u64(seed))
    }

    /// `n` independent values, sorted.
    fn sorted(n: usize, mut value: impl FnMut(usize) -> f64) -> Vec<f64> {
        let mut values: Vec<f64> = (0..n).map(&mut value).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// Kolmogorov's statistic sqrt(n) sup |F_n - F|: above 1.95 once in a thousand times under F.
    fn kolmogorov(sorted: &[f64], cumulative: impl Fn(f64) -> f64) -> f64 {
        let n = sorted.len() as f64;
        let gap = |(k, x): (usize, &f64)| {
            let f = cumulative(*x);
            (f - k as f64 / n).abs().max(((k + 1) as f64 / n - f).abs())
        };
        n.sqrt() * sorted.iter().enumerate().map(gap).fold(0.0, f64::max)
    }

    fn phi(z: f64) -> f64 {
        0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
    }

    /// The noise of all pairs of 300 objects that lie at the origin, so that delta is noise alone.
    fn noise_of_pairs(noise: Noise) -> Vec<f64> {
        let data = Simulation::around(Locations::zeros(300, 2), noise, &mut ChaCha8Rng::seed_from_u64(1));
        let pairs: Vec<(usize, usize)> = (0..300).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        sorted(pairs.len(), |k| data.delta(pairs[k].0, pairs[k].1))
    }

    #[test]
    fn each_noise_has_its_distribution() {
        let sd = 0.4;
        let half_normal = |x: f64| 2.0 * phi(x / sd) - 1.0;
        assert!(kolmogorov(&noise_of_pairs(Noise::HalfNormal { sd }), half_normal) < 1.95);
        // At distance zero the truncated normal is the half-normal.
        assert!(kolmogorov(&noise_of_pairs(Noise::TruncatedNormal { sd }), half_normal) < 1.95);
        assert!(kolmogorov(&noise_of_pairs(Noise::LogNormal { sd }), |x| phi(x.ln() / sd)) < 1.95);
        assert!(noise_of_pairs(Noise::None).iter().all(|&x| x == 0.0));
        // The test can tell: a sd 5% off is rejected.
        assert!(kolmogorov(&noise_of_pairs(Noise::HalfNormal { sd: 1.05 * sd }), half_normal) > 1.95);
    }

    #[test]
    fn truncated_normals_are_exact_at_any_mean() {
        for (seed, mean) in [3.0, 0.3, 0.0, -0.1, -1.0, -5.0, -30.0, -1e6].into_iter().enumerate() {
            let mut rng = ChaCha8Rng::seed_from_u64(seed as u64);
            let sd = 0.7;
            let values = sorted(20_000, |_| positive_normal(mean, sd, &mut rng));
            assert!(values[0] > 0.0);
            let bound = -mean / sd;
            let cumulative = |x: f64| {
                if bound > 30.0 {
                    // The density beyond a far bound b is exponential with rate b, up to a factor 1 + O(1/b^2).
                    -(-(x / sd) * bound).exp_m1()
                } else {
                    1.0 - phi(-(bound + x / sd)) / phi(-bound)
                }
            };
            assert!(kolmogorov(&values, cumulative) < 1.95, "mean {mean}: {}", kolmogorov(&values, cumulative));
        }
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        assert_eq!(positive_normal(2.0, 0.0, &mut rng), 2.0);
        assert_eq!(positive_normal(-2.0, 0.0, &mut rng), 0.0);
    }

    #[test]
    fn pairs_are_symmetric_repeatable_and_uncorrelated() {
        let data = simulation(200, 3, Noise::HalfNormal { sd: 0.2 }, 4);
        let again = simulation(200, 3, Noise::HalfNormal { sd: 0.2 }, 4);
        let other = simulation(200, 3, Noise::HalfNormal { sd: 0.2 }, 5);
        assert_eq!(data.delta(3, 3), 0.0);
        assert_eq!(data.delta(3, 17), data.delta(17, 3));
        assert_eq!(data.delta(3, 17), again.delta(3, 17));
        assert_ne!(data.delta(3, 17), other.delta(3, 17));
        // Correlation of the noise of neighbouring pairs, (i, j) with (i, j + 1) and with (i + 1, j).
        let noise = |i: usize, j: usize| (data.delta(i, j) - data.distance(i, j)) / 0.2 - 0.797_884_560_802_865_4;
        let pairs: Vec<(usize, usize)> = (0..99).flat_map(|i| (100..199).map(move |j| (i, j))).collect();
        let variance = 1.0 - 2.0 / std::f64::consts::PI;
        for (right, down) in [(0, 1), (1, 0), (1, 1)] {
            let products = pairs.iter().map(|&(i, j)| noise(i, j) * noise(i + down, j + right));
            let correlation = products.sum::<f64>() / (variance * pairs.len() as f64);
            // Four standard errors of an uncorrelated sample.
            assert!(correlation.abs() < 4.0 / (pairs.len() as f64).sqrt(), "{correlation}");
        }
    }

    #[test]
    fn truth_is_standard_normal() {
        let data = simulation(5_000, 2, Noise::None, 6);
        let coordinates = data.truth().as_slice();
        assert!(kolmogorov(&sorted(coordinates.len(), |k| coordinates[k]), phi) < 1.95);
        assert_eq!(data.delta(1, 2), data.truth().distance(1, 2));
    }
}
