//! Logarithms of normal probabilities with their derivatives, exact also where the probabilities underflow.
//!
//! Everything rests on the Mills ratio M(z) = (1 - Phi(z)) / n(z), which neither under- nor overflows for z >= 0:
//! log(1 - Phi(z)) = -z^2/2 - log sqrt(2 pi) + log M(z), whatever z is (docs/titres.md, "Far tails").

use std::f64::consts::FRAC_1_SQRT_2;

/// log sqrt(2 pi)
pub(crate) const LOG_SQRT_2PI: f64 = 0.918_938_533_204_672_8;
const SQRT_2PI: f64 = 2.506_628_274_631_000_7;

/// A logarithm of a probability and its derivative by the standardised limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tail {
    pub value: f64,
    pub derivative: f64,
}

/// A logarithm of the probability between two limits and its derivatives by both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Between {
    pub value: f64,
    pub by_lower: f64,
    pub by_upper: f64,
}

/// Where the continued fraction takes over from erfc: with [`CONTINUED`] terms its error is below 1e-17 from here on.
const FAR: f64 = 4.0;
const CONTINUED: u32 = 32;

/// The Mills ratio (1 - Phi(z)) / n(z) of z >= 0.
fn mills(z: f64) -> f64 {
    if z < FAR {
        return 0.5 * libm::erfc(z * FRAC_1_SQRT_2) * (0.5 * z * z).exp() * SQRT_2PI;
    }
    // Laplace: 1 / (z + 1 / (z + 2 / (z + 3 / ...))).
    1.0 / (1..=CONTINUED).rev().fold(z, |below, k| z + f64::from(k) / below)
}

/// n(z), the standard normal density.
fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / SQRT_2PI
}

/// log Phi(z) and n(z) / Phi(z).
pub(crate) fn log_cdf(z: f64) -> Tail {
    if z >= 0.0 {
        let above = 0.5 * libm::erfc(z * FRAC_1_SQRT_2);
        return Tail { value: (-above).ln_1p(), derivative: density(z) / (1.0 - above) };
    }
    let ratio = mills(-z);
    Tail { value: -0.5 * z * z - LOG_SQRT_2PI + ratio.ln(), derivative: 1.0 / ratio }
}

/// log[Phi(b) - Phi(a)] for a < b, either of which may be infinite.
pub(crate) fn log_between(a: f64, b: f64) -> Between {
    if a >= 0.0 {
        // n(a) [M(a) - exp(-(b^2 - a^2)/2) M(b)]
        let fall = (-0.5 * (b - a) * (b + a)).exp();
        let mass = mills(a) - if fall > 0.0 { fall * mills(b) } else { 0.0 };
        let value = -0.5 * a * a - LOG_SQRT_2PI + mass.ln();
        return Between { value, by_lower: -1.0 / mass, by_upper: fall / mass };
    }
    if b <= 0.0 {
        let mirrored = log_between(-b, -a);
        return Between { value: mirrored.value, by_lower: -mirrored.by_upper, by_upper: -mirrored.by_lower };
    }
    let outside = 0.5 * (libm::erfc(b * FRAC_1_SQRT_2) + libm::erfc(-a * FRAC_1_SQRT_2));
    let inside = 0.5 * (libm::erf(b * FRAC_1_SQRT_2) - libm::erf(a * FRAC_1_SQRT_2));
    let value = if outside < 0.5 { (-outside).ln_1p() } else { inside.ln() };
    Between { value, by_lower: -density(a) / inside, by_upper: density(b) / inside }
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    /// z, log Phi(z), n(z) / Phi(z): mpmath 1.3 with 60 digits.
    const CDF: [(f64, f64, f64); 8] = [
        (1.5, -0.06914345561223398, 0.13878975045885075),
        (-1e-9, -0.6931471813578298, 0.7978845614394852),
        (-3.999, -10.355876356043407, 4.224653826257623),
        (-4.001, -10.364327570338338, 4.2265604805776595),
        (-8.5, -39.19739642821767, 8.614595320165172),
        (-37.7, -715.1943009805279, 37.726488004041784),
        (-60.0, -1805.013560680567, 60.016657420241124),
        (-1e5, -5000000012.431864, 100000.00001),
    ];

    #[test]
    fn cumulative_probabilities_equal_high_precision_values() {
        for (z, value, derivative) in CDF {
            let tail = log_cdf(z);
            assert_relative_eq!(tail.value, value, max_relative = 1e-14);
            assert_relative_eq!(tail.derivative, derivative, max_relative = 2e-14);
        }
        assert_eq!(log_cdf(40.0), Tail { value: 0.0, derivative: density(40.0) });
    }

    #[test]
    fn intervals_are_whole_half_and_empty_lines() {
        assert_eq!(log_between(f64::NEG_INFINITY, f64::INFINITY).value, 0.0);
        for z in [-50.0, -3.0, 0.0, 0.7, 30.0] {
            let (below, cdf) = (log_between(f64::NEG_INFINITY, z), log_cdf(z));
            assert_relative_eq!(below.value, cdf.value, max_relative = 1e-13, epsilon = 1e-300);
            assert_relative_eq!(below.by_upper, cdf.derivative, max_relative = 1e-13);
            assert_eq!(below.by_lower, 0.0);
            let above = log_between(-z, f64::INFINITY);
            assert_relative_eq!(above.value, cdf.value, max_relative = 1e-13, epsilon = 1e-300);
            assert_relative_eq!(above.by_lower, -cdf.derivative, max_relative = 1e-13);
        }
    }

    #[test]
    fn the_logarithm_of_a_narrow_interval_is_that_of_the_density_times_the_width() {
        let width = 1e-4;
        for a in [-70.0, -9.0, -0.00005, 0.0, 2.0, 25.0] {
            let middle = a + 0.5 * width;
            let expected = -0.5 * middle * middle - LOG_SQRT_2PI + width.ln();
            // The density is curved: the error is width^2 (middle^2 - 1) / 24.
            assert_relative_eq!(log_between(a, a + width).value, expected, epsilon = 3e-6);
        }
    }

    #[test]
    fn derivatives_are_limits_of_differences() {
        let h = 1e-6;
        for (a, b) in [(-55.0, -54.0), (-3.0, -2.2), (-1.0, 0.4), (0.0, 5.0), (7.0, 7.3), (31.0, f64::INFINITY)] {
            let at = log_between(a, b);
            let by_lower = (log_between(a + h, b).value - log_between(a - h, b).value) / (2.0 * h);
            assert_relative_eq!(at.by_lower, by_lower, max_relative = 1e-6, epsilon = 1e-8);
            let by_upper = (log_between(a, b + h).value - log_between(a, b - h).value) / (2.0 * h);
            assert_relative_eq!(
                at.by_upper,
                if b.is_finite() { by_upper } else { 0.0 },
                max_relative = 1e-6,
                epsilon = 1e-8
            );
        }
    }
}
