//! In which frame draws are exported: aligned to the map shown, or as the sampler had them.

use std::path::Path;

use super::FinishedRun;
use crate::Locations;
use crate::draws::{DrawReader, StoreError, X_ROTATION, X_SHIFT};
use crate::embedding::{Alignment, RigidMotion, principal_axes};
use crate::error::RunError;

/// What is done to stored draws before they are exported.
#[non_exhaustive]
pub enum ExportFrames {
    /// Aligned to a map.
    Aligned(Box<Alignment>),
    /// Moved back to where the sampler had them; by chain and draw.
    Raw(Vec<Vec<RigidMotion>>),
    /// Nothing: they are stored as they are wanted.
    AsStored,
}

impl ExportFrames {
    /// Aligned to the map shown, so that the mean of the exported draws that the map consists of is the map. Draws of a run that
    /// is not finished are aligned as they are stored, or to the first of them if they are stored raw.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn aligned(run: &Path) -> Result<Self, RunError> {
        match FinishedRun::open(run) {
            Ok(finished) => return Ok(Self::Aligned(Box::new(finished.alignment().clone()))),
            Err(RunError::Unfinished(_)) => {}
            Err(error) => return Err(error),
        }
        let reader = DrawReader::open(run)?;
        if reader.reference()?.is_some() || !reader.has_x() || reader.n_complete(0) == 0 {
            return Ok(Self::AsStored);
        }
        let first = reader.x(0, 0)?;
        Ok(Self::Aligned(Box::new(Alignment::to(principal_axes(&first).apply(&first)))))
    }

    /// As the sampler had them, up to rounding.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn raw(run: &Path) -> Result<Self, RunError> {
        let reader = DrawReader::open(run)?;
        if reader.reference()?.is_none() {
            return Ok(Self::AsStored);
        }
        Ok(Self::Raw((0..reader.n_chains()).map(|chain| back(&reader, chain)).collect::<Result<_, _>>()?))
    }

    /// A draw in this frame.
    ///
    /// # Errors
    /// If the store does not say how the draw was moved.
    pub fn apply(&self, chain: usize, draw: usize, x: &Locations) -> Result<Locations, StoreError> {
        match self {
            Self::AsStored => Ok(x.clone()),
            Self::Aligned(alignment) => Ok(alignment.apply(x)),
            Self::Raw(motions) => {
                let motion = motions.get(chain).and_then(|motions| motions.get(draw));
                Ok(motion
                    .ok_or_else(|| StoreError::Plan(format!("draw {draw} of chain {chain} was not moved")))?
                    .apply(x))
            }
        }
    }
}

/// The motions that undo what was done to the draws of a chain.
fn back(reader: &DrawReader, chain: usize) -> Result<Vec<RigidMotion>, StoreError> {
    let n_dims = reader.n_dims();
    let (rotations, shifts) = (reader.stat(X_ROTATION, chain)?, reader.stat(X_SHIFT, chain)?);
    let parts = rotations.chunks_exact(n_dims * n_dims).zip(shifts.chunks_exact(n_dims));
    Ok(parts.map(|(rotation, shift)| RigidMotion::from_parts(rotation, shift).inverse()).collect())
}
