//! The numbers a person asks for first: what `summary.json` holds.

pub(crate) mod dimensions;
pub(crate) mod lines;
pub(crate) mod results;
pub(crate) mod shepard;
pub(crate) mod titres;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use self::dimensions::DimensionsUsed;
use self::titres::TitreSummary;
use crate::brownian::BranchStatistics;
use crate::diagnostics::{Diagnosis, Worst, quantile_of_sorted, sorted};
use crate::fit::anchor::check::AnchorCheck;
use crate::fit::shown::summary::ShownSummary;
use crate::fit::verdicts::ChainsVerdict;
use crate::quality::MapVerdict;

/// The summary of a finished run. Numbers that cannot be known are absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// Whether the verdict on the chains is good.
    pub converged: bool,
    /// The verdict on the chains in words.
    pub verdict: String,
    /// The verdict on the chains with its numbers; absent in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chains: Option<ChainsVerdict>,
    /// The verdict on the map: whether it describes the data; absent in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<MapVerdict>,
    /// How an anchored posterior compares with that of all pairs; absent for other couplings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<AnchorCheck>,
    /// The verdict as data (see [`crate::diagnostics::Verdict`]).
    pub verdict_details: serde_json::Value,
    /// The largest R-hat.
    pub max_rhat: Option<Extreme>,
    /// The smallest bulk or tail effective sample size.
    pub min_ess: Option<Extreme>,
    /// Noise standard deviation, in input units.
    pub sigma: Interval,
    /// How many dimensions are used, if superfluous ones may vanish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<DimensionsUsed>,
    /// How fast locations diffuse along the tree, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diffusion: Option<Diffusion>,
    /// What was measured and learned of titres, if they are the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub titres: Option<TitreSummary>,
    /// How well the map shown fits the coupled dissimilarities, in input units.
    pub stress: StressSummary,
    /// Which map is shown: of which chains, and what others there are.
    #[serde(default)]
    pub shown: ShownSummary,
    /// Mean log-likelihood of the draws, of dissimilarities in input units.
    #[serde(default)]
    pub log_likelihood: Option<f64>,
    /// Objects.
    pub n_objects: usize,
    /// Dimensions.
    pub n_dims: usize,
    /// Coupled pairs that have a dissimilarity.
    pub n_pairs: usize,
    /// The couplings by name.
    pub couplings: String,
    /// The sampler by name.
    pub sampler: String,
    /// The arithmetic of the gradients: f64, f32, or both if runs were combined that were decided differently.
    #[serde(default)]
    pub arithmetic: String,
    /// What dissimilarities were divided by for sampling.
    pub unit: f64,
    /// Chains.
    pub n_chains: usize,
    /// Iterations of warm-up of each chain.
    pub n_warmup: usize,
    /// Stored draws of each chain.
    pub n_draws: usize,
    /// Mean acceptance rate after warm-up.
    pub acceptance: Option<f64>,
    /// Divergences after warm-up, in all chains.
    pub divergences: usize,
    /// Gradients after warm-up, in all chains.
    pub n_gradients: usize,
    /// Gradients during warm-up, in all chains.
    pub n_warmup_gradients: usize,
    /// Energy BFMI of each chain (Hamiltonian samplers).
    pub bfmi: Vec<Option<f64>>,
    /// What a reader should know before trusting the numbers, in sentences.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Version of sbmds.
    pub sbmds_version: String,
    /// Checksums of the files that belong to these results, so that a change is seen.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Seconds of sampling, summed over chains: the one entry in which two equal runs differ.
    pub seconds: f64,
}

/// The quantity that does worst, and how it does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extreme {
    /// Its name.
    pub quantity: String,
    /// Its R-hat or effective sample size.
    #[serde(deserialize_with = "null_is_infinite")]
    pub value: f64,
}

/// The R-hat of chains that are stuck at different values is infinite, which JSON cannot say.
fn null_is_infinite<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
}

impl From<Worst> for Extreme {
    fn from(Worst { quantity, value }: Worst) -> Self {
        Self { quantity, value }
    }
}

/// Where a quantity lies in the posterior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Mean.
    pub mean: Option<f64>,
    /// Standard deviation.
    pub sd: Option<f64>,
    /// 5% quantile.
    pub q5: Option<f64>,
    /// Median.
    pub median: Option<f64>,
    /// 95% quantile.
    pub q95: Option<f64>,
}

impl Interval {
    /// Of draws, in any order.
    pub fn of_draws(draws: Vec<f64>) -> Self {
        let n_draws = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / n_draws;
        let sd = (draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / (n_draws - 1.0)).sqrt();
        let sorted = sorted(draws);
        let [q5, median, q95] = [0.05, 0.5, 0.95].map(|share| known(quantile_of_sorted(&sorted, share)));
        Self { mean: known(mean), sd: known(sd), q5, median, q95 }
    }

    /// The same in another unit.
    pub(crate) fn map(&self, change: impl Fn(f64) -> f64) -> Self {
        let Self { mean, sd, q5, median, q95 } = self.clone();
        let [mean, sd, q5, median, q95] = [mean, sd, q5, median, q95].map(|number| number.map(&change));
        Self { mean, sd, q5, median, q95 }
    }
}

impl From<&Diagnosis> for Interval {
    fn from(diagnosis: &Diagnosis) -> Self {
        let Diagnosis { mean, sd, q5, median, q95, .. } = *diagnosis;
        Self { mean: known(mean), sd: known(sd), q5: known(q5), median: known(median), q95: known(q95) }
    }
}

/// How fast locations diffuse along the tree, in input units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diffusion {
    /// trace(Sigma), where Sigma is the covariance collected over the whole length of the tree (or over one unit of time, if
    /// branches are not scaled).
    pub trait_trace: Interval,
    /// trace(Sigma) per unit of the tree's time.
    pub diffusion_rate: Interval,
    /// How far locations move along the branches; absent if the run kept no locations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branches: Option<BranchSummary>,
    /// Total length of the tree, in its own unit of time.
    pub total_length: f64,
    /// The tree by file and number.
    pub tree: String,
}

/// How far locations move along the branches of the tree, in its own unit of time, as BEAST logs it
/// ([`crate::brownian::BranchStatistics`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BranchSummary {
    /// Mean over the branches of distance / time.
    pub diffusion_rate: Interval,
    /// All distance / all time.
    pub weighted_diffusion_rate: Interval,
    /// Mean over the branches of distance^2 / (4 time).
    pub diffusion_coefficient: Interval,
    /// Sum of distance^2 / 4, divided by all time.
    pub weighted_diffusion_coefficient: Interval,
}

impl BranchSummary {
    /// Of the draws; `None` if there are none.
    pub(crate) fn of(draws: &[BranchStatistics]) -> Option<Self> {
        if draws.is_empty() {
            return None;
        }
        let interval = |of: fn(&BranchStatistics) -> f64| Interval::of_draws(draws.iter().map(of).collect());
        Some(Self {
            diffusion_rate: interval(|branches| branches.diffusion_rate),
            weighted_diffusion_rate: interval(|branches| branches.weighted_diffusion_rate),
            diffusion_coefficient: interval(|branches| branches.diffusion_coefficient),
            weighted_diffusion_coefficient: interval(|branches| branches.weighted_diffusion_coefficient),
        })
    }
}

/// How well the map shown fits the coupled dissimilarities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StressSummary {
    /// Root mean squared residual over all coupled pairs.
    pub rms: Option<f64>,
    /// Median over objects of their root mean squared residual.
    pub median: Option<f64>,
    /// The object with the largest.
    pub worst_object: Option<String>,
    /// And how large it is.
    pub worst: Option<f64>,
}

/// A number if it is one.
pub(crate) fn known(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_infinite_rhat_is_read_back() {
        let stuck = Extreme { quantity: "sigma".into(), value: f64::INFINITY };
        let text = serde_json::to_string(&stuck).unwrap();
        assert_eq!(serde_json::from_str::<Extreme>(&text).unwrap(), stuck, "{text}");
    }
}
