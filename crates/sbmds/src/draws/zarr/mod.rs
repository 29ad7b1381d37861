//! One Zarr v3 array on disk, its metadata and chunks each replaced whole.
//!
//! The format (metadata, codecs, chunk names) is zarrs'; the writing is not, because zarrs writes in place and a
//! kill in the middle would leave a chunk that is neither old nor new.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zarrs::array::codec::Crc32cCodec;
use zarrs::array::{
    Array, ArrayBuilder, ArrayBytes, ArrayMetadata, ArrayToBytesCodecTraits, ChunkKeySeparator, ChunkShape,
    CodecOptions, DataType, Element, ElementOwned, FillValue, data_type,
};

use super::atomic::{Sync, replace_bytes};
use super::error::StoreError;
use super::plan::Dtype;

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

impl Content {
    fn data_type(self) -> DataType {
        match self {
            Self::Number(Dtype::Float) => data_type::float64(),
            Self::Number(Dtype::Integer) => data_type::int64(),
            Self::Number(Dtype::Boolean) => data_type::bool(),
            Self::Text => data_type::string(),
        }
    }

    fn fill_value(self) -> FillValue {
        match self {
            Self::Number(Dtype::Float) => FillValue::from(f64::NAN),
            Self::Number(Dtype::Integer) => FillValue::from(0_i64),
            Self::Number(Dtype::Boolean) => FillValue::from(false),
            Self::Text => FillValue::from(""),
        }
    }
}

/// An array in its directory. The handle knows the format; its shape is the one at the time it was opened.
#[derive(Debug)]
pub(super) struct ZarrArray {
    directory: PathBuf,
    array: Array<()>,
    chunk: ChunkShape,
}

impl ZarrArray {
    /// Makes the directory and its metadata.
    pub(super) fn create(directory: PathBuf, spec: ArraySpec) -> Result<Self, StoreError> {
        let content = spec.content;
        let mut builder = ArrayBuilder::new(spec.shape, spec.chunk, content.data_type(), content.fill_value());
        // Locations hardly compress (gzip 1 saves 4% of simulated draws, at 25 to 50 MB/s), but damage must not go unseen.
        builder.bytes_to_bytes_codecs(vec![Arc::new(Crc32cCodec::new())]);
        // One directory per array instead of one per chunk index.
        builder.chunk_key_encoding_default_separator(ChunkKeySeparator::Dot);
        builder.dimension_names(Some(spec.axes));
        let array = builder.build(Arc::new(()), "/").map_err(|error| StoreError::Plan(error.to_string()))?;
        fs::create_dir_all(&directory).map_err(StoreError::io("create", &directory))?;
        write_json(&directory.join(METADATA), array.metadata())?;
        Self::new(directory, array)
    }

    /// Reads the metadata in `directory`.
    pub(super) fn open(directory: PathBuf) -> Result<Self, StoreError> {
        let path = directory.join(METADATA);
        let json = fs::read(&path).map_err(StoreError::io("read", &path))?;
        let metadata: ArrayMetadata = serde_json::from_slice(&json).map_err(StoreError::damaged(&path))?;
        let array =
            Array::new_with_metadata(Arc::new(()), "/", metadata).map_err(|error| StoreError::damaged(&path)(error))?;
        Self::new(directory, array)
    }

    fn new(directory: PathBuf, array: Array<()>) -> Result<Self, StoreError> {
        let origin = vec![0; array.shape().len()];
        let chunk = array.chunk_shape(&origin).map_err(StoreError::damaged(&directory))?;
        Ok(Self { directory, array, chunk })
    }

    /// Where the array lives.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Lengths of the axes.
    pub(super) fn shape(&self) -> &[u64] {
        self.array.shape()
    }

    /// Number of entries of a chunk along `axis`.
    pub(super) fn chunk_len(&self, axis: usize) -> usize {
        self.chunk[axis].get() as usize
    }

    /// Number of elements in a chunk; `None` if nobody can count so far.
    pub(super) fn checked_chunk_size(&self) -> Option<usize> {
        let lengths = self.chunk.iter().map(|length| usize::try_from(length.get()).ok());
        lengths.into_iter().try_fold(1_usize, |size, length| size.checked_mul(length?))
    }

    /// Number of elements in a chunk, which `shape::check` has found to be a sensible one.
    pub(super) fn chunk_size(&self) -> usize {
        self.checked_chunk_size().unwrap_or(usize::MAX)
    }

    /// Whether the elements are text.
    pub(super) fn is_text(&self) -> bool {
        Content::Text.data_type() == *self.array.data_type()
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
        let names = self.array.dimension_names().as_ref();
        names.and_then(|names| names.get(axis)).and_then(|name| name.as_deref()).unwrap_or_default()
    }

    /// The number type of the array.
    pub(super) fn dtype(&self) -> Result<Dtype, StoreError> {
        [Dtype::Float, Dtype::Integer, Dtype::Boolean]
            .into_iter()
            .find(|&dtype| Content::Number(dtype).data_type() == *self.array.data_type())
            .ok_or_else(|| StoreError::damaged(&self.directory)("not an array of numbers"))
    }

    /// Replaces the metadata on disk by one with `len` entries along `axis`, if there are fewer.
    pub(super) fn enlarge(self, axis: usize, len: u64) -> Result<(), StoreError> {
        if self.shape()[axis] >= len {
            return Ok(());
        }
        // Only the number changes: metadata that zarrs has read and writes again names codecs without
        // configuration in a short form that zarr-python does not read.
        let path = self.directory.join(METADATA);
        let json = fs::read(&path).map_err(StoreError::io("read", &path))?;
        let mut metadata: serde_json::Value = serde_json::from_slice(&json).map_err(StoreError::damaged(&path))?;
        metadata["shape"][axis] = len.into();
        write_json(&path, &metadata)
    }

    /// The file of a chunk.
    pub(super) fn chunk_path(&self, indices: &[u64]) -> PathBuf {
        self.directory.join(self.array.chunk_key(indices).as_str())
    }

    /// Replaces a chunk; returns its file, which is not yet synced.
    pub(super) fn write_chunk<T: Element>(&self, indices: &[u64], values: &[T]) -> Result<PathBuf, StoreError> {
        let path = self.chunk_path(indices);
        let data_type = self.array.data_type();
        let bytes = T::to_array_bytes(data_type, values).map_err(|error| StoreError::Plan(error.to_string()))?;
        let encoded = self
            .array
            .codecs()
            .encode(bytes, &self.chunk, data_type, self.array.fill_value(), &CodecOptions::default())
            .map_err(|error| StoreError::Plan(error.to_string()))?;
        replace_bytes(&path, Sync::Later, &encoded).map_err(StoreError::io("write", &path))?;
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
    pub(super) fn read_chunk<T: ElementOwned>(&self, indices: &[u64]) -> Result<Vec<T>, StoreError> {
        let path = self.chunk_path(indices);
        let encoded = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(StoreError::damaged(&path)("missing")),
            other => other.map_err(StoreError::io("read", &path)),
        }?;
        self.check_length(encoded.len()).map_err(StoreError::damaged(&path))?;
        let data_type = self.array.data_type();
        let decoded: ArrayBytes = self
            .array
            .codecs()
            .decode(encoded.into(), &self.chunk, data_type, self.array.fill_value(), &CodecOptions::default())
            .map_err(|error| StoreError::damaged(&path)(error))?;
        T::from_array_bytes(data_type, decoded).map_err(StoreError::damaged(&path))
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
