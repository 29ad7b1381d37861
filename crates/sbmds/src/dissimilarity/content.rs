//! The input of a run: a file, or what came through a pipe or from memory and is held because it cannot be read again.

use std::path::{Path, PathBuf};

use super::error::{FilePosition, InputError};
use super::hash::fnv_1a;
use super::in_memory::{DATA, SharedBytes};
use super::origin::Origin;
use super::text::{Source, unreadable_at};
use super::{Dissimilarities, ReadOptions, read_source};

/// An input that has been found: `-` is standard input.
#[derive(Clone)]
pub struct Input {
    path: PathBuf,
    file: String,
    origin: Origin,
}

impl Input {
    /// Finds the input; a pipe is read to its end.
    ///
    /// # Errors
    /// If there is no such file (with the name of one that is spelled alike), or it cannot be read.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        let file = shown(path);
        let origin = Origin::open(path).map_err(|error| unreadable_at(path, &error).at(&file, FilePosition::File))?;
        Ok(Self { path: path.to_owned(), file, origin })
    }

    /// The bytes of a file in memory, as if they came through standard input.
    pub fn from_bytes(bytes: SharedBytes) -> Self {
        Self { path: "-".into(), file: DATA.into(), origin: Origin::Bytes(bytes) }
    }

    /// Where it is; `-` if it cannot be read again.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The content as 16 hexadecimal digits; see [`super::input_hash`].
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn hash(&self) -> Result<String, InputError> {
        let hash = self.origin.stored().and_then(fnv_1a);
        hash.map_err(|error| unreadable_at(&self.path, &error).at(&self.file, FilePosition::File))
    }

    /// The bytes, if they came through a pipe or from memory.
    pub fn piped(&self) -> Option<&[u8]> {
        match &self.origin {
            Origin::File(_) => None,
            Origin::Bytes(bytes) => Some((**bytes).as_ref()),
        }
    }

    /// Reads dissimilarities, or features to compute them from.
    ///
    /// # Errors
    /// If the file cannot be read or used: what is wrong, where, between which objects, and what to do.
    pub fn read(&self, options: &ReadOptions) -> Result<Dissimilarities, InputError> {
        read_source(&self.path, Source::from_origin(&self.path, &self.file, self.origin.clone())?, options)
    }
}

/// How messages call a file.
pub(super) fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".into() } else { path.display().to_string() }
}
