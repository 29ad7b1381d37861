//! The natural logarithm of vectors of f64.
//!
//! log(2^k m) = k log 2 + log m, and log m from s = (m - 1) / (m + 1) by the polynomial of FreeBSD's msun (Sun Microsystems,
//! 1993), whose error is below 2^-58.45 for sqrt(1/2) <= m <= sqrt(2).

// Coefficients are given with all the digits of their fit.
#![allow(clippy::excessive_precision)]

use super::Double;

/// The bits of 1.
pub(super) const ONE: u64 = 0x3ff0_0000_0000_0000;
/// The bits of sqrt(1/2).
pub(super) const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
/// The bits of 2^52.
pub(super) const TWO_TO_52: u64 = 0x4330_0000_0000_0000;
/// Where the mantissa is.
pub(super) const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;

/// log 2 with its last bits 0, so that whole multiples are exact, and the rest of it.
const LN2: (f64, f64) = (6.931_471_803_691_238_164_90e-01, 1.908_214_929_270_587_700_02e-10);
/// Odd powers in even-numbered and odd-numbered coefficients.
const EVEN: [f64; 3] = [3.999_999_999_940_941_908e-01, 2.222_219_843_214_978_396e-01, 1.531_383_769_920_937_332e-01];
const ODD: [f64; 4] = [
    6.666_666_666_666_735_130e-01,
    2.857_142_874_366_239_149e-01,
    1.818_357_216_161_805_012e-01,
    1.479_819_860_511_658_591e-01,
];

/// The natural logarithm of normal numbers above zero.
#[inline(always)]
pub(in crate::likelihood) fn ln<S: Double>(s: S, a: S::V) -> S::V {
    let (k, m) = s.split(a);
    let f = s.sub(m, s.splat(1.0));
    let ratio = s.div(f, s.add(f, s.splat(2.0)));
    let z = s.mul(ratio, ratio);
    let w = s.mul(z, z);
    let even = s.mul(w, s.mul_add(w, s.mul_add(w, s.splat(EVEN[2]), s.splat(EVEN[1])), s.splat(EVEN[0])));
    let odd = s.mul_add(w, s.splat(ODD[3]), s.splat(ODD[2]));
    let odd = s.mul(z, s.mul_add(w, s.mul_add(w, odd, s.splat(ODD[1])), s.splat(ODD[0])));
    let half = s.mul(s.splat(0.5), s.mul(f, f));
    // k log 2 - ((f^2/2 - (s (f^2/2 + R) + k low)) - f), in this order for the last bits.
    let small = s.mul_add(k, s.splat(LN2.1), s.mul(ratio, s.add(half, s.add(even, odd))));
    s.mul_add(k, s.splat(LN2.0), s.sub(f, s.sub(half, small)))
}

#[cfg(test)]
mod tests {
    use super::super::Portable;
    #[cfg(target_arch = "x86_64")]
    use super::super::{Avx2, Avx512};
    use super::*;

    fn check<S: Double>(s: S) {
        for k in -3000..3000 {
            let a = (f64::from(k) * 0.23).exp() * (1.0 + 0.01 * f64::from(k).sin());
            let found = s.to_array(ln(s, s.splat(a)), 0.0)[0];
            assert!((found - a.ln()).abs() <= 4e-16 * a.ln().abs(), "log {a:e}: {found:e} and {:e}", a.ln());
        }
        assert_eq!(s.to_array(ln(s, s.splat(1.0)), 0.0)[0], 0.0);
    }

    #[test]
    fn logarithms_are_those_of_libm() {
        check(Portable);
        #[cfg(target_arch = "x86_64")]
        {
            Avx2::detect().into_iter().for_each(check);
            Avx512::detect().into_iter().for_each(check);
        }
    }
}
