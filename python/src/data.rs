//! Dissimilarities of Python objects.

use numpy::{PyReadonlyArray1, PyUntypedArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sbmds::dissimilarity::{Dissimilarities, DuplicateName, Metric, Names};

use crate::error::{detached, of_input, of_value};
use crate::memory::{lend_column, lend_matrix};

/// Dissimilarities in memory.
#[pyclass(frozen, module = "sbmds._native")]
pub struct Data(pub Dissimilarities);

/// Given names, or numbers from 0.
fn names(given: Option<Vec<String>>, n_objects: usize) -> PyResult<Names> {
    let Some(given) = given else { return Ok(Names::numbered(n_objects)) };
    Names::given(given).map_err(|DuplicateName { name, earlier, later }| {
        PyValueError::new_err(format!(
            "data: objects {earlier} and {later} are both called {name:?}. Remedy: give every object a name of its own"
        ))
    })
}

#[pymethods]
impl Data {
    /// A square matrix of float64 or float32; NaN is a missing pair. The memory stays where it is.
    #[staticmethod]
    fn dense(py: Python<'_>, matrix: &Bound<'_, PyUntypedArray>, objects: Option<Vec<String>>) -> PyResult<Self> {
        use numpy::PyUntypedArrayMethods;
        let n_objects = matrix.shape().first().copied().unwrap_or(0);
        let (names, matrix) = (names(objects, n_objects)?, lend_matrix(matrix)?);
        detached(py, || Dissimilarities::from_dense(names, matrix).map(Self).map_err(of_input))
    }

    /// The numbers above the diagonal, row by row, of float64 or float32. The memory stays where it is.
    #[staticmethod]
    fn condensed(
        py: Python<'_>,
        values: &Bound<'_, PyUntypedArray>,
        n_objects: usize,
        objects: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let (names, values) = (names(objects, n_objects)?, lend_column(values)?);
        detached(py, || Dissimilarities::from_condensed_array(names, values).map(Self).map_err(of_input))
    }

    /// Measured pairs by the numbers of their objects.
    #[staticmethod]
    fn pairs(
        py: Python<'_>,
        a: PyReadonlyArray1<'_, i64>,
        b: PyReadonlyArray1<'_, i64>,
        values: PyReadonlyArray1<'_, f64>,
        n_objects: usize,
        objects: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let names = names(objects, n_objects)?;
        let (a, b, values) = (a.as_slice()?, b.as_slice()?, values.as_slice()?);
        detached(py, || {
            let ends = a.iter().zip(b).map(|(&a, &b)| (a as usize, b as usize));
            let pairs: Vec<_> = ends.zip(values).map(|((a, b), &value)| (a, b, value)).collect();
            Dissimilarities::from_pairs(names, &pairs).map(Self).map_err(of_input)
        })
    }

    /// Feature vectors, a row per object, and how they are compared. The memory stays where it is.
    #[staticmethod]
    fn features(
        py: Python<'_>,
        rows: &Bound<'_, PyUntypedArray>,
        metric: &str,
        objects: Option<Vec<String>>,
    ) -> PyResult<Self> {
        use numpy::PyUntypedArrayMethods;
        let metric: Metric = metric.parse().map_err(of_value)?;
        let n_objects = rows.shape().first().copied().unwrap_or(0);
        let (names, rows) = (names(objects, n_objects)?, lend_matrix(rows)?);
        detached(py, || Dissimilarities::from_feature_array(names, rows, metric).map(Self).map_err(of_input))
    }

    /// Number of objects.
    fn __len__(&self) -> usize {
        self.0.n_objects()
    }
}
