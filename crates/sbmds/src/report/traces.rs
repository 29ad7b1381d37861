//! How single quantities moved: thinned traces, rank histograms, and the table of diagnoses.

use rayon::prelude::*;
use serde::Serialize;

use super::pack;
use crate::diagnostics::{Diagnosis, Monitored, RANK_BINS, rank_histogram, worst_first};
use crate::run::monitor::{LOG_DENSITY, LOG_LIKELIHOOD};

/// The trace of one quantity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trace {
    /// The quantity.
    pub name: String,
    /// Rank-normalised split R-hat.
    pub rhat: f64,
    /// Effective draws for the bulk.
    pub ess_bulk: f64,
    /// Effective draws for the tails.
    pub ess_tail: f64,
    /// Draws per point of the trace.
    pub thin: usize,
    /// The points, chain by chain.
    #[serde(serialize_with = "pack::f32s")]
    pub values: Vec<f64>,
    /// Histogram of pooled ranks, chain by chain, from all draws.
    #[serde(serialize_with = "pack::u32s")]
    pub ranks: Vec<u32>,
}

/// Points of a trace, for each chain.
const MOST_POINTS: usize = 500;
/// Distances whose traces are shown: those that mix worst.
const N_DISTANCES: usize = 4;
/// Rows of the table of diagnoses.
const MOST_ROWS: usize = 200;

impl Trace {
    fn new(monitored: &Monitored, diagnosis: &Diagnosis) -> Self {
        let chains = monitored.chains();
        let thin = chains.n_draws().div_ceil(MOST_POINTS).max(1);
        Self {
            name: diagnosis.name.clone(),
            rhat: diagnosis.rhat,
            ess_bulk: diagnosis.ess_bulk,
            ess_tail: diagnosis.ess_tail,
            thin,
            values: chains.iter().flat_map(|draws| draws.iter().step_by(thin).copied()).collect(),
            ranks: rank_histogram(&chains, RANK_BINS).concat(),
        }
    }
}

/// A row of the table of diagnoses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceDiagnosis {
    /// The quantity.
    pub quantity: String,
    /// Posterior mean.
    pub mean: f64,
    /// Posterior standard deviation.
    pub sd: f64,
    /// 5% quantile.
    pub q5: f64,
    /// Median.
    pub median: f64,
    /// 95% quantile.
    pub q95: f64,
    /// Rank-normalised split R-hat.
    pub rhat: f64,
    /// Effective draws for the bulk.
    pub ess_bulk: f64,
    /// Effective draws for the 5% and 95% quantiles.
    pub ess_tail: f64,
    /// Monte Carlo standard error of `mean`.
    pub mcse_mean: f64,
}

impl From<&Diagnosis> for TraceDiagnosis {
    fn from(diagnosis: &Diagnosis) -> Self {
        let Diagnosis { name, mean, sd, q5, median, q95, rhat, ess_bulk, ess_tail, mcse_mean } = diagnosis.clone();
        Self { quantity: name, mean, sd, q5, median, q95, rhat, ess_bulk, ess_tail, mcse_mean }
    }
}

/// What a run's monitored quantities say, the worst first.
pub(super) struct Movement {
    pub traces: Vec<Trace>,
    pub diagnostics: Vec<TraceDiagnosis>,
}

impl Movement {
    /// `monitored` starts with the log density, or the log-likelihood where axes may vanish, and sigma.
    pub fn new(monitored: &[Monitored]) -> Self {
        let diagnoses: Vec<Diagnosis> = monitored.par_iter().map(Diagnosis::new).collect();
        let n_chains = monitored.first().map_or(0, |quantity| quantity.chains().n_chains());
        let worst = worst_first(&diagnoses, n_chains);
        let named = |name: &str| diagnoses.iter().position(|diagnosis| diagnosis.name == name);
        let leading: Vec<usize> =
            [named("sigma"), named(LOG_DENSITY).or(named(LOG_LIKELIHOOD))].into_iter().flatten().collect();
        let distances = worst.iter().copied().filter(|index| !leading.contains(index)).take(N_DISTANCES);
        let traced = leading.iter().copied().chain(distances);
        Self {
            traces: traced.map(|index| Trace::new(&monitored[index], &diagnoses[index])).collect(),
            diagnostics: worst.iter().take(MOST_ROWS).map(|&index| (&diagnoses[index]).into()).collect(),
        }
    }
}
