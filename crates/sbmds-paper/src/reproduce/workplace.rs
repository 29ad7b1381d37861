//! Where experiments on files of the user's carry out whole fits.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use sbmds::run::{Control, FinishedRun, FitConfig, Outcome, RunError, Silent, fit};

use super::ReproduceError;

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
    /// Fits, reads what is wanted of the finished run on as many threads, and removes it.
    pub(super) fn fit<T: Send>(
        &self,
        config: FitConfig,
        read: impl FnOnce(&FinishedRun) -> Result<T, ReproduceError> + Send,
    ) -> Result<T, ReproduceError> {
        let run = self.directory.join("run-in-work");
        // A killed process may have left one.
        remove(&run)?;
        let control = Control {
            observer: &Silent,
            stop: &self.stop,
            n_threads: self.n_threads,
            checkpoint_interval: CHECKPOINT_INTERVAL,
            deadline: None,
            force: false,
            engine: None,
        };
        let outcome = fit(config, &run, &control);
        let found = match outcome {
            Ok(Outcome::Interrupted) => Err(ReproduceError::Interrupted),
            Ok(_) => self.with_threads(|| read(&FinishedRun::open(&run)?)),
            Err(error) => Err(error.into()),
        };
        remove(&run)?;
        found
    }

    /// Does the work where rayon has no more threads than the user gives.
    fn with_threads<T: Send>(
        &self,
        work: impl FnOnce() -> Result<T, ReproduceError> + Send,
    ) -> Result<T, ReproduceError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.n_threads).build();
        pool.map_err(|error| RunError::Threads(error.to_string()))?.install(work)
    }
}

/// Removes a directory, if it is there.
fn remove(directory: &Path) -> Result<(), ReproduceError> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(ReproduceError::io("remove", directory)(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::on_files::config;
    use crate::reproduce::{Cell, Method};
    use sbmds::run::{InputConfig, RunConfig};
    use sbmds::sampler::SamplerSettings;

    #[test]
    fn what_follows_a_fit_keeps_to_the_threads_and_a_stopped_fit_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("matrix.csv");
        fs::write(&path, ",a,b,c,d\na,0,1,2,1\nb,1,0,1,2\nc,2,1,0,1\nd,1,2,1,0\n").unwrap();
        let workplace = Workplace { directory: directory.path().join("out"), n_threads: 3, stop: Arc::default() };
        let config = FitConfig {
            sampler: SamplerSettings { n_warmup: 20, ..SamplerSettings::default() },
            run: RunConfig { chains: 1, draws: 10, ..RunConfig::default() },
            ..config(&Cell::new(4, 0.0, Method::Full, 0), InputConfig { path, ..InputConfig::default() })
        };
        let n_threads = workplace.fit(config.clone(), |_| Ok(rayon::current_num_threads()));
        assert_eq!(n_threads.unwrap(), 3);
        workplace.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let stopped = workplace.fit(config, |_| Ok(()));
        assert!(matches!(stopped, Err(ReproduceError::Interrupted)), "{stopped:?}");
        assert!(!workplace.directory.join("run-in-work").exists());
    }
}
