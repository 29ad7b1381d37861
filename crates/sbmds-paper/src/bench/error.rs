//! Why a bench cannot be run.

use std::fmt;

/// A setting that cannot be measured, or what the system refused; the message says what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BenchError(String);

impl BenchError {
    pub(super) fn new(problem: impl fmt::Display) -> Self {
        Self(problem.to_string())
    }
}

impl From<sbmds::dissimilarity::InputError> for BenchError {
    fn from(error: sbmds::dissimilarity::InputError) -> Self {
        Self::new(error)
    }
}
