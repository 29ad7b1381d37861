//! True classes of the objects, and how far the clusters of a draw agree with them.

use std::collections::BTreeMap;

use super::agreement::adjusted_rand_index;
use super::error::ClusterError;
use crate::dissimilarity::{LabelValues, Labels, NO_LEVEL};

/// The true class of every object that has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// Name of the column they come from.
    pub column: String,
    /// The classes.
    pub classes: Vec<String>,
    /// The class of each object, in input order.
    pub class_of: Vec<Option<u32>>,
}

/// How the clusters of one draw agree with the true classes. Objects without a class are left out everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Share of objects that are not of their cluster's majority class, averaged over clusters without weights; noise
    /// left out (docs/clustering.md, eq. 9). None without clusters.
    pub error: Option<f64>,
    /// The same share over all objects in clusters (eq. 10).
    pub pooled_error: Option<f64>,
    /// How many classes are the majority of some cluster.
    pub n_classes_found: usize,
    /// Adjusted Rand index, noise counted as one group.
    pub rand_index: f64,
    /// Adjusted Rand index of the objects in clusters alone.
    pub rand_index_clustered: f64,
}

impl Truth {
    /// The classes in a column of a table of labels; numbers are classes too.
    ///
    /// # Errors
    /// If there is no such column, or no object has a label in it.
    pub fn new(labels: &Labels, column: &str) -> Result<Self, ClusterError> {
        let found = labels.column(column).ok_or_else(|| {
            let known: Vec<&str> = labels.columns.iter().map(|column| column.name.as_str()).collect();
            ClusterError::NoColumn { column: column.into(), known: known.join(", ") }
        })?;
        let (classes, class_of) = match &found.values {
            LabelValues::Categorical { levels, codes } => {
                let class = |&code: &u16| (code != NO_LEVEL).then_some(u32::from(code));
                (levels.clone(), codes.iter().map(class).collect())
            }
            LabelValues::Numeric(values) => numbers_as_classes(values),
        };
        if classes.is_empty() {
            return Err(ClusterError::EmptyColumn(column.into()));
        }
        Ok(Self { column: column.into(), classes, class_of })
    }

    /// Number of objects without a class.
    pub fn n_unknown(&self) -> usize {
        self.class_of.iter().filter(|class| class.is_none()).count()
    }

    /// How the labels of one draw agree with the classes.
    pub fn score(&self, labels: &[i32]) -> Score {
        let known = labels.iter().zip(&self.class_of).filter_map(|(&label, &class)| Some((label, class?)));
        let (labels, classes): (Vec<i32>, Vec<u32>) = known.unzip();
        let clustered = labels.iter().zip(&classes).filter(|(label, _)| **label >= 0);
        let (in_clusters, their_classes): (Vec<i32>, Vec<u32>) = clustered.unzip();
        let majorities = self.majorities(&in_clusters, &their_classes);
        let share = |n_wrong: f64, n: f64| (n > 0.0).then_some(n_wrong / n);
        let errors = majorities.iter().map(|majority| majority.n_others() / f64::from(majority.n_objects));
        let mut found: Vec<u32> = majorities.iter().map(|majority| majority.class).collect();
        found.sort_unstable();
        found.dedup();
        Score {
            error: share(errors.sum(), majorities.len() as f64),
            pooled_error: share(majorities.iter().map(Majority::n_others).sum(), in_clusters.len() as f64),
            n_classes_found: found.len(),
            rand_index: adjusted_rand_index(&labels, &classes),
            rand_index_clustered: adjusted_rand_index(&in_clusters, &their_classes),
        }
    }

    /// The majority class of every cluster; of equally frequent ones the first.
    fn majorities(&self, labels: &[i32], classes: &[u32]) -> Vec<Majority> {
        let mut counts: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
        for (&label, &class) in labels.iter().zip(classes) {
            counts.entry(label).or_insert_with(|| vec![0; self.classes.len()])[class as usize] += 1;
        }
        let majority = |counts: &Vec<u32>| {
            let (mut class, mut n_majority) = (0, 0);
            for (other, &count) in (0..).zip(counts) {
                if count > n_majority {
                    (class, n_majority) = (other, count);
                }
            }
            Majority { class, n_majority, n_objects: counts.iter().sum() }
        };
        counts.values().map(majority).collect()
    }
}

/// The most frequent class of a cluster.
struct Majority {
    class: u32,
    n_majority: u32,
    n_objects: u32,
}

impl Majority {
    fn n_others(&self) -> f64 {
        f64::from(self.n_objects - self.n_majority)
    }
}

fn numbers_as_classes(values: &[f64]) -> (Vec<String>, Vec<Option<u32>>) {
    let mut numbers: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    let class = |value: &f64| numbers.iter().position(|number| number == value).map(|class| class as u32);
    (numbers.iter().map(f64::to_string).collect(), values.iter().map(class).collect())
}

#[cfg(test)]
mod tests {
    use super::Truth;

    fn truth(classes: &[Option<u32>]) -> Truth {
        let names = ["a", "b", "c"].map(String::from).to_vec();
        Truth { column: "class".into(), classes: names, class_of: classes.to_vec() }
    }

    #[test]
    fn error_as_the_paper_defines_it() {
        // Cluster 0: a a b (1/3 wrong); cluster 1: c c c c (0 wrong); noise: a b; one object without class.
        let classes = [0, 0, 1, 2, 2, 2, 2, 0, 1].map(Some);
        let truth = truth(&[&classes[..], &[None]].concat());
        let score = truth.score(&[0, 0, 0, 1, 1, 1, 1, -1, -1, 0]);
        assert_eq!(score.error, Some((1.0 / 3.0 + 0.0) / 2.0));
        assert_eq!(score.pooled_error, Some(1.0 / 7.0));
        assert_eq!((score.n_classes_found, truth.n_unknown()), (2, 1));
        // sklearn.metrics.adjusted_rand_score, version 1.9.1, with noise as a label and on the first seven.
        assert!((score.rand_index - 0.584_615_384_615_384_6).abs() < 1e-15, "{}", score.rand_index);
        assert!((score.rand_index_clustered - 0.8).abs() < 1e-15, "{}", score.rand_index_clustered);
    }

    #[test]
    fn without_clusters_there_is_no_error() {
        let score = truth(&[Some(0), Some(1)]).score(&[-1, -1]);
        assert_eq!((score.error, score.pooled_error, score.n_classes_found), (None, None, 0));
    }
}
