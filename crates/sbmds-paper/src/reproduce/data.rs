//! Simulated data, the posterior of a cell, and where its chain starts.

use std::sync::Arc;

use sbmds::Locations;
use sbmds::dissimilarity::spread_landmarks;
use sbmds::embedding::{classical_mds, landmark_mds};
use sbmds::likelihood::{Likelihood, Noise, Storage};
use sbmds::posterior::{Parameters, Posterior, Priors, Spread, Variance};
use sbmds::random::{Purpose, stream};
use sbmds::simulate::{self, Simulation};

use super::Cell;

/// Objects up to which classical MDS of simulated data takes seconds.
const CLASSICAL_OBJECTS: usize = 2_000;
/// Landmarks of the first map beyond that.
const LANDMARKS: usize = 200;

/// The data of a cell: standard normal locations, noisy distances.
pub(super) fn simulated(cell: &Cell, noise: simulate::Noise) -> Simulation {
    let mut rng = stream(cell.seed(), 0, Purpose::Simulation);
    Simulation::new(cell.n_objects, cell.true_dims, noise, &mut rng)
}

/// The paper's noise.
pub(super) fn half_normal(cell: &Cell) -> simulate::Noise {
    simulate::Noise::HalfNormal { sd: cell.sd }
}

/// The paper's posterior: x ~ N(0, I), sigma^2 ~ InverseGamma(1, 1).
pub(super) fn posterior(cell: &Cell, data: &Simulation) -> Posterior {
    Posterior::new(Arc::new(likelihood(cell, data)), Priors::paper(cell.n_dims))
}

/// The likelihood of the coupled pairs.
pub(super) fn likelihood(cell: &Cell, data: &Simulation) -> Likelihood {
    let delta = |a: usize, b: usize| data.delta(a, b);
    Likelihood::new(cell.n_objects, cell.n_dims, &cell.pairs(), Noise::TruncatedNormal, Storage::F64, delta)
}

/// Classical MDS of all pairs, as in the paper (of 200 landmarks if objects are many).
pub(super) fn first_map(cell: &Cell, data: &Simulation) -> Locations {
    let delta = |a: usize, b: usize| data.delta(a, b);
    if cell.n_objects <= CLASSICAL_OBJECTS {
        return classical_mds(cell.n_objects, cell.n_dims, delta);
    }
    landmark_mds(cell.n_objects, cell.n_dims, &spread_landmarks(cell.n_objects, LANDMARKS, delta), delta)
}

/// Where the chain starts: the first map, with the noise it leaves.
pub(super) fn start(posterior: &Posterior, map: &Locations) -> Parameters {
    let variance = Variance::new(posterior.likelihood().mean_squared_residual(map));
    Parameters {
        x: map.as_slice().to_vec(),
        variance,
        spread: Spread::Scales(vec![1.0; map.n_dims()]),
        own: Vec::new(),
    }
}
