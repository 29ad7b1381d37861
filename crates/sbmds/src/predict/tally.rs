//! Counts over many predictions: coverage, residuals, and the pairs that surprise most.

use serde::Serialize;

use super::Prediction;
use crate::dissimilarity::Names;
use crate::quality::PairFit;

/// Predictions of one kind of pairs, counted.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    n_pairs: usize,
    n_covered: usize,
    fit: PairFit,
    squared_residuals: f64,
    surprises: Vec<Prediction>,
    n_surprises: usize,
    /// Number of limits, and the sum of their predictive probabilities.
    limits: (usize, f64),
}

/// A pair that surprises.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Surprise {
    /// The first object.
    pub a: String,
    /// The second.
    pub b: String,
    /// What was observed.
    pub observed: f64,
    /// Predictive mean.
    pub mean: f64,
    /// Ends of the predictive interval.
    pub interval: [f64; 2],
    /// Observed minus expected, in predictive standard deviations.
    pub z: f64,
    /// Whether the fit used the pair.
    pub coupled: bool,
}

impl Tally {
    /// Nothing yet; at most `n_surprises` surprises will be kept.
    pub fn new(n_surprises: usize) -> Self {
        Self { n_surprises, ..Self::default() }
    }

    /// Adds a prediction; one without an observation counts for nothing.
    pub fn add(&mut self, prediction: &Prediction) {
        if prediction.pair.limit.is_some() {
            self.limits = (self.limits.0 + 1, self.limits.1 + prediction.below);
        }
        let Some(is_covered) = prediction.is_covered() else { return };
        self.n_pairs += 1;
        self.n_covered += usize::from(is_covered);
        self.fit.add(prediction.pair.observed, prediction.distance);
        self.squared_residuals += (prediction.pair.observed - prediction.mean).powi(2);
        let size = |prediction: &Prediction| prediction.z().abs();
        if self.surprises.len() < self.n_surprises
            || self.surprises.last().is_some_and(|last| size(prediction) > size(last))
        {
            let rank = self.surprises.partition_point(|other| size(other) >= size(prediction));
            self.surprises.insert(rank, *prediction);
            self.surprises.truncate(self.n_surprises);
        }
    }

    /// Pairs, or measurements of pairs, that have a number.
    pub fn n_pairs(&self) -> usize {
        self.n_pairs
    }

    /// Number of limits, and the mean of the predictive probabilities of what they say; `None` without limits.
    pub fn limits(&self) -> Option<(usize, f64)> {
        let (n, sum) = self.limits;
        (n > 0).then(|| (n, sum / n as f64))
    }

    /// The share of them whose interval holds it; `None` without pairs.
    pub fn coverage(&self) -> Option<f64> {
        (self.n_pairs > 0).then(|| self.n_covered as f64 / self.n_pairs as f64)
    }

    /// Root mean squared difference of observations and predictive means; `None` without pairs.
    pub fn rmse(&self) -> Option<f64> {
        (self.n_pairs > 0).then(|| (self.squared_residuals / self.n_pairs as f64).sqrt())
    }

    /// Stress-1 and R^2 of observations and posterior mean distances.
    pub fn fit(&self) -> &PairFit {
        &self.fit
    }

    /// The pairs that surprise most, by name.
    pub fn surprises(&self, names: &Names) -> Vec<Surprise> {
        let named = |prediction: &Prediction| Surprise {
            a: names.get(prediction.pair.a).into_owned(),
            b: names.get(prediction.pair.b).into_owned(),
            observed: prediction.pair.observed,
            mean: prediction.mean,
            interval: [prediction.low, prediction.high],
            z: prediction.z(),
            coupled: prediction.pair.is_coupled,
        };
        self.surprises.iter().map(named).collect()
    }
}
