//! Clusters of the objects, with their uncertainty: HDBSCAN of many posterior draws, and what they agree on.

mod agreement;
pub mod hdbscan;

pub use agreement::adjusted_rand_index;
pub use hdbscan::{Clustering, HdbscanError, HdbscanSettings, Selection, hdbscan};
