//! What the clusters of many draws say, in numbers: what `summary.json` of a clustering holds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::bagging::ClusteredDraws;
use super::consensus::Consensus;
use super::hdbscan::HdbscanSettings;
use super::truth::{Score, Truth};
use crate::diagnostics::quantile_of_sorted;

/// The summary of a clustering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterSummary {
    /// Settings of HDBSCAN.
    pub hdbscan: HdbscanSettings,
    /// Seed of the choice of draws.
    pub seed: u64,
    /// Objects.
    pub n_objects: usize,
    /// Draws that were clustered.
    pub n_draws: usize,
    /// Draws there were to choose from.
    pub n_available: usize,
    /// The most frequent number of clusters; of equally frequent ones the smallest.
    pub mode_clusters: usize,
    /// How many draws have each number of clusters.
    pub cluster_counts: BTreeMap<usize, usize>,
    /// Objects in no cluster.
    pub noise: Spread,
    /// Agreement with true classes.
    pub truth: Option<TruthSummary>,
    /// The partition that says best what all draws say.
    pub consensus: ConsensusSummary,
    /// Version of sbmds.
    pub sbmds_version: String,
}

/// Mean over draws and the interval that holds 95% of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// 2.5% quantile.
    pub q2_5: f64,
    /// 97.5% quantile.
    pub q97_5: f64,
}

impl Spread {
    /// Of nothing there is none.
    fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let [q2_5, q97_5] = [0.025, 0.975].map(|probability| quantile_of_sorted(&values, probability));
        (!values.is_empty()).then_some(Self { mean, q2_5, q97_5 })
    }
}

/// Agreement of the draws with true classes (see [`Score`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TruthSummary {
    /// The column of classes.
    pub column: String,
    /// Number of classes.
    pub n_classes: usize,
    /// Objects without a class, which are left out.
    pub n_unknown: usize,
    /// Classification error, mean over clusters; absent if no draw has clusters.
    pub error: Option<Spread>,
    /// Classification error, over objects.
    pub pooled_error: Option<Spread>,
    /// How many draws have each number of classes that are some cluster's majority.
    pub classes_found: BTreeMap<usize, usize>,
    /// Adjusted Rand index, noise counted as one group.
    pub rand_index: Option<Spread>,
    /// Adjusted Rand index of the objects in clusters alone.
    pub rand_index_clustered: Option<Spread>,
}

/// The consensus in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConsensusSummary {
    /// Number of clusters.
    pub n_clusters: usize,
    /// Their sizes.
    pub sizes: Vec<usize>,
    /// Objects in no cluster.
    pub n_noise: usize,
    /// Expected variation of information between the consensus and a draw, in bits.
    pub expected_variation: f64,
    /// Mean confidence of the objects.
    pub mean_confidence: f64,
}

pub(super) fn summarise(
    settings: &HdbscanSettings,
    seed: u64,
    clustered: &ClusteredDraws,
    truth: Option<(&Truth, &[Score])>,
    consensus: &Consensus,
) -> ClusterSummary {
    let labels = &clustered.labels;
    let cluster_counts = tally((0..labels.n_draws()).map(|draw| labels.n_clusters(draw)));
    let n_noise = labels.iter().map(|labels| labels.iter().filter(|&&label| label < 0).count() as f64).collect();
    ClusterSummary {
        hdbscan: *settings,
        seed,
        n_objects: labels.n_objects(),
        n_draws: labels.n_draws(),
        n_available: clustered.n_available,
        // The last of equals wins, so go from many clusters to few.
        mode_clusters: cluster_counts.iter().rev().max_by_key(|(_, n_draws)| **n_draws).map_or(0, |(n, _)| *n),
        cluster_counts,
        noise: Spread::of(n_noise).unwrap_or(Spread { mean: 0.0, q2_5: 0.0, q97_5: 0.0 }),
        truth: truth.map(|(truth, scores)| TruthSummary::new(truth, scores)),
        consensus: ConsensusSummary::new(consensus),
        sbmds_version: env!("CARGO_PKG_VERSION").into(),
    }
}

fn tally(numbers: impl Iterator<Item = usize>) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    numbers.for_each(|number| *counts.entry(number).or_insert(0) += 1);
    counts
}

impl TruthSummary {
    fn new(truth: &Truth, scores: &[Score]) -> Self {
        let spread = |value: fn(&Score) -> Option<f64>| Spread::of(scores.iter().filter_map(value).collect());
        Self {
            column: truth.column.clone(),
            n_classes: truth.classes.len(),
            n_unknown: truth.n_unknown(),
            error: spread(|score| score.error),
            pooled_error: spread(|score| score.pooled_error),
            classes_found: tally(scores.iter().map(|score| score.n_classes_found)),
            rand_index: spread(|score| Some(score.rand_index)),
            rand_index_clustered: spread(|score| score.error.map(|_| score.rand_index_clustered)),
        }
    }
}

impl ConsensusSummary {
    fn new(consensus: &Consensus) -> Self {
        let size = |label: i32| consensus.labels.iter().filter(|&&other| other == label).count();
        Self {
            n_clusters: consensus.n_clusters,
            sizes: (0..consensus.n_clusters as i32).map(size).collect(),
            n_noise: size(-1),
            expected_variation: consensus.expected_variation,
            mean_confidence: consensus.confidence.iter().sum::<f64>() / consensus.confidence.len().max(1) as f64,
        }
    }
}
