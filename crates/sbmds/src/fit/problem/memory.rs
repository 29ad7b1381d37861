//! Whether memory can hold a fit, asked before the work begins.

use crate::coupling::{Coupling, PairShape, Pairs};
use crate::error::RunError;
use crate::likelihood::Storage;
use crate::machine::available_memory;
use crate::sampler::ArithmeticChoice;
use crate::settings::check::CheckedConfig;

/// Refuses coupled pairs that the memory of this machine, or what is left of a limit, cannot hold.
///
/// # Errors
/// What is needed and what there is, with a remedy.
pub fn check_memory(pairs: &Pairs, storage: Storage) -> Result<(), RunError> {
    check_bytes(pairs, bytes_per_pair(pairs, storage))
}

fn check_bytes(pairs: &Pairs, bytes_per_pair: u64) -> Result<(), RunError> {
    let Some(available) = available_memory() else { return Ok(()) };
    let n_pairs = pairs.count() as u64;
    let needed = n_pairs.saturating_mul(bytes_per_pair);
    if needed <= available {
        return Ok(());
    }
    let problem = format!(
        "{n_pairs} coupled pairs take about {} of memory, and {} are left",
        in_words(needed),
        in_words(available)
    );
    let remedy = "couple fewer pairs (`couplings` dispersed:B), keep them in half the memory (`storage` f32), use a machine \
                  with more, or `force` to try";
    Err(RunError::TooLarge { problem, remedy: remedy.into() })
}

/// The same for a fit, unless the user wants to try.
pub(crate) fn check_fit_memory(config: &CheckedConfig, coupling: &Coupling, force: bool) -> Result<(), RunError> {
    if force {
        return Ok(());
    }
    let (pairs, storage) = (&coupling.pairs, config.model.storage);
    let of_single = match config.sampler.arithmetic {
        ArithmeticChoice::F64 => 0,
        ArithmeticChoice::Auto | ArithmeticChoice::F32 => bytes_for_single(pairs, storage),
    };
    check_bytes(pairs, bytes_per_pair(pairs, storage) + of_single)
}

/// What single-precision kernels keep beside: rounded dissimilarities, and a graph's pairs from both ends.
fn bytes_for_single(pairs: &Pairs, storage: Storage) -> u64 {
    match (pairs.shape(), storage) {
        (PairShape::Graph(_), _) => 16,
        (_, Storage::F64) => 4,
        (_, Storage::F32) => 0,
    }
}

/// A dissimilarity, and in a list of pairs the number of the partner and the pair itself.
fn bytes_per_pair(pairs: &Pairs, storage: Storage) -> u64 {
    let of_delta = match storage {
        Storage::F64 => 8,
        Storage::F32 => 4,
    };
    of_delta + if matches!(pairs.shape(), PairShape::Graph(_)) { 4 } else { 0 }
}

/// Bytes for people.
pub(crate) fn in_words(bytes: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let power = (0..units.len() - 1).find(|&power| (bytes as f64) < 1000_f64.powi(power as i32 + 1));
    let power = power.unwrap_or(units.len() - 1);
    let number = bytes as f64 / 1000_f64.powi(power as i32);
    if power == 0 { format!("{bytes} bytes") } else { format!("{number:.3} {}", units[power]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_said_for_people() {
        let cases = [(0, "0 bytes"), (999, "999 bytes"), (1_000, "1.000 kB"), (192_000_000_000, "192.000 GB")];
        for (bytes, words) in cases {
            assert_eq!(in_words(bytes), words);
        }
        assert_eq!(in_words(u64::MAX), "18.447 EB");
    }

    #[test]
    fn pairs_that_no_machine_holds_are_refused() {
        let n_objects = 3_000_000;
        let pairs = Pairs::full(n_objects);
        if available_memory().is_some() {
            let message = check_memory(&pairs, Storage::F64).unwrap_err().to_string();
            assert!(message.contains("of memory") && message.contains("Remedy: couple fewer pairs"), "{message}");
        }
        assert!(check_memory(&Pairs::full(100), Storage::F64).is_ok());
    }
}
