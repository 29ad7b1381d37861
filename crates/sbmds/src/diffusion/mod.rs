//! What a fit along a tree says beside the map: where ancestors were, how far locations moved along the branches, and the
//! files that BEAST's tools read.
//!
//! [`NodeDraws`] goes through the draws of a run with a location for every node of the tree; [`write_files`] makes
//! `posterior.log`, `posterior.trees` and `ancestors.csv` of them.

mod ancestors;
mod files;
mod node_draws;
mod node_map;
mod tracer;
mod trees;

pub use files::{DEFAULT_TREES, write_files};
pub use node_draws::{NodeDraw, NodeDraws};
pub use node_map::NodeMap;
