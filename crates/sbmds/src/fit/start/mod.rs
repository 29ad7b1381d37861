//! Where chains start: a first map from the data, improved by an optimiser where that pays, jittered for each chain.

mod maximise;
mod starts;

pub(crate) use starts::Starts;
