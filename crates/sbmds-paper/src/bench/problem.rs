//! What is evaluated in a bench: a likelihood of made-up data, and some of its pairs for the plain loop.

use std::time::Instant;

use rand::RngExt;
use sbmds::Locations;
use sbmds::coupling::{PairShape, Pairs};
use sbmds::likelihood::{Likelihood, Noise, Storage};
use sbmds::random::{Purpose, stream};
use sbmds::simulate::{self, Simulation};

use super::coupled::Coupled;

/// Standard deviation of the noise. With standard normal locations most distances are 1 to 8 of it, where the normal
/// distribution function costs most.
pub const SIGMA: f64 = 0.5;

const SEED: u64 = 1;

/// Locations x ~ N(0, I) and dissimilarities d * U(0.7, 1.3).
pub struct Data {
    simulation: Simulation,
    /// What distances are multiplied with, by a hash of the pair.
    factors: Vec<f64>,
}

/// Different factors: a power of two, more than a branch predictor remembers.
const N_FACTORS: usize = 1 << 16;

impl Data {
    pub fn new(n_objects: usize, n_dims: usize) -> Self {
        let mut rng = stream(SEED, 0, Purpose::Simulation);
        let simulation = Simulation::new(n_objects, n_dims, simulate::Noise::None, &mut rng);
        Self { simulation, factors: (0..N_FACTORS).map(|_| rng.random_range(0.7..1.3)).collect() }
    }

    /// The locations.
    pub fn x(&self) -> &Locations {
        self.simulation.truth()
    }

    fn delta(&self, a: usize, b: usize) -> f64 {
        // Any odd multipliers spread neighbouring pairs over the factors.
        let hash = a.wrapping_mul(40_503).wrapping_add(b.wrapping_mul(30_011));
        self.simulation.distance(a, b) * self.factors[hash % N_FACTORS]
    }
}

/// Pairs for the plain loop, all of them if they are few, and the objects they join: the loop's time must not hold
/// the cost of objects it never meets.
pub struct Sample {
    pub pairs: Vec<(usize, usize, f64)>,
    pub x: Locations,
}

impl Sample {
    fn of(pairs: &Pairs, data: &Data) -> Self {
        let sampled = sample(pairs, data.x().n_objects());
        let mut objects: Vec<usize> = sampled.iter().flat_map(|&(a, b)| [a, b]).collect();
        objects.sort_unstable();
        objects.dedup();
        let number = |object: usize| objects.partition_point(|&other| other < object);
        let pairs = sampled.iter().map(|&(a, b)| (number(a), number(b), data.delta(a, b))).collect();
        Self { pairs, x: data.x().reordered(&objects) }
    }
}

/// One likelihood to measure.
pub struct Problem {
    pub coupled: Coupled,
    pub likelihood: Likelihood,
    pub sample: Sample,
    pub build_seconds: f64,
}

impl Problem {
    pub fn build(coupled: Coupled, data: &Data) -> Self {
        let (n_objects, n_dims) = (data.x().n_objects(), data.x().n_dims());
        let pairs = coupled.pairs(n_objects);
        let start = Instant::now();
        let likelihood =
            Likelihood::new(n_objects, n_dims, &pairs, Noise::TruncatedNormal, Storage::F64, |a, b| data.delta(a, b));
        let build_seconds = start.elapsed().as_secs_f64();
        Self { coupled, likelihood, sample: Sample::of(&pairs, data), build_seconds }
    }
}

/// Most pairs given to the plain loop: about 10 ms of work.
const MOST_SAMPLED: usize = 200_000;
/// Pairs sampled in a row: long enough for the loop to meet memory as it would in the whole.
const RUN: usize = 1_000;

/// All pairs in the order of the double loop, or runs of that order from random starts.
fn sample(pairs: &Pairs, n_objects: usize) -> Vec<(usize, usize)> {
    if pairs.count() <= MOST_SAMPLED {
        return from(pairs, n_objects, 0, 0).collect();
    }
    let mut rng = stream(SEED, 0, Purpose::Monitoring);
    let n_rows = if let PairShape::Landmarks(count) = pairs.shape() { count } else { n_objects };
    let mut sampled = Vec::with_capacity(MOST_SAMPLED);
    while sampled.len() < MOST_SAMPLED {
        let row = rng.random_range(0..n_rows);
        let n_partners = n_partners(pairs, n_objects, row).max(1);
        sampled.extend(from(pairs, n_objects, row, rng.random_range(0..n_partners)).take(RUN));
    }
    sampled
}

/// The pairs from the `index`-th of `row` on, row by row.
fn from(pairs: &Pairs, n_objects: usize, row: usize, index: usize) -> impl Iterator<Item = (usize, usize)> {
    (row..n_objects).flat_map(move |near| {
        let first = if near == row { index } else { 0 };
        let start = row_start(pairs, near);
        (first..n_partners(pairs, n_objects, near)).map(move |index| (near, partner(pairs, near, start + index)))
    })
}

/// Where the row starts in the list of edges, if there is one.
fn row_start(pairs: &Pairs, row: usize) -> usize {
    match pairs.shape() {
        PairShape::Graph(edges) => edges.partition_point(|&(near, _)| (near as usize) < row),
        PairShape::Diagonals(_) | PairShape::Landmarks(_) => 0,
    }
}

/// Number of partners after `row`.
fn n_partners(pairs: &Pairs, n_objects: usize, row: usize) -> usize {
    match pairs.shape() {
        PairShape::Diagonals(offsets) => offsets.partition_point(|&offset| row + offset < n_objects),
        PairShape::Landmarks(count) if row < count => n_objects - 1 - row,
        PairShape::Landmarks(_) => 0,
        PairShape::Graph(_) => row_start(pairs, row + 1) - row_start(pairs, row),
    }
}

fn partner(pairs: &Pairs, row: usize, index: usize) -> usize {
    match pairs.shape() {
        PairShape::Diagonals(offsets) => row + offsets[index],
        PairShape::Landmarks(_) => row + 1 + index,
        PairShape::Graph(edges) => edges[index].1 as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_SAMPLED, sample};
    use crate::bench::coupled::Coupled;

    #[test]
    fn few_pairs_are_all_sampled_once() {
        for coupled in Coupled::DEFAULT {
            let mut sampled = sample(&coupled.pairs(100), 100);
            assert!(sampled.is_sorted_by(|a, b| a < b), "{coupled}: in the order of the double loop");
            sampled.dedup();
            assert_eq!(sampled.len(), coupled.n_pairs(100), "{coupled}");
        }
    }

    #[test]
    fn many_pairs_are_sampled_from_all_over() {
        for coupled in [Coupled::Full, Coupled::Landmark(50), Coupled::Dispersed(50), Coupled::Graph(50)] {
            let pairs = coupled.pairs(10_000);
            let sampled = sample(&pairs, 10_000);
            assert!((MOST_SAMPLED..MOST_SAMPLED + 1_000).contains(&sampled.len()), "{coupled}");
            assert!(sampled.iter().all(|&(a, b)| a < b && b < 10_000 && pairs.contains(a, b)), "{coupled}");
            let mean = sampled.iter().map(|&(_, b)| b as f64).sum::<f64>() / sampled.len() as f64;
            assert!((3_000.0..8_000.0).contains(&mean), "{coupled}: {mean}");
        }
    }
}
