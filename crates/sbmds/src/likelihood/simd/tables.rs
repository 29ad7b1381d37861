//! phi / Phi and log Phi as piecewise polynomials, for single precision.
//!
//! The argument is u = 4/3 z: intervals of 1/2 (or 1) in u then are of 3/8 (3/4) in z, sixteen (eight) of them reach to
//! z = 5.8 where phi / Phi is 2e-8, and an interval is found by one addition. Absolute, not relative errors matter:
//! the derivative of a pair is (z - y + phi / Phi) / z.

use std::f64::consts::{FRAC_1_SQRT_2, PI};
use std::sync::OnceLock;

/// u / z.
pub(in crate::likelihood) const UNIT: f64 = 4.0 / 3.0;

/// Polynomials of `TERMS` coefficients on `INTERVALS` intervals of equal length, the k-th around k times that length;
/// coefficients by power, in the offset from the middle of the interval.
#[repr(align(64))]
pub(super) struct Table<const INTERVALS: usize, const TERMS: usize>(pub(super) [[f32; INTERVALS]; TERMS]);

/// Both functions, in the unit of u.
pub(super) struct Tables<const INTERVALS: usize, const TERMS: usize> {
    /// 4/3 phi / Phi.
    pub(super) ratio: Table<INTERVALS, TERMS>,
    pub(super) log_phi: Table<INTERVALS, TERMS>,
    /// Beyond this u both functions are 0.
    pub(super) end: f32,
}

/// Sixteen intervals of 1/2, degree 4: for machines that look up one of sixteen numbers at once.
pub(super) fn sixteen() -> &'static Tables<16, 5> {
    static TABLES: OnceLock<Tables<16, 5>> = OnceLock::new();
    TABLES.get_or_init(|| Tables::new(0.5))
}

/// Eight intervals of 1, degree 5: for those that look up one of eight.
pub(super) fn eight() -> &'static Tables<8, 6> {
    static TABLES: OnceLock<Tables<8, 6>> = OnceLock::new();
    TABLES.get_or_init(|| Tables::new(1.0))
}

impl<const INTERVALS: usize, const TERMS: usize> Tables<INTERVALS, TERMS> {
    fn new(step: f64) -> Self {
        // A little before the end of the last interval, so that no rounding leads beyond it.
        let end = (INTERVALS as f64 - 0.52) * step;
        Self { ratio: Table::new(ratio, step, end), log_phi: Table::new(log_phi, step, end), end: end as f32 }
    }
}

/// 4/3 phi(z) / Phi(z) at z = 3/4 u.
fn ratio(u: f64) -> f64 {
    let z = u / UNIT;
    UNIT * libm::exp(-0.5 * z * z) / (2.0 * PI).sqrt() / (0.5 * libm::erfc(-z * FRAC_1_SQRT_2))
}

/// log Phi(z) at z = 3/4 u.
fn log_phi(u: f64) -> f64 {
    libm::log1p(-0.5 * libm::erfc(u / UNIT * FRAC_1_SQRT_2))
}

impl<const INTERVALS: usize, const TERMS: usize> Table<INTERVALS, TERMS> {
    /// Interpolates `function` at the Chebyshev points of every interval; it is 0 from `end` on.
    fn new(function: impl Fn(f64) -> f64, step: f64, end: f64) -> Self {
        let mut table = Self([[0.0; INTERVALS]; TERMS]);
        for interval in 0..INTERVALS {
            let middle = interval as f64 * step;
            let (from, to) = ((middle - 0.5 * step).max(0.0), (middle + 0.5 * step).min(end));
            let point = |i: usize| {
                let angle = PI * (2 * i + 1) as f64 / (2 * TERMS) as f64;
                0.5 * (from + to) + 0.5 * (to - from) * libm::cos(angle) - middle
            };
            let mut coefficients = interpolate::<TERMS>(point, |offset| function(middle + offset));
            if interval + 1 == INTERVALS {
                coefficients[0] -= value(&coefficients, end - middle);
            }
            for (row, coefficient) in table.0.iter_mut().zip(coefficients) {
                row[interval] = coefficient as f32;
            }
        }
        table
    }
}

/// Value of a polynomial, lowest coefficient first.
fn value(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |value, coefficient| value * x + coefficient)
}

/// The polynomial through `TERMS` points of a function: Newton's divided differences, then powers.
fn interpolate<const TERMS: usize>(point: impl Fn(usize) -> f64, function: impl Fn(f64) -> f64) -> [f64; TERMS] {
    let points: [f64; TERMS] = std::array::from_fn(point);
    let mut differences: [f64; TERMS] = points.map(function);
    for order in 1..TERMS {
        for i in (order..TERMS).rev() {
            differences[i] = (differences[i] - differences[i - 1]) / (points[i] - points[i - order]);
        }
    }
    let mut powers = [0.0; TERMS];
    for i in (0..TERMS).rev() {
        // powers * (x - point) + difference
        for power in (1..TERMS).rev() {
            powers[power] = powers[power - 1] - points[i] * powers[power];
        }
        powers[0] = differences[i] - points[i] * powers[0];
    }
    powers
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest absolute errors of both functions between 0 and the end, and at the end itself.
    fn errors<const INTERVALS: usize, const TERMS: usize>(tables: &Tables<INTERVALS, TERMS>, step: f64) -> [f64; 2] {
        let mut errors = [0.0_f64; 2];
        for i in 0..=40_000 {
            let u = f64::from(tables.end) * f64::from(i) / 40_000.0;
            let interval = (u / step).round_ties_even();
            let at = |table: &Table<INTERVALS, TERMS>| {
                let coefficients = table.0.map(|row| f64::from(row[interval as usize]));
                value(&coefficients, u - interval * step)
            };
            errors[0] = errors[0].max((at(&tables.ratio) - ratio(u)).abs());
            errors[1] = errors[1].max((at(&tables.log_phi) - log_phi(u)).abs());
        }
        errors
    }

    /// The bounds of docs/model.md.
    #[test]
    fn tables_are_as_accurate_as_documented() {
        for [ratio, log_phi] in [errors(sixteen(), 0.5), errors(eight(), 1.0)] {
            assert!(ratio < 1.5e-7 && log_phi < 6e-8, "{ratio:e} {log_phi:e}");
        }
    }
}
