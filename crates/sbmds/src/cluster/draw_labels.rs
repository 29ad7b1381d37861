//! The clusters of every draw: one label per draw and object.

use std::path::Path;

use super::error::ClusterError;
use crate::dissimilarity::NpyArray;
use crate::files::atomic::{Sync, replace_file};
use crate::files::write_npy;

/// Labels of S draws of N objects: clusters from 0 on, -1 for noise.
///
/// This is all that co-clustering needs: two objects share a cluster in a draw if their labels are equal and not -1.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawLabels {
    n_objects: usize,
    /// Draw by draw.
    labels: Vec<i32>,
    /// Number of clusters of each draw.
    n_clusters: Vec<usize>,
}

impl DrawLabels {
    /// No draws yet.
    pub fn new(n_objects: usize) -> Self {
        Self { n_objects, labels: Vec::new(), n_clusters: Vec::new() }
    }

    /// From the labels of each draw.
    ///
    /// # Panics
    /// If the draws do not all have `n_objects` labels.
    pub fn from_draws<'a>(n_objects: usize, draws: impl IntoIterator<Item = &'a [i32]>) -> Self {
        let mut all = Self::new(n_objects);
        draws.into_iter().for_each(|labels| all.push(labels));
        all
    }

    /// Adds a draw.
    ///
    /// # Panics
    /// If there is not one label per object.
    pub fn push(&mut self, labels: &[i32]) {
        assert_eq!(labels.len(), self.n_objects, "one label per object");
        self.labels.extend(labels);
        self.n_clusters.push(labels.iter().map(|&label| (label + 1).max(0) as usize).max().unwrap_or(0));
    }

    /// Number of objects N.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// Number of draws S.
    pub fn n_draws(&self) -> usize {
        self.n_clusters.len()
    }

    /// Number of clusters of a draw.
    pub fn n_clusters(&self, draw: usize) -> usize {
        self.n_clusters[draw]
    }

    /// The labels of a draw.
    pub fn draw(&self, draw: usize) -> &[i32] {
        &self.labels[draw * self.n_objects..][..self.n_objects]
    }

    /// All draws, one after the other.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &[i32]> + ExactSizeIterator {
        (0..self.n_draws()).map(|draw| self.draw(draw))
    }

    /// In how many draws two objects share a cluster.
    pub fn n_together(&self, a: usize, b: usize) -> usize {
        self.iter().filter(|labels| labels[a] >= 0 && labels[a] == labels[b]).count()
    }

    /// In how many draws an object is noise.
    pub fn n_noise(&self, object: usize) -> usize {
        self.iter().filter(|labels| labels[object] < 0).count()
    }

    /// Writes a NumPy array (S x N), of 16 bits if no draw has more than 32,768 clusters, else of 32.
    pub(super) fn write(&self, path: &Path) -> Result<(), ClusterError> {
        let shape = [self.n_draws(), self.n_objects];
        let is_short = self.n_clusters.iter().all(|&n| n <= 1 << 15);
        replace_file(path, Sync::Later, |file| {
            if is_short {
                write_npy(file, &shape, self.labels.iter().map(|&label| Ok(label as i16)))
            } else {
                write_npy(file, &shape, self.labels.iter().copied().map(Ok))
            }
        })
        .map_err(ClusterError::io("write", path))
    }
}

/// The file of labels, an array of draws x objects.
pub(super) fn open_labels(path: &Path, n_objects: usize) -> Result<NpyArray, ClusterError> {
    let array = NpyArray::open_file(path).map_err(ClusterError::io("read", path))?;
    let array = array.map_err(|what| ClusterError::damaged(path, what))?;
    if array.is_vector() || array.column_major() {
        return Err(ClusterError::damaged(path, "it is not an array of draws x objects"));
    }
    if array.n_columns() != n_objects {
        let n_columns = array.n_columns();
        return Err(ClusterError::damaged(path, format!("it is for {n_columns} objects, the run has {n_objects}")));
    }
    Ok(array)
}

/// In how many draws two objects share a cluster, and in how many draws of all, looked up in a file of
/// [`DrawLabels`].
pub(super) fn look_up(path: &Path, n_objects: usize, [a, b]: [usize; 2]) -> Result<(usize, usize), ClusterError> {
    let labels = open_labels(path, n_objects)?;
    let is_together = |&draw: &usize| labels.get(draw, a) >= 0.0 && labels.get(draw, a) == labels.get(draw, b);
    Ok(((0..labels.n_rows()).filter(is_together).count(), labels.n_rows()))
}
