//! The map that stored locations are aligned to, kept in the store so that a resumed run aligns to the same bits.

use std::path::Path;

use super::error::StoreError;
use super::plan::{Dtype, StorePlan};
use super::shape;
use super::tree::{CONSTANTS, Tree};
use super::zarr::{ArraySpec, Content, ZarrArray};
use crate::Locations;

const REFERENCE: &str = "reference";

/// What the store says of the frame of `x`, for people who open it.
pub(super) fn frame(plan: &StorePlan) -> &'static str {
    match plan.reference {
        Some(_) => {
            "aligned: each draw was rotated, reflected and shifted (Procrustes) to the map constant_data/reference, so that draws \
             can be averaged; raw = transpose(x_rotation) (x - x_shift), with both from sample_stats"
        }
        None => {
            "raw: as the sampler had it; draws are rotated, reflected and shifted against each other and must be aligned \
             before they are averaged"
        }
    }
}

/// Writes the map into a group, object by object.
pub(super) fn create(group: &Path, map: &Locations) -> Result<(), StoreError> {
    let shape = vec![map.n_objects() as u64, map.n_dims() as u64];
    let content = Content::Number(Dtype::Float);
    let spec = ArraySpec { shape: shape.clone(), chunk: shape, axes: vec!["object", "dim"], content };
    let values: Vec<f64> = (0..map.n_objects()).flat_map(|object| map.object(object)).collect();
    ZarrArray::create(group.join(REFERENCE), spec)?.write_chunk(&[0, 0], &values)?;
    Ok(())
}

/// The map, if the store has one.
pub(super) fn read(tree: &Tree) -> Result<Option<Locations>, StoreError> {
    let directory = tree.path.join(CONSTANTS).join(REFERENCE);
    if !directory.exists() {
        return Ok(None);
    }
    let array = ZarrArray::open(directory)?;
    shape::has_axes(&array, 2)?;
    for (axis, name) in ["object", "dim"].into_iter().enumerate() {
        shape::has_length(&array, axis, tree.coordinate(name)?.shape()[0])?;
    }
    let values = array.read_numbers(&[0, 0])?;
    let (n_objects, n_dims) = (array.shape()[0] as usize, array.shape()[1] as usize);
    if n_objects.checked_mul(n_dims) != Some(values.len()) {
        return Err(StoreError::damaged(array.directory())("its size is wrong"));
    }
    Ok(Some(Locations::from_fn(n_objects, n_dims, |object, dim| values[object * n_dims + dim])))
}
