//! Clusters of the objects, with their uncertainty: HDBSCAN of many posterior draws, and what they agree on.
//!
//! [`cluster_run`] is the whole story: [`cluster_draws`] finds the clusters of every draw ([`mod@hdbscan`]), [`Truth`]
//! compares them with known classes, and `consensus` finds the partition that says best what all of them say.
//! Everything else follows from the labels of the draws ([`DrawLabels`]): two objects are together with the probability
//! of sharing a cluster. docs/clustering.md has the equations.

mod agreement;
mod bagging;
mod consensus;
mod draw_labels;
mod error;
pub mod hdbscan;
mod hull;
mod linkage;
mod outlines;
mod run;
mod saved;
mod summary;
#[cfg(test)]
mod tests;
mod together;
mod truth;
mod variation;

pub use agreement::adjusted_rand_index;
pub use bagging::{ClusteredDraws, DrawId, choose_draws, cluster_draws};
pub use consensus::{Consensus, consensus};
pub use draw_labels::DrawLabels;
pub use error::ClusterError;
pub use hdbscan::{Clustering, HdbscanError, HdbscanSettings, Selection, hdbscan};
pub(crate) use outlines::{Axes, Outline, outlines};
pub use run::{Extras, RunClusters, WrittenClusters, cluster_run, together};
pub use saved::SavedClusters;
pub use summary::{ClusterSummary, ConsensusSummary, Spread, TruthSummary};
pub use truth::{Score, Truth};
