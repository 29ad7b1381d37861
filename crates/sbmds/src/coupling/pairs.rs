//! The coupled pairs as a checked type: whoever has one need not look again whether its pairs are in range.

use std::fmt;

use rand_chacha::ChaCha8Rng;

use super::dispersed_offsets;
use super::offsets::nested_offsets;

/// Coupled pairs of the positions 0..N, each unordered pair once. Kernels read memory by them without looking, so that every
/// constructor checks them.
#[derive(Clone, PartialEq, Eq)]
pub struct Pairs {
    n_objects: usize,
    shape: Shape,
}

#[derive(Clone, PartialEq, Eq)]
enum Shape {
    Diagonals(Vec<usize>),
    Landmarks(usize),
    Graph(Vec<(u32, u32)>),
}

/// How pairs are described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairShape<'a> {
    /// (n, n + o) for every offset o, strictly increasing, 0 < o < N: band, dispersed and full couplings.
    Diagonals(&'a [usize]),
    /// All pairs that touch one of the first this many positions, at most N.
    Landmarks(usize),
    /// (n, m) with n < m < N, strictly increasing.
    Graph(&'a [(u32, u32)]),
}

/// Why pairs cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PairsError {
    /// A diagonal that the matrix of pairs does not have.
    #[error("there is no offset {offset} among {n_objects} objects; give offsets from 1 to {}", n_objects.saturating_sub(1))]
    Offset {
        /// The offset.
        offset: usize,
        /// Number of objects.
        n_objects: usize,
    },
    /// A pair of the same object twice, of the later one first, or of one that is not there.
    #[error("({}, {}) is no pair a < b of {n_objects} objects", pair.0, pair.1)]
    Pair {
        /// The pair.
        pair: (u32, u32),
        /// Number of objects.
        n_objects: usize,
    },
    /// Two in the wrong order, or the same twice.
    #[error("{what} must be strictly increasing; sort them and leave each out but once")]
    Order {
        /// What was given.
        what: &'static str,
    },
}

impl Pairs {
    /// All pairs.
    pub fn full(n_objects: usize) -> Self {
        Self::band(n_objects, n_objects)
    }

    /// The first B diagonals; B beyond N - 1 is all of them.
    pub fn band(n_objects: usize, bands: usize) -> Self {
        let offsets = (1..=bands.min(n_objects.saturating_sub(1))).collect();
        Self { n_objects, shape: Shape::Diagonals(offsets) }
    }

    /// All pairs that touch one of the first `count` positions; `count` beyond N is all of them.
    pub fn landmarks(n_objects: usize, count: usize) -> Self {
        Self { n_objects, shape: Shape::Landmarks(count.min(n_objects)) }
    }

    /// B wrapped diagonals that hold those of fewer, drawn with the same random numbers.
    pub fn nested(n_objects: usize, bands: usize, rng: &mut ChaCha8Rng) -> Self {
        Self { n_objects, shape: Shape::Diagonals(nested_offsets(n_objects, bands, rng)) }
    }

    /// (n, n + o) for every offset o.
    ///
    /// # Errors
    /// If the offsets are not strictly increasing, or one is 0 or not below `n_objects`.
    pub fn diagonals(n_objects: usize, offsets: Vec<usize>) -> Result<Self, PairsError> {
        match offsets.iter().find(|&&offset| offset == 0 || offset >= n_objects) {
            Some(&offset) => Err(PairsError::Offset { offset, n_objects }),
            None if !offsets.is_sorted_by(|a, b| a < b) => Err(PairsError::Order { what: "offsets" }),
            None => Ok(Self { n_objects, shape: Shape::Diagonals(offsets) }),
        }
    }

    /// Any pairs (a, b).
    ///
    /// # Errors
    /// If the pairs are not strictly increasing, or one has not a < b < `n_objects`.
    pub fn graph(n_objects: usize, edges: Vec<(u32, u32)>) -> Result<Self, PairsError> {
        match edges.iter().find(|(a, b)| a >= b || *b as usize >= n_objects) {
            Some(&pair) => Err(PairsError::Pair { pair, n_objects }),
            None if !edges.is_sorted_by(|a, b| a < b) => Err(PairsError::Order { what: "pairs" }),
            None => Ok(Self { n_objects, shape: Shape::Graph(edges) }),
        }
    }

    /// B wrapped diagonals at random offsets; see [`dispersed_offsets`].
    pub fn dispersed(n_objects: usize, bands: usize, rng: &mut ChaCha8Rng) -> Self {
        Self { n_objects, shape: Shape::Diagonals(dispersed_offsets(n_objects, bands, rng)) }
    }

    /// Those of the pairs for which `keep` says so, as a graph.
    pub(crate) fn of_graph_where(mut self, mut keep: impl FnMut(usize, usize) -> bool) -> Self {
        if let Shape::Graph(edges) = &mut self.shape {
            edges.retain(|&(a, b)| keep(a as usize, b as usize));
        }
        self
    }

    /// Number of objects N.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// How they are described.
    pub fn shape(&self) -> PairShape<'_> {
        match &self.shape {
            Shape::Diagonals(offsets) => PairShape::Diagonals(offsets),
            Shape::Landmarks(count) => PairShape::Landmarks(*count),
            Shape::Graph(edges) => PairShape::Graph(edges),
        }
    }

    /// Whether positions `a` and `b`, `a < b`, are coupled.
    pub fn contains(&self, a: usize, b: usize) -> bool {
        match &self.shape {
            Shape::Diagonals(offsets) => offsets.binary_search(&(b - a)).is_ok(),
            Shape::Landmarks(count) => a < *count,
            Shape::Graph(edges) => edges.binary_search(&(a as u32, b as u32)).is_ok(),
        }
    }

    /// Number of pairs, missing ones included.
    pub fn count(&self) -> usize {
        match &self.shape {
            Shape::Diagonals(offsets) => offsets.iter().map(|offset| self.n_objects - offset).sum(),
            Shape::Landmarks(count) => (0..*count).map(|landmark| self.n_objects - 1 - landmark).sum(),
            Shape::Graph(edges) => edges.len(),
        }
    }
}

impl fmt::Debug for Pairs {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?} of {} objects", self.shape(), self.n_objects)
    }
}
