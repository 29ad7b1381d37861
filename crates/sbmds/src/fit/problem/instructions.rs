//! The instruction set is part of a run: another one gives other draws, so that nobody goes on with one unasked.

use crate::error::RunError;
use crate::fit::observer::Observer;
use crate::likelihood::InstructionSet;
use crate::settings::check::CheckedConfig;
use crate::settings::config::FitConfig;

/// Refuses to go on with another instruction set, unless that is wanted.
pub(crate) fn go_on(
    config: CheckedConfig,
    is_wanted: bool,
    observer: &dyn Observer,
) -> Result<CheckedConfig, RunError> {
    let now = InstructionSet::best();
    match config.instructions.last() {
        None => {
            observer
                .warn(&format!("the run does not say with which instruction set it was made; it goes on with {now}"));
            Ok(config)
        }
        Some(&last) if last != now && !is_wanted => Err(RunError::OtherInstructions { last, now }),
        Some(_) => Ok(config),
    }
}

/// What a reader of the results should know of a run whose draws were made with several instruction sets.
pub(crate) fn warning(config: &FitConfig) -> Option<String> {
    if config.instructions.len() < 2 {
        return None;
    }
    let sets: Vec<String> = config.instructions.iter().map(ToString::to_string).collect();
    Some(format!(
        "the draws were made with the instruction sets {}, one after another: they are as good as others, but no run with one \
         set repeats them bit for bit",
        sets.join(", ")
    ))
}
