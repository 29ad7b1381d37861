//! Pivot multidimensional scaling (Brandes and Pich 2007): a map from shortest paths to a few pivots.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::classical::coordinates;
use super::pair_lists::PairLists;
use crate::Locations;
use crate::dense::{Eigenpairs, Matrix, sign_convention, symmetric_eigen};

/// Objects from which shortest paths are computed; more average out the detours.
const PIVOTS: usize = 32;

/// Pivot MDS of the lengths of shortest paths over the coupled pairs. Paths are longer than straight lines, so the
/// map is too large.
pub(super) fn from_paths(n_dims: usize, pairs: &PairLists) -> Locations {
    let n_objects = pairs.n_objects();
    let n_pivots = PIVOTS.max(2 * n_dims).min(n_objects);
    // Evenly spaced by index: whatever the order of the file, every stretch of it has a pivot.
    let pivots: Vec<usize> = (0..n_pivots).map(|k| k * n_objects / n_pivots).collect();
    let lengths: Vec<Vec<f64>> = pivots.par_iter().map(|&pivot| shortest_paths(pivot, pairs)).collect();
    pivot_mds(&lengths, &pivots, n_dims)
}

/// Lengths of the shortest paths from `source`; infinite where there is none.
fn shortest_paths(source: usize, pairs: &PairLists) -> Vec<f64> {
    let mut lengths = vec![f64::INFINITY; pairs.n_objects()];
    let mut queue = BinaryHeap::new();
    lengths[source] = 0.0;
    // Lengths are not negative, so their bits sort like the numbers.
    queue.push(Reverse((0.0_f64.to_bits(), source)));
    while let Some(Reverse((bits, object))) = queue.pop() {
        let length = f64::from_bits(bits);
        if length > lengths[object] {
            continue;
        }
        for (partner, observed) in pairs.partners(object) {
            let through = length + observed;
            if through < lengths[partner] {
                lengths[partner] = through;
                queue.push(Reverse((through.to_bits(), partner)));
            }
        }
    }
    lengths
}

/// Pivot MDS: the leading singular vectors of the double-centred N x K squared lengths. Directions in which the
/// pivots' own rows point the other way belong to negative eigenvalues of the full matrix and are dropped.
fn pivot_mds(lengths: &[Vec<f64>], pivots: &[usize], n_dims: usize) -> Locations {
    let (n, k) = (lengths[0].len(), pivots.len());
    let centred = centred_squares(lengths);
    let right = symmetric_eigen(&centred.transposed_times(&centred));
    let mut kept = Eigenpairs { values: Vec::new(), vectors: Matrix::zeros(n, n_dims) };
    for direction in 0..k {
        let singular = right.values[direction].max(0.0).sqrt();
        if kept.values.len() == n_dims || singular <= 1e-9 * right.values[0].max(0.0).sqrt() {
            break;
        }
        let weights = right.vectors.column(direction);
        let left: Vec<f64> =
            (0..n).map(|row| (0..k).map(|c| centred[(row, c)] * weights[c]).sum::<f64>() / singular).collect();
        let agreement: f64 = pivots.iter().enumerate().map(|(c, &pivot)| left[pivot] * weights[c]).sum();
        if agreement > 0.0 {
            let sign = sign_convention(left.iter().copied());
            (0..n).for_each(|row| kept.vectors[(row, kept.values.len())] = sign * left[row]);
            // K of N columns hold K/N of the squared singular value.
            kept.values.push(singular * (n as f64 / k as f64).sqrt());
        }
    }
    coordinates(&kept, n, n_dims)
}

/// -1/2 times the squared lengths, rows and columns centred. No path counts as the longest path.
fn centred_squares(lengths: &[Vec<f64>]) -> Matrix {
    let (n, k) = (lengths[0].len(), lengths.len());
    let finite = lengths.iter().flatten().filter(|length| length.is_finite());
    let longest = finite.fold(0.0_f64, |longest, &length| longest.max(length));
    let mut squares = Matrix::from_fn(n, k, |row, c| -0.5 * lengths[c][row].min(longest).powi(2));
    let row_means: Vec<f64> = (0..n).map(|row| (0..k).map(|c| squares[(row, c)]).sum::<f64>() / k as f64).collect();
    let mean = row_means.iter().sum::<f64>() / n as f64;
    for c in 0..k {
        let column_mean = (0..n).map(|row| squares[(row, c)]).sum::<f64>() / n as f64;
        (0..n).for_each(|row| squares[(row, c)] += mean - row_means[row] - column_mean);
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_paths_take_detours_and_know_where_none_leads() {
        // 0 - 1 - 2 with a long direct edge 0 - 2, and 3 alone.
        let edges = [(0, 1, 1.0), (1, 2, 1.5), (0, 2, 9.0)];
        let pairs = PairLists::collect(4, &|i| {
            edges.iter().filter(|e| e.0 == i || e.1 == i).map(|e| (e.0 + e.1 - i, e.2)).collect()
        });
        assert_eq!(shortest_paths(0, &pairs), [0.0, 1.0, 2.5, f64::INFINITY]);
    }

    #[test]
    fn a_grid_is_recognised_from_its_edges() {
        // Paths along a chain are exact, so the chain comes back.
        let n = 101;
        let pairs = PairLists::collect(n, &|i| {
            [i.wrapping_sub(1), i + 1].into_iter().filter(|&j| j < n).map(|j| (j, 0.5)).collect()
        });
        let map = from_paths(1, &pairs);
        for i in 0..n {
            assert!((map.distance(0, i) - 0.5 * i as f64).abs() < 0.02 * n as f64, "{}", map.distance(0, i));
        }
    }
}
