//! Why an experiment cannot be run, and what to do about it.

use std::path::{Path, PathBuf};

use sbmds::cluster::ClusterError;
use sbmds::run::RunError;

/// An error of an experiment; every message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// The directory holds cells that were made otherwise.
    #[error(
        "{path} holds cells of other settings ({found}, now {wanted}). Remedy: choose another directory with --out, or \
         delete the file to start anew"
    )]
    OtherSettings {
        /// The file of cells.
        path: PathBuf,
        /// How they were made.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// The file of cells is none.
    #[error(
        "{path}, line {line}: {what}. Remedy: delete the file to start anew, or choose another directory with --out"
    )]
    Damaged {
        /// The file of cells.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// Nothing is left to run.
    #[error("no cell is left. Remedy: give a larger --max-objects or --repeats, or files with more objects")]
    NoCells,
    /// A cell was stopped before its end.
    #[error("interrupted; the same command goes on where it stopped")]
    Interrupted,
    /// Draws cannot be clustered.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// The system refused to read or write, or the user's data cannot be used.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl ReproduceError {
    /// Adds what was tried, and where, to an error of the system.
    pub(super) fn io<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(std::io::Error) -> Self + 'a {
        move |cause| Self::Run(RunError::Io { action, path: path.to_owned(), cause })
    }
}
