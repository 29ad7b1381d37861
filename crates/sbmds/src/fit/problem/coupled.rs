//! The dissimilarities that the likelihood sees, by object and in the unit of the input.

use super::unit::Unit;
use crate::coupling::ObjectOrder;
use crate::likelihood::LogLikelihood;

/// The coupled pairs of a run with their dissimilarities, in input order and units.
pub struct CoupledPairs<'a> {
    order: &'a ObjectOrder,
    likelihood: &'a dyn LogLikelihood,
    unit: Unit,
}

impl<'a> CoupledPairs<'a> {
    /// The pairs of a likelihood of objects in this order, whose dissimilarities are divided by `unit`.
    pub(crate) fn new(order: &'a ObjectOrder, likelihood: &'a dyn LogLikelihood, unit: Unit) -> Self {
        Self { order, likelihood, unit }
    }

    /// Number of pairs that have a dissimilarity.
    pub fn n_pairs(&self) -> usize {
        self.likelihood.n_pairs()
    }

    /// The coupled partners of an object with their dissimilarities.
    pub fn partners(&self, object: usize) -> Vec<(usize, f64)> {
        let mut partners = Vec::new();
        self.likelihood.visit_partners(self.order.position(object), &mut |other, delta| {
            partners.push((self.order.object(other), delta * self.unit.0));
            true
        });
        partners
    }
}
