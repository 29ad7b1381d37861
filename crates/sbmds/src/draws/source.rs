//! Where stored draws come from: a store on disk, or memory.

use std::fmt::Debug;
use std::sync::Arc;

use super::error::StoreError;
use crate::Locations;

/// What a [`super::DrawReader`] reads from.
pub(super) trait DrawSource: Debug + Send + Sync {
    /// Whether the locations were kept.
    fn has_x(&self) -> bool;

    /// The map that the stored locations were aligned to, if they were.
    fn reference(&self) -> Result<Option<Locations>, StoreError>;

    /// A block of draws of the locations that holds this draw, object by object, and which draw of the block it is.
    fn x_block(&self, chain: usize, draw: usize) -> Result<(Arc<Vec<f64>>, usize), StoreError>;

    /// The first `n_draws` draws of a column: the posterior variables, then the sample statistics, in the order of the plan.
    fn column(&self, column: usize, chain: usize, n_draws: usize) -> Result<Vec<f64>, StoreError>;
}
