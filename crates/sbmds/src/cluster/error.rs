//! Why draws cannot be clustered, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use super::hdbscan::HdbscanError;
use crate::draws::StoreError;
use crate::files::SetError;

/// An error of clustering a run; every message says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The draws cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// HDBSCAN cannot work with the settings or the locations.
    #[error(transparent)]
    Hdbscan(#[from] HdbscanError),
    /// A column of true labels that is not there.
    #[error("there is no column {column:?} in the table of labels; it has {known}")]
    NoColumn {
        /// The column asked for.
        column: String,
        /// Those that are there.
        known: String,
    },
    /// A column without any label of an object.
    #[error("column {0:?} of the table of labels is empty for all objects; choose another with `truth`")]
    EmptyColumn(String),
    /// An object the run does not know.
    #[error("the run has no object {0:?}; write the name as in the first column of embedding.csv")]
    NoObject(String),
    /// Nothing was clustered yet.
    #[error("{0} does not exist; cluster the run first: sbmds cluster RUN --min-points M")]
    NotClustered(PathBuf),
    /// A file that cannot be understood.
    #[error("{path} is damaged ({what}); cluster the run again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Files that belong together.
    #[error(transparent)]
    Set(#[from] SetError),
    /// The system refused to read or write.
    #[error("cannot {action} {path}: {cause}; check the disk or choose another directory with `out`")]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
}

impl ClusterError {
    /// Adds what was tried, and where, to an error of the system.
    pub(super) fn io<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |cause| Self::Io { action, path: path.to_owned(), cause }
    }

    pub(super) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.into() }
    }
}
