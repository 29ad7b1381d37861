//! What a reader of the report should know before trusting it, in sentences without paths of the machine.

use crate::run::{FinishedRun, RunError};

/// Why there is no Shepard plot. The error itself would name a path.
pub(super) fn of_input(run: &FinishedRun, error: &RunError) -> String {
    let file = run.config().input.path.file_name().unwrap_or_default().to_string_lossy();
    let reason = match error {
        RunError::Changed(_) => "has changed since the run",
        RunError::Io { .. } | RunError::Input(_) => "or a file it depends on cannot be read any more",
        _ => "cannot be used any more",
    };
    format!("The input {file} {reason}: there is no Shepard plot, and residuals of the objects are not known.")
}
