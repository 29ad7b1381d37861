//! The few largest eigenpairs of a large symmetric operator that is only known by its products with vectors.

use crate::dense::{Eigenpairs, Matrix, sign_convention, symmetric_eigen};

/// Blocks in one Krylov space: more costs memory and orthogonalisation, fewer lose the polynomial speed-up.
const BLOCKS: usize = 8;
/// Krylov spaces tried, each started from the best vectors of the one before.
const RESTARTS: usize = 3;
/// A pair is found when its residual is below this fraction of the largest |eigenvalue|.
const TOLERANCE: f64 = 1e-9;

/// The `n_wanted` algebraically largest eigenpairs of a symmetric operator on R^n.
///
/// Block Krylov iteration (Musco and Musco 2015, "Randomized block Krylov methods") with Rayleigh-Ritz
/// selection. Power and subspace iteration find the largest |eigenvalue|, which for non-Euclidean
/// dissimilarities may be negative; a Krylov space holds both ends of the spectrum, and the right end is kept.
/// `apply` maps an n x b block to the operator times it.
pub(super) fn largest_eigenpairs(n: usize, n_wanted: usize, apply: impl Fn(&Matrix) -> Matrix) -> Eigenpairs {
    // Two spare vectors per block: an eigenvalue close to the last wanted one then does not stall it.
    let width = (n_wanted + 2).min(n);
    let mut block = starting_block(n, width);
    let mut best = Eigenpairs { values: vec![0.0; n_wanted], vectors: Matrix::zeros(n, n_wanted) };
    for _ in 0..RESTARTS {
        let (pairs, converged) = one_krylov_space(&block, n_wanted, &apply);
        block = Matrix::from_fn(n, width.min(pairs.values.len()), |row, k| pairs.vectors[(row, k)]);
        best = pairs;
        if converged {
            break;
        }
    }
    keep_wanted(best, n, n_wanted)
}

/// Grows one Krylov space block by block until the wanted Ritz pairs have converged or it is full.
fn one_krylov_space(start: &Matrix, n_wanted: usize, apply: &impl Fn(&Matrix) -> Matrix) -> (Eigenpairs, bool) {
    let n = start.n_rows();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut images: Vec<Vec<f64>> = Vec::new();
    let mut block = columns(start);
    for _ in 0..BLOCKS {
        let fresh_from = basis.len();
        for column in block {
            append_orthonormal(&mut basis, column);
        }
        if basis.len() == fresh_from {
            // The space is invariant: its Ritz pairs are eigenpairs.
            return (ritz_pairs(n, &basis, &images, n_wanted + 2).0, true);
        }
        let fresh = Matrix::from_fn(n, basis.len() - fresh_from, |row, k| basis[fresh_from + k][row]);
        block = columns(&apply(&fresh));
        images.extend(block.iter().cloned());
        let (pairs, residuals) = ritz_pairs(n, &basis, &images, n_wanted + 2);
        let scale = pairs.values.iter().fold(0.0_f64, |scale, value| scale.max(value.abs()));
        let enough = basis.len() == n || basis.len() > n_wanted;
        if enough && residuals.iter().take(n_wanted).all(|&residual| residual <= TOLERANCE * scale) {
            return (pairs, true);
        }
    }
    (ritz_pairs(n, &basis, &images, n_wanted + 2).0, false)
}

/// The largest eigenpairs of the operator restricted to the space, and the norms of their residuals.
fn ritz_pairs(n: usize, basis: &[Vec<f64>], images: &[Vec<f64>], n_kept: usize) -> (Eigenpairs, Vec<f64>) {
    let size = basis.len();
    let to_matrix = |vectors: &[Vec<f64>]| Matrix::from_fn(n, size, |row, k| vectors[k][row]);
    let (basis, images) = (to_matrix(basis), to_matrix(images));
    let projected = basis.transposed_times(&images);
    let symmetric = Matrix::from_fn(size, size, |i, j| 0.5 * (projected[(i, j)] + projected[(j, i)]));
    let inner = symmetric_eigen(&symmetric);
    let kept = n_kept.min(size);
    let coefficients = inner.vectors.first_columns(kept);
    let vectors = basis.times(&coefficients);
    let mapped = images.times(&coefficients);
    let residual = |k: usize| {
        (0..n).map(|row| (mapped[(row, k)] - inner.values[k] * vectors[(row, k)]).powi(2)).sum::<f64>().sqrt()
    };
    let residuals = (0..kept).map(residual).collect();
    (Eigenpairs { values: inner.values[..kept].to_vec(), vectors }, residuals)
}

/// Gram-Schmidt, twice for safety; a column that the basis already spans adds nothing.
fn append_orthonormal(basis: &mut Vec<Vec<f64>>, mut column: Vec<f64>) {
    let before = norm(&column);
    for _ in 0..2 {
        for direction in basis.iter() {
            let overlap: f64 = direction.iter().zip(&column).map(|(a, b)| a * b).sum();
            column.iter_mut().zip(direction).for_each(|(x, d)| *x -= overlap * d);
        }
    }
    let after = norm(&column);
    if after > before * 1e-11 && after.is_finite() && after > f64::MIN_POSITIVE {
        column.iter_mut().for_each(|x| *x /= after);
        basis.push(column);
    }
}

fn norm(column: &[f64]) -> f64 {
    column.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn columns(matrix: &Matrix) -> Vec<Vec<f64>> {
    (0..matrix.n_columns()).map(|k| matrix.column(k).to_vec()).collect()
}

/// Fixed numbers in (-1/2, 1/2) that no data lines up with: the fractional parts of the squares times one
/// irrational per column, which are equidistributed (Weyl 1916).
fn starting_block(n: usize, width: usize) -> Matrix {
    const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;
    Matrix::from_fn(n, width, |row, k| {
        let (square, irrational) = (((row + 1) as f64).powi(2), ((k + 2) as f64).sqrt() * GOLDEN_RATIO);
        (square * irrational).fract() - 0.5
    })
}

fn keep_wanted(pairs: Eigenpairs, n: usize, n_wanted: usize) -> Eigenpairs {
    let found = pairs.values.len();
    let value = |k: usize| if k < found { pairs.values[k] } else { 0.0 };
    let signs: Vec<f64> = (0..found).map(|k| sign_convention((0..n).map(|row| pairs.vectors[(row, k)]))).collect();
    let entry = |row: usize, k: usize| if k < found { signs[k] * pairs.vectors[(row, k)] } else { 0.0 };
    Eigenpairs { values: (0..n_wanted).map(value).collect(), vectors: Matrix::from_fn(n, n_wanted, entry) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    /// The operator Q diag(values) Q' with Q a Householder reflection.
    fn with_spectrum(values: &[f64]) -> Matrix {
        let n = values.len();
        let v: Vec<f64> = (0..n).map(|i| ((i as f64) * 1.7).sin() + 0.1).collect();
        let length: f64 = v.iter().map(|x| x * x).sum();
        let q = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - 2.0 * v[i] * v[j] / length);
        let scaled = Matrix::from_fn(n, n, |i, j| q[(i, j)] * values[j]);
        scaled.times(&q)
    }

    #[test]
    fn finds_the_largest_not_the_largest_in_magnitude() {
        let mut spectrum: Vec<f64> = (0..300).map(|k| 0.01 * (k as f64 / 300.0) - 0.005).collect();
        spectrum[0] = 3.0;
        spectrum[17] = 2.0;
        for k in 20..40 {
            spectrum[k] = -50.0 - k as f64;
        }
        let matrix = with_spectrum(&spectrum);
        let pairs = largest_eigenpairs(300, 2, |block| matrix.times(block));
        assert_relative_eq!(pairs.values[0], 3.0, epsilon = 1e-7);
        assert_relative_eq!(pairs.values[1], 2.0, epsilon = 1e-7);
    }

    #[test]
    fn slow_spectra_agree_with_the_dense_decomposition() {
        let matrix = Matrix::from_fn(120, 120, |i, j| (-((i as f64 - j as f64) / 9.0).powi(2)).exp());
        let dense = symmetric_eigen(&matrix);
        let pairs = largest_eigenpairs(120, 4, |block| matrix.times(block));
        for k in 0..4 {
            assert_relative_eq!(pairs.values[k], dense.values[k], max_relative = 1e-9);
            let overlap: f64 = (0..120).map(|i| pairs.vectors[(i, k)] * dense.vectors[(i, k)]).sum();
            assert_relative_eq!(overlap.abs(), 1.0, epsilon = 1e-7);
        }
    }

    #[test]
    fn the_zero_operator_has_zero_eigenvalues() {
        let pairs = largest_eigenpairs(5, 3, |block| Matrix::zeros(5, block.n_columns()));
        assert_eq!(pairs.values, [0.0; 3]);
    }
}
