//! `sbmds cluster`: clusters of a fit with their uncertainty.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use sbmds::cluster::{
    ClusterError, ClusterSummary, ConsensusSummary, Extras, HdbscanError, HdbscanSettings, RunClusters, Selection,
    Spread, Truth, TruthSummary, WrittenClusters, cluster_run, together,
};
use sbmds::dissimilarity::{Names, read_labels};
use sbmds::draws::DrawReader;
use sbmds::plain::shown;
use sbmds::report::{ReportData, write_html};
use sbmds::run::{FinishedRun, RunDraws, open_draws};

use crate::arguments::n_threads;
use crate::failure::Failure;
use crate::report::{self, LabelArgs};
use crate::say::warn;

/// Flags of `sbmds cluster`.
#[derive(Args)]
pub struct Cluster {
    /// Directory of the run
    run: PathBuf,
    /// The fewest objects that make a cluster [default: half the square root of their number, at least 5]
    #[arg(long, value_name = "M")]
    min_points: Option<usize>,
    /// Objects within the core distance, the object itself counted [default: M]
    #[arg(long, value_name = "K")]
    min_samples: Option<usize>,
    /// How clusters are selected from the hierarchy: eom (excess of mass) or leaf
    #[arg(long, default_value = "eom")]
    selection: Selection,
    /// Draws to cluster, chosen without replacement from all chains
    #[arg(long, value_name = "S", default_value_t = 200)]
    draws: usize,
    #[command(flatten)]
    labels: LabelArgs,
    /// Column of the labels that holds the true classes
    #[arg(long, value_name = "COLUMN")]
    truth: Option<String>,
    /// Seed of the choice of draws
    #[arg(long, value_name = "I", default_value_t = 1)]
    seed: u64,
    /// Threads to use [default: all cores]; the answer does not depend on it
    #[arg(long, value_name = "P")]
    threads: Option<usize>,
    /// Where to write the results [default: clusters in the directory of the run]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the counts of draws in which each pair shares a cluster (together.npy, N (N - 1) / 2 numbers)
    #[arg(long)]
    counts: bool,
    /// Write the pairs that share a cluster with at least this probability (together.csv)
    #[arg(long, value_name = "P")]
    together_above: Option<f64>,
    /// Only say how probably two objects share a cluster, by the results of an earlier call
    #[arg(long, num_args = 2, value_names = ["NAME", "NAME"])]
    together: Option<Vec<String>>,
}

impl Cluster {
    pub fn run(&self) -> Result<(), Failure> {
        let RunDraws { directory: run, config, reader, unfinished } = open_draws(&self.run)?;
        unfinished.iter().for_each(warn);
        let out = self.out.clone().unwrap_or_else(|| run.path().join("clusters"));
        if let Some([a, b]) = self.together.as_deref() {
            return print_together(&out, reader.names(), [a, b]);
        }
        self.check()?;
        let truth = self.read_truth(reader.names(), config.input.labels.as_deref())?;
        let clusters = self.with_threads(|| self.cluster(&reader, truth.as_ref()))?;
        print!("{}", table(&clusters.summary));
        if clusters.summary.cluster_counts.keys().all(|&n_clusters| n_clusters == 0) {
            println!("no draw has a cluster: give a smaller --min-points");
        }
        self.with_threads(|| self.write(&clusters, &out))?;
        // What is not finished has no report of its draws.
        if unfinished.is_some() { Ok(()) } else { self.with_threads(|| self.refresh_report(run.path())) }
    }

    fn check(&self) -> Result<(), Failure> {
        if self.draws == 0 {
            return Err(Failure::bad_input("--draws 0: nothing to cluster; give at least 1"));
        }
        match self.together_above {
            Some(probability) if !(0.0..=1.0).contains(&probability) => {
                Err(Failure::bad_input(format!("--together-above {probability}: give a probability from 0 to 1")))
            }
            _ => Ok(()),
        }
    }

    fn read_truth(&self, names: &Names, labels_of_fit: Option<&Path>) -> Result<Option<Truth>, Failure> {
        let Some(column) = &self.truth else { return Ok(None) };
        let Some(path) = self.labels.path().or(labels_of_fit) else {
            return Err(Failure::bad_input("--truth: there are no labels. Remedy: give a table of them with --labels"));
        };
        let labels = read_labels(path, names)?;
        let truth =
            Truth::new(&labels, column).map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))?;
        if truth.n_unknown() > 0 {
            warn(format_args!("{} objects have no {column:?} and are left out of the comparison", truth.n_unknown()));
        }
        Ok(Some(truth))
    }

    fn with_threads<T: Send>(&self, work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads(self.threads)?).build();
        pool.map_err(|error| Failure::bad_input(format!("cannot start the threads: {error}")))?.install(work)
    }

    fn cluster(&self, reader: &DrawReader, truth: Option<&Truth>) -> Result<RunClusters, Failure> {
        let min_cluster_size = self.min_points.unwrap_or_else(|| default_min_points(reader.names().len()));
        let min_samples = self.min_samples.unwrap_or(min_cluster_size);
        let settings = HdbscanSettings { min_cluster_size, min_samples, selection: self.selection };
        Ok(cluster_run(reader, &settings, self.draws, self.seed, truth)?)
    }

    fn write(&self, clusters: &RunClusters, out: &Path) -> Result<(), Failure> {
        let extras = Extras { counts: self.counts, pairs_above: self.together_above };
        let WrittenClusters { files, n_pairs_above } = clusters.write(out, extras)?;
        if let (Some(n_pairs), Some(probability)) = (n_pairs_above, self.together_above) {
            println!("{n_pairs} pairs share a cluster with probability {probability} or more");
        }
        files.iter().for_each(|path| println!("{}", path.display()));
        Ok(())
    }

    /// A report that is there already shows the clusters from now on, if they are where it looks for them.
    fn refresh_report(&self, run: &Path) -> Result<(), Failure> {
        let path = report::default_path(run);
        if self.out.is_some() || !path.exists() {
            return Ok(());
        }
        let run = FinishedRun::open(run)?;
        let labels = self.labels.read(&run)?;
        write_html(&ReportData::gather(&run, labels.as_ref())?, &path)?;
        println!("{}", path.display());
        Ok(())
    }
}

/// The fewest objects that make a cluster, unless the user says otherwise: 5, as in scikit-learn, but half the square root of N where
/// there are many (16 of 1,000, 50 of 10,000), so that small clumps of chance stay noise; never more than half of all.
fn default_min_points(n_objects: usize) -> usize {
    let half_root = ((n_objects as f64).sqrt() / 2.0).round() as usize;
    half_root.max(5).min(n_objects / 2).max(2)
}

impl From<ClusterError> for Failure {
    fn from(error: ClusterError) -> Self {
        let flag = match &error {
            ClusterError::Hdbscan(HdbscanError::MinClusterSize(_)) => "--min-points: ",
            ClusterError::Hdbscan(HdbscanError::MinSamples | HdbscanError::TooManySamples { .. }) => "--min-samples: ",
            _ => "",
        };
        Self::bad_input(format!("{flag}{error}"))
    }
}

fn print_together(out: &Path, names: &Names, [a, b]: [&String; 2]) -> Result<(), Failure> {
    let (n_together, n_draws) = together(out, names, [a, b])?;
    let probability = n_together as f64 / n_draws.max(1) as f64;
    let (a, b) = (shown(a), shown(b));
    println!("{a} and {b} share a cluster in {n_together} of {n_draws} draws: probability {probability:.4}");
    Ok(())
}

/// The numbers, one line each.
fn table(summary: &ClusterSummary) -> String {
    let ClusterSummary { hdbscan, n_draws, n_available, n_objects, .. } = summary;
    let mut lines = vec![
        ("draws", format!("{n_draws} of {n_available}, {n_objects} objects")),
        (
            "HDBSCAN",
            format!(
                "clusters of {} or more, {} samples, {}",
                hdbscan.min_cluster_size, hdbscan.min_samples, hdbscan.selection
            ),
        ),
        ("clusters", format!("{} in most draws ({})", summary.mode_clusters, shares(&summary.cluster_counts))),
        ("noise", format!("{} objects", spread(&summary.noise, 1))),
    ];
    lines.extend(summary.truth.iter().flat_map(truth_lines));
    lines.push(("consensus", consensus(&summary.consensus)));
    lines.iter().map(|(name, text)| format!("{name:18} {text}\n")).collect()
}

fn truth_lines(truth: &TruthSummary) -> Vec<(&'static str, String)> {
    let known = |value: &Option<Spread>| value.as_ref().map_or_else(|| "-".into(), |value| spread(value, 4));
    vec![
        ("error", format!("{} (mean over clusters, noise left out)", known(&truth.error))),
        ("error, pooled", format!("{} (over objects in clusters)", known(&truth.pooled_error))),
        ("classes found", format!("of {}: {}", truth.n_classes, shares(&truth.classes_found))),
        (
            "adjusted Rand",
            format!("{}; in clusters alone {}", known(&truth.rand_index), known(&truth.rand_index_clustered)),
        ),
    ]
}

fn consensus(consensus: &ConsensusSummary) -> String {
    let sizes: Vec<String> = consensus.sizes.iter().take(10).map(usize::to_string).collect();
    let more = if consensus.sizes.len() > 10 { ", ..." } else { "" };
    let ConsensusSummary { n_clusters, n_noise, expected_variation, mean_confidence, .. } = consensus;
    format!(
        "{n_clusters} clusters ({}{more}), {n_noise} noise; confidence {mean_confidence:.3}, \
         {expected_variation:.3} bits from a draw",
        sizes.join(", ")
    )
}

fn spread(value: &Spread, digits: usize) -> String {
    let Spread { mean, q2_5, q97_5 } = value;
    format!("{mean:.digits$}, 95% in [{q2_5:.digits$}, {q97_5:.digits$}]")
}

/// `3: 20%, 4: 80%`, the most frequent first.
fn shares(counts: &std::collections::BTreeMap<usize, usize>) -> String {
    let total: usize = counts.values().sum();
    let mut by_frequency: Vec<(usize, usize)> = counts.iter().map(|(&number, &count)| (count, number)).collect();
    by_frequency.sort_by_key(|&(count, number)| (std::cmp::Reverse(count), number));
    let mut text = String::new();
    for (index, (count, number)) in by_frequency.iter().take(6).enumerate() {
        let share = 100.0 * *count as f64 / total as f64;
        let separator = if index == 0 { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}{number}: {share:.1}%");
    }
    if by_frequency.len() > 6 { text + ", ..." } else { text }
}

#[cfg(test)]
mod tests {
    use super::default_min_points;

    #[test]
    fn clusters_need_more_members_among_many_objects() {
        assert_eq!([3, 8, 70, 1_000, 10_000].map(default_min_points), [2, 4, 5, 16, 50]);
    }
}
