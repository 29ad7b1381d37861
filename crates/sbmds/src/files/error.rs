//! What can go wrong with a set of files.

use std::io;
use std::path::{Path, PathBuf};

/// An error of a set of files; every message says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetError {
    /// A file is not the one that was written.
    #[error("{path} is not as it was written ({what}). Remedy: make the files of this directory again")]
    Changed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The system refused to read or write.
    #[error("cannot {action} {path}: {cause}; {}", remedy(cause))]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
}

impl SetError {
    /// Adds what was tried, and where, to an error of the system.
    pub(super) fn io<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |cause| Self::Io { action, path: path.to_owned(), cause }
    }

    pub(super) fn changed(path: &Path, what: impl Into<String>) -> Self {
        Self::Changed { path: path.to_owned(), what: what.into() }
    }
}

/// What a person can do about a refusal of the system.
pub(crate) fn remedy(cause: &io::Error) -> &'static str {
    use io::ErrorKind::*;
    match cause.kind() {
        StorageFull | QuotaExceeded => "free some space, then try again (what was written before stays readable)",
        PermissionDenied | ReadOnlyFilesystem => "choose a directory you may write to with `out`",
        NotADirectory => "a part of this path is a file: choose another directory with `out`",
        NotFound => "check that the directory is there",
        _ => "check the disk, then try again",
    }
}
