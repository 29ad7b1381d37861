//! The posterior draws on disk: a Zarr v3 store laid out as ArviZ InferenceData, which survives a kill at any moment.
//!
//! ```text
//! RUN/draws.zarr
//!   posterior     x [chain, draw, object, dim], sigma [chain, draw], ...; coordinates chain, draw, object, dim
//!   sample_stats  lp, acceptance_rate, ... [chain, draw];                 coordinates chain, draw
//!   constant_data reference [object, dim]: the map that x is aligned to; absent if x is as the sampler had it
//!   progress      n_draws [chain]: how many draws of each chain are complete
//! ```
//!
//! The shape is the planned one and draws not yet made read as NaN, so `xarray.open_datatree` and ArviZ open the store
//! while the run goes on, after a kill and when it is done.
//!
//! Each chain's thread owns a [`ChainWriter`], which gathers draws until a chunk is full and then replaces the chunk's
//! file whole. What is not yet in a full chunk goes into the run's [`checkpoint`]; a run killed and resumed from there
//! ends with the same bytes as one never killed. Memory does not grow with the number of draws.

pub mod checkpoint;
mod digest;
pub(crate) mod error;
mod export;
mod export_csv;
mod memory;
mod plan;
mod reader;
mod reference;
mod shape;
mod source;
mod spaced;
mod store;
mod tree;
mod writer;
mod zarr;
mod zarr_source;

pub(crate) use digest::digest;
pub use error::StoreError;
pub use export::{EXPORTED, Frame, export_npy};
pub use export_csv::export_csv;
pub use memory::MemoryStore;
pub use plan::{Axis, Dtype, StorePlan, Variable};
pub(crate) use plan::{X_ROTATION, X_SHIFT};
pub use reader::DrawReader;
pub(crate) use spaced::Spaced;
pub use store::DrawStore;
pub use writer::{Buffered, ChainWriter, Draw};
