//! The dissimilarities that the likelihood sees, by object and in the unit of the input.

use super::unit::Unit;
use crate::likelihood::LogLikelihood;

/// The coupled pairs of a run with their dissimilarities, in input order and units.
pub struct CoupledPairs<'a> {
    order: &'a [usize],
    /// The position of each object: the inverse of `order`.
    positions: Vec<usize>,
    likelihood: &'a dyn LogLikelihood,
    unit: Unit,
}

impl<'a> CoupledPairs<'a> {
    /// `order[position]` is the object at a position of the likelihood, whose dissimilarities are divided by `unit`.
    pub(crate) fn new(order: &'a [usize], likelihood: &'a dyn LogLikelihood, unit: Unit) -> Self {
        let mut positions = vec![0; order.len()];
        for (position, &object) in order.iter().enumerate() {
            positions[object] = position;
        }
        Self { order, positions, likelihood, unit }
    }

    /// Number of pairs that have a dissimilarity.
    pub fn n_pairs(&self) -> usize {
        self.likelihood.n_pairs()
    }

    /// The coupled partners of an object with their dissimilarities.
    pub fn partners(&self, object: usize) -> Vec<(usize, f64)> {
        let mut partners = Vec::new();
        self.likelihood.visit_partners(self.positions[object], &mut |other, delta| {
            partners.push((self.order[other], delta * self.unit.0));
            true
        });
        partners
    }
}
