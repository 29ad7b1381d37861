//! What BEAST stores and restores: a map, the precision, and what is known of the sum at them.

use std::sync::Arc;

use sbmds::Locations;

use crate::observations::Observations;

/// The state of a chain. Locations are kept in the coupling order.
pub(crate) struct State {
    pub locations: Locations,
    /// Whether all of them are finite.
    finite: bool,
    /// One over the variance of the noise.
    pub precision: f64,
    pub observations: Option<Arc<Observations>>,
    /// Energy of the map in which the objects of `moves` are where they were before.
    pub energy: Option<f64>,
    /// Objects that moved since `energy` was computed.
    pub moves: Moves,
    /// Moves that were added to `energy` since it was last summed over all pairs.
    pub n_added: usize,
}

/// Single objects that moved, each once, with where they came from.
#[derive(Default)]
pub(crate) struct Moves {
    positions: Vec<usize>,
    /// D numbers for each.
    from: Vec<f64>,
}

impl Moves {
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    pub fn clear(&mut self) {
        self.positions.clear();
        self.from.clear();
    }

    fn copy_from(&mut self, other: &Self) {
        self.positions.clone_from(&other.positions);
        self.from.clone_from(&other.from);
    }
}

impl State {
    /// Nothing known yet.
    pub fn new() -> Self {
        Self {
            locations: Locations::zeros(0, 1),
            finite: true,
            precision: 1.0,
            observations: None,
            energy: None,
            moves: Moves::default(),
            n_added: 0,
        }
    }

    /// Becomes `other` in the memory it has.
    pub fn copy_from(&mut self, other: &Self) {
        if self.locations.as_slice().len() == other.locations.as_slice().len() {
            self.locations.as_mut_slice().copy_from_slice(other.locations.as_slice());
        } else {
            self.locations = other.locations.clone();
        }
        self.finite = other.finite;
        self.precision = other.precision;
        self.observations.clone_from(&other.observations);
        self.energy = other.energy;
        self.moves.copy_from(&other.moves);
        self.n_added = other.n_added;
    }

    /// Nothing is known of the energy any more.
    pub fn forget(&mut self) {
        self.energy = None;
        self.moves.clear();
    }

    /// Puts one object elsewhere, and remembers where it was if that helps.
    pub fn move_object(&mut self, position: usize, to: &[f64]) {
        let remember = self.energy.is_some() && !self.moves.positions.contains(&position);
        if remember {
            self.moves.positions.push(position);
        }
        for (dim, &value) in to.iter().enumerate() {
            if remember {
                self.moves.from.push(self.locations.get(position, dim));
            }
            self.locations.set(position, dim, value);
        }
        if !self.finite || to.iter().any(|value| !value.is_finite()) {
            self.check_locations();
        }
    }

    /// Looks at all locations.
    pub fn check_locations(&mut self) {
        self.finite = self.locations.as_slice().iter().all(|value| value.is_finite());
    }

    /// Makes the moves one after the other: all objects go back, and `make` is told of each one's target while the map still
    /// shows where it was.
    pub fn replay(&mut self, mut make: impl FnMut(&Locations, usize, &[f64])) {
        self.swap_moved();
        let n_dims = self.locations.n_dims();
        for (&position, to) in self.moves.positions.iter().zip(self.moves.from.chunks_exact(n_dims)) {
            make(&self.locations, position, to);
            to.iter().enumerate().for_each(|(dim, &value)| self.locations.set(position, dim, value));
        }
        self.moves.clear();
    }

    /// Swaps where moved objects are with where they were.
    fn swap_moved(&mut self) {
        let n_dims = self.locations.n_dims();
        for (&position, from) in self.moves.positions.iter().zip(self.moves.from.chunks_exact_mut(n_dims)) {
            for (dim, value) in from.iter_mut().enumerate() {
                let here = self.locations.get(position, dim);
                self.locations.set(position, dim, *value);
                *value = here;
            }
        }
    }

    /// Whether a density exists here: BEAST may propose anything.
    pub fn is_proper(&self) -> bool {
        self.precision > 0.0 && self.precision.is_finite() && self.finite
    }
}
