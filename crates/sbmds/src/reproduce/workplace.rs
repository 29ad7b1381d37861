//! Where experiments on files of the user's carry out whole fits.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::ReproduceError;
use crate::run::{Control, FinishedRun, FitConfig, Outcome, Silent, fit};

/// Where and with what fits are carried out.
#[derive(Clone, Debug)]
pub struct Workplace {
    /// The directory of the experiment; runs are made below it and removed when their numbers are read.
    pub directory: PathBuf,
    /// Threads of a fit.
    pub n_threads: usize,
    /// When set, a fit ends.
    pub stop: Arc<AtomicBool>,
}

/// A run that is thrown away needs no checkpoints.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(24 * 3600);

impl Workplace {
    /// Fits, reads what is wanted of the finished run, and removes it.
    pub(super) fn fit<T>(
        &self,
        config: FitConfig,
        read: impl FnOnce(&FinishedRun) -> Result<T, ReproduceError>,
    ) -> Result<T, ReproduceError> {
        let run = self.directory.join("run-in-work");
        // A killed process may have left one.
        remove(&run)?;
        let control = Control {
            observer: &Silent,
            stop: &self.stop,
            n_threads: self.n_threads,
            checkpoint_interval: CHECKPOINT_INTERVAL,
        };
        let outcome = fit(config, &run, &control);
        let found = match outcome {
            Ok(Outcome::Interrupted) => Err(ReproduceError::Interrupted),
            Ok(_) => FinishedRun::open(&run).map_err(ReproduceError::from).and_then(|run| read(&run)),
            Err(error) => Err(error.into()),
        };
        remove(&run)?;
        found
    }
}

/// Removes a directory, if it is there.
fn remove(directory: &Path) -> Result<(), ReproduceError> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(ReproduceError::io("remove", directory)(error)),
        _ => Ok(()),
    }
}
