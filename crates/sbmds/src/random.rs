//! Randomness as a value: one stream per (seed, chain, purpose); no function seeds itself.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// What a stream is for. Streams of different purposes never overlap, so that asking for more of one changes no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
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
