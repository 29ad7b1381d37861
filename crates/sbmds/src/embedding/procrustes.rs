//! Laying one map over another by rotation, reflection and translation, and many maps over their mean.

use faer::Mat;

use super::linear::{nearest_orthogonal, sign_convention, symmetric_eigen};
use crate::Locations;

/// A distance-preserving map x -> R (x - from) + to, with R orthogonal (a rotation, perhaps with reflection).
#[derive(Clone, Debug)]
pub struct RigidMotion {
    rotation: Mat<f64>,
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
        let rotation = Mat::from_fn(n_dims, n_dims, |row, column| rotation[row * n_dims + column]);
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
        Self { rotation: self.rotation.transpose().to_owned(), from: self.to.clone(), to: self.from.clone() }
    }

    /// The covariance of moved locations, R C R', from the covariance C (D x D, row by row) before the motion.
    pub fn apply_to_covariance(&self, covariance: &[f64]) -> Vec<f64> {
        let n_dims = self.to.len();
        let matrix = Mat::from_fn(n_dims, n_dims, |row, column| covariance[row * n_dims + column]);
        let rotated = &self.rotation * matrix * self.rotation.transpose();
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
    let cross = Mat::from_fn(n_dims, n_dims, |row, column| {
        let pairs = reference.dim(row).iter().zip(map.dim(column));
        pairs.map(|(target, x)| (target - to[row]) * (x - from[column])).sum::<f64>()
    });
    RigidMotion { rotation: nearest_orthogonal(cross.as_ref()), from, to }
}

/// The same where each object's squared distance counts with a weight of its own, positive for some.
pub(super) fn weighted_procrustes(map: &Locations, reference: &Locations, weights: &[f64]) -> RigidMotion {
    let (n_dims, total) = (map.n_dims(), weights.iter().sum::<f64>());
    let centre = |x: &Locations| -> Vec<f64> {
        (0..n_dims)
            .map(|dim| x.dim(dim).iter().zip(weights).map(|(x, weight)| weight * x).sum::<f64>() / total)
            .collect()
    };
    let (from, to) = (centre(map), centre(reference));
    let cross = Mat::from_fn(n_dims, n_dims, |row, column| {
        let pairs = reference.dim(row).iter().zip(map.dim(column)).zip(weights);
        pairs.map(|((target, x), weight)| weight * (target - to[row]) * (x - from[column])).sum::<f64>()
    });
    RigidMotion { rotation: nearest_orthogonal(cross.as_ref()), from, to }
}

/// The shift that lays the centre of `map` onto that of `reference`; nothing turns.
pub fn shift_onto(map: &Locations, reference: &Locations) -> RigidMotion {
    let rotation = Mat::identity(map.n_dims(), map.n_dims());
    RigidMotion { rotation, from: centroid(map), to: centroid(reference) }
}

/// The motion that centres a map and turns it to its principal axes, widest first, with the coordinate of
/// largest magnitude positive on every axis.
pub fn principal_axes(map: &Locations) -> RigidMotion {
    let (n_dims, from) = (map.n_dims(), centroid(map));
    let scatter = Mat::from_fn(n_dims, n_dims, |row, column| {
        let pairs = map.dim(row).iter().zip(map.dim(column));
        pairs.map(|(a, b)| (a - from[row]) * (b - from[column])).sum::<f64>()
    });
    let axes = symmetric_eigen(scatter.as_ref()).vectors;
    let rotation = Mat::from_fn(n_dims, n_dims, |row, column| axes[(column, row)]);
    let mut motion = RigidMotion { rotation, from, to: vec![0.0; n_dims] };
    let turned = motion.apply(map);
    for dim in 0..n_dims {
        let sign = sign_convention(turned.dim(dim).iter().copied());
        (0..n_dims).for_each(|column| motion.rotation[(dim, column)] *= sign);
    }
    motion
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

/// The mean of many maps after aligning them.
#[derive(Clone, Debug)]
pub struct MeanMap {
    /// The mean map, centred, on its principal axes with fixed signs. Align each draw to it with [`procrustes`].
    pub mean: Locations,
    /// Root mean squared distance of aligned draws from their mean, after each pass. Never increases.
    pub residuals: Vec<f64>,
    /// Whether the mean stopped moving before the pass limit.
    pub converged: bool,
}

/// Passes over the draws after which the mean is taken as it is: twenty times the usual number.
const MAX_PASSES: usize = 100;
/// The mean stands still when it moves less than this fraction of its own size.
const STILL: f64 = 1e-8;

/// Generalised Procrustes analysis (Gower 1975) without scaling: align every draw to the mean, average, repeat
/// until the mean moves by less than 1e-8 of its size.
///
/// `draws` calls its argument once per draw and is called once per pass, so that draws can stay on disk: memory
/// does not grow with their number. Its error, if any, is handed on. `None` when there are no draws.
pub fn generalised_procrustes<E>(
    draws: impl Fn(&mut dyn FnMut(&Locations)) -> Result<(), E>,
) -> Result<Option<MeanMap>, E> {
    let Some(mut mean) = first_draw(&draws)? else { return Ok(None) };
    let (mut residuals, mut converged) = (Vec::new(), false);
    while !converged && residuals.len() < MAX_PASSES {
        let (next, residual) = one_pass(&draws, &mean)?;
        let moved = rms_difference(&procrustes(&next, &mean).apply(&next), &mean);
        converged = moved <= STILL * rms_difference(&next, &Locations::zeros(next.n_objects(), next.n_dims()));
        residuals.push(residual);
        mean = next;
    }
    Ok(Some(MeanMap { mean: principal_axes(&mean).apply(&mean), residuals, converged }))
}

fn first_draw<E>(draws: &impl Fn(&mut dyn FnMut(&Locations)) -> Result<(), E>) -> Result<Option<Locations>, E> {
    let mut first = None;
    draws(&mut |draw| {
        first.get_or_insert_with(|| principal_axes(draw).apply(draw));
    })?;
    Ok(first)
}

/// The mean of all draws aligned to `reference`, and their root mean squared distance from that mean.
fn one_pass<E>(
    draws: &impl Fn(&mut dyn FnMut(&Locations)) -> Result<(), E>,
    reference: &Locations,
) -> Result<(Locations, f64), E> {
    let mut mean = Locations::zeros(reference.n_objects(), reference.n_dims());
    let (mut n_draws, mut scatter) = (0.0, 0.0);
    draws(&mut |draw| {
        n_draws += 1.0;
        let aligned = procrustes(draw, reference).apply(draw);
        for (centre, x) in mean.as_mut_slice().iter_mut().zip(aligned.as_slice()) {
            // Welford's update: the sum of squares about the mean without cancellation.
            let before = x - *centre;
            *centre += before / n_draws;
            scatter += before * (x - *centre);
        }
    })?;
    let n_locations = n_draws * reference.n_objects().max(1) as f64;
    Ok((mean, (scatter / f64::max(n_locations, 1.0)).sqrt()))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;
    use crate::embedding::test_maps::gaussian_map;

    fn fixed_cases() -> ProptestConfig {
        ProptestConfig { cases: 48, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Default::default() }
    }

    /// A motion made of a random rotation or reflection and a shift.
    fn random_motion(n_dims: usize, seed: u64) -> RigidMotion {
        let mut motion = procrustes(&gaussian_map(20, n_dims, seed), &gaussian_map(20, n_dims, seed + 1));
        motion.to.iter_mut().enumerate().for_each(|(d, to)| *to += 3.0 - d as f64);
        motion
    }

    /// Draws around one map, each turned its own way.
    fn turned_draws(n_objects: usize, n_dims: usize, noise: f64, seed: u64) -> Vec<Locations> {
        let truth = gaussian_map(n_objects, n_dims, seed);
        let draw = |k: u64| {
            let error = gaussian_map(n_objects, n_dims, seed + 100 + k);
            let near = Locations::from_fn(n_objects, n_dims, |o, d| truth.get(o, d) + noise * error.get(o, d));
            random_motion(n_dims, seed + 500 + 2 * k).apply(&near)
        };
        (0..12).map(draw).collect()
    }

    fn mean_map(draws: &[Locations]) -> MeanMap {
        let pass = |visit: &mut dyn FnMut(&Locations)| {
            draws.iter().for_each(visit);
            Ok::<(), Infallible>(())
        };
        generalised_procrustes(pass).unwrap().unwrap()
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

        #[test]
        fn the_mean_map_does_not_depend_on_how_the_draws_lie(n_dims in 1_usize..5, seed in 0_u64..1000) {
            let draws = turned_draws(30, n_dims, 0.1, seed);
            let turned: Vec<_> =
                draws.iter().zip(0..).map(|(x, k)| random_motion(n_dims, seed + 900 + k).apply(x)).collect();
            let (a, b) = (mean_map(&draws), mean_map(&turned));
            prop_assert!(rms_difference(&a.mean, &b.mean) < 1e-6);
        }
    }

    #[test]
    fn the_mean_map_settles_and_its_residual_never_increases() {
        for n_dims in [1, 2, 6] {
            let found = mean_map(&turned_draws(40, n_dims, 0.3, 5));
            assert!(found.converged && found.residuals.len() > 1);
            assert!(found.residuals.is_sorted_by(|a, b| *b <= a + 1e-12), "{:?}", found.residuals);
            // Noise of sd 0.3 in every coordinate, of which alignment absorbs a little.
            let expected = 0.3 * (n_dims as f64).sqrt();
            assert!((0.8..1.0).contains(&(found.residuals[1] / expected)), "{:?}", found.residuals);
            let twice = principal_axes(&found.mean).apply(&found.mean);
            assert!(rms_difference(&twice, &found.mean) < 1e-10);
        }
    }

    #[test]
    fn coincident_and_single_objects_align_without_nan() {
        for map in [Locations::zeros(5, 3), Locations::from_fn(5, 3, |_, d| d as f64), gaussian_map(1, 3, 1)] {
            let reference = gaussian_map(map.n_objects(), 3, 2);
            assert!(procrustes(&map, &reference).apply(&map).as_slice().iter().all(|x| x.is_finite()));
            let found = mean_map(&[map.clone(), map]);
            assert!(found.converged && found.mean.as_slice().iter().all(|x| x.abs() < 1e-12));
        }
    }

    #[test]
    fn points_on_a_line_in_three_dimensions_align() {
        let line = Locations::from_fn(10, 3, |o, d| if d == 0 { o as f64 } else { 0.0 });
        let moved = random_motion(3, 3).apply(&line);
        assert!(rms_difference(&procrustes(&moved, &line).apply(&moved), &line) < 1e-10);
    }

    #[test]
    fn no_draws_give_no_mean_and_errors_are_handed_on() {
        assert!(generalised_procrustes(|_| Ok::<(), Infallible>(())).unwrap().is_none());
        assert_eq!(generalised_procrustes(|_| Err("disk")).unwrap_err(), "disk");
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
