//! The arrays of a store must fit each other: whoever reads them need not look again.

use super::error::StoreError;
use super::tree::{DRAW_AXIS, Tree};
use super::zarr::ZarrArray;

/// Bytes of a chunk that nobody plans: a number that is larger was not written by sbmds.
const MOST_CHUNK_BYTES: usize = 64 << 20;

/// Refuses a store whose arrays disagree about chains, objects or dimensions, or whose chunks no run would make.
pub(super) fn check(tree: &Tree) -> Result<(), StoreError> {
    has_axes(&tree.progress, 1)?;
    let n_chains = tree.progress.shape()[0];
    let (objects, dims) = (tree.coordinate("object")?, tree.coordinate("dim")?);
    let (n_objects, n_dims) = (whole_coordinate(&objects, true)?, whole_coordinate(&dims, false)?);
    tree.drawn_arrays().try_for_each(|array| check_drawn(array, n_chains))?;
    if let Some(x) = &tree.x {
        has_axes(x, 4)?;
        has_length(x, 2, n_objects)?;
        has_length(x, 3, n_dims)?;
    }
    for array in tree.drawn_arrays() {
        for axis in DRAW_AXIS + 1..array.shape().len() {
            match array.axis_name(axis) {
                "dim" => has_length(array, axis, n_dims)?,
                "object" => has_length(array, axis, n_objects)?,
                _ => {}
            }
        }
    }
    Ok(())
}

/// The length of a coordinate that is one chunk, read once: the file bounds what is allocated for this many entries.
fn whole_coordinate(array: &ZarrArray, is_text: bool) -> Result<u64, StoreError> {
    has_axes(array, 1)?;
    let length = array.shape()[0];
    if length == 0 || array.chunk_len(0) as u64 != length || array.is_text() != is_text {
        return Err(StoreError::damaged(array.directory())("it is not one chunk of its entries"));
    }
    if !is_text {
        array.read_numbers(&[0])?;
    }
    Ok(length)
}

/// Chains and draws first, each chunk of one chain and of whole rows, and of a size that a run makes.
fn check_drawn(array: &ZarrArray, n_chains: u64) -> Result<(), StoreError> {
    if array.shape().len() <= DRAW_AXIS {
        return Err(StoreError::damaged(array.directory())("no axis for the draws"));
    }
    array.dtype()?;
    has_length(array, 0, n_chains)?;
    let whole_rows =
        (DRAW_AXIS + 1..array.shape().len()).all(|axis| array.chunk_len(axis) as u64 == array.shape()[axis]);
    if array.chunk_len(0) != 1 || !whole_rows {
        return Err(StoreError::damaged(array.directory())("its chunks are not draws of one chain"));
    }
    let bytes = array.checked_chunk_size().and_then(|size| size.checked_mul(size_of::<f64>()));
    match bytes {
        Some(bytes) if bytes <= MOST_CHUNK_BYTES || array.chunk_len(DRAW_AXIS) == 1 => Ok(()),
        _ => Err(StoreError::damaged(array.directory())("its chunks are larger than any that sbmds writes")),
    }
}

/// An array with this many axes.
pub(super) fn has_axes(array: &ZarrArray, n_axes: usize) -> Result<(), StoreError> {
    if array.shape().len() == n_axes {
        return Ok(());
    }
    let what = format!("it has {} axes instead of {n_axes}", array.shape().len());
    Err(StoreError::damaged(array.directory())(what))
}

/// An array with this many entries along an axis.
pub(super) fn has_length(array: &ZarrArray, axis: usize, length: u64) -> Result<(), StoreError> {
    if array.shape()[axis] == length {
        return Ok(());
    }
    let what = format!("axis {axis} has {} entries, the store has {length}", array.shape()[axis]);
    Err(StoreError::damaged(array.directory())(what))
}
