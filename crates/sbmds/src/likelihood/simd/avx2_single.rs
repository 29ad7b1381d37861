//! AVX2 with FMA in single precision: eight lanes.

use std::arch::x86_64::*;

use super::tables::{Table, Tables, eight};
use super::{Avx2, Simd, Single};
use crate::likelihood::single::SingleFormulas;

/// Proof that AVX2 and FMA are there, with the tables.
#[derive(Clone, Copy)]
pub(in crate::likelihood) struct Avx2Single {
    tables: &'static Tables<8, 6>,
}

impl Avx2Single {
    pub(super) fn new(_proof: Avx2) -> Self {
        Self { tables: eight() }
    }

    /// The polynomials of `table` in the intervals `cell.0`; each power's coefficients are one register.
    #[inline(always)]
    fn value(self, table: &Table<8, 6>, (interval, offset): (__m256i, __m256)) -> __m256 {
        // SAFETY: `self` proves that the machine has these instructions, and a row holds eight numbers.
        unsafe {
            let coefficient =
                |power: usize| _mm256_permutevar8x32_ps(_mm256_load_ps(table.0[power].as_ptr()), interval);
            let value = _mm256_fmadd_ps(offset, coefficient(5), coefficient(4));
            let value = _mm256_fmadd_ps(offset, value, coefficient(3));
            let value = _mm256_fmadd_ps(offset, value, coefficient(2));
            let value = _mm256_fmadd_ps(offset, value, coefficient(1));
            _mm256_fmadd_ps(offset, value, coefficient(0))
        }
    }
}

// SAFETY of every block below: `self` proves that the machine has these instructions; memory is the caller's promise.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Simd for Avx2Single {
    const LANES: usize = 8;
    type Number = f32;
    type V = __m256;
    type Mask = __m256;
    type Formulas = SingleFormulas;

    #[inline(always)]
    fn splat(self, a: f64) -> __m256 {
        unsafe { _mm256_set1_ps(a as f32) }
    }
    #[inline(always)]
    fn broadcast(self, a: f32) -> __m256 {
        unsafe { _mm256_set1_ps(a) }
    }
    #[inline(always)]
    unsafe fn load(self, from: *const f32) -> __m256 {
        unsafe { _mm256_loadu_ps(from) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32, a: __m256) {
        unsafe { _mm256_storeu_ps(to, a) }
    }
    #[inline(always)]
    unsafe fn add_to(self, to: *mut f64, a: __m256) {
        unsafe {
            let low = _mm256_cvtps_pd(_mm256_castps256_ps128(a));
            let high = _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(a));
            _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), low));
            _mm256_storeu_pd(to.add(4), _mm256_add_pd(_mm256_loadu_pd(to.add(4)), high));
        }
    }
    #[inline(always)]
    fn prefetch(self, address: *const f32) {
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }
    #[inline(always)]
    fn add(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_add_ps(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_sub_ps(a, b) }
    }
    #[inline(always)]
    fn mul(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_mul_ps(a, b) }
    }
    #[inline(always)]
    fn div(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_div_ps(a, b) }
    }
    #[inline(always)]
    fn sqrt(self, a: __m256) -> __m256 {
        unsafe { _mm256_sqrt_ps(a) }
    }
    #[inline(always)]
    fn max(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_max_ps(a, b) }
    }
    #[inline(always)]
    fn min(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_min_ps(a, b) }
    }
    #[inline(always)]
    fn mul_add(self, a: __m256, b: __m256, c: __m256) -> __m256 {
        unsafe { _mm256_fmadd_ps(a, b, c) }
    }
    #[inline(always)]
    fn neg_mul_add(self, a: __m256, b: __m256, c: __m256) -> __m256 {
        unsafe { _mm256_fnmadd_ps(a, b, c) }
    }
    #[inline(always)]
    fn is_number(self, a: __m256) -> __m256 {
        unsafe { _mm256_cmp_ps::<_CMP_ORD_Q>(a, a) }
    }
    #[inline(always)]
    fn select(self, mask: __m256, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_blendv_ps(b, a, mask) }
    }
    #[inline(always)]
    fn all_above(self, a: __m256, limit: f64) -> bool {
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(a, self.splat(limit))) == 0xff }
    }
}

// SAFETY: as above.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Single for Avx2Single {
    type Cell = (__m256i, __m256);

    #[inline(always)]
    fn cell(self, u: __m256) -> (__m256i, __m256) {
        // Adding and subtracting 1.5 * 2^23 rounds to a whole number, whose low three bits then index the tables.
        const ROUND_TO_WHOLE: f64 = 1.5 * (1u64 << 23) as f64;
        unsafe {
            let u = _mm256_min_ps(u, _mm256_set1_ps(self.tables.end));
            let shifted = _mm256_add_ps(u, self.splat(ROUND_TO_WHOLE));
            let middle = _mm256_sub_ps(shifted, self.splat(ROUND_TO_WHOLE));
            (_mm256_castps_si256(shifted), _mm256_sub_ps(u, middle))
        }
    }
    #[inline(always)]
    fn ratio(self, cell: (__m256i, __m256)) -> __m256 {
        self.value(&self.tables.ratio, cell)
    }
    #[inline(always)]
    fn log_phi(self, cell: (__m256i, __m256)) -> __m256 {
        self.value(&self.tables.log_phi, cell)
    }
}
