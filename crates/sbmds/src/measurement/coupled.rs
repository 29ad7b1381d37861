//! The terms of the coupled pairs, where the kernels' one exact number per pair with their noise is not enough.

use super::family::Family;
use super::terms::{KnownErrors, Quantity, Terms};
use crate::coupling::{Coupling, Position};
use crate::dissimilarity::{Dissimilarities, Observation, Term};
use crate::likelihood::Likelihood;

impl Terms {
    /// The measurements of the coupled pairs, in input units; `None` where the kernels do. The dissimilarities of `coupled` are
    /// divided by `unit`.
    pub fn of_coupled(
        data: &Dissimilarities,
        coupling: &Coupling,
        coupled: &Likelihood,
        unit: f64,
        (family, known_errors): (Family, KnownErrors),
    ) -> Option<Self> {
        let terms = match data.measurements() {
            Some(measurements) => by_position(measurements, coupling),
            None if family.of_kernels().is_some() => return None,
            None => exact_terms(coupled, unit),
        };
        Some(Self::new(data.n_objects(), &terms, family, Quantity::Distance, known_errors))
    }
}

/// One exact number per coupled pair, in input units.
fn exact_terms(coupled: &Likelihood, unit: f64) -> Vec<Term> {
    let mut terms = Vec::with_capacity(coupled.n_pairs());
    for near in 0..coupled.n_objects() {
        coupled.for_each_partner(Position::new(near), |far, delta| {
            if far.index() > near {
                terms.push(Term::new(near, far.index(), Observation::Exact(delta * unit)));
            }
            true
        });
    }
    terms
}

/// The measurements of the coupled pairs, by position.
fn by_position(measurements: &[Term], coupling: &Coupling) -> Vec<Term> {
    let of_positions = |term: &Term| {
        let (near, far) = coupling.coupled(term.near as usize, term.far as usize)?;
        Some(Term { near: near.index() as u32, far: far.index() as u32, ..*term })
    };
    measurements.iter().filter_map(of_positions).collect()
}
