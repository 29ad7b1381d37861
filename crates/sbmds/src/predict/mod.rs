//! What the posterior expects of dissimilarities: of every measured pair, of listed ones, or of all that are missing.
//!
//! The posterior predictive distribution of a pair is the noise around its distance, mixed over draws of the map and of sigma
//! (`Mixture`(crate::quality::Mixture)). A `Prediction` is its mean, standard deviation and central interval, and where what was
//! observed lies in it; a [`Tally`] counts over many pairs how often the interval holds, and keeps the most surprising ones.

mod draws;
mod pairs;
mod study;
mod table;
mod tally;

use rayon::prelude::*;

pub use draws::PosteriorDraws;
pub use pairs::{Asked, AskedPair, asked_pairs, n_asked};
pub use study::{CoverageFound, CoverageStudy};
pub use table::PredictionTable;
pub use tally::{Surprise, Tally};

use crate::likelihood::Noise;
use crate::quality::Mixture;

/// The posterior predictive distribution of one dissimilarity, and what was observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The pair.
    pub pair: AskedPair,
    /// Posterior mean of the distance.
    pub distance: f64,
    /// Predictive mean.
    pub mean: f64,
    /// Predictive standard deviation.
    pub sd: f64,
    /// Lower end of the central predictive interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Predictive probability of a smaller dissimilarity than the observed one; NaN if none was observed.
    pub below: f64,
}

impl Prediction {
    /// Observed minus expected, in predictive standard deviations; NaN if nothing was observed.
    pub fn z(&self) -> f64 {
        (self.pair.observed - self.mean) / self.sd
    }

    /// Whether the interval holds what was observed; `None` if nothing was.
    pub fn is_covered(&self) -> Option<bool> {
        let observed = self.pair.observed;
        (!observed.is_nan()).then_some((self.low..=self.high).contains(&observed))
    }
}

/// Predicts every pair, in parallel, with central intervals at `level`. The answer does not depend on the number of threads.
pub fn predict(draws: &PosteriorDraws, noise: Noise, level: f64, pairs: &[AskedPair]) -> Vec<Prediction> {
    let predicted = |distances: &mut Vec<(f64, f64)>, &pair: &AskedPair| {
        draws.distances(pair.a, pair.b, distances);
        let mixture = Mixture::new(noise, distances)?;
        let (low, high) = mixture.interval(level);
        let below = if pair.observed.is_nan() { f64::NAN } else { mixture.cumulative(pair.observed) };
        Some(Prediction {
            pair,
            distance: mixture.distance(),
            mean: mixture.mean(),
            sd: mixture.sd(),
            low,
            high,
            below,
        })
    };
    let with_room = || Vec::with_capacity(draws.len());
    pairs.par_iter().map_init(with_room, predicted).flatten().collect()
}
