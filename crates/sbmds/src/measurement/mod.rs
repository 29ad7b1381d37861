//! What was measured, as it was measured: numbers, limits, repeats, weights and known errors, with noise of several families.
//!
//! The kernels of pairs take one exact number per pair. Here every measurement is a [`Term`] of its own: an
//! [`Observation`] whose log density a [`Family`] gives, of a [`Quantity`] that depends on the pair's distance. [`titres`] makes
//! terms of tables of titres.

mod coupled;
mod family;
mod kernel;
mod levels;
mod likelihood;
mod predictive;
pub mod simulate;
mod student;
pub(crate) mod tails;
mod terms;
pub mod titres;

pub use family::{Family, LogDensity, Support};
pub use levels::{LevelGroup, LevelPrior, SCALE_OF_MEAN, SCALE_OF_SD};
pub use likelihood::{Nu, TermLikelihood};
pub use predictive::PairNoise;
pub use terms::{KnownErrors, NoiseScale, Quantity, Terms, TermsValue};

pub use crate::dissimilarity::{Observation, Term};
