//! What a run knows of its dissimilarities: which pairs have one, and which of these are coupled.

use super::coupled::CoupledPairs;
use crate::coupling::Coupling;
use crate::dissimilarity::{Dissimilarities, Term};
use crate::quality::KnownPairs;

/// What a run knows of its dissimilarities.
pub struct Known<'a> {
    data: &'a Dissimilarities,
    coupling: &'a Coupling,
    coupled: CoupledPairs<'a>,
}

impl<'a> Known<'a> {
    /// `coupled` are the pairs of `coupling` that have a dissimilarity.
    pub(crate) fn new(data: &'a Dissimilarities, coupling: &'a Coupling, coupled: CoupledPairs<'a>) -> Self {
        Self { data, coupling, coupled }
    }
}

impl KnownPairs for Known<'_> {
    fn n_objects(&self) -> usize {
        self.data.n_objects()
    }

    fn n_coupled(&self) -> usize {
        self.coupled.n_pairs()
    }

    fn partners(&self, object: usize) -> Vec<(usize, f64)> {
        self.coupled.partners(object)
    }

    fn is_coupled(&self, a: usize, b: usize) -> bool {
        self.coupling.coupled(a, b).is_some()
    }

    fn get(&self, a: usize, b: usize) -> f64 {
        self.data.get(a, b)
    }

    fn measured(&self) -> Option<&[(u32, u32, f64)]> {
        self.data.measured_pairs()
    }

    fn measurements(&self) -> Option<&[Term]> {
        self.data.measurements()
    }
}
