//! Sparse Bayesian multidimensional scaling: from a table of dissimilarities to a map with honest error bars.
//!
//! ```
//! use sbmds::{Dissimilarities, Fit, Names};
//!
//! // A unit square and its centre: pairs (0, 1), (0, 2), ... (3, 4).
//! let names = Names::given(["NE", "NW", "SW", "SE", "centre"].map(String::from).to_vec()).expect("every name once");
//! let values = [1.0, 1.4, 1.0, 0.7, 1.0, 1.4, 0.7, 1.0, 0.7, 0.7];
//! let data = Dissimilarities::from_condensed(names, &values)?; // also dense, pairs, features, files
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
//! [`locations`] explain them), [`posterior`] (with the priors), [`sampler`] (one chain), [`draws`] (posterior draws, in memory and on
//! disk), [`diagnostics`] (whether to trust them), [`embedding`] (the map), [`quality`] (whether it describes the data), [`fit`] (all of
//! it), [`run`] (in a directory). [`tree`] and [`brownian`] give the prior of locations that evolved along a phylogeny, and
//! [`diffusion`] says what a fit with it found; [`measurement`] are titres and other measurements that are no distances; [`cluster`]
//! finds clusters in the draws; [`calibration`] checks whole fits by simulation; [`simulate`] makes data.
//!
//! # Something of your own
//!
//! A log-likelihood of a map is a [`LogLikelihood`](likelihood::LogLikelihood), a prior of locations a
//! [`LocationPrior`](posterior::LocationPrior), a prior of the noise a [`SigmaPrior`](posterior::SigmaPrior), a sampler a
//! [`Move`](sampler::Move), a place for draws a [`DrawSink`](fit::DrawSink). The folder `examples` has programs with some.
//!
//! # Features
//!
//! All are on by default. Without them, neither fonts nor drawing nor compression of pictures is compiled.
//!
//! - `figures`: figures for papers, as SVG, PDF and PNG.
//! - `report`: the interactive page.

mod align;
pub mod beast;
pub mod brownian;
pub mod calibration;
mod cholesky;
pub mod choose;
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
pub mod loo;
mod machine;
pub mod maps;
pub mod measurement;
mod numeric;
pub mod place;
pub mod plain;
pub mod posterior;
pub mod predict;
pub mod quality;
pub mod random;
#[cfg(feature = "report")]
pub mod report;
pub mod run;
pub mod sampler;
pub mod settings;
pub mod simulate;
pub mod tree;

pub use coupling::Couplings;
pub use dissimilarity::{Dissimilarities, Metric, Names};
pub use error::{ErrorKind, RunError};
pub use fit::{Fit, Fitted};
pub use likelihood::Noise;
pub use locations::Locations;
pub use sampler::Sampler;
pub use settings::{FitConfig, PriorFamily};
pub use tree::Tree;
