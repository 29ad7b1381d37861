//! The normal distribution on vectors; its slow twin is `measurement/tails.rs`.

// Coefficients are given with all the digits of their fit.
#![allow(clippy::excessive_precision)]

use super::standard::{Standard, Tail};
use crate::likelihood::simd::Double;

/// log sqrt(2 pi)
const LOG_SQRT_2PI: f64 = 0.918_938_533_204_672_8;

/// (z + 5) M(z) as a polynomial in t = (z - 5) / (z + 5), for all z >= 0 (Shepherd and Laframboise 1981, Mathematics of Computation
/// 36:249). Chebyshev coefficients of 60-digit values, as powers; relative error below 9e-16 with rounding.
const MILLS_EVEN: [f64; 12] = [
    1.92808104715315761008,
    1.24154706157387715239,
    0.413644715732172265623,
    0.0521255024218269314275,
    -0.00199996206705561395888,
    -0.000148832528540297682537,
    0.0000418126970727204256852,
    -0.00000694054984817835763934,
    0.0000010865648093633821582,
    -1.68989083960713047911e-7,
    2.32491833961653808686e-8,
    -1.96882079666867286789e-9,
];
const MILLS_ODD: [f64; 11] = [
    -1.66786659518896188322,
    -0.785911075546384216979,
    -0.173254734091337012884,
    -0.00750328277043964793318,
    0.00136585882601502962673,
    -0.000124734294119228146363,
    0.00000997121252312654286445,
    -8.29951776733244007258e-7,
    8.98489539008081378505e-8,
    -1.26014017012896407002e-8,
    1.26817781331069134582e-9,
];

/// Value of a polynomial, lowest coefficient first.
#[inline(always)]
fn polynomial<S: Double, const N: usize>(s: S, x: S::V, coefficients: &[f64; N]) -> S::V {
    let mut value = s.splat(coefficients[N - 1]);
    for i in (0..N - 1).rev() {
        value = s.mul_add(x, value, s.splat(coefficients[i]));
    }
    value
}

/// Mean 0, variance 1.
#[derive(Clone, Copy)]
pub(super) struct Normal;

impl<S: Double> Standard<S> for Normal {
    #[inline(always)]
    fn density(self, s: S, z: S::V) -> Tail<S> {
        let zero = s.splat(0.0);
        Tail { value: self.log_density(s, z), derivative: s.sub(zero, z), by_log_nu: zero }
    }

    #[inline(always)]
    fn log_density(self, s: S, z: S::V) -> S::V {
        s.neg_mul_add(s.splat(0.5), s.mul(z, z), s.splat(-LOG_SQRT_2PI))
    }

    #[inline(always)]
    fn log_fall(self, s: S, l: S::V, u: S::V) -> S::V {
        s.mul(s.splat(-0.5), s.mul(s.sub(u, l), s.add(u, l)))
    }

    #[inline(always)]
    fn mills(self, s: S, z: S::V) -> (S::V, S::V) {
        let r = s.div(s.splat(1.0), s.add(z, s.splat(5.0)));
        let t = s.neg_mul_add(s.splat(10.0), r, s.splat(1.0));
        let square = s.mul(t, t);
        let scaled = s.mul_add(t, polynomial(s, square, &MILLS_ODD), polynomial(s, square, &MILLS_EVEN));
        (s.mul(r, scaled), s.splat(0.0))
    }
}
