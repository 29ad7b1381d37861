//! Maps and comparisons shared by the tests of this folder.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::Locations;
use crate::align::{RigidMotion, procrustes, rms_difference};

/// Standard normal locations.
pub fn gaussian_map(n_objects: usize, n_dims: usize, seed: u64) -> Locations {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Locations::from_fn(n_objects, n_dims, |_, _| StandardNormal.sample(&mut rng))
}

/// A random rotation or reflection, and a shift.
pub fn random_motion(n_dims: usize, seed: u64) -> RigidMotion {
    let motion = procrustes(&gaussian_map(20, n_dims, seed), &gaussian_map(20, n_dims, seed + 1));
    let shift: Vec<f64> = motion.shift().iter().enumerate().map(|(dim, shift)| shift + 3.0 - dim as f64).collect();
    RigidMotion::from_parts(&motion.rotation(), &shift)
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
