//! What is monitored, and what is said about it.

use super::chains::{Chains, ChainsError, mean, variance};
use super::ess::{ess, ess_tail_of_sorted};
use super::rank::{Ordered, quantile_of_sorted, sorted};
use super::rhat::rhat_of_ordered;
use super::verdict::Limits;

/// A named scalar and its draws, one vector per chain.
#[derive(Clone, Debug)]
pub struct Monitored {
    name: String,
    draws: Vec<Vec<f64>>,
}

impl Monitored {
    /// A named scalar with at least one chain, all of equal length.
    pub fn new(name: impl Into<String>, draws: Vec<Vec<f64>>) -> Result<Self, ChainsError> {
        Chains::new(&draws)?;
        Ok(Self { name: name.into(), draws })
    }

    /// The name a person knows the quantity by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its draws.
    pub fn chains(&self) -> Chains<'_> {
        Chains::already_checked(&self.draws)
    }

    /// Chain and draw of the first value that is not finite.
    pub(super) fn first_not_finite(&self) -> Option<(usize, usize)> {
        let in_chain = |chain: &Vec<f64>| chain.iter().position(|draw| !draw.is_finite());
        self.draws.iter().enumerate().find_map(|(chain, draws)| Some((chain, in_chain(draws)?)))
    }
}

/// Location, spread and trustworthiness of one monitored quantity.
///
/// Numbers that cannot be known (see the [module](super) for when) are NaN, `null` in JSON.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Diagnosis {
    /// The quantity.
    pub name: String,
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

impl Diagnosis {
    /// Diagnoses one quantity; sorting and ranking are shared between the numbers.
    pub fn new(monitored: &Monitored) -> Self {
        let chains = monitored.chains();
        let pooled = chains.pooled();
        let (mean, sd) = (mean(&pooled), variance(&pooled).sqrt());
        let sorted = sorted(pooled);
        let mixing = Mixing::new(&chains, &sorted);
        let quantile = |probability| if mean.is_nan() { f64::NAN } else { quantile_of_sorted(&sorted, probability) };
        Self {
            name: monitored.name.clone(),
            mean,
            sd,
            q5: quantile(0.05),
            median: quantile(0.5),
            q95: quantile(0.95),
            rhat: mixing.rhat,
            ess_bulk: mixing.ess_bulk,
            ess_tail: mixing.ess_tail,
            mcse_mean: sd / mixing.ess_mean.sqrt(),
        }
    }

    /// How far beyond its limits the quantity is: 1 at the worse of R-hat and effective sample size wanted; NaN if unknown.
    pub fn badness(&self, limits: &Limits, n_chains: usize) -> f64 {
        let wanted_ess = limits.min_ess_per_chain * n_chains as f64;
        ((self.rhat - 1.0) / (limits.max_rhat - 1.0)).max(wanted_ess / self.min_ess())
    }

    /// The smaller of the bulk and the tail effective sample size; NaN when unknown.
    pub fn min_ess(&self) -> f64 {
        self.ess_bulk.min(self.ess_tail)
    }
}

/// The indices of the diagnoses, the one farthest beyond its limits first; unknown ones last.
pub fn worst_first(diagnoses: &[Diagnosis], n_chains: usize) -> Vec<usize> {
    let limits = Limits::default();
    let badness: Vec<f64> = diagnoses.iter().map(|diagnosis| diagnosis.badness(&limits, n_chains)).collect();
    let known = |index: usize| if badness[index].is_nan() { f64::NEG_INFINITY } else { badness[index] };
    let mut indices: Vec<usize> = (0..diagnoses.len()).collect();
    indices.sort_by(|&a, &b| known(b).total_cmp(&known(a)));
    indices
}

/// The numbers about mixing alone.
struct Mixing {
    rhat: f64,
    ess_bulk: f64,
    ess_tail: f64,
    ess_mean: f64,
}

impl Mixing {
    fn new(chains: &Chains, sorted: &[f64]) -> Self {
        if !chains.are_usable() {
            return Self { rhat: f64::NAN, ess_bulk: f64::NAN, ess_tail: f64::NAN, ess_mean: f64::NAN };
        }
        let halves = chains.split();
        let ordered = Ordered::new(&halves);
        let scores = ordered.normal_scores();
        Self {
            rhat: rhat_of_ordered(&ordered, &scores),
            ess_bulk: ess(&scores),
            ess_tail: ess_tail_of_sorted(chains, sorted),
            ess_mean: ess(&halves),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ess_bulk, ess_tail, mcse_mean, rhat};
    use super::*;

    #[test]
    fn a_diagnosis_gathers_what_the_single_functions_say() {
        let wave = |phase: f64| (0..51).map(|t| (t as f64 * 0.9 + phase).sin() + (t % 5) as f64).collect();
        let monitored = Monitored::new("wave", vec![wave(0.0), wave(1.0), wave(2.5)]).unwrap();
        let diagnosis = Diagnosis::new(&monitored);
        let chains = monitored.chains();
        assert_eq!(diagnosis.rhat, rhat(&chains));
        assert_eq!(diagnosis.ess_bulk, ess_bulk(&chains));
        assert_eq!(diagnosis.ess_tail, ess_tail(&chains));
        approx::assert_relative_eq!(diagnosis.mcse_mean, mcse_mean(&chains), max_relative = 1e-14);
        assert!(diagnosis.q5 < diagnosis.median && diagnosis.median < diagnosis.q95);
    }

    #[test]
    fn draws_that_are_nan_leave_every_number_unknown() {
        let monitored = Monitored::new("broken", vec![vec![1.0, 2.0, f64::NAN, 4.0, 5.0]]).unwrap();
        let diagnosis = Diagnosis::new(&monitored);
        assert!(diagnosis.mean.is_nan() && diagnosis.median.is_nan() && diagnosis.rhat.is_nan());
        assert_eq!(monitored.first_not_finite(), Some((0, 2)));
    }
}
