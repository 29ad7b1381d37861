//! AVX-512 in single precision: sixteen lanes.

use std::arch::x86_64::*;

use super::tables::{Table, Tables, sixteen};
use super::{Avx512, Simd, Single};
use crate::likelihood::single::SingleFormulas;

/// Proof that AVX-512 F, DQ, VL and BW are there, with the tables.
#[derive(Clone, Copy)]
pub(in crate::likelihood) struct Avx512Single {
    tables: &'static Tables<16, 5>,
}

impl Avx512Single {
    pub(super) fn new(_proof: Avx512) -> Self {
        Self { tables: sixteen() }
    }

    /// The polynomials of `table` in the intervals `cell.0`; each power's coefficients are one register.
    #[inline(always)]
    fn value(self, table: &Table<16, 5>, (interval, offset): (__m512i, __m512)) -> __m512 {
        // SAFETY: `self` proves that the machine has these instructions, and a row holds sixteen numbers.
        unsafe {
            let coefficient = |power: usize| _mm512_permutexvar_ps(interval, _mm512_load_ps(table.0[power].as_ptr()));
            let value = _mm512_fmadd_ps(offset, coefficient(4), coefficient(3));
            let value = _mm512_fmadd_ps(offset, value, coefficient(2));
            let value = _mm512_fmadd_ps(offset, value, coefficient(1));
            _mm512_fmadd_ps(offset, value, coefficient(0))
        }
    }
}

// SAFETY of every block below: `self` proves that the machine has these instructions; memory is the caller's promise.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Simd for Avx512Single {
    const LANES: usize = 16;
    type Number = f32;
    type V = __m512;
    type Mask = __mmask16;
    type Formulas = SingleFormulas;

    #[inline(always)]
    fn splat(self, a: f64) -> __m512 {
        unsafe { _mm512_set1_ps(a as f32) }
    }
    #[inline(always)]
    fn broadcast(self, a: f32) -> __m512 {
        unsafe { _mm512_set1_ps(a) }
    }
    #[inline(always)]
    unsafe fn load(self, from: *const f32) -> __m512 {
        unsafe { _mm512_loadu_ps(from) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32, a: __m512) {
        unsafe { _mm512_storeu_ps(to, a) }
    }
    /// Two coordinates are one load of 64 bits: faster than the instruction that gathers, which loads them one by one.
    #[inline(always)]
    unsafe fn gather_two(self, from: *const f32, indices: *const u32, step: usize) -> (__m512, __m512) {
        unsafe {
            let at = |lane: usize| from.wrapping_add(step * *indices.add(lane) as usize).cast::<f64>();
            let two = |lane: usize| _mm_loadh_pd(_mm_load_sd(at(lane)), at(lane + 1));
            let four = |lane: usize| _mm256_set_m128d(two(lane + 2), two(lane));
            let eight = |lane: usize| {
                _mm512_castpd_ps(_mm512_insertf64x4::<1>(_mm512_castpd256_pd512(four(lane)), four(lane + 4)))
            };
            let (low, high) = (eight(0), eight(8));
            let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            let odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
            (_mm512_permutex2var_ps(low, even, high), _mm512_permutex2var_ps(low, odd, high))
        }
    }
    #[inline(always)]
    fn sum(self, a: __m512) -> f64 {
        unsafe {
            let low = _mm512_cvtps_pd(_mm512_castps512_ps256(a));
            let high = _mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>(a));
            _mm512_reduce_add_pd(_mm512_add_pd(low, high))
        }
    }
    #[inline(always)]
    unsafe fn add_to(self, to: *mut f64, a: __m512) {
        unsafe {
            let low = _mm512_cvtps_pd(_mm512_castps512_ps256(a));
            let high = _mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>(a));
            _mm512_storeu_pd(to, _mm512_add_pd(_mm512_loadu_pd(to), low));
            _mm512_storeu_pd(to.add(8), _mm512_add_pd(_mm512_loadu_pd(to.add(8)), high));
        }
    }
    #[inline(always)]
    fn prefetch(self, address: *const f32) {
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }
    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_add_ps(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_sub_ps(a, b) }
    }
    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_mul_ps(a, b) }
    }
    #[inline(always)]
    fn div(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_div_ps(a, b) }
    }
    #[inline(always)]
    fn sqrt(self, a: __m512) -> __m512 {
        unsafe { _mm512_sqrt_ps(a) }
    }
    #[inline(always)]
    fn max(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_max_ps(a, b) }
    }
    #[inline(always)]
    fn min(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_min_ps(a, b) }
    }
    #[inline(always)]
    fn mul_add(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }
    #[inline(always)]
    fn neg_mul_add(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        unsafe { _mm512_fnmadd_ps(a, b, c) }
    }
    #[inline(always)]
    fn is_number(self, a: __m512) -> __mmask16 {
        unsafe { _mm512_cmp_ps_mask::<_CMP_ORD_Q>(a, a) }
    }
    #[inline(always)]
    fn select(self, mask: __mmask16, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_mask_blend_ps(mask, b, a) }
    }
    #[inline(always)]
    fn all_above(self, a: __m512, limit: f64) -> bool {
        unsafe { _mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, self.splat(limit)) == 0xffff }
    }
}

// SAFETY: as above.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Single for Avx512Single {
    type Cell = (__m512i, __m512);

    #[inline(always)]
    fn cell(self, u: __m512) -> (__m512i, __m512) {
        // Adding and subtracting 1.5 * 2^22 rounds to a multiple of 1/2, whose low four bits then index the tables.
        const ROUND_TO_HALF: f64 = 1.5 * (1u64 << 22) as f64;
        unsafe {
            let u = _mm512_min_ps(u, _mm512_set1_ps(self.tables.end));
            let shifted = _mm512_add_ps(u, self.splat(ROUND_TO_HALF));
            let middle = _mm512_sub_ps(shifted, self.splat(ROUND_TO_HALF));
            (_mm512_castps_si512(shifted), _mm512_sub_ps(u, middle))
        }
    }
    #[inline(always)]
    fn ratio(self, cell: (__m512i, __m512)) -> __m512 {
        self.value(&self.tables.ratio, cell)
    }
    #[inline(always)]
    fn log_phi(self, cell: (__m512i, __m512)) -> __m512 {
        self.value(&self.tables.log_phi, cell)
    }
}
