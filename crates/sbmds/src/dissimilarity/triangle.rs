//! A dense table of dissimilarities in memory: the upper triangle, row by row.

use super::cell::{Agreement, Averaged, asymmetric, check_diagonal, compare, mean};
use super::error::Fault;
use super::npy::Array;

/// The N (N - 1) / 2 dissimilarities of all pairs; NaN where there is none.
pub(super) struct Triangle {
    n_objects: usize,
    values: Values,
    /// Pairs whose two readings were not quite equal.
    pub averaged: Averaged,
}

/// The numbers of the pairs.
enum Values {
    Owned(Vec<f64>),
    /// Checked, and read where they lie.
    Lent(Array),
}

impl Values {
    fn get(&self, position: usize) -> f64 {
        match self {
            Self::Owned(values) => values[position],
            Self::Lent(array) => array.get(position, 0),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Owned(values) => values.len(),
            Self::Lent(array) => array.n_rows(),
        }
    }
}

impl Triangle {
    /// All pairs missing, for a text of `n_bytes` that promises `n_objects`.
    ///
    /// Every pair takes at least one byte of text, so a short file that promises much is refused before memory is.
    pub fn for_text(n_objects: usize, n_bytes: u64) -> Result<Self, Fault> {
        let n_pairs = n_objects as u128 * n_objects.saturating_sub(1) as u128 / 2;
        if n_pairs > u128::from(n_bytes) {
            return Err(Fault::new(
                format!("the file is too short ({n_bytes} bytes) for the {n_pairs} pairs of {n_objects} objects"),
                "check that the file is complete and the number of objects right",
            ));
        }
        let mut values = Vec::new();
        values.try_reserve_exact(n_pairs as usize).map_err(|_| {
            Fault::new(
                format!("the {n_pairs} pairs of {n_objects} objects do not fit in memory"),
                "give the matrix as .npy, which is not loaded, or the measured pairs as an edge list",
            )
        })?;
        values.resize(n_pairs as usize, f64::NAN);
        Ok(Self::owned(n_objects, values))
    }

    /// Of all its pairs, row by row.
    pub fn owned(n_objects: usize, values: Vec<f64>) -> Self {
        Self { n_objects, values: Values::Owned(values), averaged: Averaged::default() }
    }

    /// The same in an array of one column, which was checked and stays where it is.
    pub fn lent(n_objects: usize, values: Array) -> Self {
        Self { n_objects, values: Values::Lent(values), averaged: Averaged::default() }
    }

    /// From one function of the pair (a, b), a < b.
    pub fn from_fn(n_objects: usize, mut dissimilarity: impl FnMut(usize, usize) -> f64) -> Self {
        let mut values = Vec::with_capacity(n_objects * n_objects.saturating_sub(1) / 2);
        for a in 0..n_objects {
            values.extend((a + 1..n_objects).map(|b| dissimilarity(a, b)));
        }
        Self::owned(n_objects, values)
    }

    /// Number of objects.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// The dissimilarity of a and b; 0 for a = b.
    pub fn get(&self, a: usize, b: usize) -> f64 {
        if a == b { 0.0 } else { self.values.get(self.position(a, b)) }
    }

    /// Notes what the file says about (a, b), in numbers of its own. The first reading of a pair stays if a second one equals it up to rounding; the
    /// mean counts if they are near each other.
    pub fn put(&mut self, a: usize, b: usize, value: f64) -> Result<(), Fault> {
        if a == b {
            return check_diagonal(value);
        }
        let position = self.position(a, b);
        let Values::Owned(values) = &mut self.values else { unreachable!("texts are read into numbers of their own") };
        let known = values[position];
        if known.is_nan() {
            values[position] = value;
            return Ok(());
        }
        match compare(known, value) {
            Agreement::Equal => {}
            Agreement::Near(gap) => {
                values[position] = mean(known, value);
                self.averaged.add(gap);
            }
            Agreement::Different => return Err(asymmetric(value, known)),
        }
        Ok(())
    }

    /// The fault of a table without a single measured pair.
    pub fn check_measured(&self) -> Result<(), Fault> {
        if (0..self.values.len()).all(|position| self.values.get(position).is_nan()) {
            Err(nothing_measured())
        } else {
            Ok(())
        }
    }

    fn position(&self, a: usize, b: usize) -> usize {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        a * (2 * self.n_objects - a - 1) / 2 + (b - a - 1)
    }
}

/// The fault of an input in which every pair is missing.
pub(super) fn nothing_measured() -> Fault {
    Fault::new("every pair is missing", "give a file with at least some dissimilarities")
}

#[cfg(test)]
mod tests {
    use super::Triangle;

    #[test]
    fn every_pair_has_its_own_position() {
        let triangle = Triangle::from_fn(7, |a, b| (10 * a + b) as f64);
        for a in 0..7 {
            for b in 0..7 {
                let expected = if a == b { 0.0 } else { (10 * a.min(b) + a.max(b)) as f64 };
                assert_eq!(triangle.get(a, b), expected);
            }
        }
    }

    #[test]
    fn first_reading_wins_within_rounding() {
        let mut triangle = Triangle::for_text(3, 100).ok().unwrap();
        triangle.put(1, 2, f64::NAN).unwrap();
        triangle.put(2, 1, 1.0).unwrap();
        triangle.put(1, 2, 1.0 + 5e-7).unwrap();
        assert_eq!((triangle.get(1, 2), triangle.averaged.n_pairs), (1.0, 0));
        triangle.put(0, 2, 2.0).unwrap();
        triangle.put(2, 0, 2.0001).unwrap();
        assert_eq!((triangle.get(0, 2), triangle.averaged.n_pairs), (2.00005, 1));
        assert!(triangle.put(1, 2, 1.1).is_err() && triangle.put(1, 1, 0.1).is_err());
    }
}
