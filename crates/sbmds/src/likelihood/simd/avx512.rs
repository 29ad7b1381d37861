//! AVX-512: eight lanes.

use std::arch::x86_64::*;

use super::gauss::{GAUSS_NARROW, HALF_LOG2_E};
use super::{Double, Simd};
use crate::likelihood::double::DoubleFormulas;

/// Proof that AVX-512 F, DQ, VL and BW are there.
#[derive(Clone, Copy)]
pub(in crate::likelihood) struct Avx512(());

impl Avx512 {
    pub(in crate::likelihood) fn detect() -> Option<Self> {
        let there = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma");
        there.then_some(Self(()))
    }
}

#[repr(align(64))]
struct Sixteenths([f64; 16]);

/// 2^(k/16) for k = 0..15, correctly rounded.
static SIXTEENTHS: Sixteenths = Sixteenths([
    1.0,
    1.044_273_782_427_413_8,
    1.090_507_732_665_257_7,
    1.138_788_634_756_691_6,
    1.189_207_115_002_721,
    1.241_857_812_073_484,
    1.296_839_554_651_009_6,
    1.354_255_546_936_892_7,
    std::f64::consts::SQRT_2,
    1.476_826_145_939_499_3,
    1.542_210_825_407_940_7,
    1.610_490_331_949_254_3,
    1.681_792_830_507_429,
    1.756_252_160_373_299_5,
    1.834_008_086_409_342_4,
    1.915_206_561_397_147_4,
]);

// SAFETY of every block below: `self` proves that the machine has these instructions; memory is the caller's promise.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Simd for Avx512 {
    const LANES: usize = 8;
    type Number = f64;
    type V = __m512d;
    type Mask = __mmask8;
    type Formulas = DoubleFormulas;

    #[inline(always)]
    fn splat(self, a: f64) -> __m512d {
        unsafe { _mm512_set1_pd(a) }
    }
    #[inline(always)]
    fn broadcast(self, a: f64) -> __m512d {
        self.splat(a)
    }
    #[inline(always)]
    unsafe fn load(self, from: *const f64) -> __m512d {
        unsafe { _mm512_loadu_pd(from) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f64, a: __m512d) {
        unsafe { _mm512_storeu_pd(to, a) }
    }
    #[inline(always)]
    unsafe fn add_to(self, to: *mut f64, a: __m512d) {
        unsafe { self.store(to, self.add(self.load(to), a)) }
    }
    #[inline(always)]
    fn prefetch(self, address: *const f64) {
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }
    #[inline(always)]
    fn add(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_add_pd(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_sub_pd(a, b) }
    }
    #[inline(always)]
    fn mul(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_mul_pd(a, b) }
    }
    #[inline(always)]
    fn div(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_div_pd(a, b) }
    }
    #[inline(always)]
    fn sqrt(self, a: __m512d) -> __m512d {
        unsafe { _mm512_sqrt_pd(a) }
    }
    #[inline(always)]
    fn max(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_max_pd(a, b) }
    }
    #[inline(always)]
    fn min(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_min_pd(a, b) }
    }
    #[inline(always)]
    fn mul_add(self, a: __m512d, b: __m512d, c: __m512d) -> __m512d {
        unsafe { _mm512_fmadd_pd(a, b, c) }
    }
    #[inline(always)]
    fn neg_mul_add(self, a: __m512d, b: __m512d, c: __m512d) -> __m512d {
        unsafe { _mm512_fnmadd_pd(a, b, c) }
    }
    #[inline(always)]
    fn is_number(self, a: __m512d) -> __mmask8 {
        unsafe { _mm512_cmp_pd_mask::<_CMP_ORD_Q>(a, a) }
    }
    #[inline(always)]
    fn select(self, mask: __mmask8, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_mask_blend_pd(mask, b, a) }
    }
    #[inline(always)]
    fn all_above(self, a: __m512d, limit: f64) -> bool {
        unsafe { _mm512_cmp_pd_mask::<_CMP_GT_OQ>(a, _mm512_set1_pd(limit)) == 0xff }
    }
}

// SAFETY: as above.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Double for Avx512 {
    /// 2^k * 2^f with k a multiple of 1/16: the sixteenths from a register table, the rest by polynomial.
    #[inline(always)]
    fn gauss(self, a: __m512d) -> __m512d {
        // Adding and subtracting 1.5 * 2^48 rounds to a multiple of 1/16, whose low four bits then index the table.
        const ROUND_TO_SIXTEENTH: f64 = 1.5 * (1u64 << 48) as f64;
        let c = |i: usize| self.splat(GAUSS_NARROW[i]);
        unsafe {
            let log2 = self.splat(HALF_LOG2_E);
            let round = self.splat(ROUND_TO_SIXTEENTH);
            let shifted = _mm512_fmadd_pd(a, log2, round);
            let k = _mm512_sub_pd(shifted, round);
            let f = _mm512_fmsub_pd(a, log2, k);
            let (low, high) = (_mm512_load_pd(SIXTEENTHS.0.as_ptr()), _mm512_load_pd(SIXTEENTHS.0.as_ptr().add(8)));
            let sixteenth = _mm512_permutex2var_pd(low, _mm512_castpd_si512(shifted), high);
            // scalef multiplies by 2^floor(k).
            let scale = _mm512_scalef_pd(sixteenth, k);
            let f2 = _mm512_mul_pd(f, f);
            let p01 = _mm512_fmadd_pd(f, c(1), c(0));
            let p23 = _mm512_fmadd_pd(f, c(3), c(2));
            let p45 = _mm512_fmadd_pd(f, c(5), c(4));
            let p = _mm512_fmadd_pd(f2, _mm512_fmadd_pd(f2, p45, p23), p01);
            _mm512_mul_pd(scale, p)
        }
    }

    #[inline(always)]
    fn split(self, a: __m512d) -> (__m512d, __m512d) {
        unsafe {
            let k = _mm512_getexp_pd(a);
            let m = _mm512_getmant_pd::<_MM_MANT_NORM_1_2, _MM_MANT_SIGN_SRC>(a);
            let large = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(m, self.splat(std::f64::consts::SQRT_2));
            let k = _mm512_mask_add_pd(k, large, k, self.splat(1.0));
            (k, _mm512_mask_mul_pd(m, large, m, self.splat(0.5)))
        }
    }
    #[inline(always)]
    fn is_negative(self, a: __m512d) -> __mmask8 {
        unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, _mm512_setzero_pd()) }
    }
}
