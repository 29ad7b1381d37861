//! The pairs that fit worst.

use serde::{Deserialize, Serialize};

use super::pairs::KnownPair;
use crate::dissimilarity::Names;

/// Pairs named.
const N_WORST: usize = 10;

/// A pair that the map does not explain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstPair {
    /// The first object.
    pub a: String,
    /// The second.
    pub b: String,
    /// Its dissimilarity.
    pub observed: f64,
    /// Its distance on the map.
    pub fitted: f64,
    /// Observed minus fitted, in posterior means of sigma.
    pub residual_in_sigmas: Option<f64>,
    /// Ends of the 95% posterior predictive interval of its dissimilarity; absent if the run kept no draws of the locations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<(f64, f64)>,
}

/// The pairs with the largest residuals, largest first; of equal ones those that come first.
#[derive(Default)]
pub(super) struct Worst(Vec<(KnownPair, f64)>);

impl Worst {
    pub fn add(&mut self, pair: KnownPair, distance: f64) {
        let size = |entry: &(KnownPair, f64)| (entry.0.delta - entry.1).abs();
        let new = (pair, distance);
        if self.0.len() < N_WORST || self.0.last().is_some_and(|last| size(&new) > size(last)) {
            let index = self.0.partition_point(|entry| size(entry) >= size(&new));
            self.0.insert(index, new);
            self.0.truncate(N_WORST);
        }
    }

    pub fn pairs(&self) -> impl Iterator<Item = KnownPair> {
        self.0.iter().map(|(pair, _)| *pair)
    }

    /// With names; `predicted` holds their predictive intervals, if there are any.
    pub fn named(&self, names: &Names, sigma: f64, predicted: &[Option<(f64, f64)>]) -> Vec<WorstPair> {
        let named = |(index, &(KnownPair { a, b, delta }, fitted)): (usize, &(KnownPair, f64))| WorstPair {
            a: names.get(a).into_owned(),
            b: names.get(b).into_owned(),
            observed: delta,
            fitted,
            residual_in_sigmas: Some((delta - fitted) / sigma).filter(|sigmas| sigmas.is_finite()),
            predicted: predicted.get(index).copied().flatten(),
        };
        self.0.iter().enumerate().map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_are_kept_in_order_whatever_the_order_they_come_in() {
        let names = Names::numbered(100);
        let size = |k: usize| (k * 37 % 100) as f64;
        let mut worst = Worst::default();
        for k in 0..100 {
            // Of both signs.
            worst.add(KnownPair { a: k, b: k, delta: 200.0 + size(k) * if k % 2 == 0 { 1.0 } else { -1.0 } }, 200.0);
        }
        let named = worst.named(&names, 2.0, &[]);
        let sizes: Vec<f64> = named.iter().map(|pair| (pair.observed - pair.fitted).abs()).collect();
        assert_eq!(sizes, (90..100).rev().map(f64::from).collect::<Vec<_>>());
        assert!(named.iter().all(|pair| pair.residual_in_sigmas == Some((pair.observed - pair.fitted) / 2.0)));
    }
}
