//! Coefficients of 2^f for the standard normal density exp(-a/2) / sqrt(2 pi).
//!
//! Near-minimax polynomials in relative error, fitted in 50-digit arithmetic; 1/sqrt(2 pi) is folded in.

// Coefficients are given with all the digits of their fit.
#![allow(clippy::excessive_precision)]

/// -log2(e) / 2: exp(-a/2) = 2^(a * this).
pub(super) const HALF_LOG2_E: f64 = -0.721_347_520_444_481_7;

const INV_SQRT_2PI: f64 = 0.398_942_280_401_432_7;

/// 2^f on |f| <= 1/2, degree 10, relative error 2.1e-16.
const EXP2_WIDE: [f64; 11] = [
    1.000000000000000066,
    0.69314718055994977527,
    0.24022650695908767979,
    0.055504108664458820367,
    0.0096181291080345310375,
    0.0013333558228563598546,
    0.00015403529961194674707,
    0.000015252658115343824217,
    1.3215662808055514349e-6,
    1.020853812960964031e-7,
    7.0372829012318871675e-9,
];

/// 2^f on |f| <= 1/32, degree 5, relative error 4.5e-15; goes with a table of the sixteenths.
const EXP2_NARROW: [f64; 6] = [
    1.0000000000000044826,
    0.69314718055993243681,
    0.24022650687647288978,
    0.055504108711184280827,
    0.0096183547431542064472,
    0.0013333334742278460874,
];

const fn scaled<const N: usize>(mut coefficients: [f64; N], factor: f64) -> [f64; N] {
    let mut i = 0;
    while i < N {
        coefficients[i] *= factor;
        i += 1;
    }
    coefficients
}

/// [`EXP2_WIDE`] / sqrt(2 pi).
pub(super) const GAUSS_WIDE: [f64; 11] = scaled(EXP2_WIDE, INV_SQRT_2PI);
/// [`EXP2_NARROW`] / sqrt(2 pi).
pub(super) const GAUSS_NARROW: [f64; 6] = scaled(EXP2_NARROW, INV_SQRT_2PI);
