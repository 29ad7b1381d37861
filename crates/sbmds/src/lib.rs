//! Sparse Bayesian multidimensional scaling: from a table of dissimilarities to a map with honest error bars.
//!
//! Data flows through the modules in this order:
//! [`dissimilarity`] (what was measured, by name) and [`locations`] (where things are).

pub mod coupling;
pub mod dissimilarity;
pub mod likelihood;
pub mod locations;
pub mod random;

pub use locations::Locations;
