//! Dissimilarities from numbers in memory: dense, condensed, listed pairs, features.

use std::sync::Arc;

use super::dense::Dense;
use super::edges::EdgeList;
use super::error::{Fault, FilePosition, InputError};
use super::features::Features;
use super::npy::{Array, Number};
use super::{Dissimilarities, Metric, Names, Store, cell, condensed, enough_objects};

/// What messages call numbers that are in no file.
pub(super) const DATA: &str = "data";

/// A two-dimensional array in memory, row by row, which may belong to somebody else and is not copied.
pub struct SharedArray(Array);

/// The bytes of numbers; whoever keeps them does not change them.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

impl SharedArray {
    /// Numbers of 8 bytes, in the order of bytes of this machine.
    ///
    /// # Errors
    /// If there are not `n_rows` x `n_columns` of them.
    pub fn f64(bytes: SharedBytes, n_rows: usize, n_columns: usize) -> Result<Self, InputError> {
        Self::new(bytes, Number::F64, n_rows, n_columns)
    }

    /// Numbers of 4 bytes, in the order of bytes of this machine.
    ///
    /// # Errors
    /// If there are not `n_rows` x `n_columns` of them.
    pub fn f32(bytes: SharedBytes, n_rows: usize, n_columns: usize) -> Result<Self, InputError> {
        Self::new(bytes, Number::F32, n_rows, n_columns)
    }

    /// Numbers of one's own.
    ///
    /// # Errors
    /// If there are not `n_rows` x `n_columns` of them.
    pub fn owned(values: Vec<f64>, n_rows: usize, n_columns: usize) -> Result<Self, InputError> {
        Self::f64(Arc::new(Owned(values)), n_rows, n_columns)
    }

    fn new(bytes: SharedBytes, number: Number, n_rows: usize, n_columns: usize) -> Result<Self, InputError> {
        let array = Array::shared(bytes, number, n_rows, n_columns);
        Ok(Self(array.map_err(|fault| fault.at(DATA, FilePosition::File))?))
    }
}

/// A vector, seen as bytes.
struct Owned(Vec<f64>);

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        let values = self.0.as_slice();
        // SAFETY: every byte of a float is initialised, bytes need no alignment, and the vector lives as long as the slice.
        unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
    }
}

impl Dissimilarities {
    /// A square matrix; NaN is a missing pair. The two readings of a pair must agree.
    ///
    /// ```
    /// use sbmds::Dissimilarities;
    /// use sbmds::dissimilarity::SharedArray;
    ///
    /// let rows = vec![0.0, 1.0, 2.0, 1.0, 0.0, 1.5, 2.0, 1.5, 0.0];
    /// let data = Dissimilarities::from_dense(["a", "b", "c"], SharedArray::owned(rows, 3, 3)?)?;
    /// assert_eq!(data.get(1, 2), 1.5);
    /// # Ok::<(), sbmds::dissimilarity::InputError>(())
    /// ```
    ///
    /// # Errors
    /// If a name is given twice, the matrix is not square, or an entry is no dissimilarity.
    pub fn from_dense(
        names: impl TryInto<Names, Error: Into<InputError>>,
        matrix: SharedArray,
    ) -> Result<Self, InputError> {
        Self::of_matrix(names.try_into().map_err(Into::into)?, matrix.0)
    }

    fn of_matrix(names: Names, array: Array) -> Result<Self, InputError> {
        let (n_rows, n_columns) = (array.n_rows(), array.n_columns());
        if n_rows != n_columns {
            let problem = format!("the array is {n_rows} x {n_columns}, not square");
            return Err(
                Fault::new(problem, "give a square matrix, or features with a metric").at(DATA, FilePosition::File)
            );
        }
        check_names(&names, n_rows)?;
        let dense = Dense::new(DATA, array, &names, false)?;
        Ok(Self::new(names, Store::Dense(dense)).with_notes(DATA, None))
    }

    /// The N (N - 1) / 2 dissimilarities above the diagonal, row by row, as SciPy's `pdist` gives them; NaN is a missing pair.
    ///
    /// ```
    /// use sbmds::{Dissimilarities, Names};
    ///
    /// // Pairs (a, b), (a, c), (b, c).
    /// let data = Dissimilarities::from_condensed(["a", "b", "c"], &[1.0, 2.0, f64::NAN])?;
    /// assert_eq!(data.get(2, 0), 2.0);
    /// assert!(data.get(1, 2).is_nan()); // missing
    /// let unnamed = Dissimilarities::from_condensed(Names::numbered(3), &[1.0, 2.0, 1.5])?;
    /// assert_eq!(unnamed.names().get(2), "2");
    /// let twice = Dissimilarities::from_condensed(["a", "b", "a"], &[1.0, 2.0, 1.5]);
    /// assert!(twice.is_err_and(|error| error.problem().contains("both called")));
    /// # Ok::<(), sbmds::dissimilarity::InputError>(())
    /// ```
    ///
    /// # Errors
    /// If a name is given twice, there are more or fewer numbers than pairs of names, or one is no dissimilarity.
    pub fn from_condensed(
        names: impl TryInto<Names, Error: Into<InputError>>,
        values: &[f64],
    ) -> Result<Self, InputError> {
        Self::from_condensed_array(names, SharedArray::owned(values.to_vec(), values.len(), 1)?)
    }

    /// The same of an array of one column, which is not copied.
    ///
    /// # Errors
    /// As [`Dissimilarities::from_condensed`].
    pub fn from_condensed_array(
        names: impl TryInto<Names, Error: Into<InputError>>,
        values: SharedArray,
    ) -> Result<Self, InputError> {
        let names = names.try_into().map_err(Into::into)?;
        let triangle = condensed::from_array(DATA, values.0)?;
        check_names(&names, triangle.n_objects())?;
        Ok(Self::new(names, Store::Triangle(triangle)))
    }

    /// Measured pairs only, by the numbers of their objects. All of them enter the likelihood by default.
    ///
    /// ```
    /// use sbmds::Dissimilarities;
    ///
    /// let pairs = [(0, 1, 1.0), (1, 2, 1.5), (3, 2, 0.5), (0, 3, 2.0)];
    /// let data = Dissimilarities::from_pairs(["a", "b", "c", "d"], &pairs)?;
    /// assert_eq!(data.get(2, 3), 0.5);
    /// assert!(data.get(0, 2).is_nan());
    /// # Ok::<(), sbmds::dissimilarity::InputError>(())
    /// ```
    ///
    /// # Errors
    /// If a name is given twice, a pair is out of range or given twice, or its value is no dissimilarity.
    pub fn from_pairs(
        names: impl TryInto<Names, Error: Into<InputError>>,
        pairs: &[(usize, usize, f64)],
    ) -> Result<Self, InputError> {
        Self::of_pairs(names.try_into().map_err(Into::into)?, pairs)
    }

    fn of_pairs(names: Names, pairs: &[(usize, usize, f64)]) -> Result<Self, InputError> {
        check_names(&names, names.len())?;
        let mut measured = Vec::with_capacity(pairs.len());
        for (row, &(a, b, value)) in pairs.iter().enumerate() {
            let at = |fault: Fault| fault.at(DATA, FilePosition::Element(row as u64));
            if a == b || a.max(b) >= names.len() {
                let problem = format!("({a}, {b}) is no pair of {} objects", names.len());
                return Err(at(Fault::new(problem, "give two different objects, counted from 0")));
            }
            let between = |error: InputError| error.between([names.get(a), names.get(b)]);
            let value = cell::check_dissimilarity(value).map_err(|fault| between(at(fault)))?;
            if !value.is_nan() {
                measured.push((a.min(b) as u32, a.max(b) as u32, value));
            }
        }
        measured.sort_by_key(|&(a, b, _)| (a, b));
        if let Some(twice) = measured.windows(2).find(|two| (two[0].0, two[0].1) == (two[1].0, two[1].1)) {
            let (a, b) = (twice[0].0 as usize, twice[0].1 as usize);
            let fault = Fault::new("the pair is given twice", "give every pair one value, for example the mean");
            return Err(fault.at(DATA, FilePosition::File).between([names.get(a), names.get(b)]));
        }
        if measured.is_empty() {
            return Err(super::triangle::nothing_measured().at(DATA, FilePosition::File));
        }
        let list = EdgeList::new(names.len(), measured);
        Ok(Self::new(names, Store::Edges(list)))
    }

    /// Feature vectors, a row per object: only the dissimilarities that are asked for get computed.
    ///
    /// # Errors
    /// If a name is given twice, or a row cannot be used with the metric.
    pub fn from_feature_array(
        names: impl TryInto<Names, Error: Into<InputError>>,
        rows: SharedArray,
        metric: Metric,
    ) -> Result<Self, InputError> {
        let names = names.try_into().map_err(Into::into)?;
        check_names(&names, rows.0.n_rows())?;
        let features = Features::from_array(DATA, rows.0, &names, metric)?;
        Ok(Self::new(names, Store::Features(features)))
    }
}

fn check_names(names: &Names, n_objects: usize) -> Result<(), InputError> {
    let checked = if names.len() == n_objects {
        enough_objects(n_objects)
    } else {
        let problem = format!("{} names are given for {n_objects} objects", names.len());
        Err(Fault::new(problem, "give one name per object"))
    };
    checked.map_err(|fault| fault.at(DATA, FilePosition::File))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five objects, three ways.
    #[test]
    fn the_same_data_in_any_form_are_the_same() {
        let value = |a: usize, b: usize| if (a, b) == (1, 3) { f64::NAN } else { (1 + a + 10 * b) as f64 / 8.0 };
        let upper = |a: usize, b: usize| if a == b { 0.0 } else { value(a.min(b), a.max(b)) };
        let square: Vec<f64> = (0..25).map(|k| upper(k / 5, k % 5)).collect();
        let pairs: Vec<_> = (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))).collect();
        let condensed: Vec<f64> = pairs.iter().map(|&(a, b)| value(a, b)).collect();
        let listed: Vec<_> = pairs.iter().map(|&(a, b)| (b, a, value(a, b))).collect();
        let names = || Names::numbered(5);
        let forms = [
            Dissimilarities::from_dense(names(), SharedArray::owned(square, 5, 5).unwrap()).unwrap(),
            Dissimilarities::from_condensed(names(), &condensed).unwrap(),
            Dissimilarities::from_pairs(names(), &listed).unwrap(),
        ];
        for data in &forms {
            for (a, b) in (0..25).map(|k| (k / 5, k % 5)) {
                assert_eq!(data.get(a, b).to_bits(), upper(a, b).to_bits(), "{a} {b} of a {}", data.kind());
            }
        }
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let dense =
            |values: Vec<f64>, n, m| Dissimilarities::from_dense(Names::numbered(n), SharedArray::owned(values, n, m)?);
        let message = |outcome: Result<Dissimilarities, InputError>| outcome.err().expect("an error").to_string();
        assert!(message(dense(vec![0.0; 12], 4, 3)).contains("4 x 3, not square"));
        assert!(message(dense(vec![0.0; 12], 4, 4)).contains("12 numbers"));
        let negative = message(Dissimilarities::from_condensed(Names::numbered(3), &[1.0, -1.0, 2.0]));
        assert!(negative.contains("-1 is negative"), "{negative}");
        let names = message(Dissimilarities::from_condensed(Names::numbered(4), &[1.0, 1.0, 2.0]));
        assert!(names.contains("4 names are given for 3 objects"), "{names}");
        let twice = message(Dissimilarities::from_pairs(Names::numbered(3), &[(0, 1, 1.0), (1, 0, 1.0)]));
        assert!(twice.contains("given twice"), "{twice}");
        assert!(
            message(Dissimilarities::from_pairs(Names::numbered(3), &[(0, 3, 1.0)])).contains("no pair of 3 objects")
        );
    }
}
