//! Who adds up the pairs of a likelihood when this process does not do it alone.

use std::sync::Arc;

use super::observer::Observer;
use crate::error::RunError;
use crate::likelihood::{Likelihood, LogLikelihood, Share};
use crate::settings::FitConfig;

/// Computes likelihoods elsewhere, or in part elsewhere: on the ranks of an MPI job, for instance. The chains run here, one at a
/// time.
pub trait Engine: Sync {
    /// The likelihood of a fit.
    ///
    /// # Errors
    /// If somebody cannot take part in it.
    fn likelihood(&self, job: Job<'_>) -> Result<Arc<dyn LogLikelihood>, RunError>;

    /// Threads of each process if the user does not say; `None`: all cores.
    fn n_threads(&self) -> Option<usize> {
        None
    }
}

/// The likelihood that an engine is to compute.
pub struct Job<'a> {
    /// The settings of the fit: with the files they name, everything that others need to build their share.
    pub config: &'a FitConfig,
    /// Threads of each process.
    pub n_threads: usize,
    /// Watches.
    pub observer: &'a dyn Observer,
    /// All pairs, of which none is held ([`Likelihood::asked`]).
    pub partners: Likelihood,
    /// Builds a share of the pairs here.
    pub build: &'a dyn Fn(Share) -> Likelihood,
}
