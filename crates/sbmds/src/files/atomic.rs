//! Files that are replaced whole or not at all: written beside their place, then renamed into it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Whether a write must survive a power cut (`Now`) or only the end of the process (`Later`, synced by the caller).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sync {
    Now,
    Later,
}

/// Where the new content of `path` is gathered: `.NAME.tmp` in the same directory.
///
/// The name is fixed, so that what a killed process left behind is overwritten when the write is repeated.
pub(crate) fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

/// Whether `path` is what a killed [`replace_file`] leaves behind.
pub(crate) fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') && name.ends_with(".tmp")
}

/// Replaces the file at `path` by what `write` writes; on an error the old file stays and nothing else is left.
pub(crate) fn replace_file(
    path: &Path,
    sync: Sync,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let temporary = temporary_path(path);
    let written = fill(&temporary, sync, write).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to report; a temporary file that cannot be removed is swept on resume.
        let _ = fs::remove_file(&temporary);
        return written;
    }
    if sync == Sync::Now { sync_parent(path) } else { Ok(()) }
}

fn fill(path: &Path, sync: Sync, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let mut writer = BufWriter::new(create_anew(path)?);
    write(&mut writer)?;
    let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    if sync == Sync::Now { file.sync_all() } else { Ok(()) }
}

/// Makes a file that was not there. Whatever has its name is removed first, and a link is removed, not followed: in a
/// directory that others may write to, nobody can choose which file this empties.
pub(crate) fn create_anew(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::OpenOptions::new().write(true).create_new(true).open(path),
    }
}

/// Replaces the file at `path` by `bytes`.
pub(crate) fn replace_bytes(path: &Path, sync: Sync, bytes: &[u8]) -> io::Result<()> {
    replace_file(path, sync, |writer| writer.write_all(bytes))
}

/// Makes a file written with [`Sync::Later`] survive a power cut.
pub(crate) fn sync_file(path: &Path) -> io::Result<()> {
    // Windows syncs only handles that may write.
    fs::OpenOptions::new().write(true).open(path)?.sync_all()
}

/// Makes the names in the directory of `path` survive a power cut.
pub(crate) fn sync_parent(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) => sync_directory(parent),
        None => Ok(()),
    }
}

#[cfg(unix)]
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    File::open(directory)?.sync_all()
}

/// Only Unix can sync a directory through a file handle.
#[cfg(not(unix))]
pub(crate) fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}

/// Removes what killed writes left behind in `directory`, if it is there, but not below it.
pub(crate) fn sweep_here(directory: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    for entry in entries {
        let entry = entry?;
        if is_temporary(&entry.path()) && !entry.file_type()?.is_dir() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Removes what killed writes left behind under `directory`.
pub(crate) fn sweep(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            sweep(&path)?;
        } else if is_temporary(&path) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        replace_bytes(&path, Sync::Now, b"old").unwrap();
        replace_bytes(&path, Sync::Later, b"new content").unwrap();
        sync_file(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new content");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn failed_write_keeps_the_old_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        replace_bytes(&path, Sync::Later, b"old").unwrap();
        let failed = replace_file(&path, Sync::Later, |writer| {
            writer.write_all(b"half of the new")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_planted_link_is_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let (path, victim) = (directory.path().join("file"), directory.path().join("victim"));
        fs::write(&victim, b"precious").unwrap();
        std::os::unix::fs::symlink(&victim, temporary_path(&path)).unwrap();
        replace_bytes(&path, Sync::Later, b"new").unwrap();
        assert_eq!((fs::read(&path).unwrap(), fs::read(&victim).unwrap()), (b"new".to_vec(), b"precious".to_vec()));
        assert!(!fs::symlink_metadata(&path).unwrap().is_symlink());
    }

    #[test]
    fn sweep_removes_only_temporary_files() {
        let directory = tempfile::tempdir().unwrap();
        let nested = directory.path().join("nested");
        fs::create_dir(&nested).unwrap();
        let kept = nested.join("c.0.0");
        fs::write(&kept, b"chunk").unwrap();
        fs::write(temporary_path(&kept), b"half").unwrap();
        sweep(directory.path()).unwrap();
        assert!(kept.exists() && !temporary_path(&kept).exists());
    }
}
