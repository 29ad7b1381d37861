//! Checkpoints: one serialised value in a file that is replaced whole, with the previous one kept in reserve.
//!
//! Layout, little-endian: magic (8 bytes), format version (u32), run (u64), length of the content (u64),
//! CRC-32C of everything else (u32), content (postcard, which keeps every bit of an `f64`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::files::atomic::{Sync, replace_bytes, sync_parent};
use crate::files::remedy;

const MAGIC: [u8; 8] = *b"sbmds-cp";
const HEADER_LEN: usize = 32;

/// Version of the layout and of what sbmds puts in it (a test pins the bytes); a checkpoint of another version is refused.
pub const FORMAT_VERSION: u32 = 5;

/// Why a checkpoint cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// There is none.
    #[error("there is no checkpoint {0}; start the fit without `resume`")]
    Missing(PathBuf),
    /// The system refused to read or write.
    #[error("cannot {action} the checkpoint {path}: {cause}; {}", remedy(cause))]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The checkpoint.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
    /// The file is something else.
    #[error("{0} is not a checkpoint of sbmds")]
    NotACheckpoint(PathBuf),
    /// Written by a version of sbmds with another format.
    #[error(
        "the checkpoint {path} has format {found}, this sbmds reads format {FORMAT_VERSION}; resume with the version of sbmds that started the run"
    )]
    WrongVersion {
        /// The checkpoint.
        path: PathBuf,
        /// Its format version.
        found: u32,
    },
    /// Of a run with other settings or data.
    #[error(
        "the checkpoint {0} belongs to a run with other data or settings; resume with those or choose another directory with `out`"
    )]
    WrongRun(PathBuf),
    /// Shorter than it says.
    #[error("the checkpoint {path} is cut short: {found} of {expected} bytes")]
    Truncated {
        /// The checkpoint.
        path: PathBuf,
        /// Bytes in the file.
        found: usize,
        /// Bytes there should be.
        expected: u64,
    },
    /// The checksum or the content is wrong.
    #[error("the checkpoint {path} is corrupt: {what}")]
    Corrupt {
        /// The checkpoint.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The value itself cannot be written.
    #[error("the state of the run cannot be saved: {0}")]
    Unserialisable(String),
}

/// A value read from a checkpoint.
#[derive(Debug)]
pub struct Loaded<T> {
    /// The value.
    pub value: T,
    /// Why the newest checkpoint could not be used and the previous one was; tell the user.
    pub newest_unusable: Option<CheckpointError>,
}

/// Where the checkpoint before the one at `path` is kept: `NAME.prev`.
pub fn previous_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{name}.prev"))
}

/// Replaces the checkpoint at `path` by `value`; the one that was there becomes the previous one.
///
/// `run` identifies data and settings, so that no other run resumes from it.
///
/// # Errors
/// If the value cannot be serialised or the disk refuses; the old checkpoints then still serve.
pub fn save<T: Serialize>(path: &Path, run: u64, value: &T) -> Result<(), CheckpointError> {
    let bytes = encode(run, value)?;
    let failed = |cause| CheckpointError::Io { action: "write", path: path.to_owned(), cause };
    // The new content must be whole on disk before the old loses its name, so it is first written beside both.
    let next = path.with_file_name(format!("{}.next", path.file_name().unwrap_or_default().to_string_lossy()));
    replace_bytes(&next, Sync::Now, &bytes).map_err(failed)?;
    if path.exists() {
        fs::rename(path, previous_path(path)).map_err(failed)?;
    }
    fs::rename(&next, path).and_then(|()| sync_parent(path)).map_err(failed)
}

/// Reads the checkpoint at `path`, or the previous one if that is missing or damaged.
///
/// # Errors
/// If neither can be used: the reason is that of the newest there is.
pub fn load<T: DeserializeOwned>(path: &Path, run: u64) -> Result<Loaded<T>, CheckpointError> {
    let newest = match load_one(path, run) {
        Ok(value) => return Ok(Loaded { value, newest_unusable: None }),
        Err(error) => error,
    };
    // A file of another run is whole: its predecessor is no better.
    if matches!(newest, CheckpointError::WrongRun(_)) {
        return Err(newest);
    }
    match load_one(&previous_path(path), run) {
        Ok(value) => Ok(Loaded { value, newest_unusable: Some(newest) }),
        Err(previous) if matches!(newest, CheckpointError::Missing(_)) && previous_path(path).exists() => Err(previous),
        Err(_) => Err(newest),
    }
}

fn encode<T: Serialize>(run: u64, value: &T) -> Result<Vec<u8>, CheckpointError> {
    let header = vec![0; HEADER_LEN];
    let mut bytes =
        postcard::to_extend(value, header).map_err(|error| CheckpointError::Unserialisable(error.to_string()))?;
    let length = (bytes.len() - HEADER_LEN) as u64;
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    bytes[12..20].copy_from_slice(&run.to_le_bytes());
    bytes[20..28].copy_from_slice(&length.to_le_bytes());
    let checksum = checksum(&bytes);
    bytes[28..32].copy_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}

/// CRC-32C of a whole checkpoint but the checksum itself.
fn checksum(bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&bytes[..28]), &bytes[HEADER_LEN..])
}

fn load_one<T: DeserializeOwned>(path: &Path, run: u64) -> Result<T, CheckpointError> {
    let bytes = fs::read(path).map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => CheckpointError::Missing(path.to_owned()),
        _ => CheckpointError::Io { action: "read", path: path.to_owned(), cause },
    })?;
    check_header(path, run, &bytes)?;
    let corrupt = |what: String| CheckpointError::Corrupt { path: path.to_owned(), what };
    let (value, rest) = postcard::take_from_bytes(&bytes[HEADER_LEN..]).map_err(|error| corrupt(error.to_string()))?;
    if rest.is_empty() { Ok(value) } else { Err(corrupt(format!("{} bytes too many", rest.len()))) }
}

fn check_header(path: &Path, run: u64, bytes: &[u8]) -> Result<(), CheckpointError> {
    let path = || path.to_owned();
    let number = |from: usize, to: usize| {
        bytes[from..to].iter().rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte))
    };
    if !bytes.starts_with(&MAGIC[..bytes.len().min(8)]) {
        return Err(CheckpointError::NotACheckpoint(path()));
    }
    if bytes.len() < HEADER_LEN {
        return Err(CheckpointError::Truncated { path: path(), found: bytes.len(), expected: HEADER_LEN as u64 });
    }
    // The version comes first: all that follows may be laid out differently in another one.
    let version = number(8, 12) as u32;
    if version != FORMAT_VERSION {
        return Err(CheckpointError::WrongVersion { path: path(), found: version });
    }
    let expected = number(20, 28).saturating_add(HEADER_LEN as u64);
    if (bytes.len() as u64) < expected {
        return Err(CheckpointError::Truncated { path: path(), found: bytes.len(), expected });
    }
    if number(28, 32) != u64::from(checksum(bytes)) {
        return Err(CheckpointError::Corrupt { path: path(), what: "its checksum is wrong".into() });
    }
    if number(12, 20) != run {
        return Err(CheckpointError::WrongRun(path()));
    }
    Ok(())
}
