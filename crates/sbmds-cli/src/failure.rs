//! How a command ends when it cannot do its work: a message on stderr and an exit code.

use std::fmt;

use crate::say::say;

/// Why a command stopped.
#[derive(Debug)]
pub struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// Bad input or usage: exit code 2.
    pub fn bad_input(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), code: 2 }
    }

    /// Finished, but the verdict is bad: exit code 1.
    pub fn not_converged(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), code: 1 }
    }

    /// Stopped by the user, state saved: exit code 130, as shells report Ctrl-C.
    pub fn interrupted(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), code: 130 }
    }

    /// Whether the work was done and only its verdict is bad.
    pub fn is_bad_verdict(&self) -> bool {
        self.code == 1
    }

    /// Why, in words.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Says why on stderr; gives the exit code.
    pub fn report(self) -> u8 {
        let kind = if self.code == 2 { "error: " } else { "" };
        say(format_args!("{kind}{}", self.message));
        self.code
    }
}

impl From<sbmds::dissimilarity::InputError> for Failure {
    fn from(error: sbmds::dissimilarity::InputError) -> Self {
        Self::bad_input(error)
    }
}

/// Also a disk that is full or cannot be written: exit code 2, with the draws made so far readable.
impl From<sbmds::run::RunError> for Failure {
    fn from(error: sbmds::run::RunError) -> Self {
        Self::bad_input(error)
    }
}

impl From<sbmds::files::SetError> for Failure {
    fn from(error: sbmds::files::SetError) -> Self {
        Self::bad_input(error)
    }
}

impl From<sbmds::draws::StoreError> for Failure {
    fn from(error: sbmds::draws::StoreError) -> Self {
        Self::bad_input(error)
    }
}

impl From<sbmds_paper::bench::BenchError> for Failure {
    fn from(error: sbmds_paper::bench::BenchError) -> Self {
        Self::bad_input(error)
    }
}
