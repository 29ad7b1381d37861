//! Where chains start: a first map from the data, improved by an optimiser where that pays, jittered for each chain.

mod climb;
mod starts;

pub(crate) use starts::Starts;
