//! The extension module of the Python package: fits, what they found, and a few tools, on arrays of NumPy.
//!
//! Everything that Python can do is done in Python (`python/sbmds`): inputs are converted there, results are shown there.

#![cfg(feature = "module")]

mod clusters;
mod data;
mod error;
mod fit;
mod fitted;
mod memory;
mod tools;
mod watch;

use pyo3::prelude::*;

/// The native part of sbmds.
#[pymodule(gil_used = true)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    error::keep_panics_quiet();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<data::Data>()?;
    module.add_class::<fitted::Fitted>()?;
    module.add_function(wrap_pyfunction!(fit::fit, module)?)?;
    module.add_function(wrap_pyfunction!(fit::names_of, module)?)?;
    module.add_function(wrap_pyfunction!(fitted::open, module)?)?;
    module.add_function(wrap_pyfunction!(fitted::from_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(clusters::cluster_draws, module)?)?;
    module.add_function(wrap_pyfunction!(tools::hdbscan, module)?)?;
    module.add_function(wrap_pyfunction!(tools::simulate, module)?)?;
    module.add_function(wrap_pyfunction!(tools::log_likelihood, module)?)?;
    module.add_function(wrap_pyfunction!(tools::compare, module)?)?;
    module.add_function(wrap_pyfunction!(tools::diagnose, module)?)?;
    module.add_function(wrap_pyfunction!(tools::run_command, module)?)?;
    Ok(())
}
