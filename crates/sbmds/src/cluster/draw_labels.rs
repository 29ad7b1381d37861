//! The clusters of every draw: one label per draw and object.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::Path;

use npyz::WriterBuilder;

use super::error::ClusterError;
use crate::draws::atomic::{Sync, replace_file};

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
        let shape = [self.n_draws() as u64, self.n_objects as u64];
        let is_short = self.n_clusters.iter().all(|&n| n <= 1 << 15);
        replace_file(path, Sync::Later, |file| {
            if is_short {
                write_npy(file, &shape, self.labels.iter().map(|&label| label as i16))
            } else {
                write_npy(file, &shape, self.labels.iter().copied())
            }
        })
        .map_err(ClusterError::io("write", path))
    }
}

/// Writes numbers as an array of that shape.
pub(super) fn write_npy<T: npyz::AutoSerialize>(
    file: impl Write,
    shape: &[u64],
    numbers: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    let mut npy = npyz::WriteOptions::<T>::new().default_dtype().shape(shape).writer(file).begin_nd()?;
    npy.extend(numbers)?;
    npy.finish()
}

/// In how many draws two objects share a cluster, and in how many draws of all, looked up in a file of
/// [`DrawLabels`]: two numbers per draw are read, not the whole.
pub(super) fn look_up(path: &Path, n_objects: usize, [a, b]: [usize; 2]) -> Result<(usize, usize), ClusterError> {
    let file = File::open(path).map_err(ClusterError::io("read", path))?;
    // Small reads here and there.
    let file = npyz::NpyFile::new(BufReader::with_capacity(16, file)).map_err(ClusterError::io("read", path))?;
    let &[n_draws, n_columns] = file.shape() else {
        return Err(ClusterError::damaged(path, "it is not an array of draws x objects"));
    };
    if n_columns != n_objects as u64 || file.order() != npyz::Order::C {
        return Err(ClusterError::damaged(path, format!("it is for {n_columns} objects, the run has {n_objects}")));
    }
    let n_bytes = file.dtype().num_bytes().unwrap_or(1) as u128 * u128::from(n_draws) * u128::from(n_columns);
    if n_bytes > u128::from(std::fs::metadata(path).map_err(ClusterError::io("read", path))?.len()) {
        return Err(ClusterError::damaged(path, "it is shorter than it says"));
    }
    let offsets = (0..n_draws).map(|draw| [a, b].map(|object| draw * n_columns + object as u64));
    let is_short = file.dtype().num_bytes() == Some(2);
    let n_together = if is_short { count_equal::<i16>(file, offsets) } else { count_equal::<i32>(file, offsets) };
    Ok((n_together.map_err(ClusterError::io("read", path))?, n_draws as usize))
}

/// At how many of the pairs of offsets there are equal labels that are no noise.
fn count_equal<T: npyz::Deserialize + Into<i32>>(
    file: npyz::NpyFile<BufReader<File>>,
    offsets: impl Iterator<Item = [u64; 2]>,
) -> io::Result<usize> {
    let mut numbers = file.data::<T>().map_err(io::Error::other)?;
    let mut n_equal = 0;
    for [a, b] in offsets {
        let [a, b] = [numbers.read_at(a)?.into(), numbers.read_at(b)?.into()];
        n_equal += usize::from(a >= 0 && a == b);
    }
    Ok(n_equal)
}
