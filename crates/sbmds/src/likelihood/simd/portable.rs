//! Arrays of four: plain Rust that the compiler vectorises as far as the machine allows.

use std::array::from_fn;

use super::gauss::{GAUSS_WIDE, HALF_LOG2_E};
use super::logarithm::{MANTISSA, ONE, SQRT_HALF, TWO_TO_52};
use super::{Double, Simd};
use crate::likelihood::double::DoubleFormulas;

/// No instruction set beyond what the crate was compiled for.
#[derive(Clone, Copy)]
pub(in crate::likelihood) struct Portable;

const LANES: usize = 4;
type V = [f64; LANES];

/// a * b + c; fused only where that is one instruction, since elsewhere it is a slow library call.
#[inline(always)]
fn mul_add(a: f64, b: f64, c: f64) -> f64 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) { a.mul_add(b, c) } else { a * b + c }
}

/// exp(-a/2) / sqrt(2 pi) as in the AVX2 path.
#[inline(always)]
fn gauss(a: f64) -> f64 {
    const ROUND_TO_WHOLE: f64 = 1.5 * (1u64 << 52) as f64;
    let c = &GAUSS_WIDE;
    let shifted = mul_add(a, HALF_LOG2_E, ROUND_TO_WHOLE);
    let k = shifted - ROUND_TO_WHOLE;
    let f = mul_add(a, HALF_LOG2_E, -k);
    let f2 = f * f;
    let f4 = f2 * f2;
    let p03 = mul_add(f2, mul_add(f, c[3], c[2]), mul_add(f, c[1], c[0]));
    let p47 = mul_add(f2, mul_add(f, c[7], c[6]), mul_add(f, c[5], c[4]));
    let p8a = mul_add(f2, c[10], mul_add(f, c[9], c[8]));
    let p = mul_add(f4, mul_add(f4, p8a, p47), p03);
    f64::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 52))
}

impl Simd for Portable {
    const LANES: usize = LANES;
    type Number = f64;
    type V = V;
    type Mask = [bool; LANES];
    type Formulas = DoubleFormulas;

    #[inline(always)]
    fn splat(self, a: f64) -> V {
        [a; LANES]
    }
    #[inline(always)]
    fn broadcast(self, a: f64) -> V {
        [a; LANES]
    }
    #[inline(always)]
    unsafe fn load(self, from: *const f64) -> V {
        // SAFETY: the caller's promise.
        unsafe { from.cast::<V>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f64, a: V) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<V>().write_unaligned(a) }
    }
    #[inline(always)]
    unsafe fn add_to(self, to: *mut f64, a: V) {
        // SAFETY: the caller's promise.
        unsafe { self.store(to, self.add(self.load(to), a)) }
    }
    #[inline(always)]
    fn add(self, a: V, b: V) -> V {
        from_fn(|i| a[i] + b[i])
    }
    #[inline(always)]
    fn sub(self, a: V, b: V) -> V {
        from_fn(|i| a[i] - b[i])
    }
    #[inline(always)]
    fn mul(self, a: V, b: V) -> V {
        from_fn(|i| a[i] * b[i])
    }
    #[inline(always)]
    fn div(self, a: V, b: V) -> V {
        from_fn(|i| a[i] / b[i])
    }
    #[inline(always)]
    fn sqrt(self, a: V) -> V {
        a.map(f64::sqrt)
    }
    #[inline(always)]
    fn max(self, a: V, b: V) -> V {
        from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn min(self, a: V, b: V) -> V {
        from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn mul_add(self, a: V, b: V, c: V) -> V {
        from_fn(|i| mul_add(a[i], b[i], c[i]))
    }
    #[inline(always)]
    fn neg_mul_add(self, a: V, b: V, c: V) -> V {
        from_fn(|i| mul_add(-a[i], b[i], c[i]))
    }
    #[inline(always)]
    fn is_number(self, a: V) -> [bool; LANES] {
        a.map(|lane| !lane.is_nan())
    }
    #[inline(always)]
    fn select(self, mask: [bool; LANES], a: V, b: V) -> V {
        from_fn(|i| if mask[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn all_above(self, a: V, limit: f64) -> bool {
        a.iter().all(|&lane| lane > limit)
    }
}

impl Double for Portable {
    #[inline(always)]
    fn gauss(self, a: V) -> V {
        a.map(gauss)
    }
    #[inline(always)]
    fn split(self, a: V) -> (V, V) {
        let moved = a.map(|lane| lane.to_bits().wrapping_add(ONE - SQRT_HALF));
        let k = moved.map(|bits| f64::from_bits(bits >> 52 | TWO_TO_52) - (f64::from_bits(TWO_TO_52) + 1023.0));
        (k, moved.map(|bits| f64::from_bits((bits & MANTISSA) + SQRT_HALF)))
    }
    #[inline(always)]
    fn is_negative(self, a: V) -> [bool; LANES] {
        a.map(|lane| lane < 0.0)
    }
}
