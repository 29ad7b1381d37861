//! A map to compare: a run with its draws, or a table of locations.

use std::path::Path;

use crate::Locations;
use crate::dissimilarity::{InputError, Names, read_points};
use crate::draws::Spaced;
use crate::run::{FinishedRun, RunError};

/// A map, with draws if there are any.
#[derive(Clone, Debug)]
pub struct MapDraws {
    pub(super) title: String,
    pub(super) names: Names,
    pub(super) mean: Locations,
    pub(super) draws: Vec<Locations>,
}

impl MapDraws {
    /// The map that a run shows, with at most `most` of its draws aligned to it.
    ///
    /// # Errors
    /// If the run's files cannot be read.
    pub fn of_run(run: &FinishedRun, most: usize) -> Result<Self, RunError> {
        let chosen = Spaced::new(run.n_locations(), most);
        let mut draws = Vec::new();
        run.for_each_aligned(|draw| chosen.contains(draw), |_, x| draws.push(x.clone()))?;
        Ok(Self { title: run.name(), names: run.names().clone(), mean: run.embedding().mean.clone(), draws })
    }

    /// A table of another program: a header, the name in the first column, then coordinates; or a `.npy` array.
    ///
    /// # Errors
    /// If the file cannot be read or holds no locations.
    pub fn of_table(path: &Path) -> Result<Self, InputError> {
        let (names, mean) = read_points(path)?;
        let title = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Self { title, names, mean, draws: Vec::new() })
    }

    /// Locations in memory.
    pub fn new(title: String, names: Names, mean: Locations, draws: Vec<Locations>) -> Self {
        Self { title, names, mean, draws }
    }

    /// Whether it is one map without draws.
    pub fn is_fixed(&self) -> bool {
        self.draws.is_empty()
    }

    /// A draw, or the map itself where there are none.
    pub(super) fn draw(&self, draw: usize) -> &Locations {
        self.draws.get(draw).unwrap_or(&self.mean)
    }

    /// In how many draws two maps can be compared.
    pub(super) fn n_draws(&self, other: &Self) -> usize {
        let counts = [self, other].map(|map| map.draws.len());
        counts.into_iter().filter(|&count| count > 0).min().unwrap_or(1)
    }
}
