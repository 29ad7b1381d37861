//! What is left out: a pair with its dissimilarity, or with all that was measured of it.

use crate::dissimilarity::Term;
use crate::measurement::{NoiseScale, PairNoise};
use crate::quality::KnownPair;

/// A pair with what was measured of it, which is left out together.
pub trait Observed: Sync {
    /// The two objects.
    fn pair(&self) -> (usize, usize);
    /// Log density of what was measured, where the pair is at this distance.
    fn log_likelihood(&self, noise: PairNoise, distance: f64, scale: NoiseScale) -> f64;
}

impl Observed for KnownPair {
    fn pair(&self) -> (usize, usize) {
        (self.a, self.b)
    }

    fn log_likelihood(&self, noise: PairNoise, distance: f64, scale: NoiseScale) -> f64 {
        noise.family.log_density_of_value(self.delta, distance, scale)
    }
}

/// All measurements of one pair. Those with weight w count w times.
impl Observed for &[Term] {
    fn pair(&self) -> (usize, usize) {
        (self[0].near as usize, self[0].far as usize)
    }

    fn log_likelihood(&self, noise: PairNoise, distance: f64, scale: NoiseScale) -> f64 {
        self.iter().map(|term| noise.log_likelihood(term, distance, scale)).sum()
    }
}
