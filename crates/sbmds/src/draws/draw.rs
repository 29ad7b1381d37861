//! One draw, and the draws of a chain that are not stored yet.

use serde::{Deserialize, Serialize};

use crate::Locations;

/// One kept draw.
#[derive(Clone, Copy, Debug)]
pub struct Draw<'a> {
    /// Locations in input order; ignored by a store that keeps no locations.
    pub x: &'a Locations,
    /// Values of the posterior variables, in the order of the plan, vectors and matrices row by row.
    pub scalars: &'a [f64],
    /// Values of the sample statistics, in the order of the plan.
    pub stats: &'a [f64],
}

/// What a writer holds in memory: the draws whose chunks are not yet full. It goes into the checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Buffered {
    pub(super) chain: usize,
    pub(super) n_draws: usize,
    pub(super) columns: Vec<Vec<f64>>,
}

impl Buffered {
    /// Of a chain all of whose draws are stored.
    pub fn nothing(chain: usize, n_draws: usize) -> Self {
        Self { chain, n_draws, columns: Vec::new() }
    }

    /// Of a chain with draws that are not stored yet.
    #[cfg(test)]
    pub(crate) fn filled(chain: usize, n_draws: usize, columns: Vec<Vec<f64>>) -> Self {
        Self { chain, n_draws, columns }
    }

    /// Number of draws the chain had made.
    pub fn n_draws(&self) -> usize {
        self.n_draws
    }
}
