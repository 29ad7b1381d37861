//! Why a run cannot start or go on, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use crate::brownian::BrownianError;
use crate::diagnostics::ChainsError;
use crate::dissimilarity::InputError;
use crate::draws::StoreError;
use crate::draws::checkpoint::CheckpointError;
use crate::files::SetError;
use crate::files::remedy;
use crate::likelihood::InstructionSet;
use crate::tree::TreeError;

/// What kind of thing went wrong: what a program can decide by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A setting that cannot be used.
    Setting,
    /// Data, a tree or a file of settings that cannot be used.
    Input,
    /// More than memory, disk or threads allow.
    TooLarge,
    /// There is no such run, object, variable or draw.
    NotFound,
    /// Something is where the run should go.
    Exists,
    /// Another process works on the run.
    Busy,
    /// The run has not ended, or made no draw yet.
    Unfinished,
    /// A file is not what it was when the run was started, or the machine is another one.
    Changed,
    /// A file of the run cannot be understood.
    Damaged,
    /// The system refused to read or write.
    Io,
}

/// An error of a fit or a run; every message says what to do. Settings are named in backquotes, as Python and R have them; the
/// program `sbmds` makes flags of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A setting that cannot be used.
    #[error("{setting}: {problem}. Remedy: {remedy}")]
    Setting {
        /// The setting, in backquotes, or what else cannot be used.
        setting: &'static str,
        /// What is wrong with its value.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// The input cannot be used.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The tree cannot be used.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// There is no diffusion along the tree.
    #[error(transparent)]
    Brownian(#[from] BrownianError),
    /// The coupled pairs cannot make one map.
    #[error("{0}")]
    Disconnected(String),
    /// All objects are one.
    #[error(
        "{0}: all dissimilarities in use are 0, so that there is nothing to map. Remedy: check what the file holds and how it is \
         read (`format`, `metric`)"
    )]
    AllZero(PathBuf),
    /// Memory or disk cannot hold what is asked for.
    #[error("{problem}. Remedy: {remedy}")]
    TooLarge {
        /// What is too large for what.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// The run was made with another instruction set than this process has.
    #[error(
        "the run was made with the instruction set {last}, and this process uses {now}: its next draws would not be those of \
         an uninterrupted run, bit for bit. Remedy: {}, or add `other_instructions` to go on with {now}",
        instructions_remedy(*last)
    )]
    OtherInstructions {
        /// The instruction set of the draws there are.
        last: InstructionSet,
        /// The one that would make the next.
        now: InstructionSet,
    },
    /// Somebody who was to compute a part of the likelihood cannot.
    #[error("{problem}. Remedy: {remedy}")]
    Engine {
        /// Who, and why.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// Runs that are no chains of one fit.
    #[error("{problem}. Remedy: {remedy}")]
    Apart {
        /// Why they do not belong together.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// The directory is taken.
    #[error(
        "{0} holds a run already. Remedy: add `resume` to go on with it, add `overwrite` to replace it, or choose another directory \
         with `out`"
    )]
    Exists(PathBuf),
    /// The directory of a run holds more than the run.
    #[error(
        "{path} holds what is no part of its run ({}). Remedy: move it away, or choose another directory with `out`",
        what.join(", ")
    )]
    Foreign {
        /// The directory.
        path: PathBuf,
        /// What else is in it.
        what: Vec<String>,
    },
    /// A file of settings cannot be used.
    #[error("{path}: {what}. Remedy: give the config.toml of a run, or correct the line")]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The directory is taken by something else.
    #[error("{0} is not empty and holds no run; choose another directory with `out`")]
    Occupied(PathBuf),
    /// Nothing to resume or to look at.
    #[error("{0} holds no run (there is no config.toml); give the directory of a fit")]
    NoRun(PathBuf),
    /// The run is there but has not ended.
    #[error("{0} is not finished; continue it with `sbmds fit --resume --out {0}`")]
    Unfinished(PathBuf),
    /// Another process works on the run.
    #[error("{0} is being worked on by another process; wait for it to end")]
    Locked(PathBuf),
    /// A file that the run depends on is not what it was.
    #[error(
        "{0} has changed since the run was started; restore it, or start anew: in another directory with `out`, or in this one with \
         `overwrite`"
    )]
    Changed(PathBuf),
    /// A file of the run cannot be understood.
    #[error("{path} cannot be used: {what}; restore it or start the run anew in another directory with `out`")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A result is not the one that was written with the summary.
    #[error(
        "{} is not the one of which summary.json holds the checksum. Remedy: restore it, or remove summary.json and let `sbmds \
         fit --resume --out {}` make the results again from the draws",
        path.display(),
        run.display()
    )]
    ChangedResult {
        /// The file.
        path: PathBuf,
        /// The directory of the run.
        run: PathBuf,
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
    /// The store of draws.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Files that belong together.
    #[error(transparent)]
    Set(#[from] SetError),
    /// A checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The draws cannot be judged.
    #[error(transparent)]
    Chains(#[from] ChainsError),
    /// An object that is not there.
    #[error("there is no object called {0:?}. Remedy: give a name as it stands in the input")]
    NoObject(String),
    /// A fit that was stopped too early.
    #[error("the fit ended before every chain had made a draw: there is nothing to show. Remedy: give it more time")]
    NoDraws,
    /// Threads cannot be started.
    #[error("cannot start the threads: {0}; give fewer with `threads`")]
    Threads(String),
}

fn of_store(error: &StoreError) -> ErrorKind {
    match error {
        StoreError::Io { .. } => ErrorKind::Io,
        StoreError::Exists { .. } => ErrorKind::Exists,
        StoreError::Missing { .. } | StoreError::NoVariable { .. } | StoreError::NoDraw { .. } => ErrorKind::NotFound,
        StoreError::NoLocations { .. } => ErrorKind::NotFound,
        StoreError::NoDraws { .. } => ErrorKind::Unfinished,
        StoreError::WrongCheckpoint { .. } => ErrorKind::Changed,
        StoreError::Set(error) => of_set(error),
        StoreError::Plan(_) | StoreError::DrawShape { .. } | StoreError::Full { .. } => ErrorKind::Setting,
        StoreError::Damaged { .. } => ErrorKind::Damaged,
    }
}

fn of_set(error: &SetError) -> ErrorKind {
    match error {
        SetError::Changed { .. } => ErrorKind::Changed,
        SetError::Io { .. } => ErrorKind::Io,
    }
}

fn of_checkpoint(error: &CheckpointError) -> ErrorKind {
    match error {
        CheckpointError::Missing(_) => ErrorKind::NotFound,
        CheckpointError::Io { .. } => ErrorKind::Io,
        CheckpointError::WrongVersion { .. } | CheckpointError::WrongRun(_) => ErrorKind::Changed,
        _ => ErrorKind::Damaged,
    }
}

fn instructions_remedy(last: InstructionSet) -> String {
    match last.is_available() {
        true => format!("this machine has {last}: set the environment variable SBMDS_SIMD={last}"),
        false => format!("go on on a machine that has {last}"),
    }
}

impl RunError {
    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Setting { .. } | Self::Apart { .. } | Self::Engine { .. } => ErrorKind::Setting,
            Self::Input(_) | Self::Tree(_) | Self::Brownian(_) | Self::Disconnected(_) => ErrorKind::Input,
            Self::AllZero(_) | Self::Config { .. } => ErrorKind::Input,
            Self::TooLarge { .. } | Self::Threads(_) => ErrorKind::TooLarge,
            Self::NoRun(_) | Self::NoObject(_) => ErrorKind::NotFound,
            Self::Exists(_) | Self::Occupied(_) | Self::Foreign { .. } => ErrorKind::Exists,
            Self::Locked(_) => ErrorKind::Busy,
            Self::Unfinished(_) | Self::NoDraws | Self::Chains(_) => ErrorKind::Unfinished,
            Self::Changed(_) | Self::ChangedResult { .. } | Self::OtherInstructions { .. } => ErrorKind::Changed,
            Self::Damaged { .. } => ErrorKind::Damaged,
            Self::Io { .. } => ErrorKind::Io,
            Self::Store(error) => of_store(error),
            Self::Set(error) => of_set(error),
            Self::Checkpoint(error) => of_checkpoint(error),
        }
    }

    /// A setting that cannot be used.
    pub(crate) fn setting(setting: &'static str, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Setting { setting, problem: problem.into(), remedy: remedy.into() }
    }

    /// Adds what was tried, and where, to an error of the system.
    pub(crate) fn io<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |cause| Self::Io { action, path: path.to_owned(), cause }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_can_tell_errors_apart_without_reading_them() {
        let missing = StoreError::Missing { path: "run".into() };
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let cases = [
            (RunError::setting("`dims`", "0 is too few", "give 1 or more"), ErrorKind::Setting),
            (RunError::io("write", Path::new("run"))(full()), ErrorKind::Io),
            (missing.into(), ErrorKind::NotFound),
            (CheckpointError::WrongRun("run".into()).into(), ErrorKind::Changed),
            (RunError::Locked("run".into()), ErrorKind::Busy),
        ];
        for (error, kind) in cases {
            assert_eq!(error.kind(), kind, "{error}");
        }
    }

    #[test]
    fn settings_are_named_as_programs_have_them() {
        let error = RunError::setting("`prior_scale`", "-1 cannot be used", "give a positive number");
        assert_eq!(error.to_string(), "`prior_scale`: -1 cannot be used. Remedy: give a positive number");
    }
}
