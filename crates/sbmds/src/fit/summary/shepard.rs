//! Observed dissimilarities against fitted distances: a sample of the coupled pairs.

use std::collections::BTreeSet;

use rand::RngExt;

use crate::Locations;
use crate::diagnostics::{quantile_of_sorted, sorted};
use crate::draws::Spaced;
use crate::error::RunError;
use crate::fit::fitted::Fitted;
use crate::fit::problem::coupled::CoupledPairs;
use crate::random::{Purpose, stream};

/// Coupled pairs with what was observed and what the posterior says of their distance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shepard {
    /// The first object of each pair.
    pub a: Vec<u32>,
    /// The second.
    pub b: Vec<u32>,
    /// Observed dissimilarity.
    pub observed: Vec<f64>,
    /// Posterior mean of the distance; the distance in the mean map if no draws were kept.
    pub mean: Vec<f64>,
    /// 2.5% quantile of the distance; NaN if no draws were kept.
    pub low: Vec<f64>,
    /// 97.5% quantile.
    pub high: Vec<f64>,
    /// Coupled pairs in all.
    pub n_pairs: usize,
}

/// Pairs shown.
const MOST_PAIRS: usize = 2_000;
/// Draws whose distances are held in memory: quantiles of 2.5% need a few hundred.
const MOST_DRAWS: usize = 1_000;

impl Shepard {
    /// Samples the coupled pairs of a run and collects their distances over its draws.
    ///
    /// # Errors
    /// If the draws cannot be read.
    pub fn gather(run: &Fitted, coupled: &CoupledPairs<'_>) -> Result<Self, RunError> {
        let mut collector = Collector::new(run, coupled);
        let chosen = collector.chosen;
        run.for_each_aligned(|index| chosen.contains(index), |index, draw| collector.visit(index, draw))?;
        Ok(collector.finish(&run.embedding().mean))
    }
}

/// Collects the distances of sampled pairs.
pub(crate) struct Collector {
    chosen: Spaced,
    pairs: Vec<(u32, u32, f64)>,
    n_pairs: usize,
    /// Distances of all pairs, draw by draw.
    distances: Vec<f32>,
}

impl Collector {
    pub fn new(run: &Fitted, coupled: &CoupledPairs<'_>) -> Self {
        let pairs = sample(coupled, run.names().len(), run.config().run.seed);
        let chosen = Spaced::new(run.n_locations(), MOST_DRAWS);
        Self { chosen, pairs, n_pairs: coupled.n_pairs(), distances: Vec::new() }
    }

    pub fn visit(&mut self, index: usize, draw: &Locations) {
        if self.chosen.contains(index) {
            let distance = |&(a, b, _): &(u32, u32, f64)| draw.distance(a as usize, b as usize) as f32;
            self.distances.extend(self.pairs.iter().map(distance));
        }
    }

    pub fn finish(self, mean_map: &Locations) -> Shepard {
        let mut shepard = Shepard { n_pairs: self.n_pairs, ..Shepard::default() };
        for (index, &(a, b, observed)) in self.pairs.iter().enumerate() {
            let of_pair = self.distances.iter().skip(index).step_by(self.pairs.len());
            let distances = sorted(of_pair.map(|&distance| f64::from(distance)).collect());
            let mean = if distances.is_empty() {
                mean_map.distance(a as usize, b as usize)
            } else {
                distances.iter().sum::<f64>() / distances.len() as f64
            };
            shepard.a.push(a);
            shepard.b.push(b);
            shepard.observed.push(observed);
            shepard.mean.push(mean);
            shepard.low.push(quantile_of_sorted(&distances, 0.025));
            shepard.high.push(quantile_of_sorted(&distances, 0.975));
        }
        shepard
    }
}

/// Coupled pairs a < b with their dissimilarities: all, or a random sample.
fn sample(coupled: &CoupledPairs<'_>, n_objects: usize, seed: u64) -> Vec<(u32, u32, f64)> {
    let n_pairs = coupled.n_pairs();
    let chosen: BTreeSet<usize> = if n_pairs <= MOST_PAIRS {
        (0..n_pairs).collect()
    } else {
        let mut rng = stream(seed, 0, Purpose::Picture);
        let mut chosen = BTreeSet::new();
        while chosen.len() < MOST_PAIRS {
            chosen.insert(rng.random_range(0..n_pairs));
        }
        chosen
    };
    let all = (0..n_objects).flat_map(|a| coupled.partners(a).into_iter().map(move |(b, delta)| (a, b, delta)));
    let once = all.filter(|(a, b, _)| a < b).enumerate();
    let sampled = once.filter(|(index, _)| chosen.contains(index)).map(|(_, pair)| pair);
    let mut pairs: Vec<(u32, u32, f64)> = sampled.map(|(a, b, delta)| (a as u32, b as u32, delta)).collect();
    pairs.sort_by_key(|&(a, b, _)| (a, b));
    pairs
}
