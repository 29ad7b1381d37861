//! Memory that belongs to NumPy, lent to the library without a copy; and arrays made of what the library gives.

use std::sync::Arc;

use numpy::{PyArray1, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use sbmds::Locations;
use sbmds::dissimilarity::{SharedArray, SharedBytes};

use crate::error::of_input;

/// The memory of an array, kept alive by a reference to it.
struct Lent {
    _owner: Py<PyUntypedArray>,
    start: *const u8,
    n_bytes: usize,
}

// SAFETY: the pointer is only read, and the array that owns the memory lives as long as this does.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the memory is contiguous, as `lend` has checked, belongs to the array and is not changed during a fit, as its
        // documentation asks for; any byte is a valid byte.
        unsafe { std::slice::from_raw_parts(self.start, self.n_bytes) }
    }
}

/// The bytes of an array in C order.
pub fn lend(array: &Bound<'_, PyUntypedArray>) -> PyResult<SharedBytes> {
    if !array.is_c_contiguous() {
        return Err(PyValueError::new_err("the array is not in C order"));
    }
    let n_bytes = array.len() * array.dtype().itemsize();
    // SAFETY: the pointer is that of a living array.
    let start = unsafe { (*array.as_array_ptr()).fields.data }.cast_const().cast::<u8>();
    // Memory of no bytes may be nowhere.
    let start = if n_bytes == 0 { std::ptr::NonNull::<u8>::dangling().as_ptr().cast_const() } else { start };
    Ok(Arc::new(Lent { _owner: array.clone().unbind(), start, n_bytes }))
}

/// A two-dimensional array of float64 or float32, not copied.
pub fn lend_matrix(array: &Bound<'_, PyUntypedArray>) -> PyResult<SharedArray> {
    let &[n_rows, n_columns] = array.shape() else {
        return Err(PyValueError::new_err(format!("the array has {} dimensions, not 2", array.ndim())));
    };
    lend_rows(array, n_rows, n_columns)
}

/// A vector of float64 or float32 as an array of one column, not copied.
pub fn lend_column(array: &Bound<'_, PyUntypedArray>) -> PyResult<SharedArray> {
    lend_rows(array, array.len(), 1)
}

fn lend_rows(array: &Bound<'_, PyUntypedArray>, n_rows: usize, n_columns: usize) -> PyResult<SharedArray> {
    let (dtype, bytes) = (array.dtype(), lend(array)?);
    match (dtype.kind(), dtype.itemsize(), dtype.is_native_byteorder()) {
        (b'f', 8, Some(true)) => SharedArray::f64(bytes, n_rows, n_columns).map_err(of_input),
        (b'f', 4, Some(true)) => SharedArray::f32(bytes, n_rows, n_columns).map_err(of_input),
        _ => Err(PyTypeError::new_err(format!("an array of float64 or float32 is needed, not of {dtype}"))),
    }
}

/// Numbers as an array of some shape.
pub fn array<'py>(py: Python<'py>, values: Vec<f64>, shape: &[usize]) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    PyArray1::from_vec(py, values).reshape(shape.to_vec())
}

/// A map as numbers, object by object.
pub fn rows(map: &Locations) -> Vec<f64> {
    (0..map.n_objects()).flat_map(|object| map.object(object)).collect()
}

/// A map of numbers, object by object.
pub fn locations(values: &[f64], n_objects: usize, n_dims: usize) -> Locations {
    Locations::from_fn(n_objects, n_dims, |object, dim| values[object * n_dims + dim])
}
