//! Small dense decompositions with fixed signs, always on one thread so that no bit depends on the thread count.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::prelude::default;
use faer::{Mat, MatRef, Par};

/// Eigenpairs of a symmetric matrix, largest eigenvalue first; column k of `vectors` belongs to `values[k]`.
pub(super) struct Eigenpairs {
    pub values: Vec<f64>,
    pub vectors: Mat<f64>,
}

/// All eigenpairs of a symmetric matrix (the lower triangle is read), largest first.
///
/// A matrix with non-finite entries has no decomposition: all its eigenvalues are reported as zero.
pub(super) fn symmetric_eigen(matrix: MatRef<'_, f64>) -> Eigenpairs {
    let n = matrix.nrows();
    let mut values = Diag::<f64>::zeros(n);
    let mut vectors = Mat::<f64>::zeros(n, n);
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    let found = self_adjoint_evd(matrix, values.as_mut(), Some(vectors.as_mut()), Par::Seq, stack, default());
    if found.is_err() || !is_finite(vectors.as_ref()) {
        return Eigenpairs { values: vec![0.0; n], vectors: Mat::identity(n, n) };
    }
    let ascending = values.column_vector();
    Eigenpairs {
        values: (0..n).map(|k| ascending[n - 1 - k]).collect(),
        vectors: Mat::from_fn(n, n, |row, k| vectors[(row, n - 1 - k)]),
    }
}

/// The orthogonal matrix U V' of the singular value decomposition U S V' of a square matrix: the rotation
/// (or reflection) nearest to it. The identity when the matrix is not finite.
pub(super) fn nearest_orthogonal(matrix: MatRef<'_, f64>) -> Mat<f64> {
    let n = matrix.nrows();
    let (mut u, mut v) = (Mat::<f64>::zeros(n, n), Mat::<f64>::zeros(n, n));
    let mut singular = Diag::<f64>::zeros(n);
    let scratch = svd_scratch::<f64>(n, n, ComputeSvdVectors::Full, ComputeSvdVectors::Full, Par::Seq, default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    let found = svd(matrix, singular.as_mut(), Some(u.as_mut()), Some(v.as_mut()), Par::Seq, stack, default());
    let product = &u * v.transpose();
    if found.is_err() || !is_finite(product.as_ref()) { Mat::identity(n, n) } else { product }
}

/// Solves the symmetric positive semi-definite system `matrix x = rhs` by least squares of least norm:
/// directions whose eigenvalue is below 1e-9 of the largest carry no information and get no component.
pub(super) fn solve_semidefinite(matrix: MatRef<'_, f64>, rhs: &[f64]) -> Vec<f64> {
    let n = rhs.len();
    let Eigenpairs { values, vectors } = symmetric_eigen(matrix);
    let floor = values.first().copied().unwrap_or(0.0) * 1e-9;
    let mut solution = vec![0.0; n];
    for k in (0..n).filter(|&k| values[k] > floor && values[k] > 0.0) {
        let component = (0..n).map(|row| vectors[(row, k)] * rhs[row]).sum::<f64>() / values[k];
        for row in 0..n {
            solution[row] += component * vectors[(row, k)];
        }
    }
    solution
}

/// +1 or -1, such that the entry of largest magnitude (the first, among equals) becomes positive.
pub(super) fn sign_convention(entries: impl IntoIterator<Item = f64>) -> f64 {
    let largest = entries.into_iter().fold(0.0_f64, |best, x| if x.abs() > best.abs() { x } else { best });
    if largest < 0.0 { -1.0 } else { 1.0 }
}

fn is_finite(matrix: MatRef<'_, f64>) -> bool {
    (0..matrix.ncols()).all(|column| (0..matrix.nrows()).all(|row| matrix[(row, column)].is_finite()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn eigenpairs_come_largest_first_and_rebuild_the_matrix() {
        let matrix = faer::mat![[2.0, 1.0, 0.5], [1.0, -3.0, 0.25], [0.5, 0.25, 1.0]];
        let pairs = symmetric_eigen(matrix.as_ref());
        assert!(pairs.values.is_sorted_by(|a, b| a >= b));
        for row in 0..3 {
            for column in 0..3 {
                let rebuilt: f64 =
                    (0..3).map(|k| pairs.values[k] * pairs.vectors[(row, k)] * pairs.vectors[(column, k)]).sum();
                assert_relative_eq!(rebuilt, matrix[(row, column)], epsilon = 1e-12);
            }
        }
    }

    #[test]
    fn nearest_orthogonal_is_orthogonal_even_for_singular_input() {
        for matrix in [Mat::<f64>::zeros(3, 3), Mat::from_fn(3, 3, |_, _| 1.0), Mat::full(3, 3, f64::NAN)] {
            let rotation = nearest_orthogonal(matrix.as_ref());
            let gram = rotation.transpose() * &rotation;
            for row in 0..3 {
                for column in 0..3 {
                    assert_relative_eq!(gram[(row, column)], f64::from(u8::from(row == column)), epsilon = 1e-12);
                }
            }
        }
    }

    #[test]
    fn singular_systems_get_the_shortest_solution() {
        let solution = solve_semidefinite(faer::mat![[4.0, 0.0], [0.0, 0.0]].as_ref(), &[2.0, 5.0]);
        assert_eq!(solution, [0.5, 0.0]);
    }
}
