//! Classical multidimensional scaling (Torgerson 1952) without ever holding an N x N matrix.

use rayon::prelude::*;

use super::krylov::largest_eigenpairs;
use super::landmark::{Ask, landmark_mds};
use crate::Locations;
use crate::dense::{Eigenpairs, Matrix};
use crate::dissimilarity::spread_landmarks;

/// Rows of squared dissimilarities built at a time: 32 rows of 10,000 are 2.5 MB, about one cache.
const ROWS_AT_ONCE: usize = 32;
/// Rounds of filling missing pairs from the map and scaling again.
const IMPUTATION_ROUNDS: usize = 3;
/// Landmarks of the first map when pairs are missing.
const LANDMARKS_FOR_MISSING: usize = 64;

/// Classical MDS: the D leading eigenvectors of the double-centred squared dissimilarities, each times the
/// square root of its eigenvalue. Dimensions whose eigenvalue is not positive get zeros.
///
/// `dissimilarity(i, j)` is asked for i != j, several times per pair, in both orders, from several threads; it
/// should be a look-up. Memory stays O(N D). At N = 10,000 it is asked about 10^9 times, a few seconds.
///
/// Missing pairs (NaN): a landmark map ([`landmark_mds`]) comes first, missing pairs then take their distance
/// in the current map, and the scaling is repeated three times. The map is centred at the origin, its axes are
/// the principal ones, and the largest coordinate of each axis is positive.
pub fn classical_mds(n_objects: usize, n_dims: usize, dissimilarity: impl Fn(usize, usize) -> f64 + Sync) -> Locations {
    classical(n_objects, n_dims, &dissimilarity)
}

/// Compiled once, not for each caller.
fn classical(n_objects: usize, n_dims: usize, dissimilarity: Ask) -> Locations {
    if n_objects == 0 || n_dims == 0 {
        return Locations::zeros(n_objects, n_dims);
    }
    if !has_missing(n_objects, dissimilarity) {
        return scale(n_objects, n_dims, dissimilarity);
    }
    let landmarks = spread_landmarks(n_objects, LANDMARKS_FOR_MISSING.max(4 * n_dims), dissimilarity);
    let mut map = landmark_mds(n_objects, n_dims, &landmarks, dissimilarity);
    for _ in 0..IMPUTATION_ROUNDS {
        let filled = |i: usize, j: usize| {
            let observed = dissimilarity(i, j);
            if observed.is_nan() { map.distance(i, j) } else { observed }
        };
        map = scale(n_objects, n_dims, &filled);
    }
    map
}

fn has_missing(n_objects: usize, dissimilarity: Ask) -> bool {
    (0..n_objects).into_par_iter().any(|i| (i + 1..n_objects).any(|j| dissimilarity(i, j).is_nan()))
}

/// Classical MDS of complete dissimilarities.
fn scale(n_objects: usize, n_dims: usize, dissimilarity: Ask) -> Locations {
    let pairs = largest_eigenpairs(n_objects, n_dims, |block| centred_product(block, dissimilarity));
    coordinates(&pairs, n_objects, n_dims)
}

/// Eigenvectors times the square roots of their eigenvalues. Eigenvalues within rounding of zero count as zero.
pub(super) fn coordinates(pairs: &Eigenpairs, n_objects: usize, n_dims: usize) -> Locations {
    let floor = 1e-12 * pairs.values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let length = |k: usize| match pairs.values.get(k) {
        Some(&value) if value > floor => value.sqrt(),
        _ => 0.0,
    };
    let lengths: Vec<f64> = (0..n_dims).map(length).collect();
    Locations::from_fn(n_objects, n_dims, |object, dim| match lengths[dim] {
        0.0 => 0.0,
        length => length * pairs.vectors[(object, dim)],
    })
}

/// (-1/2 J S J) X for squared dissimilarities S and the centring matrix J: centre, multiply, centre.
fn centred_product(block: &Matrix, dissimilarity: Ask) -> Matrix {
    let n = block.n_rows();
    let mut input = block.clone();
    centre_columns(&mut input);
    let strips: Vec<Matrix> = (0..n.div_ceil(ROWS_AT_ONCE))
        .into_par_iter()
        .map(|strip| {
            let first = strip * ROWS_AT_ONCE;
            strip_product(first..n.min(first + ROWS_AT_ONCE), &input, dissimilarity)
        })
        .collect();
    let mut output =
        Matrix::from_fn(n, block.n_columns(), |row, k| strips[row / ROWS_AT_ONCE][(row % ROWS_AT_ONCE, k)]);
    centre_columns(&mut output);
    output
}

/// A few rows of -1/2 S times X.
fn strip_product(rows: std::ops::Range<usize>, input: &Matrix, dissimilarity: Ask) -> Matrix {
    let (first, n) = (rows.start, input.n_rows());
    // Column k of `squares` is row first + k of -1/2 S, so that it is written in memory order.
    let mut squares = Matrix::zeros(n, rows.len());
    for row in rows.clone() {
        for (j, entry) in squares.column_mut(row - first).iter_mut().enumerate() {
            *entry = if j == row { 0.0 } else { -0.5 * dissimilarity(row, j).powi(2) };
        }
    }
    squares.transposed_times(input)
}

fn centre_columns(matrix: &mut Matrix) {
    let n = matrix.n_rows() as f64;
    for k in 0..matrix.n_columns() {
        let column = matrix.column_mut(k);
        let mean = column.iter().sum::<f64>() / n;
        column.iter_mut().for_each(|x| *x -= mean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::test_maps::{gaussian_map, largest_distance_error, rms_after_alignment};

    #[test]
    fn exact_distances_give_back_the_map() {
        for (n_objects, n_dims) in [(3, 2), (4, 3), (40, 1), (40, 2), (200, 6)] {
            let truth = gaussian_map(n_objects, n_dims, 1);
            let found = classical_mds(n_objects, n_dims, |i, j| truth.distance(i, j));
            assert!(largest_distance_error(&found, &truth) < 1e-7, "N = {n_objects}, D = {n_dims}");
        }
    }

    #[test]
    fn extra_dimensions_and_coincident_objects_are_harmless() {
        let planar = gaussian_map(30, 2, 2);
        // Every location twice.
        let truth = planar.reordered(&(0..60).map(|k| k / 2).collect::<Vec<_>>());
        let found = classical_mds(60, 4, |i, j| truth.distance(i, j));
        assert!(found.as_slice().iter().all(|x| x.is_finite()));
        assert!(largest_distance_error(&found, &truth) < 1e-6);
    }

    #[test]
    fn degenerate_input_gives_a_finite_map() {
        for n_objects in [0, 1, 2, 5] {
            let zero = classical_mds(n_objects, 3, |_, _| 0.0);
            assert!(zero.as_slice().iter().all(|&x| x == 0.0));
            let missing = classical_mds(n_objects, 3, |_, _| f64::NAN);
            assert!(missing.as_slice().iter().all(|x| x.is_finite()));
        }
    }

    #[test]
    fn non_euclidean_input_gives_no_nan_and_no_imaginary_dimension() {
        // One pair far apart, everything else close: breaks the triangle inequality.
        let found = classical_mds(20, 19, |i, j| if i + j == 1 { 100.0 } else { 1.0 });
        assert!(found.as_slice().iter().all(|x| x.is_finite()));
        // The mean of all others is the mirror axis, so at least one eigenvalue is negative and dropped.
        assert!((0..19).any(|dim| found.dim(dim).iter().all(|&x| x == 0.0)));
    }

    #[test]
    fn axes_are_principal_centred_and_signed() {
        let truth = gaussian_map(100, 3, 3);
        let found = classical_mds(100, 3, |i, j| truth.distance(i, j));
        let sum_of_squares: Vec<f64> = (0..3).map(|d| found.dim(d).iter().map(|x| x * x).sum()).collect();
        assert!(sum_of_squares.is_sorted_by(|a, b| a >= b));
        for dim in 0..3 {
            assert!(found.dim(dim).iter().sum::<f64>().abs() < 1e-9);
            let largest = found.dim(dim).iter().fold(0.0_f64, |b, &x| if x.abs() > b.abs() { x } else { b });
            assert!(largest > 0.0);
        }
    }

    #[test]
    fn missing_pairs_are_filled_in() {
        let truth = gaussian_map(150, 2, 4);
        // About three in ten pairs are missing.
        let missing = |i: usize, j: usize| (i.min(j) * 7919 + i.max(j) * 104_729) % 10 < 3;
        let found = classical_mds(150, 2, |i, j| if missing(i, j) { f64::NAN } else { truth.distance(i, j) });
        assert!(rms_after_alignment(&found, &truth) < 0.02, "{}", rms_after_alignment(&found, &truth));
    }

    #[test]
    fn the_thread_count_changes_no_bit() {
        let truth = gaussian_map(300, 2, 5);
        let noisy = |i: usize, j: usize| truth.distance(i, j) + 0.1 * (((i * j) as f64).sin() + 1.0);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| classical_mds(300, 2, noisy))
        };
        assert_eq!(run(1), run(3));
    }
}
