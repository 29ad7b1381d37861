//! Eigenvalues and eigenvectors of symmetric matrices: Householder's reduction to a tridiagonal matrix, then the QL iteration
//! with implicit shifts (Golub and Van Loan, Matrix Computations, sections 8.3.1 and 8.3.3; EISPACK's `imtql2`).

use super::{Matrix, power_of_two};
use crate::numeric::{add_scaled, dot};

/// Steps of the iteration per eigenvalue after which it is given up; three are usual.
const MOST_STEPS: usize = 60;

/// Eigenpairs of a symmetric matrix, largest eigenvalue first; column k of `vectors` belongs to `values[k]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigenpairs {
    /// The eigenvalues.
    pub values: Vec<f64>,
    /// The eigenvectors, as columns of length 1.
    pub vectors: Matrix,
}

/// All eigenpairs of a symmetric matrix, largest first.
///
/// A matrix with non-finite entries has no decomposition: all its eigenvalues are reported as zero.
pub fn symmetric_eigen(matrix: &Matrix) -> Eigenpairs {
    let n = matrix.n_rows();
    let nothing = || Eigenpairs { values: vec![0.0; n], vectors: Matrix::identity(n) };
    let Some((mut tridiagonal, reflections, scale)) = reduced(matrix) else { return nothing() };
    let mut vectors = reflections.product();
    if !tridiagonal.diagonalise(Some(&mut vectors)) {
        return nothing();
    }
    let values = &tridiagonal.diagonal;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    Eigenpairs {
        values: order.iter().map(|&k| values[k] / scale).collect(),
        vectors: Matrix::from_fn(n, n, |row, k| vectors[(row, order[k])]),
    }
}

/// The eigenvalues alone, smallest first; `None` if the matrix has an entry that is not finite.
pub fn symmetric_eigenvalues(matrix: &Matrix) -> Option<Vec<f64>> {
    if matrix.as_slice().iter().all(|&value| value == 0.0) {
        return Some(vec![0.0; matrix.n_rows()]);
    }
    let (mut tridiagonal, _, scale) = reduced(matrix)?;
    tridiagonal.diagonalise(None).then(|| {
        let mut values: Vec<f64> = tridiagonal.diagonal.iter().map(|value| value / scale).collect();
        values.sort_by(f64::total_cmp);
        values
    })
}

/// A symmetric tridiagonal matrix; `beside[k]` is the entry in rows k and k + 1.
struct Tridiagonal {
    diagonal: Vec<f64>,
    beside: Vec<f64>,
}

/// H_k = I - factor v v' with v in rows k + 1 and below of column k; a factor of zero is no reflection.
struct Reflections {
    vectors: Matrix,
    factors: Vec<f64>,
}

/// T with scale A = H_0 H_1 ... T ... H_1 H_0; `None` if A is zero or not finite.
fn reduced(matrix: &Matrix) -> Option<(Tridiagonal, Reflections, f64)> {
    let (n, scale) = (matrix.n_rows(), power_of_two(matrix.as_slice())?);
    assert_eq!(n, matrix.n_columns(), "a square matrix");
    let mut a = Matrix::from_fn(n, n, |row, column| scale * matrix[(row.max(column), row.min(column))]);
    let mut factors = vec![0.0; n];
    let mut beside = vec![0.0; n];
    for k in 0..n.saturating_sub(1) {
        beside[k] = a[(k + 1, k)];
        let below = &a.column(k)[k + 2..];
        let rest = dot(below, below);
        if rest == 0.0 {
            continue;
        }
        // The reflection takes the column to a multiple of the first unit vector, on the side that loses no digits.
        let norm = (beside[k] * beside[k] + rest).sqrt();
        let image = if beside[k] > 0.0 { -norm } else { norm };
        let first = beside[k] - image;
        beside[k] = image;
        a[(k + 1, k)] = first;
        factors[k] = 2.0 / (first * first + rest);
        reflect_both_sides(&mut a, k, factors[k]);
    }
    let diagonal = (0..n).map(|k| a[(k, k)]).collect();
    Some((Tridiagonal { diagonal, beside }, Reflections { vectors: a, factors }, scale))
}

/// H A H for the part of A right of and below k: A - v w' - w v' with p = factor A v, w = p - (factor / 2) (p' v) v.
fn reflect_both_sides(a: &mut Matrix, k: usize, factor: f64) {
    let n = a.n_rows();
    let v = a.column(k)[k + 1..].to_vec();
    let mut w = vec![0.0; v.len()];
    for column in k + 1..n {
        add_scaled(&mut w, factor * v[column - k - 1], &a.column(column)[k + 1..]);
    }
    let along = 0.5 * factor * dot(&w, &v);
    add_scaled(&mut w, -along, &v);
    for column in k + 1..n {
        let entries = &mut a.column_mut(column)[k + 1..];
        add_scaled(entries, -w[column - k - 1], &v);
        add_scaled(entries, -v[column - k - 1], &w);
    }
}

impl Reflections {
    /// H_0 H_1 ..., last factor first: the columns before k + 1 are still those of the identity.
    fn product(&self) -> Matrix {
        let n = self.vectors.n_rows();
        let mut product = Matrix::identity(n);
        for k in (0..n).rev().filter(|&k| self.factors[k] != 0.0) {
            let v = &self.vectors.column(k)[k + 1..];
            for column in k + 1..n {
                let entries = &mut product.column_mut(column)[k + 1..];
                let along = self.factors[k] * dot(v, entries);
                add_scaled(entries, -along, v);
            }
        }
        product
    }
}

impl Tridiagonal {
    /// Rotates until only the diagonal is left; the columns of `vectors` turn along. False if it does not settle.
    fn diagonalise(&mut self, mut vectors: Option<&mut Matrix>) -> bool {
        let n = self.diagonal.len();
        // Beside the diagonal, what is below the rounding of the largest entry does not count: the reduction has lost it already,
        // and in a matrix of low rank nothing else is left to compare with.
        let entries = self.diagonal.iter().chain(&self.beside);
        let nothing = f64::EPSILON * entries.fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
        for first in 0..n {
            let mut n_steps = 0;
            loop {
                let last = (first..n - 1).find(|&k| self.beside[k].abs() <= nothing).unwrap_or(n - 1);
                if last == first {
                    break;
                }
                if n_steps == MOST_STEPS {
                    return false;
                }
                n_steps += 1;
                self.ql_step(first, last, vectors.as_deref_mut());
            }
        }
        self.diagonal.iter().all(|value| value.is_finite())
    }

    /// One step with Wilkinson's shift on rows `first` to `last`: a bulge is chased from the lower end to the upper one.
    fn ql_step(&mut self, first: usize, last: usize, mut vectors: Option<&mut Matrix>) {
        let (d, e) = (&mut self.diagonal, &mut self.beside);
        let half = (d[first + 1] - d[first]) / (2.0 * e[first]);
        let root = (half * half + 1.0).sqrt();
        let shift = d[first] - e[first] / (half + root.copysign(half));
        // Cosine and sine of the rotation before, and what it moved from one diagonal entry to the next.
        let (mut c, mut s, mut moved) = (1.0, 1.0, 0.0);
        let mut above = d[last] - shift;
        for k in (first..last).rev() {
            let (bulge, left) = (s * e[k], c * e[k]);
            let length = (bulge * bulge + above * above).sqrt();
            e[k + 1] = length;
            if length == 0.0 {
                // The matrix fell apart on the way: what is left is done in the next step.
                d[k + 1] -= moved;
                e[last] = 0.0;
                return;
            }
            (s, c) = (bulge / length, above / length);
            let old = d[k + 1] - moved;
            let turn = (d[k] - old) * s + 2.0 * c * left;
            moved = s * turn;
            d[k + 1] = old + moved;
            above = c * turn - left;
            if let Some(vectors) = vectors.as_deref_mut() {
                rotate(vectors, k, c, s);
            }
        }
        d[first] -= moved;
        e[first] = above;
        e[last] = 0.0;
    }
}

/// Turns columns k and k + 1.
fn rotate(vectors: &mut Matrix, k: usize, c: f64, s: f64) {
    let (left, right) = vectors.two_columns_mut(k, k + 1);
    for (a, b) in left.iter_mut().zip(right) {
        (*a, *b) = (c * *a - s * *b, s * *a + c * *b);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
        values.into_iter().fold(0.0, |largest, value| if value.abs() <= largest { largest } else { value.abs() })
    }

    /// |A V - V diag| and |V' V - I|, entry by entry.
    fn errors(matrix: &Matrix) -> (f64, f64) {
        let n = matrix.n_rows();
        let Eigenpairs { values, vectors } = symmetric_eigen(matrix);
        assert!(values.is_sorted_by(|a, b| a >= b));
        let (mapped, gram) = (matrix.times(&vectors), vectors.transposed_times(&vectors));
        let entries = || (0..n * n).map(|at| (at % n, at / n));
        let residual = largest(entries().map(|(row, k)| mapped[(row, k)] - values[k] * vectors[(row, k)]));
        (residual, largest(entries().map(|(row, k)| gram[(row, k)] - f64::from(u8::from(row == k)))))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Default::default() })]

        #[test]
        fn eigenpairs_solve_their_equation(n in 1_usize..40, seed in 1_u64..1000, exponent in -140_i32..140, rank in 1_usize..40) {
            // A symmetric matrix of any rank and size: sums of products of few vectors, and signs of both kinds.
            let entry = |row: usize, k: usize| ((row * 7919 + k * 104_729) as f64 * 0.618 * seed as f64).fract() - 0.5;
            let sign = |k: usize| if k % 3 == 1 { -1.0 } else { 1.0 };
            let scale = 10.0_f64.powi(exponent);
            let matrix = Matrix::from_fn(n, n, |a, b| scale * (0..rank).map(|k| sign(k) * entry(a, k) * entry(b, k)).sum::<f64>());
            let (residual, orthogonality) = errors(&matrix);
            let size = largest(matrix.as_slice().iter().copied());
            prop_assert!(residual <= 1e-13 * n as f64 * size, "{residual} of {size}");
            prop_assert!(orthogonality <= 1e-13 * n as f64, "{orthogonality}");
            let mut values = symmetric_eigen(&matrix).values;
            values.reverse();
            let alone = symmetric_eigenvalues(&matrix).unwrap();
            prop_assert!(largest(values.iter().zip(&alone).map(|(a, b)| a - b)) <= 1e-13 * n as f64 * size);
        }
    }

    #[test]
    fn known_spectra_are_found() {
        // A path of n nodes: 2 cos(pi k / (n + 1)).
        let n = 50;
        let path = Matrix::from_fn(n, n, |a, b| f64::from(u8::from(a.abs_diff(b) == 1)));
        for (k, value) in symmetric_eigen(&path).values.iter().enumerate() {
            let expected = 2.0 * (std::f64::consts::PI * (k + 1) as f64 / (n + 1) as f64).cos();
            assert!((value - expected).abs() < 1e-13, "{value} {expected}");
        }
        // All ones: n once, zero otherwise, where nothing but rounding is left.
        for n in [2, 10, 30, 50, 64, 100] {
            let ones = Matrix::from_fn(n, n, |_, _| 1.0);
            assert!((symmetric_eigen(&ones).values[0] - n as f64).abs() < 1e-12, "{n}");
            assert!(errors(&ones).0 < 1e-12 && errors(&ones).1 < 1e-12);
        }
        assert_eq!(errors(&Matrix::identity(n)), (0.0, 0.0));
    }

    #[test]
    fn what_has_no_decomposition_has_zero_eigenvalues() {
        for bad in [f64::NAN, f64::INFINITY] {
            let matrix = Matrix::from_fn(3, 3, |a, b| if a + b == 2 { bad } else { 1.0 });
            assert_eq!(symmetric_eigen(&matrix), symmetric_eigen(&Matrix::zeros(3, 3)));
            assert_eq!(symmetric_eigenvalues(&matrix), None);
        }
        assert_eq!(symmetric_eigen(&Matrix::zeros(3, 3)).values, [0.0; 3]);
        assert_eq!(symmetric_eigenvalues(&Matrix::zeros(3, 3)), Some(vec![0.0; 3]));
        assert!(symmetric_eigen(&Matrix::zeros(0, 0)).values.is_empty());
    }
}
