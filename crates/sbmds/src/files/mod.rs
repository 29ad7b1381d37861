//! Files that are replaced whole or not at all, one by one and in sets.
//!
//! A [`FileSet`] gathers the files of one call in a hidden directory and puts them in the place of the earlier ones in one
//! step, so that a kill at any moment leaves the old set or the new one. [`verify`] tells whether the files of a set are
//! those that were written.

pub(crate) mod atomic;
mod error;
mod exchange;
mod listing;
mod npy;
mod set;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

pub use error::SetError;
pub(crate) use error::remedy;
pub(crate) use listing::checksum_of_file;
pub use listing::verify;
pub(crate) use npy::{NpyNumber, write_npy};
pub use set::FileSet;

use atomic::{Sync, replace_file};

/// Replaces the file that a user named by `bytes`; on an error the old file stays. Where the name is a link, the file it
/// leads to is replaced; a pipe or a device, such as `/dev/stdout`, is written to.
///
/// # Errors
/// If the file cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_with(path, |writer| writer.write_all(bytes))
}

/// The same by what `write` writes, piece by piece.
///
/// # Errors
/// If the file cannot be written, or `write` returns an error.
pub fn replace_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return write(&mut OpenOptions::new().write(true).open(path)?);
    }
    let resolved = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    replace_file(&resolved, Sync::Later, |writer| write(writer))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_stays_a_link_and_a_device_stays_a_device() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link, null) =
            (directory.path().join("file"), directory.path().join("link"), directory.path().join("null"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        // By a link of its own: a mistake here must not cost the machine its device.
        std::os::unix::fs::symlink("/dev/null", &null).unwrap();
        replace(&link, b"new").unwrap();
        replace(&null, b"nothing").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!([&link, &null].iter().all(|path| fs::symlink_metadata(path).unwrap().is_symlink()));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3);
    }
}
