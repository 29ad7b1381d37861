//! What `sbmds fit` is asked to do, apart from how it shows its work.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::{CommandFactory, FromArgMatches};
use sbmds::dissimilarity::Input;
use sbmds::fit::Engine;
use sbmds::run::{self, Changes, Control, FinishedRun, FitConfig, Observer, Outcome, RunError};

use crate::{Cli, Command, report};

/// A fit as its flags ask for it.
pub struct FitPlan {
    /// The directory of the run.
    pub directory: PathBuf,
    /// A new run, or one that goes on.
    pub task: FitTask,
    /// Threads to use.
    pub n_threads: usize,
    /// Time between checkpoints.
    pub checkpoint_interval: Duration,
    /// When to end with the draws that are there.
    pub deadline: Option<Instant>,
    /// Whether to start although memory or disk seem too small.
    pub force: bool,
    /// Whether the run gets its report and its map.
    pub report: bool,
}

/// A new run, or one that goes on.
pub enum FitTask {
    /// A new run.
    Start {
        /// Its settings.
        config: Box<FitConfig>,
        /// Whether it may replace the run that is there.
        overwrite: bool,
    },
    /// A run that goes on.
    Resume(Changes),
}

impl FitPlan {
    /// Reads the words of a command line, `sbmds fit ...`.
    ///
    /// # Errors
    /// If they cannot be understood or ask for what cannot be; in words, as the program would say it.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        let matches = Cli::command().try_get_matches_from(words).map_err(|error| error.to_string())?;
        let cli = Cli::from_arg_matches(&matches).map_err(|error| error.to_string())?;
        let Command::Fit(fit) = cli.command else { return Err("this is no command of a fit".into()) };
        fit.plan(matches.subcommand_matches("fit"), None).map_err(|failure| failure.message().into())
    }

    /// Fits; an input in memory takes the place of the file that the settings name. An engine, if there is one, computes likelihoods.
    ///
    /// # Errors
    /// If settings or input cannot be used, or the disk refuses.
    pub fn carry_out(
        self,
        input: Option<Input>,
        observer: &dyn Observer,
        stop: &AtomicBool,
        engine: Option<&dyn Engine>,
    ) -> Result<Outcome, RunError> {
        let Self { n_threads, checkpoint_interval, deadline, force, directory, task, .. } = self;
        let control = Control { observer, stop, n_threads, checkpoint_interval, deadline, force, engine };
        match (task, input) {
            (FitTask::Resume(changes), _) => run::resume(&directory, &changes, &control),
            (FitTask::Start { config, overwrite }, Some(input)) => {
                run::fit_input(*config, input, &directory, overwrite, &control)
            }
            (FitTask::Start { config, overwrite: false }, None) => run::fit(*config, &directory, &control),
            (FitTask::Start { config, overwrite: true }, None) => run::fit_anew(*config, &directory, &control),
        }
    }

    /// Writes the report and the map of a finished run into its directory, as `sbmds fit` does at its end.
    ///
    /// # Errors
    /// If the draws cannot be read or the files not written.
    pub fn write_report(run: &FinishedRun, n_threads: usize) -> Result<(), String> {
        report::write_into(run, n_threads).map_err(|failure| failure.message().into())
    }

    /// Whether the directory of a run has its report and its map.
    pub fn has_report(directory: &Path) -> bool {
        report::is_there(directory)
    }
}
