//! Who watches a fit, who may stop it, and what it may use.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::engine::Engine;
use super::observer::Observer;
use crate::error::RunError;

/// Who watches a run, who may stop it, and how many threads it may use.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// Watches.
    pub observer: &'a dyn Observer,
    /// When set, every chain gives its iteration up or finishes it, saves and ends.
    pub stop: &'a AtomicBool,
    /// Threads to use.
    pub n_threads: usize,
    /// Time between checkpoints: what a kill can cost.
    pub checkpoint_interval: Duration,
    /// When to end with the draws that are there.
    pub deadline: Option<Instant>,
    /// Whether to start although memory or disk seem too small.
    pub force: bool,
    /// Computes the likelihood, if this process does not.
    pub engine: Option<&'a dyn Engine>,
}

impl Control<'_> {
    /// Whether somebody wants the fit to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn time_is_up(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether somebody stopped the fit, or its time is up.
    pub(crate) fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.time_is_up()
    }
}

/// Runs `work` where all data parallelism keeps to this many threads.
pub(crate) fn with_threads<T: Send>(
    n_threads: usize,
    work: impl FnOnce() -> Result<T, RunError> + Send,
) -> Result<T, RunError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build();
    pool.map_err(|error| RunError::Threads(error.to_string()))?.install(work)
}
