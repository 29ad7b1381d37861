//! Whether memory can hold a fit, asked before the work begins.

use std::fs;
use std::path::Path;

use crate::coupling::{Coupling, Pairs};
use crate::dissimilarity::Dissimilarities;
use crate::error::RunError;
use crate::likelihood::Storage;
use crate::settings::check::CheckedConfig;

/// Refuses coupled pairs that the memory of this machine, or what is left of a limit, cannot hold.
///
/// # Errors
/// What is needed and what there is, with a remedy.
pub fn check_memory(pairs: &Pairs, n_objects: usize, storage: Storage) -> Result<(), RunError> {
    let Some(available) = available_memory() else { return Ok(()) };
    let n_pairs = pairs.count(n_objects) as u64;
    let needed = n_pairs.saturating_mul(bytes_per_pair(pairs, storage));
    if needed <= available {
        return Ok(());
    }
    let problem = format!(
        "{n_pairs} coupled pairs take about {} of memory, and {} are left",
        in_words(needed),
        in_words(available)
    );
    let remedy = "couple fewer pairs (--couplings dispersed:B), keep them in half the memory (--storage f32), use a machine \
                  with more, or --force to try";
    Err(RunError::TooLarge { problem, remedy: remedy.into() })
}

/// The same for a fit, unless the user wants to try.
pub(crate) fn check_fit_memory(
    config: &CheckedConfig,
    data: &Dissimilarities,
    coupling: &Coupling,
    force: bool,
) -> Result<(), RunError> {
    if force {
        return Ok(());
    }
    check_memory(&coupling.pairs, data.n_objects(), config.model.storage)
}

/// A dissimilarity, and in a list of pairs the number of the partner and the pair itself.
fn bytes_per_pair(pairs: &Pairs, storage: Storage) -> u64 {
    let of_delta = match storage {
        Storage::F64 => 8,
        Storage::F32 => 4,
    };
    of_delta + if matches!(pairs, Pairs::Graph(_)) { 4 } else { 0 }
}

/// Bytes that this process can still allocate: what the machine has free, what is left of the limit of its address space
/// (`ulimit -v`) and of its control groups. `None` where there is no /proc to ask.
pub(crate) fn available_memory() -> Option<u64> {
    let of_machine = || {
        let text = fs::read_to_string("/proc/meminfo").ok()?;
        Some(kilobytes(&text, "MemAvailable:")? + kilobytes(&text, "SwapFree:").unwrap_or(0))
    };
    [of_machine(), left_of_address_space(), left_of_control_groups()].into_iter().flatten().min()
}

/// The number after `name` in a table of kilobytes, as bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

fn left_of_address_space() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
    let used = kilobytes(&fs::read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(limit.saturating_sub(used))
}

/// The least that is left in the control group of this process and those above it (version 2, or the memory controller of
/// version 1).
fn left_of_control_groups() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mut left = None;
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (root, limit, usage) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max", "memory.current"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
            }
            _ => continue,
        };
        let group = Path::new(root).join(path.trim_start_matches('/'));
        let above = group.ancestors().take_while(|group| group.starts_with(root));
        left = above.filter_map(|group| left_of_group(group, limit, usage)).chain(left).min();
    }
    left
}

/// What a group may still take; files that it holds in memory make room when they must.
fn left_of_group(group: &Path, limit: &str, usage: &str) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let statistics = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cached = statistics.lines().find_map(|line| line.strip_prefix("inactive_file "));
    let cached: u64 = cached.and_then(|number| number.parse().ok()).unwrap_or(0);
    Some(number(limit)?.saturating_sub(number(usage)?.saturating_sub(cached)))
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

    #[cfg(target_os = "linux")]
    #[test]
    fn the_machine_says_what_is_left() {
        let available = available_memory().expect("Linux has /proc");
        assert!(available > 1 << 20 && available < 1 << 50, "{available}");
    }

    #[test]
    fn pairs_that_no_machine_holds_are_refused() {
        let n_objects = 3_000_000;
        let pairs = Pairs::full(n_objects);
        if available_memory().is_some() {
            let message = check_memory(&pairs, n_objects, Storage::F64).unwrap_err().to_string();
            assert!(message.contains("of memory") && message.contains("Remedy: couple fewer pairs"), "{message}");
        }
        assert!(check_memory(&Pairs::full(100), 100, Storage::F64).is_ok());
    }
}
