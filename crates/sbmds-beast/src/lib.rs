//! The native library of BEAST's multidimensional scaling likelihood, with sbmds inside.
//!
//! BEAST's class `NativeMDSSingleton` calls the functions in [`calls`]. They find the [`Instance`] they are for, which
//! keeps the map as the chain moves it, and turn every error into a Java exception. `docs/beast.md` says how to use it.

pub mod calls;
mod error;
mod instance;
mod instances;
mod observations;
mod state;

pub use error::CallError;
pub use instance::{Instance, Shape, Threads};
