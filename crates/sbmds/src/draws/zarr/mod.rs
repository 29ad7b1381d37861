//! One Zarr v3 array on disk, its metadata and chunks each replaced whole.
//!
//! Of the format only what draws need is here: regular chunks, four types, a checksum and no compression. Files are replaced, never
//! written in place: a kill in the middle would leave a chunk that is neither old nor new.

mod chunk;
mod metadata;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub(super) use chunk::Element;
use metadata::ArrayMetadata;

use super::error::StoreError;
use super::plan::Dtype;
use crate::files::atomic::{Sync, replace_bytes};

/// Name of every metadata file in Zarr v3.
pub(super) const METADATA: &str = "zarr.json";

/// Replaces a metadata file.
pub(super) fn write_json(path: &Path, metadata: &impl serde::Serialize) -> Result<(), StoreError> {
    let json = serde_json::to_vec_pretty(metadata).map_err(|error| StoreError::Plan(error.to_string()))?;
    replace_bytes(path, Sync::Now, &json).map_err(StoreError::io("write", path))
}

/// What fixes a new array.
pub(super) struct ArraySpec<'a> {
    pub shape: Vec<u64>,
    pub chunk: Vec<u64>,
    pub axes: Vec<&'a str>,
    pub content: Content,
}

/// What the elements of an array are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Content {
    Number(Dtype),
    Text,
}

/// An array in its directory. The handle knows the format; its shape is the one at the time it was opened.
#[derive(Debug)]
pub(super) struct ZarrArray {
    directory: PathBuf,
    metadata: ArrayMetadata,
    content: Content,
}

impl ZarrArray {
    /// Makes the directory and its metadata.
    pub(super) fn create(directory: PathBuf, spec: ArraySpec) -> Result<Self, StoreError> {
        let ArraySpec { shape, chunk, axes, content } = spec;
        let metadata = ArrayMetadata::new(shape, &chunk, &axes, content)
            .ok_or_else(|| StoreError::Plan(format!("an axis of {} has no entries", directory.display())))?;
        fs::create_dir_all(&directory).map_err(StoreError::io("create", &directory))?;
        write_json(&directory.join(METADATA), &metadata)?;
        Ok(Self { directory, metadata, content })
    }

    /// Reads the metadata in `directory`.
    pub(super) fn open(directory: PathBuf) -> Result<Self, StoreError> {
        let path = directory.join(METADATA);
        let json = fs::read(&path).map_err(StoreError::io("read", &path))?;
        let metadata: ArrayMetadata = serde_json::from_slice(&json).map_err(StoreError::damaged(&path))?;
        let content = metadata.content().map_err(StoreError::damaged(&path))?;
        Ok(Self { directory, metadata, content })
    }

    /// Where the array lives.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Lengths of the axes.
    pub(super) fn shape(&self) -> &[u64] {
        &self.metadata.shape
    }

    /// Number of entries of a chunk along `axis`.
    pub(super) fn chunk_len(&self, axis: usize) -> usize {
        self.metadata.chunk_shape()[axis].get() as usize
    }

    /// Number of elements in a chunk; `None` if nobody can count so far.
    pub(super) fn checked_chunk_size(&self) -> Option<usize> {
        let lengths = self.metadata.chunk_shape().iter().map(|length| usize::try_from(length.get()).ok());
        lengths.into_iter().try_fold(1_usize, |size, length| size.checked_mul(length?))
    }

    /// Number of elements in a chunk, which `shape::check` has found to be a sensible one.
    pub(super) fn chunk_size(&self) -> usize {
        self.checked_chunk_size().unwrap_or(usize::MAX)
    }

    /// Whether the elements are text.
    pub(super) fn is_text(&self) -> bool {
        self.content == Content::Text
    }

    /// Refuses a file that cannot be a chunk of this array before anything is allocated for what it should hold.
    fn check_length(&self, n_bytes: usize) -> Result<(), String> {
        let size = self.checked_chunk_size().ok_or("a chunk is larger than any file")?;
        if self.is_text() {
            // Every text takes four bytes for its length.
            return if size <= n_bytes / 4 { Ok(()) } else { Err(format!("{n_bytes} bytes cannot hold {size} texts")) };
        }
        let n_bytes_each = if self.dtype().is_ok_and(|dtype| dtype == Dtype::Boolean) { 1 } else { 8 };
        // The checksum takes four bytes.
        match size.checked_mul(n_bytes_each).and_then(|product| product.checked_add(4)) {
            Some(expected) if expected == n_bytes => Ok(()),
            expected => Err(format!("it has {n_bytes} bytes instead of {}", expected.unwrap_or(usize::MAX))),
        }
    }

    /// Name of an axis, empty if it has none.
    pub(super) fn axis_name(&self, axis: usize) -> &str {
        self.metadata.axis_name(axis)
    }

    /// The number type of the array.
    pub(super) fn dtype(&self) -> Result<Dtype, StoreError> {
        match self.content {
            Content::Number(dtype) => Ok(dtype),
            Content::Text => Err(StoreError::damaged(&self.directory)("not an array of numbers")),
        }
    }

    /// Replaces the metadata on disk by one with `len` entries along `axis`, if there are fewer.
    pub(super) fn enlarge(self, axis: usize, len: u64) -> Result<(), StoreError> {
        if self.shape()[axis] >= len {
            return Ok(());
        }
        let mut metadata = self.metadata;
        metadata.shape[axis] = len;
        write_json(&self.directory.join(METADATA), &metadata)
    }

    /// The file of a chunk.
    pub(super) fn chunk_path(&self, indices: &[u64]) -> PathBuf {
        let indices: Vec<String> = indices.iter().map(u64::to_string).collect();
        self.directory.join(format!("c.{}", indices.join(".")))
    }

    /// Replaces a chunk; returns its file, which is not yet synced.
    pub(super) fn write_chunk<T: Element>(&self, indices: &[u64], values: &[T]) -> Result<PathBuf, StoreError> {
        let path = self.chunk_path(indices);
        if values.len() != self.chunk_size() {
            return Err(StoreError::Plan(format!("{} values for a chunk of {}", values.len(), self.chunk_size())));
        }
        replace_bytes(&path, Sync::Later, &chunk::encode(values)).map_err(StoreError::io("write", &path))?;
        Ok(path)
    }

    /// Writes a chunk of numbers in the array's own type. NaN, the mark of a draw not made, becomes the fill value.
    pub(super) fn write_numbers(&self, indices: &[u64], values: &[f64]) -> Result<PathBuf, StoreError> {
        match self.dtype()? {
            Dtype::Float => self.write_chunk(indices, values),
            Dtype::Integer => self.write_chunk(indices, &values.iter().map(|&v| v as i64).collect::<Vec<_>>()),
            Dtype::Boolean => self.write_chunk(indices, &values.iter().map(|&v| v > 0.0).collect::<Vec<_>>()),
        }
    }

    /// The content of a chunk that must be there.
    pub(super) fn read_chunk<T: Element>(&self, indices: &[u64]) -> Result<Vec<T>, StoreError> {
        let path = self.chunk_path(indices);
        let encoded = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(StoreError::damaged(&path)("missing")),
            other => other.map_err(StoreError::io("read", &path)),
        }?;
        self.check_length(encoded.len()).map_err(StoreError::damaged(&path))?;
        chunk::decode(&encoded, self.chunk_size()).map_err(StoreError::damaged(&path))
    }

    /// The content of a chunk of numbers.
    pub(super) fn read_numbers(&self, indices: &[u64]) -> Result<Vec<f64>, StoreError> {
        Ok(match self.dtype()? {
            Dtype::Float => self.read_chunk(indices)?,
            Dtype::Integer => self.read_chunk::<i64>(indices)?.into_iter().map(|v| v as f64).collect(),
            Dtype::Boolean => self.read_chunk::<bool>(indices)?.into_iter().map(f64::from).collect(),
        })
    }
}
