//! What a gradient costs on many machines: a model of few constants (docs/scale.md).

use sbmds::likelihood::{Arithmetic, Storage};
use serde::Serialize;

/// What is fitted: dispersed bands in some dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    pub n_objects: f64,
    pub n_dims: f64,
    pub bands: f64,
    /// How dissimilarities are stored.
    pub storage: Storage,
    /// What gradients are computed in.
    pub arithmetic: Arithmetic,
}

impl Fit {
    /// Bytes of a pair: its dissimilarity as it is stored, and in single precision if gradients need it so and it is not.
    fn bytes_per_pair(&self) -> f64 {
        match (self.storage, self.arithmetic) {
            (Storage::F32, _) => 4.0,
            (_, Arithmetic::F32) => 12.0,
            (_, Arithmetic::F64) => 8.0,
        }
    }

    /// Whether locations and gradient stay in a core's cache.
    fn is_cached(&self) -> bool {
        let bytes_per_number = match self.arithmetic {
            Arithmetic::F64 => 8.0,
            Arithmetic::F32 => 4.0,
        };
        2.0 * bytes_per_number * self.n_objects * self.n_dims <= CACHE
    }
}

/// Machines and the network between them.
#[derive(Clone, Copy, Debug)]
pub struct Cluster {
    /// Ranks, one on each node.
    pub nodes: f64,
    /// Threads of each.
    pub cores: f64,
    /// Bytes per second between two nodes.
    pub bandwidth: f64,
    /// Seconds that a message takes besides.
    pub latency: f64,
}

/// Seconds of elementary work on one core.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Constants {
    /// One pair of a gradient whose locations stay in the cache.
    pub pair: f64,
    /// One pair beyond it.
    pub far_pair: f64,
    /// One number of a gradient zeroed before, and added after its chunk.
    pub number: f64,
    /// What the sampler does with one number between two gradients.
    pub step: f64,
}

impl Constants {
    /// Measured on one core with AVX-512: gradients with the value, as NUTS asks for them (docs/model.md, "Single precision").
    pub fn measured(arithmetic: Arithmetic) -> Self {
        let (pair, far_pair) = match arithmetic {
            Arithmetic::F64 => (1.88e-9, 2.8e-9),
            Arithmetic::F32 => (0.85e-9, 2.2e-9),
        };
        Self { pair, far_pair, number: 1.2e-9, step: 4.0e-9 }
    }
}

/// Bytes that a core's cache holds.
const CACHE: f64 = 2_097_152.0;
/// Pairs per object that make a chunk worthwhile, and chunks at most (`likelihood::layout`).
const PAIRS_PER_OBJECT: f64 = 24.0;
const MOST_CHUNKS: f64 = 1_024.0;
/// Gradients of an iteration of NUTS at 3,594 coordinates (1,797 handwritten digits), which grow with their fourth root: the
/// step must shrink by that factor for errors of all coordinates together to stay the same (Beskos et al. 2013). 200,000 coordinates
/// were seen to take 95.
const GRADIENTS: f64 = 35.0;
const COORDINATES: f64 = 3_594.0;
/// Arrays as long as the gradient that rank 0 holds: position, momentum, masses and ends of a trajectory.
const ARRAYS_OF_SAMPLER: f64 = 16.0;

/// What the model says of one gradient and one iteration.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Cost {
    pub pairs: f64,
    /// Bytes that the rank with the most needs.
    pub memory: f64,
    /// Cores that have something to do.
    pub busy_cores: f64,
    /// Seconds of a gradient, by what they are spent on.
    pub pair_seconds: f64,
    pub network_seconds: f64,
    pub sampler_seconds: f64,
    pub iteration_seconds: f64,
    /// Bytes that all ranks together send for one gradient.
    pub network_bytes: f64,
}

impl Cost {
    /// Seconds of a gradient.
    pub fn gradient_seconds(&self) -> f64 {
        self.pair_seconds + self.network_seconds + self.sampler_seconds
    }

    /// What most of the time goes to.
    pub fn bound_by(&self) -> &'static str {
        let largest = self.pair_seconds.max(self.network_seconds).max(self.sampler_seconds);
        match largest {
            _ if largest == self.pair_seconds => "pairs",
            _ if largest == self.network_seconds => "network",
            _ => "sampler",
        }
    }
}

/// Chunks into which dispersed bands are cut: a power of two.
fn n_chunks(bands: f64) -> f64 {
    (bands / PAIRS_PER_OBJECT).clamp(1.0, MOST_CHUNKS).log2().floor().exp2()
}

/// Gradients of an iteration for this many coordinates.
pub fn gradients(coordinates: f64) -> f64 {
    GRADIENTS * (coordinates / COORDINATES).max(1.0).powf(0.25)
}

/// The cost of a fit on a cluster.
pub fn cost(fit: &Fit, cluster: &Cluster, constants: &Constants) -> Cost {
    let Fit { n_objects, n_dims, bands, .. } = *fit;
    let (pairs, numbers) = (n_objects * bands, n_objects * n_dims);
    let (chunks, ranks) = (n_chunks(bands), cluster.nodes);
    let busy_cores = chunks.min(ranks * cluster.cores);
    let pair = if fit.is_cached() { constants.pair } else { constants.far_pair };
    let pair_seconds = (pairs * pair + chunks * numbers * constants.number) / busy_cores;
    let bytes = 8.0 * numbers;
    let others = (ranks - 1.0) / ranks;
    // Locations go out as scatter and all-gather, slices are traded once, and their sums come back: what passes rank 0.
    let through_root = if ranks > 1.0 { bytes * (2.0 + 2.0 * others) } else { 0.0 };
    let messages = if ranks > 1.0 { 3.0 * ranks.log2() + ranks } else { 0.0 };
    let network_seconds = through_root / cluster.bandwidth + messages * cluster.latency;
    let sampler_seconds = numbers * constants.step;
    let gradient = pair_seconds + network_seconds + sampler_seconds;
    let held_chunks = (chunks / ranks).ceil();
    Cost {
        pairs,
        memory: pairs / ranks.min(chunks) * fit.bytes_per_pair() + bytes * (ARRAYS_OF_SAMPLER + 2.0 + held_chunks),
        busy_cores,
        pair_seconds,
        network_seconds,
        sampler_seconds,
        iteration_seconds: gradient * gradients(numbers),
        network_bytes: if ranks > 1.0 { bytes * (2.0 * (ranks - 1.0) + 1.0) } else { 0.0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(n_objects: f64, bands: f64) -> Fit {
        Fit { n_objects, n_dims: 2.0, bands, storage: Storage::F64, arithmetic: Arithmetic::F64 }
    }

    fn cluster(nodes: f64) -> Cluster {
        Cluster { nodes, cores: 1.0, bandwidth: 12.5e9, latency: 2e-6 }
    }

    #[test]
    fn one_core_pays_for_pairs_and_sends_nothing() {
        let cost = cost(&fit(10_000.0, 500.0), &cluster(1.0), &Constants::measured(Arithmetic::F64));
        assert_eq!((cost.network_bytes, cost.network_seconds, cost.busy_cores), (0.0, 0.0, 1.0));
        assert!((cost.pair_seconds / (5e6 * 1.88e-9) - 1.0).abs() < 0.05, "{cost:?}");
    }

    #[test]
    fn memory_of_pairs_is_shared_and_more_cores_than_chunks_are_idle() {
        let on = |nodes| cost(&fit(1e6, 500.0), &cluster(nodes), &Constants::measured(Arithmetic::F64));
        let (one, eight, many) = (on(1.0), on(8.0), on(1024.0));
        let of_pairs = |cost: &Cost, arrays: f64| cost.memory - 16e6 * arrays;
        assert!((of_pairs(&one, 34.0) / of_pairs(&eight, 20.0) - 8.0).abs() < 1e-9);
        assert_eq!((one.busy_cores, eight.busy_cores, many.busy_cores), (1.0, 8.0, 16.0));
        assert!(eight.gradient_seconds() < one.gradient_seconds() / 4.0);
    }

    #[test]
    fn single_precision_is_faster_and_takes_another_copy_of_the_pairs() {
        let of = |storage, arithmetic| {
            let fit = Fit { storage, arithmetic, ..fit(1e6, 500.0) };
            let cost = cost(&fit, &cluster(1.0), &Constants::measured(arithmetic));
            (cost.memory - 16e6 * 34.0, cost.gradient_seconds())
        };
        let (double, single) = (of(Storage::F64, Arithmetic::F64), of(Storage::F64, Arithmetic::F32));
        assert_eq!((double.0, single.0, of(Storage::F32, Arithmetic::F32).0), (4e9, 6e9, 2e9));
        assert!(single.1 < double.1, "{single:?} {double:?}");
    }

    #[test]
    fn gradients_grow_with_the_fourth_root_of_the_coordinates() {
        assert_eq!(gradients(100.0), 35.0);
        assert!((gradients(200_000.0) - 95.0).abs() < 1.0);
    }
}
