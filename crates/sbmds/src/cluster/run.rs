//! The clusters of a whole run: from its draws to a directory of results.

use std::io;
use std::path::{Path, PathBuf};

use super::bagging::{ClusteredDraws, cluster_draws};
use super::consensus::{Consensus, consensus};
use super::draw_labels::look_up;
use super::error::ClusterError;
use super::hdbscan::HdbscanSettings;
use super::summary::{ClusterSummary, summarise};
use super::together::{write_counts, write_pairs_above};
use super::truth::{Score, Truth};
use crate::dissimilarity::Names;
use crate::draws::DrawReader;
use crate::files::atomic::{Sync, replace_bytes};
use crate::files::{FileSet, verify};

pub(super) const LABELS: &str = "labels.npy";
pub(super) const CONSENSUS: &str = "clusters.csv";
pub(super) const DRAWS: &str = "draws.csv";
pub(super) const SUMMARY: &str = "summary.json";
const COUNTS: &str = "together.npy";
const PAIRS: &str = "together.csv";

/// Everything known of the clusters of a run.
pub struct RunClusters {
    /// The objects.
    pub names: Names,
    /// The clusters of every draw looked at.
    pub draws: ClusteredDraws,
    /// How each of these draws agrees with true classes, if there are any.
    pub scores: Option<Vec<Score>>,
    /// The partition that says best what the draws say.
    pub consensus: Consensus,
    /// All of it in numbers.
    pub summary: ClusterSummary,
}

/// What may be written besides the clusters themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extras {
    /// `together.npy`: in how many draws each pair (a, b), a < b, shares a cluster, row by row.
    pub counts: bool,
    /// `together.csv`: the pairs that share a cluster with at least this probability.
    pub pairs_above: Option<f64>,
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenClusters {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Number of pairs in `together.csv`, if that was wanted.
    pub n_pairs_above: Option<usize>,
}

/// Clusters up to `n_draws` draws of a run and summarises them. The answer is the same for any number of threads.
///
/// # Errors
/// If the run kept no locations, has no draw yet or is damaged, or the settings cannot be used.
pub fn cluster_run(
    reader: &DrawReader,
    settings: &HdbscanSettings,
    n_draws: usize,
    seed: u64,
    truth: Option<&Truth>,
) -> Result<RunClusters, ClusterError> {
    let draws = cluster_draws(reader, settings, n_draws, seed)?;
    let scores: Option<Vec<Score>> = truth.map(|truth| draws.labels.iter().map(|labels| truth.score(labels)).collect());
    let consensus = consensus(&draws.labels, reader.names());
    let summary = summarise(settings, seed, &draws, truth.zip(scores.as_deref()), &consensus);
    Ok(RunClusters { names: reader.names().clone(), draws, scores, consensus, summary })
}

impl RunClusters {
    /// Writes `summary.json`, `clusters.csv` (the consensus), `draws.csv` (one line per draw) and `labels.npy` (draws x
    /// objects) to a directory, and what else is wanted; all of them appear together, in the place of an earlier clustering.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn write(&self, directory: &Path, extras: Extras) -> Result<WrittenClusters, ClusterError> {
        let set = FileSet::begin(directory, &[LABELS, CONSENSUS, DRAWS, SUMMARY, COUNTS, PAIRS])?;
        let summary = serde_json::to_string_pretty(&self.summary).map_err(io::Error::from).map(|json| json + "\n");
        replace(set.path(CONSENSUS), self.consensus_table().map_err(io::Error::from))?;
        replace(set.path(DRAWS), self.draw_table().map_err(io::Error::from))?;
        self.draws.labels.write(&set.path(LABELS))?;
        replace(set.path(SUMMARY), summary.map(String::into_bytes))?;
        if extras.counts {
            write_counts(&self.draws.labels, &set.path(COUNTS))?;
        }
        let pairs_above =
            |probability| write_pairs_above(&self.draws.labels, &self.names, probability, &set.path(PAIRS));
        let n_pairs_above = extras.pairs_above.map(pairs_above).transpose()?;
        Ok(WrittenClusters { files: set.commit()?, n_pairs_above })
    }

    fn consensus_table(&self) -> csv::Result<Vec<u8>> {
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(["name", "cluster", "confidence", "membership", "noise"])?;
        let n_draws = self.draws.labels.n_draws() as f64;
        for (object, name) in self.names.iter().enumerate() {
            let noise = self.draws.labels.n_noise(object) as f64 / n_draws;
            let numbers = [self.consensus.confidence[object], self.draws.membership[object], noise];
            let [confidence, membership, noise] = numbers.map(|number| number.to_string());
            let cluster = self.consensus.labels[object].to_string();
            table.write_record([&*name, &cluster, &confidence, &membership, &noise])?;
        }
        table.into_inner().map_err(|error| error.into_error().into())
    }

    fn draw_table(&self) -> csv::Result<Vec<u8>> {
        let mut table = csv::Writer::from_writer(Vec::new());
        let mut header = vec!["chain", "draw", "clusters", "noise"];
        if self.scores.is_some() {
            header.extend(["error", "pooled_error", "classes_found", "adjusted_rand", "adjusted_rand_clustered"]);
        }
        table.write_record(header)?;
        for (number, id) in self.draws.ids.iter().enumerate() {
            let n_noise = self.draws.labels.draw(number).iter().filter(|&&label| label < 0).count();
            let n_clusters = self.draws.labels.n_clusters(number);
            let mut row = [id.chain, id.draw, n_clusters, n_noise].map(|count| count.to_string()).to_vec();
            if let Some(scores) = &self.scores {
                row.extend(score_cells(&scores[number]));
            }
            table.write_record(row)?;
        }
        table.into_inner().map_err(|error| error.into_error().into())
    }
}

/// The cells of one draw; what has no value is empty.
fn score_cells(score: &Score) -> [String; 5] {
    let known = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
    [
        known(score.error),
        known(score.pooled_error),
        score.n_classes_found.to_string(),
        score.rand_index.to_string(),
        known(score.error.map(|_| score.rand_index_clustered)),
    ]
}

/// In how many draws of all two objects share a cluster, by what [`RunClusters::write`] left in `directory`; reads two
/// numbers per draw.
///
/// # Errors
/// If a name is not known, or nothing was clustered there.
pub fn together(directory: &Path, names: &Names, pair: [&str; 2]) -> Result<(usize, usize), ClusterError> {
    let find = |name: &str| names.find(name).ok_or_else(|| ClusterError::NoObject(name.into()));
    let pair = [find(pair[0])?, find(pair[1])?];
    let path = directory.join(LABELS);
    if !path.exists() {
        return Err(ClusterError::NotClustered(path));
    }
    verify(directory)?;
    look_up(&path, names.len(), pair)
}

fn replace(path: PathBuf, content: io::Result<Vec<u8>>) -> Result<PathBuf, ClusterError> {
    let written = content.and_then(|bytes| replace_bytes(&path, Sync::Later, &bytes));
    written.map_err(ClusterError::io("write", &path)).map(|()| path)
}
