//! Whether memory and disk can hold a run, asked before the work begins.

use std::fs;
use std::path::Path;

use super::check::CheckedConfig;
use super::error::RunError;
use super::monitor::MonitoredPairs;
use super::problem::Problem;
use super::record;
use crate::coupling::{Coupling, Pairs};
use crate::dissimilarity::Dissimilarities;
use crate::likelihood::Storage;

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
pub(super) fn check_fit_memory(
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

/// Refuses more draws than the disk has room for.
///
/// # Errors
/// What is needed and what there is, with a remedy.
pub(super) fn check_disk(
    directory: &Path,
    config: &CheckedConfig,
    problem: &Problem,
    force: bool,
) -> Result<(), RunError> {
    let Some(free) = free_disk(directory).filter(|_| !force) else { return Ok(()) };
    let pairs = MonitoredPairs::choose(problem.data.n_objects(), config.run.seed);
    let plan = record::plan(problem, config, &pairs, None);
    let n_draws = (plan.n_chains as u64).saturating_mul(plan.n_draws as u64);
    let needed = n_draws.saturating_mul(plan.bytes_per_draw()).saturating_sub(taken(&directory.join("draws.zarr")));
    if needed <= free {
        return Ok(());
    }
    let problem = format!(
        "{} draws of {} chains take about {} of disk, and where {} is there are {} free",
        plan.n_draws,
        plan.n_chains,
        in_words(needed),
        directory.display(),
        in_words(free)
    );
    let remedy = "make fewer draws (--draws), keep fewer (--keep thin:K, or --keep summary), choose another disk with --out, \
                  make room, or --force to try";
    Err(RunError::TooLarge { problem, remedy: remedy.into() })
}

/// Bytes of all files below a directory: what a run that goes on has written already.
fn taken(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    let of_entry = |entry: fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => taken(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    };
    entries.flatten().map(of_entry).sum()
}

/// Bytes that this process may still write where `directory` is or will be; `None` if the system does not say.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn free_disk(directory: &Path) -> Option<u64> {
    let absolute = std::path::absolute(directory).ok()?;
    let existing = absolute.ancestors().find(|path| path.exists())?;
    let disk = rustix::fs::statvfs(existing).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn free_disk(_directory: &Path) -> Option<u64> {
    None
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
fn in_words(bytes: u64) -> String {
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
        assert!(free_disk(Path::new("a/directory/that/is/not/there")).is_some_and(|free| free > 0));
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
