//! What a reader of the report should know before trusting it, in sentences without paths of the machine.

use crate::run::{FinishedRun, RunError, digits};

/// Below this the sampler explores energies badly (Betancourt 2016).
const LOW_BFMI: f64 = 0.3;

/// What the sampler itself noticed.
pub(super) fn of_sampler(run: &FinishedRun) -> Vec<String> {
    let summary = run.summary();
    let mut warnings = Vec::new();
    if summary.divergences > 0 {
        warnings.push(format!(
            "{} iterations diverged: the sampler may have missed narrow parts of the posterior. A higher \
             --target-acceptance takes smaller steps.",
            summary.divergences
        ));
    }
    let low = |(chain, bfmi): (usize, &Option<f64>)| bfmi.filter(|&bfmi| bfmi < LOW_BFMI).map(|bfmi| (chain, bfmi));
    warnings.extend(summary.bfmi.iter().enumerate().filter_map(low).map(|(chain, bfmi)| {
        format!("Chain {chain} explores energies badly (BFMI {}, should be above {LOW_BFMI}).", digits(bfmi))
    }));
    warnings
}

/// Why there is no Shepard plot. The error itself would name a path.
pub(super) fn of_input(run: &FinishedRun, error: &RunError) -> String {
    let file = run.config().input.path.file_name().unwrap_or_default().to_string_lossy();
    let reason = match error {
        RunError::Changed(_) => "has changed since the run",
        RunError::Io { .. } => "or a file it depends on cannot be read any more",
        _ => "cannot be used any more",
    };
    format!("The input {file} {reason}: there is no Shepard plot, and residuals of the objects are not known.")
}
