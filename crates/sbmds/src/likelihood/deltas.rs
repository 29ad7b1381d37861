//! The dissimilarities of all coupled pairs in kernel order, in double or single precision.

use std::ops::Range;

use rayon::prelude::*;

use super::Storage;
use super::layout::parts_of;
use super::simd::MAX_LANES;

/// Dissimilarities one after another; NaN is missing or padding.
pub(super) enum Deltas {
    F64(Vec<f64>),
    F32(Vec<f32>),
}

/// Room to widen one run of single-precision dissimilarities. Kernels then know one number type only, which halves
/// the code compiled, at the price of two instructions per vector.
pub(super) type Widened = [f64; Deltas::LONGEST_RUN];

impl Deltas {
    /// The longest run a kernel asks for at once.
    pub(super) const LONGEST_RUN: usize = 256;

    /// Fills the parts that start at `starts` (the last being the end), in parallel; `fill(part, numbers)` overwrites the
    /// NaN it finds and returns how many pairs it had. Returns these counts too.
    pub(super) fn build(
        storage: Storage,
        starts: &[usize],
        fill: impl Fn(usize, &mut [f64]) -> usize + Sync,
    ) -> (Self, Vec<usize>) {
        let length = *starts.last().unwrap_or(&0);
        match storage {
            Storage::F64 => {
                let mut values = vec![f64::NAN; length];
                let parts = parts_of(&mut values, starts);
                let present = parts.into_par_iter().enumerate().map(|(part, values)| fill(part, values)).collect();
                (Self::F64(values), present)
            }
            Storage::F32 => {
                let mut values = vec![f32::NAN; length];
                let parts = parts_of(&mut values, starts);
                let fill_narrow = |(part, narrow): (usize, &mut [f32])| {
                    let mut wide = vec![f64::NAN; narrow.len()];
                    let present = fill(part, &mut wide);
                    for (narrow, wide) in narrow.iter_mut().zip(wide) {
                        *narrow = wide as f32;
                    }
                    present
                };
                let present = parts.into_par_iter().enumerate().map(fill_narrow).collect();
                (Self::F32(values), present)
            }
        }
    }

    /// Every number divided by `unit`.
    pub(super) fn divide_by(&mut self, unit: f64) {
        match self {
            Self::F64(values) => values.par_iter_mut().for_each(|value| *value /= unit),
            Self::F32(values) => values.par_iter_mut().for_each(|value| *value = (f64::from(*value) / unit) as f32),
        }
    }

    pub(super) fn get(&self, at: usize) -> f64 {
        match self {
            Self::F64(values) => values[at],
            Self::F32(values) => f64::from(values[at]),
        }
    }

    /// Address of the numbers in `range` as f64, whole vectors of them readable.
    #[inline(always)]
    pub(super) fn run(&self, range: Range<usize>, widened: &mut Widened) -> *const f64 {
        debug_assert!(range.len() <= Self::LONGEST_RUN && range.len().is_multiple_of(MAX_LANES));
        match self {
            Self::F64(values) => values[range].as_ptr(),
            Self::F32(values) => {
                for (wide, narrow) in widened.iter_mut().zip(&values[range]) {
                    *wide = f64::from(*narrow);
                }
                widened.as_ptr()
            }
        }
    }
}
