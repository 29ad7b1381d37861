//! Aligning one map to another by rotation, reflection and translation (Procrustes).

use crate::Locations;
use crate::dense::{Matrix, nearest_orthogonal, sign_convention, symmetric_eigen};

/// A distance-preserving map x -> R (x - from) + to, with R orthogonal (a rotation, perhaps with reflection).
#[derive(Clone, Debug)]
pub struct RigidMotion {
    rotation: Matrix,
    from: Vec<f64>,
    to: Vec<f64>,
}

impl RigidMotion {
    /// The motion applied to every object.
    pub fn apply(&self, map: &Locations) -> Locations {
        let mut moved = Locations::zeros(map.n_objects(), map.n_dims());
        for target in 0..map.n_dims() {
            let output = moved.dim_mut(target);
            output.fill(self.to[target]);
            for source in 0..map.n_dims() {
                let weight = self.rotation[(target, source)];
                let centre = self.from[source];
                output.iter_mut().zip(map.dim(source)).for_each(|(out, x)| *out += weight * (x - centre));
            }
        }
        moved
    }

    /// From a rotation (D x D, row by row) and a shift: x -> R x + shift.
    pub fn from_parts(rotation: &[f64], shift: &[f64]) -> Self {
        let n_dims = shift.len();
        let rotation = Matrix::from_fn(n_dims, n_dims, |row, column| rotation[row * n_dims + column]);
        Self { rotation, from: vec![0.0; n_dims], to: shift.to_vec() }
    }

    /// R, row by row.
    pub fn rotation(&self) -> Vec<f64> {
        let n_dims = self.to.len();
        (0..n_dims * n_dims).map(|entry| self.rotation[(entry / n_dims, entry % n_dims)]).collect()
    }

    /// Where the motion takes the origin: x -> R x + shift.
    pub fn shift(&self) -> Vec<f64> {
        let turned = |row: usize| (0..self.to.len()).map(|k| self.rotation[(row, k)] * self.from[k]).sum::<f64>();
        self.to.iter().enumerate().map(|(row, to)| to - turned(row)).collect()
    }

    /// The motion back.
    pub fn inverse(&self) -> Self {
        Self { rotation: self.rotation.transposed(), from: self.to.clone(), to: self.from.clone() }
    }

    /// The covariance of moved locations, R C R', from the covariance C (D x D, row by row) before the motion.
    pub fn apply_to_covariance(&self, covariance: &[f64]) -> Vec<f64> {
        let n_dims = self.to.len();
        let matrix = Matrix::from_fn(n_dims, n_dims, |row, column| covariance[row * n_dims + column]);
        let rotated = self.rotation.times(&matrix).times(&self.rotation.transposed());
        (0..n_dims * n_dims).map(|entry| rotated[(entry / n_dims, entry % n_dims)]).collect()
    }
}

/// The rigid motion that brings `map` closest to `reference` in summed squared distance (orthogonal Procrustes,
/// Schoenemann 1966): R = U V' from the singular values of the D x D cross-product, O(N D^2 + D^3). No scaling.
///
/// Objects are matched by position; both maps have the same shape. Where the cross-product leaves a rotation
/// open (fewer independent directions than dimensions) any of the best ones is taken.
pub fn procrustes(map: &Locations, reference: &Locations) -> RigidMotion {
    let n_dims = map.n_dims();
    let (from, to) = (centroid(map), centroid(reference));
    let cross = Matrix::from_fn(n_dims, n_dims, |row, column| {
        let pairs = reference.dim(row).iter().zip(map.dim(column));
        pairs.map(|(target, x)| (target - to[row]) * (x - from[column])).sum::<f64>()
    });
    RigidMotion { rotation: nearest_orthogonal(&cross), from, to }
}

/// The same where each object's squared distance counts with a weight of its own, positive for some.
pub(crate) fn weighted_procrustes(map: &Locations, reference: &Locations, weights: &[f64]) -> RigidMotion {
    let (n_dims, total) = (map.n_dims(), weights.iter().sum::<f64>());
    let centre = |x: &Locations| -> Vec<f64> {
        (0..n_dims)
            .map(|dim| x.dim(dim).iter().zip(weights).map(|(x, weight)| weight * x).sum::<f64>() / total)
            .collect()
    };
    let (from, to) = (centre(map), centre(reference));
    let cross = Matrix::from_fn(n_dims, n_dims, |row, column| {
        let pairs = reference.dim(row).iter().zip(map.dim(column)).zip(weights);
        pairs.map(|((target, x), weight)| weight * (target - to[row]) * (x - from[column])).sum::<f64>()
    });
    RigidMotion { rotation: nearest_orthogonal(&cross), from, to }
}

/// The shift that lays the centre of `map` onto that of `reference`; nothing turns.
pub fn shift_onto(map: &Locations, reference: &Locations) -> RigidMotion {
    let rotation = Matrix::identity(map.n_dims());
    RigidMotion { rotation, from: centroid(map), to: centroid(reference) }
}

/// The motion that centres a map and turns it to its principal axes, widest first, with the coordinate of
/// largest magnitude positive on every axis.
pub fn principal_axes(map: &Locations) -> RigidMotion {
    let (n_dims, from) = (map.n_dims(), centroid(map));
    let scatter = Matrix::from_fn(n_dims, n_dims, |row, column| {
        let pairs = map.dim(row).iter().zip(map.dim(column));
        pairs.map(|(a, b)| (a - from[row]) * (b - from[column])).sum::<f64>()
    });
    let axes = symmetric_eigen(&scatter).vectors;
    let rotation = Matrix::from_fn(n_dims, n_dims, |row, column| axes[(column, row)]);
    let mut motion = RigidMotion { rotation, from, to: vec![0.0; n_dims] };
    let turned = motion.apply(map);
    for dim in 0..n_dims {
        let sign = sign_convention(turned.dim(dim).iter().copied());
        (0..n_dims).for_each(|column| motion.rotation[(dim, column)] *= sign);
    }
    motion
}

/// The share of a centred map's variance on each axis; equal shares if all objects coincide.
pub fn axis_share(mean: &Locations) -> Vec<f64> {
    let spread = |dim: usize| {
        let values = mean.dim(dim);
        let centre = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|value| (value - centre).powi(2)).sum::<f64>()
    };
    let spreads: Vec<f64> = (0..mean.n_dims()).map(spread).collect();
    let total: f64 = spreads.iter().sum();
    let equal = 1.0 / mean.n_dims() as f64;
    spreads.iter().map(|spread| if total > 0.0 { spread / total } else { equal }).collect()
}

/// Root mean squared distance between the two maps' locations of the same object, as they lie.
pub fn rms_difference(a: &Locations, b: &Locations) -> f64 {
    (squared_difference(a, b) / a.n_objects().max(1) as f64).sqrt()
}

/// The centre of a map.
fn centroid(map: &Locations) -> Vec<f64> {
    let n = map.n_objects().max(1) as f64;
    (0..map.n_dims()).map(|dim| map.dim(dim).iter().sum::<f64>() / n).collect()
}

fn squared_difference(a: &Locations, b: &Locations) -> f64 {
    a.as_slice().iter().zip(b.as_slice()).map(|(x, y)| (x - y).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;
    use crate::embedding::test_maps::{gaussian_map, random_motion};

    fn fixed_cases() -> ProptestConfig {
        ProptestConfig { cases: 48, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Default::default() }
    }

    proptest! {
        #![proptest_config(fixed_cases())]

        #[test]
        fn a_moved_map_is_laid_back(n_dims in 1_usize..7, n_objects in 1_usize..30, seed in 0_u64..1000) {
            let map = gaussian_map(n_objects, n_dims, seed);
            let moved = random_motion(n_dims, seed + 7).apply(&map);
            let back = procrustes(&moved, &map).apply(&moved);
            prop_assert!(rms_difference(&back, &map) < 1e-10);
        }

        #[test]
        fn alignment_never_increases_the_residual_and_is_idempotent(n_dims in 1_usize..7, seed in 0_u64..1000) {
            let (map, reference) = (gaussian_map(15, n_dims, seed), gaussian_map(15, n_dims, seed + 9));
            let aligned = procrustes(&map, &reference).apply(&map);
            let residual = rms_difference(&aligned, &reference);
            prop_assert!(residual <= rms_difference(&map, &reference) + 1e-12);
            // No other motion does better.
            let other = random_motion(n_dims, seed + 11).apply(&aligned);
            prop_assert!(residual <= rms_difference(&other, &reference));
            let again = procrustes(&aligned, &reference).apply(&aligned);
            prop_assert!(rms_difference(&again, &aligned) < 1e-10);
        }

        #[test]
        fn motions_keep_distances(n_dims in 1_usize..7, seed in 0_u64..1000) {
            let map = gaussian_map(8, n_dims, seed);
            let moved = random_motion(n_dims, seed).apply(&map);
            for i in 0..8 {
                prop_assert!((moved.distance(0, i) - map.distance(0, i)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn coincident_and_single_objects_align_without_nan() {
        for map in [Locations::zeros(5, 3), Locations::from_fn(5, 3, |_, d| d as f64), gaussian_map(1, 3, 1)] {
            let reference = gaussian_map(map.n_objects(), 3, 2);
            assert!(procrustes(&map, &reference).apply(&map).as_slice().iter().all(|x| x.is_finite()));
        }
    }

    #[test]
    fn points_on_a_line_in_three_dimensions_align() {
        let line = Locations::from_fn(10, 3, |o, d| if d == 0 { o as f64 } else { 0.0 });
        let moved = random_motion(3, 3).apply(&line);
        assert!(rms_difference(&procrustes(&moved, &line).apply(&moved), &line) < 1e-10);
    }

    #[test]
    fn weights_decide_whose_fit_counts() {
        let (map, reference) = (gaussian_map(9, 2, 1), gaussian_map(9, 2, 2));
        let equal = weighted_procrustes(&map, &reference, &[0.7; 9]).apply(&map);
        assert!(rms_difference(&equal, &procrustes(&map, &reference).apply(&map)) < 1e-12);
        let mut moved = random_motion(2, 3).apply(&reference);
        moved.set(8, 0, 100.0);
        let weights = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0];
        let back = weighted_procrustes(&moved, &reference, &weights).apply(&moved);
        assert!((0..8).all(|o| (0..2).all(|d| (back.get(o, d) - reference.get(o, d)).abs() < 1e-10)));
    }

    #[test]
    fn a_motion_is_its_rotation_and_its_shift_and_can_be_undone() {
        let (map, motion) = (gaussian_map(9, 3, 1), random_motion(3, 5));
        let moved = motion.apply(&map);
        let same = RigidMotion::from_parts(&motion.rotation(), &motion.shift()).apply(&map);
        assert!(rms_difference(&same, &moved) < 1e-12);
        assert!(rms_difference(&motion.inverse().apply(&moved), &map) < 1e-12);
        assert!(rms_difference(&moved, &map) > 1.0, "the motion does something");
    }

    #[test]
    fn covariances_turn_with_the_map() {
        let motion = random_motion(2, 4);
        let turned = motion.apply_to_covariance(&[4.0, 0.0, 0.0, 1.0]);
        let (r, s) = (&motion.rotation, [4.0, 1.0]);
        for (entry, value) in turned.iter().enumerate() {
            let (i, j) = (entry / 2, entry % 2);
            let expected: f64 = (0..2).map(|k| r[(i, k)] * s[k] * r[(j, k)]).sum();
            assert!((value - expected).abs() < 1e-12);
        }
    }
}
