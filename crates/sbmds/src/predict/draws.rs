//! Draws of a run in memory: maps with their noise.

use crate::Locations;
use crate::draws::Spaced;
use crate::measurement::NoiseScale;
use crate::run::{FinishedRun, RunError};

/// Evenly spaced draws of the map that a run shows, with their noise, as stored.
#[derive(Clone, Debug)]
pub struct PosteriorDraws {
    maps: Vec<Locations>,
    noise: Vec<NoiseScale>,
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
        let noise = run.noise_draws()?;
        let mut draws = Self { maps: Vec::new(), noise: Vec::new() };
        let mut numbers = 0..;
        run.reader().for_each_x_of(run.shown_chains(), |_, _, x| {
            if let Some(number) = numbers.next().filter(|&number| chosen.contains(number)) {
                draws.maps.push(x.clone());
                draws.noise.push(noise[number]);
            }
        })?;
        Ok(draws)
    }

    /// Maps that are in memory already, of a noise family without degrees of freedom.
    ///
    /// # Panics
    /// If there is not one sigma for every map.
    pub fn new(maps: Vec<Locations>, sigmas: Vec<f64>) -> Self {
        Self::with_noise(maps, sigmas.into_iter().map(NoiseScale::of_sigma).collect())
    }

    /// Maps that are in memory already.
    ///
    /// # Panics
    /// If there is not one noise for every map.
    pub fn with_noise(maps: Vec<Locations>, noise: Vec<NoiseScale>) -> Self {
        assert_eq!(maps.len(), noise.len(), "the noise of every map");
        Self { maps, noise }
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
        self.maps.iter().zip(self.noise.iter().map(|noise| noise.sigma))
    }

    /// Distance of a pair and noise in every draw.
    pub fn distances(&self, a: usize, b: usize, into: &mut Vec<(f64, NoiseScale)>) {
        into.clear();
        into.extend(self.maps.iter().zip(&self.noise).map(|(map, &noise)| (map.distance(a, b), noise)));
    }
}
