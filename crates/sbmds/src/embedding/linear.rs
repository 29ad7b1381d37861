//! What maps need of linear algebra beyond the decompositions themselves: solutions of least norm, and fixed signs.

use crate::dense::{Eigenpairs, Matrix, symmetric_eigen};

/// Solves the symmetric positive semi-definite system `matrix x = rhs` by least squares of least norm:
/// directions whose eigenvalue is below 1e-9 of the largest carry no information and get no component.
pub(super) fn solve_semidefinite(matrix: &Matrix, rhs: &[f64]) -> Vec<f64> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singular_systems_get_the_shortest_solution() {
        let solution =
            solve_semidefinite(&Matrix::from_fn(2, 2, |a, b| if a + b == 0 { 4.0 } else { 0.0 }), &[2.0, 5.0]);
        assert_eq!(solution, [0.5, 0.0]);
    }
}
