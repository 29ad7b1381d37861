//! Randomness as a value: one stream per (seed, chain, purpose); no function seeds itself.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// What a stream is for. Streams of different purposes never overlap, so that asking for more of one changes no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
#[non_exhaustive]
pub enum Purpose {
    /// The order in which objects are laid before coupling.
    Order = 0,
    /// The offsets of dispersed couplings and the first landmark.
    Coupling = 1,
    /// Simulated data.
    Simulation = 2,
    /// Where a chain starts.
    Start = 3,
    /// The draws of a chain.
    Sampling = 4,
    /// Which pairs are monitored.
    Monitoring = 5,
    /// Which pairs a picture shows.
    Picture = 6,
    /// Locations of a tree's inner nodes; one stream for every draw.
    Ancestors = 7,
    /// Which draws are clustered.
    Clustering = 8,
    /// Which pairs a map is judged by.
    MapVerdict = 9,
    /// Which pairs are held out together.
    Folds = 20,
    /// Locations of objects placed on a finished map; one stream for every object.
    Placing = 21,
}

/// The stream of one (seed, chain, purpose).
pub fn stream(seed: u64, chain: usize, purpose: Purpose) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(((chain as u64) << 8) | purpose as u64);
    rng
}

/// An exact draw from N(mean, sd^2) restricted to the positive numbers.
///
/// Rejection from the normal where that accepts at least every other time; further out, rejection from an
/// exponential with the best rate (Robert 1995, "Simulation of truncated normal variables", section 2), which
/// accepts at least three times in four however far in the tail. `sd` zero or less gives the mean, cut at zero.
pub fn positive_normal(mean: f64, sd: f64, rng: &mut (impl Rng + ?Sized)) -> f64 {
    if sd.is_nan() || sd <= 0.0 || !mean.is_finite() {
        return mean.max(0.0);
    }
    if mean >= 0.0 {
        loop {
            let value = mean + sd * rng.sample::<f64, _>(StandardNormal);
            if value > 0.0 {
                return value;
            }
        }
    }
    let bound = -mean / sd;
    let rate = 0.5 * (bound + (bound * bound + 4.0).sqrt());
    loop {
        // 1 - u lies in (0, 1]; excess = z - bound, kept apart so that no digits cancel far out.
        let excess = -(1.0 - rng.random::<f64>()).ln() / rate;
        let distance_from_mode = bound + excess - rate;
        if excess > 0.0 && rng.random::<f64>() <= (-0.5 * distance_from_mode * distance_from_mode).exp() {
            return sd * excess;
        }
    }
}
