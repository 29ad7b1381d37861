//! Which pairs enter the likelihood: the couplings, and the order of the objects they apply to.
//!
//! A coupling joins *coupling positions* 0..N; `order` says which object (input order) is at each position. Everything
//! downstream works on positions and reports in input order.

mod effort;
mod lay;
mod offsets;
mod spec;

pub use effort::Effort;
pub use lay::{LandmarkChoice, LayOptions, Order, lay};
pub use offsets::{CHOSEN_BANDS, dispersed_offsets, random_offsets};
pub use spec::Couplings;

use crate::Locations;

/// Coupled pairs of positions, each unordered pair once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pairs {
    /// (n, n + o) for every offset o, strictly increasing: band, dispersed and full couplings.
    Diagonals(Vec<usize>),
    /// All pairs that touch one of the first so many positions.
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

    /// Whether positions `a` and `b`, `a < b`, are coupled.
    pub fn contains(&self, a: usize, b: usize) -> bool {
        match self {
            Self::Diagonals(offsets) => offsets.binary_search(&(b - a)).is_ok(),
            Self::Landmarks(count) => a < *count,
            Self::Graph(edges) => edges.binary_search(&(a as u32, b as u32)).is_ok(),
        }
    }

    /// Refuses pairs that are not as this type promises, or not of `n_objects` positions: kernels rely on it without looking.
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

    /// Number of pairs among `n_objects` positions, missing ones included.
    pub fn count(&self, n_objects: usize) -> usize {
        match self {
            Self::Diagonals(offsets) => offsets.iter().map(|offset| n_objects - offset).sum(),
            Self::Landmarks(count) => (0..*count).map(|landmark| n_objects - 1 - landmark).sum(),
            Self::Graph(edges) => edges.len(),
        }
    }
}

/// The coupled pairs, and the order of the objects.
#[derive(Clone, Debug)]
pub struct Coupling {
    /// What was asked for, with `auto` resolved.
    pub couplings: Couplings,
    /// The object (input order) at each position.
    pub order: Vec<usize>,
    /// The coupled positions.
    pub pairs: Pairs,
}

impl Coupling {
    /// Locations given in input order, by position.
    pub fn to_positions(&self, by_object: &Locations) -> Locations {
        by_object.reordered(&self.order)
    }

    /// Locations (or a gradient) given by position, in input order.
    pub fn to_objects(&self, by_position: &Locations) -> Locations {
        let mut by_object = Locations::zeros(by_position.n_objects(), by_position.n_dims());
        for dim in 0..by_position.n_dims() {
            let target = by_object.dim_mut(dim);
            for (&object, &value) in self.order.iter().zip(by_position.dim(dim)) {
                target[object] = value;
            }
        }
        by_object
    }
}
