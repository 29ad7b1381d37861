//! Sparse Bayesian multidimensional scaling: from a table of dissimilarities to a map with honest error bars.
//!
//! ```
//! use sbmds::{Dissimilarities, Fit};
//!
//! // A unit square and its centre: pairs (0, 1), (0, 2), ... (3, 4).
//! let names = ["NE", "NW", "SW", "SE", "centre"];
//! let values = [1.0, 1.4, 1.0, 0.7, 1.0, 1.4, 0.7, 1.0, 0.7, 0.7];
//! let data = Dissimilarities::from_condensed(&names, &values)?; // also dense, pairs, features, files
//! let fit = Fit::of(&data).dims(2).couplings("full".parse()?).chains(2).draws(300).seed(1).run()?;
//! println!("{}", fit.verdict()); // have the chains converged?
//! println!("{:?}", fit.map().mean.object(4)); // where the centre is, on average
//! let diagonal = fit.distances("NE", "SW")?; // a distance in every draw
//! assert_eq!(diagonal.len(), 600);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Fit`] has one method per setting, and [`Fit::with`] reaches all of [`settings`]; the result is a [`Fitted`]. The same fit with
//! its draws on disk, checkpoints and a resume is [`run::fit`]. Errors are [`RunError`]s, with an [`ErrorKind`] to match on.
//!
//! # The way of the data
//!
//! [`dissimilarity`] (what was measured, by name), [`coupling`] (which pairs enter the likelihood), [`likelihood`] (how well
//! [`Locations`] explain them), [`posterior`] (with the priors), [`sampler`] (one chain), [`draws`] (posterior draws, in memory and on
//! disk), [`diagnostics`] (whether to trust them), [`embedding`] (the map), [`quality`] (whether it describes the data), [`fit`] (all of
//! it), [`run`] (in a directory). [`tree`] and [`brownian`] give the prior of locations that evolved along a phylogeny, and
//! [`diffusion`] says what a fit with it found; [`measurement`] are titres and other measurements that are no distances; [`cluster`]
//! finds clusters in the draws; [`calibration`] checks whole fits by simulation; [`simulate`] makes data.
//!
//! # Something of your own
//!
//! A log-likelihood of a map is a [`LogLikelihood`], a prior of locations a [`LocationPrior`], a prior of the noise a
//! [`SigmaPrior`], a sampler a [`Move`]; draws go wherever a [`DrawSink`] puts them ([`Fit::run_into`]), and an [`Observer`]
//! hears how far a fit is. [`fit::drive`] is the one loop that steps a chain, for who has a posterior of their own. The folder
//! `examples` has five programs: `fit_in_memory`, `features_to_map`, `own_prior`, `own_sampler` and `own_sink`.
//!
//! # Features
//!
//! All are on by default. Without them, neither fonts nor drawing nor compression of pictures is compiled.
//!
//! - `store`: draws on disk (Zarr v3, as ArviZ reads it) and runs in directories.
//! - `figures`: figures for papers, as SVG, PDF and PNG.
//! - `report`: the interactive page.

// What is in the library for runs in directories alone.
#![cfg_attr(not(feature = "store"), allow(dead_code, unused_imports))]

mod align;
#[doc(hidden)] // for the program alone
pub mod beast;
pub mod brownian;
pub mod calibration;
mod cholesky;
#[cfg(feature = "figures")]
pub mod choose;
pub mod cluster;
pub mod coupling;
#[doc(hidden)] // for the paper's studies alone
pub mod dense;
pub mod diagnostics;
pub mod diffusion;
pub mod dissimilarity;
pub mod draws;
pub mod embedding;
mod error;
#[cfg(feature = "figures")]
pub mod figures;
#[doc(hidden)] // for the program alone
pub mod files;
pub mod fit;
pub mod likelihood;
mod locations;
#[cfg(feature = "store")]
pub mod loo;
mod machine;
#[cfg(feature = "store")]
pub mod maps;
pub mod measurement;
mod numeric;
#[cfg(feature = "store")]
pub mod place;
#[doc(hidden)] // for the program alone
pub mod plain;
pub mod posterior;
#[cfg(feature = "store")]
pub mod predict;
pub mod quality;
pub mod random;
#[cfg(feature = "report")]
pub mod report;
#[cfg(feature = "store")]
pub mod run;
pub mod sampler;
pub mod settings;
pub mod simulate;
pub mod tree;

pub use coupling::Couplings;
pub use dissimilarity::{Dissimilarities, Metric, Names};
pub use error::{ErrorKind, RunError};
pub use fit::{ChainSink, DrawSink, Fit, Fitted, MemorySink, Observer};
pub use likelihood::{LogLikelihood, Noise};
pub use locations::Locations;
pub use posterior::{LocationPrior, SigmaPrior};
pub use sampler::{Move, Sampler};
pub use settings::{FitConfig, PriorFamily};
pub use tree::Tree;
