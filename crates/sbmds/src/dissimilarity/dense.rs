//! A dense matrix of dissimilarities in a `.npy` file: checked once, then read where it lies.

use rayon::prelude::*;

use super::cell::{agree, asymmetric, check_diagonal, check_dissimilarity};
use super::error::{Fault, InputError, Place};
use super::names::Names;
use super::npy::Array;
use super::triangle::nothing_measured;

/// Side of the square tiles that are checked together with their mirror image: two of f64 fit in a first-level cache.
const TILE: usize = 32;

/// A square array of which every pair was checked.
pub(super) struct Dense(Array);

/// What is wrong with entry (row, column).
type EntryFault = (usize, usize, Fault);

impl Dense {
    /// Takes over `array` if it is a matrix of dissimilarities.
    pub fn new(file: &str, array: Array, names: &Names) -> Result<Self, InputError> {
        let dense = Self(array);
        // Outcomes are looked at in order, so that the error does not depend on the number of threads.
        let outcomes: Vec<Result<bool, EntryFault>> =
            (0..names.len().div_ceil(TILE)).into_par_iter().map(|block| dense.check_rows(block)).collect();
        let mut any_measured = false;
        for outcome in outcomes {
            any_measured |= outcome.map_err(|(row, column, fault)| {
                let place = Place::Entry(row as u64, column as u64);
                fault.at(file, place).between([names.get(row), names.get(column)])
            })?;
        }
        if any_measured { Ok(dense) } else { Err(nothing_measured().at(file, Place::File)) }
    }

    /// The dissimilarity of a and b. The upper triangle counts; the lower fills its gaps.
    pub fn get(&self, a: usize, b: usize) -> f64 {
        if a == b {
            return 0.0;
        }
        let (a, b) = (a.min(b), a.max(b));
        let upper = self.0.get(a, b);
        if upper.is_nan() { self.0.get(b, a) } else { upper }
    }

    /// Checks the tiles on and right of the diagonal in one block of rows, with their mirror images.
    fn check_rows(&self, block: usize) -> Result<bool, EntryFault> {
        let n_objects = self.0.n_rows();
        let rows = block * TILE..((block + 1) * TILE).min(n_objects);
        let mut any_measured = false;
        for first in (rows.start..n_objects).step_by(TILE) {
            for a in rows.clone() {
                for b in first.max(a)..(first + TILE).min(n_objects) {
                    any_measured |= self.check_pair(a, b)?;
                }
            }
        }
        Ok(any_measured)
    }

    /// Whether the pair a <= b was measured, if its two entries can be used.
    fn check_pair(&self, a: usize, b: usize) -> Result<bool, EntryFault> {
        let upper = self.0.get(a, b);
        if a == b {
            check_diagonal(upper).map_err(|fault| (a, b, fault))?;
            return Ok(false);
        }
        let lower = self.0.get(b, a);
        check_dissimilarity(upper).map_err(|fault| (a, b, fault))?;
        check_dissimilarity(lower).map_err(|fault| (b, a, fault))?;
        if agree(upper, lower) || upper.is_nan() || lower.is_nan() {
            Ok(!(upper.is_nan() && lower.is_nan()))
        } else {
            Err((b, a, asymmetric(lower, upper)))
        }
    }
}
