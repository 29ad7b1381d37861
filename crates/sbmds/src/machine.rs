//! What the machine has left: memory.

use std::fs;
use std::path::Path;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_machine_says_what_is_left() {
        let available = available_memory().expect("Linux has /proc");
        assert!(available > 1 << 20 && available < 1 << 50, "{available}");
    }
}
