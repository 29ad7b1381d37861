//! Errors of the library as exceptions of Python.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyKeyError, PyMemoryError, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;
use sbmds::ErrorKind;
use sbmds::cluster::ClusterError;
use sbmds::dissimilarity::InputError;
use sbmds::run::RunError;

/// Does work without holding the interpreter; a panic becomes an exception.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, PyErr> + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_panic(panic.as_ref()))))
}

/// Where the last panic was.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Panics become exceptions, which say where they were; nothing is printed besides.
pub fn keep_panics_quiet() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }));
}

/// What to raise after a panic.
pub fn of_panic(panic: &(dyn Any + Send)) -> PyErr {
    let text =
        panic.downcast_ref::<&str>().map(ToString::to_string).or_else(|| panic.downcast_ref::<String>().cloned());
    let what = text.unwrap_or_else(|| "without a word".into());
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_else(|| "somewhere".into());
    PyRuntimeError::new_err(format!(
        "sbmds has failed inside ({place}): {what}. Remedy: this is a bug, please report it"
    ))
}

/// What to raise for an error of a run.
pub fn of_run(error: RunError) -> PyErr {
    let message = error.to_string();
    match (error.kind(), error) {
        (_, RunError::Input(error)) => of_input(error),
        (_, RunError::NoObject(_)) => PyKeyError::new_err(message),
        (_, RunError::Io { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => {
            PyFileNotFoundError::new_err(message)
        }
        (ErrorKind::NotFound, _) => PyFileNotFoundError::new_err(message),
        (ErrorKind::Exists, _) => PyFileExistsError::new_err(message),
        (ErrorKind::TooLarge, _) => PyMemoryError::new_err(message),
        (ErrorKind::Unfinished, _) => PyRuntimeError::new_err(message),
        (ErrorKind::Busy | ErrorKind::Damaged | ErrorKind::Io, _) => PyOSError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// What to raise for an input that cannot be used.
pub fn of_input(error: InputError) -> PyErr {
    let is_missing = !std::path::Path::new(error.file()).exists() && error.to_string().contains("no such file");
    let message = error.to_string();
    if is_missing { PyFileNotFoundError::new_err(message) } else { PyValueError::new_err(message) }
}

/// What to raise when clusters cannot be found.
pub fn of_clusters(error: ClusterError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// What to raise for anything else that cannot be used.
pub fn of_value(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
