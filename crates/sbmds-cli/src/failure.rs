//! How a command ends when it cannot do its work: a message on stderr and an exit code.

use std::fmt;
use std::process::ExitCode;

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

    /// Says why on stderr.
    pub fn report(self) -> ExitCode {
        let kind = if self.code == 2 { "error: " } else { "" };
        eprintln!("{kind}{}", self.message);
        ExitCode::from(self.code)
    }
}

impl From<sbmds::dissimilarity::InputError> for Failure {
    fn from(error: sbmds::dissimilarity::InputError) -> Self {
        Self::bad_input(error)
    }
}
