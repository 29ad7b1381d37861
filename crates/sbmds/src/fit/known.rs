//! What a run knows of its dissimilarities: which pairs have one, and which of these are coupled.

use super::coupled::CoupledPairs;
use crate::coupling::Coupling;
use crate::dissimilarity::Dissimilarities;
use crate::quality::KnownPairs;

/// What a run knows of its dissimilarities.
pub struct Known<'a> {
    data: &'a Dissimilarities,
    coupling: &'a Coupling,
    coupled: CoupledPairs<'a>,
    /// The coupling position of each object.
    positions: Vec<usize>,
}

impl<'a> Known<'a> {
    /// `coupled` are the pairs of `coupling` that have a dissimilarity.
    pub(crate) fn new(data: &'a Dissimilarities, coupling: &'a Coupling, coupled: CoupledPairs<'a>) -> Self {
        let mut positions = vec![0; coupling.order.len()];
        coupling.order.iter().enumerate().for_each(|(position, &object)| positions[object] = position);
        Self { data, coupling, coupled, positions }
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
        let (a, b) = (self.positions[a], self.positions[b]);
        self.coupling.pairs.contains(a.min(b), a.max(b))
    }

    fn get(&self, a: usize, b: usize) -> f64 {
        self.data.get(a, b)
    }

    fn measured(&self) -> Option<&[(u32, u32, f64)]> {
        self.data.measured_pairs()
    }
}
