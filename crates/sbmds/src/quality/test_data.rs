//! Hand-made dissimilarities for tests.

use super::pairs::KnownPairs;

/// A matrix in memory, coupled in all pairs or in the first diagonals.
pub(crate) struct Matrix {
    n_objects: usize,
    bands: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// From one function of a pair (a, b), a < b.
    pub fn new(n_objects: usize, value: impl Fn(usize, usize) -> f64) -> Self {
        let entry = |k: usize| {
            let (a, b) = (k / n_objects, k % n_objects);
            if a == b { 0.0 } else { value(a.min(b), a.max(b)) }
        };
        Self { n_objects, bands: n_objects, values: (0..n_objects * n_objects).map(entry).collect() }
    }

    /// Coupled up to this difference of numbers.
    pub fn banded(self, bands: usize) -> Self {
        Self { bands, ..self }
    }
}

impl KnownPairs for Matrix {
    fn n_objects(&self) -> usize {
        self.n_objects
    }

    fn n_coupled(&self) -> usize {
        (0..self.n_objects).map(|object| self.partners(object).len()).sum::<usize>() / 2
    }

    fn partners(&self, object: usize) -> Vec<(usize, f64)> {
        let others = (0..self.n_objects).filter(|&other| other != object && self.is_coupled(object, other));
        others.map(|other| (other, self.get(object, other))).filter(|(_, delta)| !delta.is_nan()).collect()
    }

    fn is_coupled(&self, a: usize, b: usize) -> bool {
        a.abs_diff(b) <= self.bands
    }

    fn get(&self, a: usize, b: usize) -> f64 {
        self.values[a * self.n_objects + b]
    }

    fn measured(&self) -> Option<&[(u32, u32, f64)]> {
        None
    }
}

/// A coordinate between 0 and 3 by a fixed rule: multiples of irrational numbers, modulo 1.
pub(crate) fn coordinate(object: usize, dim: usize) -> f64 {
    let steps = [0.618_033_988_75, 0.414_213_562_37, 0.732_050_807_57, 0.236_067_977_50];
    ((object + 1) as f64 * steps[dim]).fract() * 3.0
}

/// The distance of two points in this many dimensions.
pub(crate) fn distance_in(n_dims: usize, a: usize, b: usize) -> f64 {
    (0..n_dims).map(|dim| (coordinate(a, dim) - coordinate(b, dim)).powi(2)).sum::<f64>().sqrt()
}

/// The distance of two points in the plane.
pub(crate) fn planar(a: usize, b: usize) -> f64 {
    distance_in(2, a, b)
}

/// A number between 0 and 1 without structure.
pub(crate) fn noise(a: usize, b: usize) -> f64 {
    // The fractional part of a large sine is as good as random, and the same on every machine to many digits.
    ((a as f64 * 12.9898 + b as f64 * 78.233).sin() * 43_758.545_3).rem_euclid(1.0)
}
