//! Sparse Bayesian multidimensional scaling: from a table of dissimilarities to a map with honest error bars.
//!
//! Data flows through the modules in this order: [`dissimilarity`] (what was measured, by name), [`coupling`] (which
//! pairs enter the likelihood), [`measurement`] (how a number, a limit or a titre depends on a distance), [`likelihood`] (how well
//! [`locations`] explain them), [`posterior`] (with the priors), [`sampler`] (one
//! chain), [`draws`] (the store of posterior draws), [`diagnostics`] (whether to trust them), [`embedding`] (the map) and
//! [`quality`] (whether it describes the data).
//! [`tree`] and [`brownian`] give the prior of locations that evolved along a phylogeny, [`diffusion`] says what a fit
//! with it found, [`cluster`] finds clusters in the draws. [`run`] is the whole story: a fit from file to directory;
//! [`report`] makes a page and [`figures`] make pictures of it. [`calibration`] checks whole fits by simulation,
//! [`files`] replaces files together, [`plain`] makes text fit to be shown, [`simulate`] makes data to try everything on, and
//! [`random`] hands out the streams of random numbers. [`beast`] is how BEAST asks for all of this.

mod align;
pub mod beast;
pub mod brownian;
pub mod calibration;
mod cholesky;
pub mod cluster;
pub mod coupling;
pub mod dense;
pub mod diagnostics;
pub mod diffusion;
pub mod dissimilarity;
pub mod draws;
pub mod embedding;
pub mod error;
#[cfg(feature = "figures")]
pub mod figures;
pub mod files;
pub mod fit;
pub mod likelihood;
pub mod locations;
mod machine;
pub mod measurement;
mod numeric;
pub mod plain;
pub mod posterior;
pub mod quality;
pub mod random;
#[cfg(feature = "report")]
pub mod report;
pub mod run;
pub mod sampler;
pub mod settings;
pub mod simulate;
pub mod tree;

pub use locations::Locations;
