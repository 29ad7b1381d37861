//! Lowering the stress of a map over the coupled pairs, all objects at once (SMACOF, de Leeuw 1977).

use rayon::prelude::*;

use super::pair_lists::PairLists;
use crate::Locations;

/// Objects handled by one task: a fixed number, so that sums are grouped alike for any thread count.
const OBJECTS_AT_ONCE: usize = 256;

/// A sweep that lowers the stress by less than this fraction ends the search: the sampler does the rest.
const SETTLED: f64 = 1e-4;

/// Mean squared difference between distances in the map and dissimilarities, over the coupled pairs.
pub(super) fn stress(map: &Locations, pairs: &PairLists) -> f64 {
    let points = object_by_object(map);
    majorise(&points, map.n_dims(), pairs).1
}

/// Lowers the stress by at most `n_sweeps` sweeps over the pairs, fewer when it has settled.
///
/// Each sweep is a damped majorisation step: with V the graph Laplacian and M the diagonal of degrees, V <= 2 M, so
/// x - (2 M)^-1 (V x - B(x) x) never raises the stress. Between sweeps Nesterov's extrapolation carries the motion
/// on, and starts again whenever the stress has risen (O'Donoghue and Candes 2015).
pub(super) fn lower_stress(map: &Locations, pairs: &PairLists, n_sweeps: usize) -> Locations {
    let (n_objects, n_dims) = (map.n_objects(), map.n_dims());
    let mut here = object_by_object(map);
    let mut ahead = here.clone();
    let (mut age, mut last_stress) = (0.0, f64::INFINITY);
    for _ in 0..n_sweeps {
        let (next, stress) = majorise(&ahead, n_dims, pairs);
        if stress > last_stress {
            (age, last_stress) = (0.0, f64::INFINITY);
            ahead.clone_from(&here);
            continue;
        }
        let settled = last_stress - stress < SETTLED * stress;
        let momentum = age / (age + 3.0);
        ahead = next.iter().zip(&here).map(|(new, old)| new + momentum * (new - old)).collect();
        here = next;
        (age, last_stress) = (age + 1.0, stress);
        if settled {
            break;
        }
    }
    Locations::from_fn(n_objects, n_dims, |object, dim| here[object * n_dims + dim])
}

/// The coordinates of each object side by side, as the sweep reads them.
fn object_by_object(map: &Locations) -> Vec<f64> {
    (0..map.n_objects()).flat_map(|object| (0..map.n_dims()).map(move |dim| map.get(object, dim))).collect()
}

/// One majorisation step from `points`, and the stress at `points`.
fn majorise(points: &[f64], n_dims: usize, pairs: &PairLists) -> (Vec<f64>, f64) {
    let mut moved = points.to_vec();
    let residuals: Vec<f64> = moved
        .par_chunks_mut(OBJECTS_AT_ONCE * n_dims)
        .enumerate()
        .map(|(chunk, moved)| {
            let objects = chunk * OBJECTS_AT_ONCE..;
            objects.zip(moved.chunks_mut(n_dims)).map(|(object, point)| half_way(object, point, points, pairs)).sum()
        })
        .collect();
    (moved, residuals.iter().sum::<f64>() / pairs.n_entries().max(1) as f64)
}

/// Moves one object half way to where its partners want it, and returns its squared residuals before.
fn half_way(object: usize, moved: &mut [f64], points: &[f64], pairs: &PairLists) -> f64 {
    let n_dims = moved.len();
    let here = &points[object * n_dims..][..n_dims];
    let share = 0.5 / pairs.degree(object).max(1) as f64;
    let mut squared_residual = 0.0;
    for (partner, observed) in pairs.partners(object) {
        let there = &points[partner * n_dims..][..n_dims];
        let distance = here.iter().zip(there).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        squared_residual += (distance - observed) * (distance - observed);
        // Coincident objects push nowhere: the direction is undefined and the majoriser takes zero.
        let pull = if distance > 0.0 { share * (observed / distance - 1.0) } else { 0.0 };
        for dim in 0..n_dims {
            moved[dim] += pull * (here[dim] - there[dim]);
        }
    }
    squared_residual
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::test_maps::{gaussian_map, rms_after_alignment};

    /// A ring with chords: every object with four others.
    fn ring(truth: &Locations) -> PairLists {
        let n = truth.n_objects();
        PairLists::collect(n, &|i| {
            [1, 17, n - 1, n - 17].map(|offset| (i + offset) % n).map(|j| (j, truth.distance(i, j))).to_vec()
        })
    }

    #[test]
    fn a_single_sweep_never_raises_the_stress() {
        let truth = gaussian_map(100, 1, 1);
        let pairs = ring(&truth);
        // On a line, and with odd chords alone: even and odd objects moved apart is the direction where V = 2 M and
        // every residual counts in full.
        let apart = |o: usize, d: usize| truth.get(o, d) + if o.is_multiple_of(2) { 1e-3 } else { -1e-3 };
        let starts = (2..20).map(|seed| gaussian_map(100, 1, seed)).chain([Locations::from_fn(100, 1, apart)]);
        for start in starts {
            let (next, before) = majorise(&object_by_object(&start), 1, &pairs);
            let (_, after) = majorise(&next, 1, &pairs);
            assert!(after <= before, "{after} > {before}");
        }
    }

    #[test]
    fn the_stress_is_the_mean_squared_residual() {
        let (truth, map) = (gaussian_map(100, 2, 1), gaussian_map(100, 2, 2));
        let residual = |i: usize, j: usize| (map.distance(i, j) - truth.distance(i, j)).powi(2);
        let sum: f64 = (0..100).map(|i| residual(i, (i + 1) % 100) + residual(i, (i + 17) % 100)).sum();
        assert!((stress(&map, &ring(&truth)) - sum / 200.0).abs() < 1e-12);
    }

    #[test]
    fn sweeps_carry_a_jittered_map_back() {
        let truth = gaussian_map(60, 2, 3);
        let pairs = PairLists::collect(60, &|i| (0..60).map(|j| (j, truth.distance(i, j))).collect());
        let error = gaussian_map(60, 2, 4);
        let jittered = Locations::from_fn(60, 2, |o, d| truth.get(o, d) + 0.3 * error.get(o, d));
        let found = lower_stress(&jittered, &pairs, 200);
        assert!(stress(&found, &pairs) < 1e-4 * stress(&jittered, &pairs));
        assert!(rms_after_alignment(&found, &truth) < 0.01);
    }
}
