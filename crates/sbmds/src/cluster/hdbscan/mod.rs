//! HDBSCAN (Campello, Moulavi and Sander 2013; Campello et al. 2015), exact, in any number of dimensions.
//!
//! [`hdbscan`] is the whole story. Settings, labels, membership strengths and outlier scores mean what they mean in
//! scikit-learn and the hdbscan package. Unlike there, ties are broken by a fixed order (see `edge`), so that the answer
//! depends on the points alone and not on the order in which they come. docs/clustering.md has the equations.

mod assign;
mod boruvka;
mod condensed;
mod core_distance;
mod dendrogram;
mod distinct;
mod edge;
mod kd_tree;
pub mod reference;
mod selection;
#[cfg(test)]
mod tests;
mod union_find;

use serde::{Deserialize, Serialize};

use crate::Locations;
use condensed::CondensedTree;
use dendrogram::Dendrogram;
use distinct::Distinct;
use edge::Edge;
use kd_tree::KdTree;
pub use selection::Selection;

/// Settings of HDBSCAN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HdbscanSettings {
    /// The fewest objects that make a cluster; at least 2.
    pub min_cluster_size: usize,
    /// How many objects, the one in question among them, must be within the core distance; at least 1.
    pub min_samples: usize,
    /// How clusters are selected.
    pub selection: Selection,
}

impl HdbscanSettings {
    /// With as many samples as the smallest cluster has objects, and selection by excess of mass.
    pub fn new(min_cluster_size: usize) -> Self {
        Self { min_cluster_size, min_samples: min_cluster_size, selection: Selection::Eom }
    }

    /// Whether these settings can be used with any points.
    ///
    /// # Errors
    /// If a number is too small.
    pub fn check(&self) -> Result<(), HdbscanError> {
        if self.min_cluster_size < 2 {
            return Err(HdbscanError::MinClusterSize(self.min_cluster_size));
        }
        if self.min_samples < 1 {
            return Err(HdbscanError::MinSamples);
        }
        Ok(())
    }
}

/// Why points cannot be clustered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HdbscanError {
    /// A cluster of one.
    #[error("a smallest cluster of {0} objects means nothing; give at least 2")]
    MinClusterSize(usize),
    /// Nobody within the core distance.
    #[error("0 samples mean nothing; give at least 1, which is the object itself")]
    MinSamples,
    /// No object has that many around it.
    #[error("{min_samples} samples cannot be found among {n_objects} objects; give fewer")]
    TooManySamples {
        /// The samples asked for.
        min_samples: usize,
        /// The objects there are.
        n_objects: usize,
    },
    /// A coordinate that gives no distances.
    #[error("coordinate {dim} of object {object} is {value}; distances need finite numbers below 1e150")]
    Coordinate {
        /// The object, from 0.
        object: usize,
        /// The dimension, from 0.
        dim: usize,
        /// The coordinate.
        value: f64,
    },
}

/// The clusters of some points.
#[derive(Clone, Debug, PartialEq)]
pub struct Clustering {
    /// Number of clusters.
    pub n_clusters: usize,
    /// The cluster of each object, from 0 for the largest on; -1 for noise.
    pub labels: Vec<i32>,
    /// How strongly each object belongs to its cluster, in [0, 1]; 0 for noise.
    pub probabilities: Vec<f64>,
    /// How much each object looks like an outlier of its surroundings (GLOSH), in [0, 1].
    pub outlier_scores: Vec<f64>,
}

impl Clustering {
    fn all_noise(n_objects: usize) -> Self {
        let zeros = vec![0.0; n_objects];
        Self { n_clusters: 0, labels: vec![-1; n_objects], probabilities: zeros.clone(), outlier_scores: zeros }
    }

    /// Number of objects in no cluster.
    pub fn n_noise(&self) -> usize {
        self.labels.iter().filter(|&&label| label < 0).count()
    }
}

/// Squares of larger coordinates would overflow when summed.
const LARGEST: f64 = 1e150;

/// Clusters points. The answer does not depend on their order.
///
/// Fewer points than make a cluster are all noise.
///
/// ```
/// use sbmds::Locations;
/// use sbmds::cluster::{HdbscanSettings, hdbscan};
///
/// // Two groups of five on a line, ten apart.
/// let x = Locations::from_fn(10, 1, |object, _| object as f64 * 0.1 + if object < 5 { 0.0 } else { 10.0 });
/// let found = hdbscan(&x, &HdbscanSettings::new(3))?;
/// assert_eq!(found.n_clusters, 2);
/// assert_eq!(found.labels[0], found.labels[4]);
/// assert_ne!(found.labels[0], found.labels[5]);
/// # Ok::<(), sbmds::cluster::HdbscanError>(())
/// ```
///
/// # Errors
/// If a setting is too small, there are fewer points than `min_samples` (but enough for a cluster), or a coordinate is
/// not finite or beyond 1e150.
pub fn hdbscan(x: &Locations, settings: &HdbscanSettings) -> Result<Clustering, HdbscanError> {
    settings.check()?;
    check_coordinates(x)?;
    let (n_objects, min_samples) = (x.n_objects(), settings.min_samples);
    if n_objects < settings.min_cluster_size && n_objects < min_samples || x.n_dims() * n_objects == 0 {
        return Ok(Clustering::all_noise(n_objects));
    }
    if n_objects < min_samples {
        return Err(HdbscanError::TooManySamples { min_samples, n_objects });
    }
    let points = Distinct::new(x);
    let (cores, edges) = spanning_tree(&points, min_samples);
    let dendrogram = Dendrogram::new(&edges, &points.n_copies);
    let tree = CondensedTree::new(&dendrogram, &cores, settings.min_cluster_size);
    Ok(assign::assign(&points, &tree, &selection::select(&tree, settings.selection)))
}

fn check_coordinates(x: &Locations) -> Result<(), HdbscanError> {
    match x.as_slice().iter().position(|value| value.is_nan() || value.abs() > LARGEST) {
        None => Ok(()),
        Some(index) => {
            let (dim, object) = (index / x.n_objects(), index % x.n_objects());
            Err(HdbscanError::Coordinate { object, dim, value: x.get(object, dim) })
        }
    }
}

/// Core distances of the distinct points and the minimum spanning tree of their mutual reachability.
fn spanning_tree(points: &Distinct, min_samples: usize) -> (Vec<f64>, Vec<Edge>) {
    match points.n_dims {
        1 => spanning_tree_in::<1>(points, min_samples),
        2 => spanning_tree_in::<2>(points, min_samples),
        3 => spanning_tree_in::<3>(points, min_samples),
        _ => spanning_tree_in::<0>(points, min_samples),
    }
}

fn spanning_tree_in<const D: usize>(points: &Distinct, min_samples: usize) -> (Vec<f64>, Vec<Edge>) {
    let tree = KdTree::<D>::new(points);
    let squared = core_distance::squared_core_distances(&tree, min_samples);
    let edges = boruvka::minimum_spanning_tree(&tree, &squared);
    let mut cores = vec![0.0; points.len()];
    for (&rank, squared) in tree.ranks.iter().zip(&squared) {
        cores[rank as usize] = squared.sqrt();
    }
    (cores, edges)
}
