//! The dissimilarities of all coupled pairs in kernel order, in double or single precision.

use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::Storage;
use super::aligned::Aligned;
use super::layout::parts_of;
use super::simd::Number;

/// Dissimilarities one after another; NaN is missing or padding.
pub(super) struct Deltas {
    stored: Stored,
    /// What is stored in double precision, rounded; made when single precision first computes with it.
    rounded: OnceLock<Aligned<f32>>,
}

enum Stored {
    F64(Aligned<f64>),
    F32(Aligned<f32>),
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
        fill: &(dyn Fn(usize, &mut [f64]) -> usize + Sync),
    ) -> (Self, Vec<usize>) {
        let length = *starts.last().unwrap_or(&0);
        let (stored, present) = match storage {
            Storage::F64 => {
                let mut values = Aligned::new(length, f64::NAN);
                let parts = parts_of(&mut values, starts);
                let present = parts.into_par_iter().enumerate().map(|(part, values)| fill(part, values)).collect();
                (Stored::F64(values), present)
            }
            Storage::F32 => {
                let mut values = Aligned::new(length, f32::NAN);
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
                (Stored::F32(values), present)
            }
        };
        (Self { stored, rounded: OnceLock::new() }, present)
    }

    /// These numbers, one part.
    pub(super) fn from_slice(storage: Storage, values: &[f64]) -> Self {
        let fill = |_, room: &mut [f64]| {
            room.copy_from_slice(values);
            values.len()
        };
        Self::build(storage, &[0, values.len()], &fill).0
    }

    /// Every number divided by `unit`.
    pub(super) fn divide_by(&mut self, unit: f64) {
        self.rounded = OnceLock::new();
        match &mut self.stored {
            Stored::F64(values) => values.par_iter_mut().for_each(|value| *value /= unit),
            Stored::F32(values) => values.par_iter_mut().for_each(|value| *value = (f64::from(*value) / unit) as f32),
        }
    }

    pub(super) fn get(&self, at: usize) -> f64 {
        match &self.stored {
            Stored::F64(values) => values[at],
            Stored::F32(values) => f64::from(values[at]),
        }
    }

    /// Address of the numbers in `range` as f64, whole vectors of them readable.
    #[inline(always)]
    pub(super) fn run(&self, range: Range<usize>, widened: &mut Widened) -> *const f64 {
        debug_assert!(range.len() <= Self::LONGEST_RUN && range.len().is_multiple_of(f64::MAX_LANES));
        match &self.stored {
            Stored::F64(values) => values[range].as_ptr(),
            Stored::F32(values) => {
                for (wide, narrow) in widened.iter_mut().zip(&values[range]) {
                    *wide = f64::from(*narrow);
                }
                widened.as_ptr()
            }
        }
    }

    /// All numbers in single precision.
    pub(super) fn single(&self) -> &[f32] {
        let round = |values: &Aligned<f64>| {
            let mut rounded = Aligned::new(values.len(), f32::NAN);
            rounded.par_iter_mut().zip(values.par_iter()).for_each(|(narrow, wide)| *narrow = *wide as f32);
            rounded
        };
        match &self.stored {
            Stored::F64(values) => self.rounded.get_or_init(|| round(values)),
            Stored::F32(values) => values,
        }
    }
}
