//! Sparse Bayesian multidimensional scaling: from a table of dissimilarities to a map with honest error bars.
//!
//! Data flows through the modules in this order:
//! [`dissimilarity`] (what was measured, by name) and [`locations`] (where things are).

pub mod dissimilarity;
pub mod draws;
pub mod locations;

pub use locations::Locations;
