//! Several runs side by side: where one quantity lies in each of them, and how far apart the posteriors are.

use std::collections::BTreeSet;

use serde::Serialize;

use super::FinishedRun;
use crate::diagnostics::{Diagnosis, hellinger, quantile_of_sorted, sorted};
use crate::error::RunError;

/// One quantity in several runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The quantity.
    pub quantity: String,
    /// Where it lies in each run.
    pub runs: Vec<ComparedRun>,
    /// Every two runs, the earlier first.
    pub pairs: Vec<ComparedPair>,
}

/// Where the quantity lies in one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedRun {
    /// The run's name.
    pub name: String,
    /// Posterior mean.
    pub mean: f64,
    /// Posterior standard deviation.
    pub sd: f64,
    /// Ends of the central 95% interval.
    pub interval: [f64; 2],
    /// Bulk effective sample size.
    pub ess: f64,
    /// R-hat.
    pub rhat: f64,
    /// Effective draws per second of sampling (summed over chains).
    pub ess_per_second: f64,
}

/// How two runs differ in the quantity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedPair {
    /// Name of the one run.
    pub a: String,
    /// Name of the other.
    pub b: String,
    /// Hellinger distance between the posteriors, by [`hellinger`]'s estimator.
    pub hellinger: f64,
    /// Probability that the quantity is greater in the first: the share of all pairs of a draw of either, ties by half.
    pub probability_greater: f64,
    /// Difference of the means, first minus second.
    pub difference: f64,
    /// Standard error of that difference from the finite number of draws.
    pub difference_error: f64,
}

/// Compares a quantity (as [`FinishedRun::quantity`] names it) in several runs.
///
/// # Errors
/// If a run has no such quantity or cannot be read.
pub fn compare(runs: &[FinishedRun], quantity: &str) -> Result<Comparison, RunError> {
    let names = distinct_names(runs);
    let monitored = runs.iter().map(|run| run.quantity(quantity)).collect::<Result<Vec<_>, _>>()?;
    let draws: Vec<Vec<f64>> =
        monitored.iter().map(|monitored| sorted(monitored.chains().iter().flatten().copied().collect())).collect();
    let diagnoses: Vec<Diagnosis> = monitored.iter().map(Diagnosis::new).collect();
    let compared = |index: usize| {
        let diagnosis = &diagnoses[index];
        ComparedRun {
            name: names[index].clone(),
            mean: diagnosis.mean,
            sd: diagnosis.sd,
            interval: [0.025, 0.975].map(|share| quantile_of_sorted(&draws[index], share)),
            ess: diagnosis.ess_bulk,
            rhat: diagnosis.rhat,
            ess_per_second: diagnosis.ess_bulk / runs[index].summary().seconds,
        }
    };
    let pair = |(a, b): (usize, usize)| ComparedPair {
        a: names[a].clone(),
        b: names[b].clone(),
        hellinger: hellinger(&draws[a], &draws[b]),
        probability_greater: probability_greater(&draws[a], &draws[b]),
        difference: diagnoses[a].mean - diagnoses[b].mean,
        difference_error: diagnoses[a].mcse_mean.hypot(diagnoses[b].mcse_mean),
    };
    let n_runs = runs.len();
    Ok(Comparison {
        quantity: quantity.to_owned(),
        runs: (0..n_runs).map(compared).collect(),
        pairs: (0..n_runs).flat_map(|a| (a + 1..n_runs).map(move |b| (a, b))).map(pair).collect(),
    })
}

/// The names of the runs; their paths as given if two have the same name.
pub(crate) fn distinct_names(runs: &[FinishedRun]) -> Vec<String> {
    let names: Vec<String> = runs.iter().map(FinishedRun::name).collect();
    let different: BTreeSet<&String> = names.iter().collect();
    if different.len() == names.len() {
        names
    } else {
        runs.iter().map(|run| run.path().display().to_string()).collect()
    }
}

/// P(A > B) + P(A = B) / 2 for a draw of either of two sorted samples.
fn probability_greater(a: &[f64], b: &[f64]) -> f64 {
    let below = |x: f64| b.partition_point(|&y| y < x) as f64;
    let not_above = |x: f64| b.partition_point(|&y| y <= x) as f64;
    let wins: f64 = a.iter().map(|&x| 0.5 * (below(x) + not_above(x))).sum();
    wins / (a.len() as f64 * b.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::probability_greater;

    #[test]
    fn ties_count_half() {
        // Of nine pairs, 2 > 1; 3 > 1, 2, 2; and 2 = 2 twice.
        assert_eq!(probability_greater(&[0.0, 2.0, 3.0], &[1.0, 2.0, 2.0]), 5.0 / 9.0);
        assert_eq!(probability_greater(&[5.0], &[1.0, 2.0]), 1.0);
        assert_eq!(probability_greater(&[1.0, 1.0], &[1.0]), 0.5);
    }
}
