//! What was measured, as it was measured: numbers, limits, repeats, weights and known errors, with noise of several families.
//!
//! The kernels of [`crate::likelihood`] take one exact number per pair. Here every measurement is a [`Term`] of its own: an
//! [`Observation`] whose log density a [`Family`] gives, of a [`Quantity`] that depends on the pair's distance. [`titres`] makes
//! terms of tables of titres.

mod family;
mod observation;
mod student;
pub(crate) mod tails;
mod terms;
pub mod titres;

pub use family::{Family, Slopes, Support};
pub use observation::Observation;
pub use terms::{KnownErrors, NoiseScale, Quantity, Term, Terms, TermsValue};
