//! Files that are replaced whole or not at all, one by one and in sets.
//!
//! A [`FileSet`] gathers the files of one call in a hidden directory and puts them in the place of the earlier ones in one
//! step, so that a kill at any moment leaves the old set or the new one. [`verify`] tells whether the files of a set are
//! those that were written.

mod error;
mod exchange;
mod listing;
mod set;

use std::io;
use std::path::Path;

pub use error::SetError;
pub(crate) use listing::checksum_of_file;
pub use listing::verify;
pub use set::FileSet;

use crate::draws::atomic::{Sync, replace_bytes};

/// Replaces the file at `path` by `bytes`; on an error the old file stays.
///
/// # Errors
/// If the file cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_bytes(path, Sync::Later, bytes)
}
