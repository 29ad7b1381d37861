//! The orthogonal matrix nearest to a given one, by one-sided Jacobi rotations (Hestenes 1958), which lose no digits to squares.

use super::{Matrix, power_of_two};
use crate::numeric::dot;

/// Sweeps over all pairs of columns, at most; six are usual.
const MOST_SWEEPS: usize = 60;
/// Singular values below this part of the largest are zero: their directions are rounding alone.
const NOTHING: f64 = 1e-14;

/// The orthogonal matrix U V' of the singular value decomposition U S V' of a square matrix: the rotation
/// (or reflection) nearest to it. The identity when the matrix is zero or not finite.
pub fn nearest_orthogonal(matrix: &Matrix) -> Matrix {
    let n = matrix.n_rows();
    assert_eq!(n, matrix.n_columns(), "a square matrix");
    let Some(scale) = power_of_two(matrix.as_slice()) else { return Matrix::identity(n) };
    // Columns of `turned` = A V become orthogonal: U S.
    let mut turned = Matrix::from_fn(n, n, |row, column| scale * matrix[(row, column)]);
    let mut v = Matrix::identity(n);
    for _ in 0..MOST_SWEEPS {
        if !sweep(&mut turned, &mut v) {
            break;
        }
    }
    make_orthonormal(&mut turned);
    turned.times(&v.transposed())
}

/// Turns every pair of columns until they are orthogonal; whether any was not.
fn sweep(turned: &mut Matrix, v: &mut Matrix) -> bool {
    let mut has_turned = false;
    for second in 1..turned.n_columns() {
        for first in 0..second {
            let (a, b) = (turned.column(first), turned.column(second));
            let (aa, bb, ab) = (dot(a, a), dot(b, b), dot(a, b));
            if ab.abs() <= f64::EPSILON * (aa * bb).sqrt() {
                continue;
            }
            has_turned = true;
            // The smaller of the two angles that make the columns orthogonal.
            let ratio = (bb - aa) / (2.0 * ab);
            let tangent = 1.0_f64.copysign(ratio) / (ratio.abs() + (1.0 + ratio * ratio).sqrt());
            let c = 1.0 / (1.0 + tangent * tangent).sqrt();
            for matrix in [&mut *turned, &mut *v] {
                let (a, b) = matrix.two_columns_mut(first, second);
                for (a, b) in a.iter_mut().zip(b) {
                    (*a, *b) = (c * (*a - tangent * *b), c * (tangent * *a + *b));
                }
            }
        }
    }
    has_turned
}

/// Columns of length 1; where a column is zero, a direction that the others leave open.
fn make_orthonormal(columns: &mut Matrix) {
    let n = columns.n_columns();
    let lengths: Vec<f64> = (0..n).map(|k| dot(columns.column(k), columns.column(k)).sqrt()).collect();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let (known, mut open): (Vec<usize>, Vec<usize>) = (0..n).partition(|&k| lengths[k] > NOTHING * longest);
    for &k in &known {
        columns.column_mut(k).iter_mut().for_each(|x| *x /= lengths[k]);
    }
    let mut known = known;
    while let Some(k) = open.pop() {
        let rests = (0..n).map(|axis| rest_of_axis(columns, &known, axis));
        let longest = rests.max_by(|a, b| dot(a, a).total_cmp(&dot(b, b))).unwrap_or_default();
        let length = dot(&longest, &longest).sqrt();
        columns.column_mut(k).iter_mut().zip(&longest).for_each(|(x, rest)| *x = rest / length);
        known.push(k);
    }
}

/// A unit vector without its components along the known columns, taken away twice to lose the rounding too.
fn rest_of_axis(columns: &Matrix, known: &[usize], axis: usize) -> Vec<f64> {
    let mut rest = vec![0.0; columns.n_rows()];
    rest[axis] = 1.0;
    for &k in known.iter().chain(known) {
        let along = dot(&rest, columns.column(k));
        rest.iter_mut().zip(columns.column(k)).for_each(|(x, direction)| *x -= along * direction);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(found: &Matrix, expected: &Matrix) {
        let difference = found.as_slice().iter().zip(expected.as_slice()).map(|(a, b)| (a - b).abs());
        assert!(difference.fold(0.0, f64::max) < 1e-13, "{found:?} {expected:?}");
    }

    #[test]
    fn the_result_is_orthogonal_whatever_the_matrix() {
        let numbers = |a: usize, b: usize| ((a * 31 + b * 17) as f64 * 0.618).fract() - 0.5;
        let nearly_flat = Matrix::from_fn(3, 3, |a, b| if b == 2 { 1e-200 } else { numbers(a, b) });
        let cases = [
            Matrix::zeros(3, 3),
            Matrix::from_fn(3, 3, |_, _| 1.0),
            Matrix::from_fn(3, 3, |_, _| f64::NAN),
            Matrix::from_fn(4, 4, |a, b| if a == b { 0.0 } else { 1e300 * numbers(a, b) }),
            Matrix::from_fn(7, 7, |a, b| 1e-300 * numbers(a, b)),
            Matrix::from_fn(1, 1, |_, _| -3.0),
            nearly_flat,
        ];
        for matrix in cases {
            let found = nearest_orthogonal(&matrix);
            assert_close(&found.transposed_times(&found), &Matrix::identity(matrix.n_rows()));
        }
        assert_eq!(nearest_orthogonal(&Matrix::from_fn(1, 1, |_, _| -3.0))[(0, 0)], -1.0);
    }

    /// The symmetric factor R' A of the polar decomposition is positive semi-definite: that makes R the nearest.
    #[test]
    fn the_other_factor_is_symmetric_and_has_no_negative_eigenvalue() {
        for n in 1..8 {
            let matrix = Matrix::from_fn(n, n, |a, b| ((a * 7 + b * b * 13 + 3) as f64 * 0.414).fract() - 0.4);
            let factor = nearest_orthogonal(&matrix).transposed_times(&matrix);
            assert_close(&factor, &factor.transposed());
            let least = crate::dense::symmetric_eigenvalues(&factor).unwrap()[0];
            assert!(least > -1e-13, "{least}");
        }
    }

    #[test]
    fn rotations_and_reflections_are_kept() {
        let (s, c) = 0.7_f64.sin_cos();
        for mirror in [1.0, -1.0] {
            let rotation = Matrix::from_fn(2, 2, |a, b| [[c, -s * mirror], [s, c * mirror]][a][b]);
            let stretched = Matrix::from_fn(2, 2, |a, b| 5.0 * rotation[(a, b)]);
            assert_close(&nearest_orthogonal(&stretched), &rotation);
        }
    }
}
