//! What can go wrong with the store of draws, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use crate::files::{SetError, remedy};

/// An error of the store of draws; every message names the path and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
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
    /// A new run would overwrite the draws of an old one.
    #[error("{path} already holds draws; continue that run with `resume` or choose another directory with `out`")]
    Exists {
        /// The store that is in the way.
        path: PathBuf,
    },
    /// There is no store at this path.
    #[error("{path} does not exist; is this the directory of a run?")]
    Missing {
        /// The store that was looked for.
        path: PathBuf,
    },
    /// The store is there but cannot be understood.
    #[error("{path} is damaged ({what}); restore it from a copy or run the fit again")]
    Damaged {
        /// The file or array.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The planned variables cannot make a store.
    #[error("the draws cannot be stored: {0}")]
    Plan(String),
    /// A draw does not have the shape that was planned.
    #[error("a draw has {found} {what}, planned were {planned}")]
    DrawShape {
        /// Which part of the draw.
        what: &'static str,
        /// What the draw has.
        found: usize,
        /// What the store was created for.
        planned: usize,
    },
    /// More draws than planned.
    #[error("chain {chain} already has all {n_draws} planned draws; extend the store first")]
    Full {
        /// The chain, from 0.
        chain: usize,
        /// The planned number of draws.
        n_draws: usize,
    },
    /// The checkpoint does not belong to this store.
    #[error("the checkpoint does not fit {path}: {what}; start the fit anew in another directory with `out`")]
    WrongCheckpoint {
        /// The store.
        path: PathBuf,
        /// What does not fit.
        what: String,
    },
    /// A variable that is not in the store.
    #[error("{path} has no variable {name:?}; it has {known}")]
    NoVariable {
        /// The store.
        path: PathBuf,
        /// The name asked for.
        name: String,
        /// The names that are there.
        known: String,
    },
    /// A chain or draw that is not (yet) in the store.
    #[error("chain {chain}, draw {draw} is not in {path}: it has {n_chains} chains, this one with {n_draws} draws")]
    NoDraw {
        /// The store.
        path: PathBuf,
        /// The chain asked for, from 0.
        chain: usize,
        /// The draw asked for, from 0.
        draw: usize,
        /// How many chains there are.
        n_chains: usize,
        /// How many draws of that chain there are.
        n_draws: usize,
    },
    /// The run kept no locations.
    #[error("{path} holds no locations: the run was made with `keep` summary; fit again with `keep` all")]
    NoLocations {
        /// The store.
        path: PathBuf,
    },
    /// Files that belong together.
    #[error(transparent)]
    Set(#[from] SetError),
    /// Nothing to export yet.
    #[error("{path} holds no draw of every chain yet; continue the run with `resume`")]
    NoDraws {
        /// The store.
        path: PathBuf,
    },
}

impl StoreError {
    /// Adds what was tried, and where, to an error of the system.
    pub(super) fn io<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |cause| Self::Io { action, path: path.to_owned(), cause }
    }

    /// A damaged file, with the decoder's reason.
    pub(super) fn damaged<E: std::fmt::Display>(path: &Path) -> impl FnOnce(E) -> Self + '_ {
        move |what| Self::Damaged { path: path.to_owned(), what: what.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_gets_advice_that_every_command_can_follow() {
        let full = StoreError::io("write", Path::new("out/draws.npy"))(io::ErrorKind::StorageFull.into());
        let message = full.to_string();
        assert!(message.starts_with("cannot write out/draws.npy") && message.contains("free some space"), "{message}");
        assert!(!message.contains("`resume`"), "only a fit can be resumed: {message}");
    }
}
