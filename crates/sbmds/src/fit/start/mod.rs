//! Where chains start: a first map from the data, improved by an optimiser where that pays, jittered for each chain.

pub(crate) mod arithmetic;
mod maximise;
pub(crate) mod reference;
mod starts;

pub(crate) use maximise::{Maximum, maximise_to, maximise_while};
pub(crate) use starts::Starts;
