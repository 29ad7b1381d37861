//! A dense matrix of dissimilarities in a `.npy` file: checked once, then read where it lies.

use rayon::prelude::*;

use super::cell::{Agreement, Averaged, asymmetric, check_diagonal, check_dissimilarity, compare, mean};
use super::error::{Fault, FilePosition, InputError};
use super::names::Names;
use super::npy::Array;
use super::triangle::nothing_measured;

/// Side of the square tiles that are checked together with their mirror image: two of f64 fit in a first-level cache.
const TILE: usize = 32;

/// A square array of which every pair was checked.
pub(super) struct Dense {
    array: Array,
    /// Pairs whose two entries are not quite equal.
    pub averaged: Averaged,
    /// Whether entries may be negative.
    negative: bool,
}

/// What is wrong with entry (row, column).
type EntryFault = (usize, usize, Fault);

/// What was found in some rows.
#[derive(Clone, Copy, Default)]
struct Found {
    any_measured: bool,
    averaged: Averaged,
}

impl Dense {
    /// Takes over `array` if it is a matrix of dissimilarities.
    pub fn new(file: &str, array: Array, names: &Names, negative: bool) -> Result<Self, InputError> {
        let mut dense = Self { array, averaged: Averaged::default(), negative };
        // Outcomes are looked at in order, so that the error does not depend on the number of threads.
        let outcomes: Vec<Result<Found, EntryFault>> =
            (0..names.len().div_ceil(TILE)).into_par_iter().map(|block| dense.check_rows(block)).collect();
        let mut any_measured = false;
        for outcome in outcomes {
            let found = outcome.map_err(|(row, column, fault)| {
                let position = FilePosition::Entry(row as u64, column as u64);
                fault.at(file, position).between([names.get(row), names.get(column)])
            })?;
            any_measured |= found.any_measured;
            dense.averaged = dense.averaged.and(found.averaged);
        }
        if any_measured { Ok(dense) } else { Err(nothing_measured().at(file, FilePosition::File)) }
    }

    /// The dissimilarity of a and b. The upper triangle counts; the lower fills its gaps, and where the two are near but not
    /// equal their mean counts.
    pub fn get(&self, a: usize, b: usize) -> f64 {
        if a == b {
            return 0.0;
        }
        let (a, b) = (a.min(b), a.max(b));
        let upper = self.array.get(a, b);
        if upper.is_nan() {
            return self.array.get(b, a);
        }
        if self.averaged.n_pairs == 0 {
            return upper;
        }
        let lower = self.array.get(b, a);
        if matches!(compare(upper, lower), Agreement::Near(_)) { mean(upper, lower) } else { upper }
    }

    /// Checks the tiles on and right of the diagonal in one block of rows, with their mirror images.
    fn check_rows(&self, block: usize) -> Result<Found, EntryFault> {
        let n_objects = self.array.n_rows();
        let rows = block * TILE..((block + 1) * TILE).min(n_objects);
        let mut found = Found::default();
        for first in (rows.start..n_objects).step_by(TILE) {
            for a in rows.clone() {
                for b in first.max(a)..(first + TILE).min(n_objects) {
                    self.check_pair(a, b, &mut found)?;
                }
            }
        }
        Ok(found)
    }

    /// Notes the pair a <= b, if its two entries can be used.
    fn check_pair(&self, a: usize, b: usize, found: &mut Found) -> Result<(), EntryFault> {
        let upper = self.array.get(a, b);
        if a == b {
            return check_diagonal(upper).map_err(|fault| (a, b, fault));
        }
        let lower = self.array.get(b, a);
        let check = |value: f64| check_dissimilarity(if self.negative { value.abs() } else { value });
        check(upper).map_err(|fault| (a, b, fault))?;
        check(lower).map_err(|fault| (b, a, fault))?;
        found.any_measured |= !(upper.is_nan() && lower.is_nan());
        match compare(upper, lower) {
            Agreement::Equal => {}
            Agreement::Near(gap) => found.averaged.add(gap),
            Agreement::Different => return Err((b, a, asymmetric(lower, upper))),
        }
        Ok(())
    }
}
