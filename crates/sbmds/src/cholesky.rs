//! Cholesky factors of small symmetric matrices (D x D, row by row in a slice), without allocation.

/// Writes the lower triangular L with L L' = `matrix` and returns log |matrix|; `None` if it is not positive definite.
/// Only the lower triangle of `matrix` is read; the upper one of `factor` becomes zero.
pub(crate) fn cholesky(n: usize, matrix: &[f64], factor: &mut [f64]) -> Option<f64> {
    factor.fill(0.0);
    let mut log_det = 0.0;
    for row in 0..n {
        for column in 0..=row {
            let known: f64 = (0..column).map(|k| factor[row * n + k] * factor[column * n + k]).sum();
            let rest = matrix[row * n + column] - known;
            if column < row {
                factor[row * n + column] = rest / factor[column * n + column];
            } else if rest > 0.0 && rest.is_finite() {
                factor[row * n + row] = rest.sqrt();
                log_det += rest.ln();
            } else {
                return None;
            }
        }
    }
    Some(log_det)
}

/// Solves L y = b in place.
pub(crate) fn solve_lower(n: usize, factor: &[f64], b: &mut [f64]) {
    for row in 0..n {
        let known: f64 = (0..row).map(|k| factor[row * n + k] * b[k]).sum();
        b[row] = (b[row] - known) / factor[row * n + row];
    }
}

/// Solves L' y = b in place.
pub(crate) fn solve_lower_transposed(n: usize, factor: &[f64], b: &mut [f64]) {
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|k| factor[k * n + row] * b[k]).sum();
        b[row] = (b[row] - known) / factor[row * n + row];
    }
}

/// Writes (L L')^-1.
pub(crate) fn inverse(n: usize, factor: &[f64], inverse: &mut [f64]) {
    inverse.fill(0.0);
    for (k, row) in inverse.chunks_exact_mut(n).enumerate() {
        // The matrix is symmetric: its rows are its columns.
        row[k] = 1.0;
        solve_lower(n, factor, row);
        solve_lower_transposed(n, factor, row);
    }
}

/// Solves `matrix` y = b in place for a symmetric matrix; false, and b as it was, if that is not positive definite.
pub(crate) fn cholesky_solve(n: usize, matrix: &[f64], b: &mut [f64]) -> bool {
    let mut factor = vec![0.0; n * n];
    let is_definite = cholesky(n, matrix, &mut factor).is_some();
    if is_definite {
        solve_lower(n, &factor, b);
        solve_lower_transposed(n, &factor, b);
    }
    is_definite
}
