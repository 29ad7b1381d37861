//! Maps and comparisons shared by the tests of this folder.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::procrustes::{procrustes, rms_difference};
use crate::Locations;

/// Standard normal locations.
pub fn gaussian_map(n_objects: usize, n_dims: usize, seed: u64) -> Locations {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Locations::from_fn(n_objects, n_dims, |_, _| StandardNormal.sample(&mut rng))
}

/// The largest difference between the distances in two maps, which may differ in dimension.
pub fn largest_distance_error(a: &Locations, b: &Locations) -> f64 {
    let pairs = (0..a.n_objects()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|(i, j)| (a.distance(i, j) - b.distance(i, j)).abs()).fold(0.0, f64::max)
}

/// Root mean squared distance between the maps after aligning them.
pub fn rms_after_alignment(map: &Locations, reference: &Locations) -> f64 {
    rms_difference(&procrustes(map, reference).apply(map), reference)
}
