//! The clusters of a run as an earlier call left them in a directory, read back.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use serde::Deserialize;

use super::bagging::DrawId;
use super::draw_labels::{DrawLabels, open_labels};
use super::error::ClusterError;
use super::run::{CONSENSUS, DRAWS, LABELS, SUMMARY};
use super::summary::ClusterSummary;
use crate::dissimilarity::Names;
use crate::files::verify;

/// What [`RunClusters::write`](super::RunClusters::write) left in a directory.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedClusters {
    /// All of it in numbers.
    pub summary: ClusterSummary,
    /// The draws that were clustered.
    pub ids: Vec<DrawId>,
    /// Their clusters.
    pub labels: DrawLabels,
    /// The consensus cluster of each object, -1 for noise.
    pub consensus: Vec<i32>,
    /// How sure it is (see [`Consensus`](super::Consensus)).
    pub confidence: Vec<f64>,
}

impl SavedClusters {
    /// Reads them; `None` if nothing was clustered there.
    ///
    /// # Errors
    /// If a file cannot be read, or names other objects than `names`.
    pub fn read(directory: &Path, names: &Names) -> Result<Option<Self>, ClusterError> {
        let path = directory.join(SUMMARY);
        let summary: ClusterSummary = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Nothing was clustered here, or somebody has removed this one file.
                verify(directory)?;
                return Ok(None);
            }
            Err(error) => return Err(ClusterError::io("read", &path)(error)),
            Ok(json) => {
                serde_json::from_slice(&json).map_err(|error| ClusterError::damaged(&path, error.to_string()))?
            }
        };
        verify(directory)?;
        let labels = read_labels(&directory.join(LABELS), names.len())?;
        let ids = read_ids(&directory.join(DRAWS))?;
        let (consensus, confidence) = read_consensus(&directory.join(CONSENSUS), names)?;
        let is_other = [summary.n_draws, ids.len()] != [labels.n_draws(); 2] || summary.n_objects != names.len();
        if is_other || summary.consensus.n_clusters > names.len() {
            return Err(ClusterError::damaged(&path, "its numbers of draws and objects are not those of the tables"));
        }
        Ok(Some(Self { summary, ids, labels, consensus, confidence }))
    }
}

fn read_labels(path: &Path, n_objects: usize) -> Result<DrawLabels, ClusterError> {
    let array = open_labels(path, n_objects)?;
    let of_draw = |draw| (0..n_objects).map(move |object| (draw, object));
    let labels: Vec<i32> =
        (0..array.n_rows()).flat_map(of_draw).map(|(draw, object)| array.get(draw, object) as i32).collect();
    // Clusters are numbered from 0 and there are no more than objects.
    if labels.iter().any(|&label| label < -1 || label >= n_objects as i32) {
        return Err(ClusterError::damaged(path, "a label is no number of a cluster"));
    }
    Ok(DrawLabels::from_draws(n_objects, labels.chunks_exact(n_objects)))
}

#[derive(Deserialize)]
struct DrawRow {
    chain: usize,
    draw: usize,
}

fn read_ids(path: &Path) -> Result<Vec<DrawId>, ClusterError> {
    let rows = rows::<DrawRow>(path)?;
    Ok(rows.into_iter().map(|DrawRow { chain, draw }| DrawId { chain, draw }).collect())
}

#[derive(Deserialize)]
struct ObjectRow {
    name: String,
    cluster: i32,
    confidence: f64,
}

fn read_consensus(path: &Path, names: &Names) -> Result<(Vec<i32>, Vec<f64>), ClusterError> {
    let rows = rows::<ObjectRow>(path)?;
    let are_named_alike =
        rows.len() == names.len() && rows.iter().zip(names.iter()).all(|(row, name)| row.name == name);
    if !are_named_alike {
        return Err(ClusterError::damaged(path, "its objects are not those of the run"));
    }
    if rows.iter().any(|row| row.cluster < -1 || row.cluster >= names.len() as i32) {
        return Err(ClusterError::damaged(path, "a label is no number of a cluster"));
    }
    Ok(rows.into_iter().map(|row| (row.cluster, row.confidence)).unzip())
}

fn rows<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<T>, ClusterError> {
    let file = File::open(path).map_err(ClusterError::io("read", path))?;
    let rows: csv::Result<Vec<T>> = csv::Reader::from_reader(file).into_deserialize().collect();
    rows.map_err(|error| ClusterError::damaged(path, error.to_string()))
}
