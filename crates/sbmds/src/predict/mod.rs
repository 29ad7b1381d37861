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

use crate::dissimilarity::Observation;
use crate::measurement::{NoiseScale, PairNoise};
use crate::quality::{Mixture, normal_quantile};

/// The posterior predictive distribution of one dissimilarity, and what was observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The pair.
    pub pair: AskedPair,
    /// Posterior mean of the distance.
    pub distance: f64,
    /// Predictive mean.
    pub mean: f64,
    /// Predictive standard deviation; infinite where Student's t has too few degrees of freedom to have one.
    pub sd: f64,
    /// Lower end of the central predictive interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Predictive probability of a smaller dissimilarity than the observed one, or of the limit that was observed; NaN if nothing was.
    pub below: f64,
}

impl Prediction {
    /// Observed minus expected, in predictive standard deviations; NaN if no number was observed. Without a finite standard deviation, the
    /// normal quantile of what lies below.
    pub fn z(&self) -> f64 {
        if self.sd.is_infinite() && !self.pair.observed.is_nan() {
            return normal_quantile(self.below.clamp(f64::EPSILON, 1.0 - f64::EPSILON));
        }
        (self.pair.observed - self.mean) / self.sd
    }

    /// Whether the interval holds the number that was observed; `None` if none was.
    pub fn is_covered(&self) -> Option<bool> {
        let observed = self.pair.observed;
        (!observed.is_nan()).then_some((self.low..=self.high).contains(&observed))
    }
}

/// Predicts every pair, in parallel, with central intervals at `level`. The answer does not depend on the number of threads.
pub fn predict(
    draws: &PosteriorDraws,
    noise: impl Into<PairNoise>,
    level: f64,
    pairs: &[AskedPair],
) -> Vec<Prediction> {
    let noise: PairNoise = noise.into();
    let predicted = |distances: &mut Vec<(f64, NoiseScale)>, &pair: &AskedPair| {
        draws.distances(pair.a, pair.b, distances);
        for (_, scale) in distances.iter_mut() {
            *scale = noise.of_measurement(*scale, pair.standard_error);
        }
        let mixture = Mixture::new(noise.family, distances)?;
        let (low, high) = mixture.interval(level);
        let below = match pair.limit {
            Some(limit) => probability(&mixture, limit),
            None if pair.observed.is_nan() => f64::NAN,
            None => mixture.cumulative(pair.observed),
        };
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

/// Predictive probability of what was seen, if it is a limit.
fn probability(mixture: &Mixture, seen: Observation) -> f64 {
    match seen {
        Observation::Exact(_) => f64::NAN,
        Observation::Below(limit) => mixture.cumulative(limit),
        Observation::Above(limit) => 1.0 - mixture.cumulative(limit),
        Observation::Within(lower, upper) => mixture.cumulative(upper) - mixture.cumulative(lower),
    }
}
