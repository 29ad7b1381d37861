//! Arrays of eight in single precision: plain Rust that the compiler vectorises as far as the machine allows.

use std::array::from_fn;

use super::tables::{Table, Tables, eight};
use super::{Simd, Single};
use crate::likelihood::single::SingleFormulas;

/// No instruction set beyond what the crate was compiled for, with the tables.
#[derive(Clone, Copy)]
pub(in crate::likelihood) struct PortableSingle {
    tables: &'static Tables<8, 6>,
}

impl PortableSingle {
    pub(super) fn new() -> Self {
        Self { tables: eight() }
    }

    /// The polynomials of `table` in the intervals `cell.0`.
    #[inline(always)]
    fn value(self, table: &Table<8, 6>, (interval, offset): ([u32; LANES], V)) -> V {
        let coefficient = |power: usize| -> V { from_fn(|i| table.0[power][interval[i] as usize & 7]) };
        let value = self.mul_add(offset, coefficient(5), coefficient(4));
        let value = self.mul_add(offset, value, coefficient(3));
        let value = self.mul_add(offset, value, coefficient(2));
        let value = self.mul_add(offset, value, coefficient(1));
        self.mul_add(offset, value, coefficient(0))
    }
}

const LANES: usize = 8;
type V = [f32; LANES];

/// a * b + c; fused only where that is one instruction, since elsewhere it is a slow library call.
#[inline(always)]
fn mul_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) { a.mul_add(b, c) } else { a * b + c }
}

impl Simd for PortableSingle {
    const LANES: usize = LANES;
    type Number = f32;
    type V = V;
    type Mask = [bool; LANES];
    type Formulas = SingleFormulas;

    #[inline(always)]
    fn splat(self, a: f64) -> V {
        [a as f32; LANES]
    }
    #[inline(always)]
    fn broadcast(self, a: f32) -> V {
        [a; LANES]
    }
    #[inline(always)]
    unsafe fn load(self, from: *const f32) -> V {
        // SAFETY: the caller's promise.
        unsafe { from.cast::<V>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32, a: V) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<V>().write_unaligned(a) }
    }
    #[inline(always)]
    unsafe fn add_to(self, to: *mut f64, a: V) {
        for (i, lane) in a.into_iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { *to.add(i) += f64::from(lane) };
        }
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
        a.map(f32::sqrt)
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
        a.iter().all(|&lane| f64::from(lane) > limit)
    }
}

impl Single for PortableSingle {
    type Cell = ([u32; LANES], V);

    #[inline(always)]
    fn cell(self, u: V) -> ([u32; LANES], V) {
        // Adding and subtracting 1.5 * 2^23 rounds to a whole number, whose low three bits then index the tables.
        const ROUND_TO_WHOLE: f32 = 1.5 * (1u32 << 23) as f32;
        let u = u.map(|u| if u < self.tables.end { u } else { self.tables.end });
        let shifted = u.map(|u| u + ROUND_TO_WHOLE);
        (shifted.map(f32::to_bits), from_fn(|i| u[i] - (shifted[i] - ROUND_TO_WHOLE)))
    }
    #[inline(always)]
    fn ratio(self, cell: ([u32; LANES], V)) -> V {
        self.value(&self.tables.ratio, cell)
    }
    #[inline(always)]
    fn log_phi(self, cell: ([u32; LANES], V)) -> V {
        self.value(&self.tables.log_phi, cell)
    }
}
