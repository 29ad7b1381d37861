//! Small dense matrices and their decompositions, on one thread and without instructions of certain processors: no bit of a
//! result depends on the machine.
//!
//! Matrices here have as many rows as a map has dimensions or a Krylov space has vectors, some tens; large problems are given
//! as products with vectors ([`crate::embedding`]).

mod eigen;
mod matrix;
mod polar;

pub use eigen::{Eigenpairs, symmetric_eigen, symmetric_eigenvalues};
pub use matrix::Matrix;
pub use polar::nearest_orthogonal;

/// +1 or -1, such that the entry of largest magnitude (the first, among equals) becomes positive.
pub(crate) fn sign_convention(entries: impl IntoIterator<Item = f64>) -> f64 {
    let largest = entries.into_iter().fold(0.0_f64, |best, x| if x.abs() > best.abs() { x } else { best });
    if largest < 0.0 { -1.0 } else { 1.0 }
}

/// The power of two that brings the largest entry into [1/2, 1): squares neither overflow nor vanish, and no digit is lost.
/// `None` if all entries are zero or one is not finite.
fn power_of_two(values: &[f64]) -> Option<f64> {
    let is_finite = values.iter().all(|value| value.is_finite());
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    // Bits 52 to 62 hold the exponent, 1022 for numbers in [1/2, 1).
    let exponent = (largest.to_bits() >> 52) as i32 - 1022;
    (is_finite && largest > 0.0).then(|| 2.0_f64.powi(-exponent.clamp(-1000, 1000)))
}
