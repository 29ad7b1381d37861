//! Two directories change places in one step, where the system can do that.

use std::io;
use std::path::Path;

/// Exchanges `a` and `b`: at every moment both names are there.
///
/// # Errors
/// If the system or the file system cannot do it, or refuses.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(super) fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(super) fn exchange(_a: &Path, _b: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
