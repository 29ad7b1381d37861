//! Draws of a run in memory: maps with their sigma.

use crate::Locations;
use crate::draws::Spaced;
use crate::run::{FinishedRun, RunError};

/// Evenly spaced draws of the map that a run shows, with their sigma, as stored.
#[derive(Clone, Debug)]
pub struct PosteriorDraws {
    maps: Vec<Locations>,
    sigmas: Vec<f64>,
}

impl PosteriorDraws {
    /// At most `most` draws of the chains that the map of a run consists of.
    ///
    /// # Errors
    /// If the run kept no draws of the locations, or the store is damaged.
    pub fn of(run: &FinishedRun, most: usize) -> Result<Self, RunError> {
        if run.n_locations() == 0 {
            let problem = format!("{} kept no draws of the locations", run.path().display());
            return Err(RunError::setting("RUN", problem, "fit again without `keep` summary"));
        }
        let chosen = Spaced::new(run.n_locations(), most);
        let by_chain = |&chain: &usize| run.reader().scalar("sigma", chain);
        let sigmas: Vec<f64> = run.shown_chains().iter().map(by_chain).collect::<Result<Vec<_>, _>>()?.concat();
        let mut draws = Self { maps: Vec::new(), sigmas: Vec::new() };
        let mut numbers = 0..;
        run.reader().for_each_x_of(run.shown_chains(), |_, _, x| {
            if let Some(number) = numbers.next().filter(|&number| chosen.contains(number)) {
                draws.maps.push(x.clone());
                draws.sigmas.push(sigmas[number]);
            }
        })?;
        Ok(draws)
    }

    /// Maps that are in memory already.
    ///
    /// # Panics
    /// If there is not one sigma for every map.
    pub fn new(maps: Vec<Locations>, sigmas: Vec<f64>) -> Self {
        assert_eq!(maps.len(), sigmas.len(), "one sigma for every map");
        Self { maps, sigmas }
    }

    /// Number of draws.
    pub fn len(&self) -> usize {
        self.maps.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.maps.is_empty()
    }

    /// Every map with its sigma.
    pub fn iter(&self) -> impl Iterator<Item = (&Locations, f64)> {
        self.maps.iter().zip(self.sigmas.iter().copied())
    }

    /// Distance and sigma of a pair in every draw.
    pub fn distances(&self, a: usize, b: usize, into: &mut Vec<(f64, f64)>) {
        into.clear();
        into.extend(self.iter().map(|(map, sigma)| (map.distance(a, b), sigma)));
    }
}
