//! AVX2 with FMA: four lanes.

use std::arch::x86_64::*;

use super::gauss::{GAUSS_WIDE, HALF_LOG2_E};
use super::logarithm::{MANTISSA, ONE, SQRT_HALF, TWO_TO_52};
use super::{Double, Simd};
use crate::likelihood::double::DoubleFormulas;

/// Proof that AVX2 and FMA are there.
#[derive(Clone, Copy)]
pub(in crate::likelihood) struct Avx2(());

impl Avx2 {
    pub(in crate::likelihood) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
    }
}

// SAFETY of every block below: `self` proves that the machine has these instructions; memory is the caller's promise.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Simd for Avx2 {
    const LANES: usize = 4;
    type Number = f64;
    type V = __m256d;
    type Mask = __m256d;
    type Formulas = DoubleFormulas;

    #[inline(always)]
    fn splat(self, a: f64) -> __m256d {
        unsafe { _mm256_set1_pd(a) }
    }
    #[inline(always)]
    fn broadcast(self, a: f64) -> __m256d {
        self.splat(a)
    }
    #[inline(always)]
    unsafe fn load(self, from: *const f64) -> __m256d {
        unsafe { _mm256_loadu_pd(from) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f64, a: __m256d) {
        unsafe { _mm256_storeu_pd(to, a) }
    }
    #[inline(always)]
    unsafe fn add_to(self, to: *mut f64, a: __m256d) {
        unsafe { self.store(to, self.add(self.load(to), a)) }
    }
    #[inline(always)]
    fn prefetch(self, address: *const f64) {
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }
    #[inline(always)]
    fn add(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_add_pd(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_sub_pd(a, b) }
    }
    #[inline(always)]
    fn mul(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_mul_pd(a, b) }
    }
    #[inline(always)]
    fn div(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_div_pd(a, b) }
    }
    #[inline(always)]
    fn sqrt(self, a: __m256d) -> __m256d {
        unsafe { _mm256_sqrt_pd(a) }
    }
    #[inline(always)]
    fn max(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_max_pd(a, b) }
    }
    #[inline(always)]
    fn min(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_min_pd(a, b) }
    }
    #[inline(always)]
    fn mul_add(self, a: __m256d, b: __m256d, c: __m256d) -> __m256d {
        unsafe { _mm256_fmadd_pd(a, b, c) }
    }
    #[inline(always)]
    fn neg_mul_add(self, a: __m256d, b: __m256d, c: __m256d) -> __m256d {
        unsafe { _mm256_fnmadd_pd(a, b, c) }
    }
    #[inline(always)]
    fn is_number(self, a: __m256d) -> __m256d {
        unsafe { _mm256_cmp_pd::<_CMP_ORD_Q>(a, a) }
    }
    #[inline(always)]
    fn select(self, mask: __m256d, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_blendv_pd(b, a, mask) }
    }
    #[inline(always)]
    fn all_above(self, a: __m256d, limit: f64) -> bool {
        unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(a, _mm256_set1_pd(limit))) == 0b1111 }
    }
}

// SAFETY: as above.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Double for Avx2 {
    /// 2^k * 2^f with k whole: the polynomial, then k added to the exponent bits.
    #[inline(always)]
    fn gauss(self, a: __m256d) -> __m256d {
        // Adding and subtracting 1.5 * 2^52 rounds to a whole number, which stays in the low bits of the sum.
        const ROUND_TO_WHOLE: f64 = 1.5 * (1u64 << 52) as f64;
        let c = |i: usize| self.splat(GAUSS_WIDE[i]);
        unsafe {
            let log2 = self.splat(HALF_LOG2_E);
            let round = self.splat(ROUND_TO_WHOLE);
            let shifted = _mm256_fmadd_pd(a, log2, round);
            let k = _mm256_sub_pd(shifted, round);
            let f = _mm256_fmsub_pd(a, log2, k);
            let f2 = _mm256_mul_pd(f, f);
            let f4 = _mm256_mul_pd(f2, f2);
            let p01 = _mm256_fmadd_pd(f, c(1), c(0));
            let p23 = _mm256_fmadd_pd(f, c(3), c(2));
            let p45 = _mm256_fmadd_pd(f, c(5), c(4));
            let p67 = _mm256_fmadd_pd(f, c(7), c(6));
            let p89 = _mm256_fmadd_pd(f, c(9), c(8));
            let p03 = _mm256_fmadd_pd(f2, p23, p01);
            let p47 = _mm256_fmadd_pd(f2, p67, p45);
            let p8a = _mm256_fmadd_pd(f2, c(10), p89);
            let p = _mm256_fmadd_pd(f4, _mm256_fmadd_pd(f4, p8a, p47), p03);
            let exponent = _mm256_slli_epi64::<52>(_mm256_castpd_si256(shifted));
            _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(p), exponent))
        }
    }

    #[inline(always)]
    fn split(self, a: __m256d) -> (__m256d, __m256d) {
        unsafe {
            let whole = |bits: u64| _mm256_set1_epi64x(bits.cast_signed());
            let moved = _mm256_add_epi64(_mm256_castpd_si256(a), whole(ONE - SQRT_HALF));
            // A whole number below 2^52 in the low bits of 2^52 is that number above 2^52.
            let k = _mm256_or_si256(_mm256_srli_epi64::<52>(moved), whole(TWO_TO_52));
            let k = _mm256_sub_pd(_mm256_castsi256_pd(k), self.splat(f64::from_bits(TWO_TO_52) + 1023.0));
            let m = _mm256_add_epi64(_mm256_and_si256(moved, whole(MANTISSA)), whole(SQRT_HALF));
            (k, _mm256_castsi256_pd(m))
        }
    }
    #[inline(always)]
    fn is_negative(self, a: __m256d) -> __m256d {
        unsafe { _mm256_cmp_pd::<_CMP_LT_OQ>(a, _mm256_setzero_pd()) }
    }
}
