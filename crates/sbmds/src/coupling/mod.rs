//! Which pairs speak: the couplings, laid over the objects in a certain order.
//!
//! A coupling is laid over *places* 0..N; `order` says which object (input order) sits at each place. Everything
//! downstream works on places and reports in input order.

mod check;
mod effort;
mod landmarks;
mod lay;
mod offsets;
mod spec;

pub use check::{Connections, Underdetermined};
pub use effort::Effort;
pub use landmarks::spread_landmarks;
pub use lay::{LandmarkChoice, LayOptions, Order, lay};
pub use offsets::{CHOSEN_BANDS, dispersed_offsets, random_offsets};
pub use spec::Couplings;

use crate::Locations;

/// Coupled pairs of places, each unordered pair once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pairs {
    /// (n, n + o) for every offset o, strictly increasing: band, dispersed and full couplings.
    Diagonals(Vec<usize>),
    /// All pairs that touch one of the first so many places.
    Landmarks(usize),
    /// (n, m) with n < m, strictly increasing.
    Graph(Vec<(u32, u32)>),
}

impl Pairs {
    /// The first B diagonals; B beyond N - 1 is all of them.
    pub fn band(n_objects: usize, bands: usize) -> Self {
        Self::Diagonals((1..=bands.min(n_objects.saturating_sub(1))).collect())
    }

    /// All pairs.
    pub fn full(n_objects: usize) -> Self {
        Self::band(n_objects, n_objects)
    }

    /// Whether places `a` and `b`, `a < b`, are coupled.
    pub fn contains(&self, a: usize, b: usize) -> bool {
        match self {
            Self::Diagonals(offsets) => offsets.binary_search(&(b - a)).is_ok(),
            Self::Landmarks(count) => a < *count,
            Self::Graph(edges) => edges.binary_search(&(a as u32, b as u32)).is_ok(),
        }
    }

    /// Refuses pairs that are not as this type promises, or not of `n_objects` places: kernels rely on it without looking.
    ///
    /// # Errors
    /// What is wrong with the first that is.
    pub fn check(&self, n_objects: usize) -> Result<(), String> {
        match self {
            Self::Diagonals(offsets) => {
                let is_sorted = offsets.is_sorted_by(|a, b| a < b);
                match offsets.iter().find(|&&offset| offset == 0 || offset >= n_objects) {
                    Some(offset) => Err(format!("there is no offset {offset} among {n_objects} objects")),
                    None if is_sorted => Ok(()),
                    None => Err("offsets must be strictly increasing".into()),
                }
            }
            Self::Landmarks(count) if *count > n_objects => Err(format!("{count} landmarks among {n_objects} objects")),
            Self::Landmarks(_) => Ok(()),
            Self::Graph(edges) => {
                let is_sorted = edges.is_sorted_by(|a, b| a < b);
                match edges.iter().find(|(a, b)| a >= b || *b as usize >= n_objects) {
                    Some((a, b)) => Err(format!("({a}, {b}) is no pair a < b of {n_objects} objects")),
                    None if is_sorted => Ok(()),
                    None => Err("pairs must be strictly increasing".into()),
                }
            }
        }
    }

    /// Number of pairs among `n_objects` places, missing ones included.
    pub fn count(&self, n_objects: usize) -> usize {
        match self {
            Self::Diagonals(offsets) => offsets.iter().map(|offset| n_objects - offset).sum(),
            Self::Landmarks(count) => (0..*count).map(|landmark| n_objects - 1 - landmark).sum(),
            Self::Graph(edges) => edges.len(),
        }
    }
}

/// Coupled pairs laid over the objects.
#[derive(Clone, Debug)]
pub struct Coupling {
    /// What was asked for, with `auto` resolved.
    pub couplings: Couplings,
    /// The object (input order) at each place.
    pub order: Vec<usize>,
    /// The coupled places.
    pub pairs: Pairs,
}

impl Coupling {
    /// Locations given in input order, by place.
    pub fn to_places(&self, by_object: &Locations) -> Locations {
        by_object.reordered(&self.order)
    }

    /// Locations (or a gradient) given by place, in input order.
    pub fn to_objects(&self, by_place: &Locations) -> Locations {
        let mut by_object = Locations::zeros(by_place.n_objects(), by_place.n_dims());
        for dim in 0..by_place.n_dims() {
            let target = by_object.dim_mut(dim);
            for (&object, &value) in self.order.iter().zip(by_place.dim(dim)) {
                target[object] = value;
            }
        }
        by_object
    }
}
