//! HDBSCAN of many draws: what the uncertainty of the map does to the clusters.

use rand::seq::index;
use rayon::prelude::*;

use super::draw_labels::DrawLabels;
use super::error::ClusterError;
use super::hdbscan::{Clustering, HdbscanSettings, hdbscan};
use crate::Locations;
use crate::draws::{DrawReader, StoreError};
use crate::random::{Purpose, stream};

/// One draw of the posterior.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DrawId {
    /// Its chain, from 0.
    pub chain: usize,
    /// Its index in the chain, from 0.
    pub draw: usize,
}

/// The clusters of some draws of a run.
pub struct ClusteredDraws {
    /// The draws, in order of chain and index.
    pub ids: Vec<DrawId>,
    /// How many draws there are to choose from.
    pub n_available: usize,
    /// Their clusters.
    pub labels: DrawLabels,
    /// Mean membership strength of every object over the draws; noise counts as 0.
    pub membership: Vec<f64>,
}

/// Draws held in memory at once: a few for every thread.
const BATCH: usize = 32;

/// Chooses up to `n_draws` draws of all chains without replacement.
///
/// # Errors
/// If the run kept no locations or has no draw yet.
pub fn choose_draws(reader: &DrawReader, n_draws: usize, seed: u64) -> Result<(Vec<DrawId>, usize), StoreError> {
    let path = || reader.path().to_owned();
    if !reader.has_x() {
        return Err(StoreError::NoLocations { path: path() });
    }
    let chains = 0..reader.n_chains();
    let all: Vec<DrawId> =
        chains.flat_map(|chain| (0..reader.n_complete(chain)).map(move |draw| DrawId { chain, draw })).collect();
    if all.is_empty() {
        return Err(StoreError::NoDraws { path: path() });
    }
    let mut rng = stream(seed, 0, Purpose::Clustering);
    let chosen = index::sample(&mut rng, all.len(), n_draws.min(all.len()));
    let mut ids: Vec<DrawId> = chosen.iter().map(|index| all[index]).collect();
    ids.sort_unstable();
    Ok((ids, all.len()))
}

/// Clusters up to `n_draws` draws, in parallel; the answer is the same for any number of threads. HDBSCAN sees only
/// distances, so the draws need not be aligned.
///
/// # Errors
/// If the run kept no locations, has no draw yet or is damaged, or the settings cannot be used.
pub fn cluster_draws(
    reader: &DrawReader,
    settings: &HdbscanSettings,
    n_draws: usize,
    seed: u64,
) -> Result<ClusteredDraws, ClusterError> {
    settings.check()?;
    let (ids, n_available) = choose_draws(reader, n_draws, seed)?;
    let mut labels = DrawLabels::new(reader.names().len());
    let mut membership = vec![0.0; reader.names().len()];
    for batch in ids.chunks(BATCH) {
        // Read one after the other: neighbours share a chunk of the store.
        let maps = batch.iter().map(|id| reader.x(id.chain, id.draw)).collect::<Result<Vec<Locations>, _>>()?;
        let clusterings: Vec<_> = maps.par_iter().map(|x| hdbscan(x, settings)).collect();
        for clustering in clusterings {
            let Clustering { labels: of_draw, probabilities, .. } = clustering?;
            labels.push(&of_draw);
            membership.iter_mut().zip(probabilities).for_each(|(sum, probability)| *sum += probability);
        }
    }
    membership.iter_mut().for_each(|sum| *sum /= ids.len() as f64);
    Ok(ClusteredDraws { ids, n_available, labels, membership })
}
