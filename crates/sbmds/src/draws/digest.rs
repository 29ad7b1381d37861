//! One number for all files of a store, to tell later whether they are the same, each in its place.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::tree::store_path;
use super::zarr::METADATA;

/// CRC-32C over the names of all metadata files and chunks, the content of the former, and the checksums that the latter
/// carry in their last four bytes; lengths count too. Damage inside a chunk is seen when the chunk is read.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn digest(run: &Path) -> Result<u32, StoreError> {
    let store = store_path(run);
    let mut files = Vec::new();
    collect(&store, &mut files).map_err(StoreError::io("read", &store))?;
    files.sort();
    let mut digest = 0;
    for path in files {
        let name = path.strip_prefix(&store).unwrap_or(&path).to_string_lossy();
        digest = crc32c::crc32c_append(digest, name.as_bytes());
        let content = if is_metadata(&path) { fs::read(&path) } else { tail(&path) };
        digest = crc32c::crc32c_append(digest, &content.map_err(StoreError::io("read", &path))?);
    }
    Ok(digest)
}

fn is_metadata(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == METADATA)
}

/// The files of the store; what others put there does not count.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            collect(&path, files)?;
        } else if is_metadata(&path) || entry.file_name().to_string_lossy().starts_with("c.") {
            files.push(path);
        }
    }
    Ok(())
}

/// Length and last bytes of a chunk.
fn tail(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(4)))?;
    let mut tail = length.to_le_bytes().to_vec();
    file.take(4).read_to_end(&mut tail)?;
    Ok(tail)
}
