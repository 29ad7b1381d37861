//! Where chains start: a first map from the data, improved by an optimiser where that pays, jittered for each chain.

mod maximise;
mod starts;

pub(crate) use maximise::{Maximum, maximise_to};
pub(crate) use starts::Starts;
