//! Whether the disk can hold a run, asked before the work begins.

use std::fs;
use std::path::Path;

use crate::error::RunError;
use crate::fit::chain::monitor::MonitoredPairs;
use crate::fit::chain::record;
use crate::fit::problem::Problem;
use crate::fit::problem::memory::in_words;
use crate::settings::check::CheckedConfig;

/// Refuses more draws than the disk has room for.
///
/// # Errors
/// What is needed and what there is, with a remedy.
pub(crate) fn check_disk(
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
    let remedy = "make fewer draws (`draws`), keep fewer (`keep` thin:K, or `keep` summary), choose another disk with `out`, \
                  make room, or `force` to try";
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

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_disk_says_what_is_free() {
        assert!(free_disk(Path::new("a/directory/that/is/not/there")).is_some_and(|free| free > 0));
    }
}
