//! From monitored draws to diagnoses and a verdict: the rules.
//!
//! In this order:
//! 1. a value that is not finite: [`Verdict::NotFinite`];
//! 2. every R-hat and effective sample size within [`Limits`]: [`Verdict::Converged`];
//! 3. some R-hat above `disagree_rhat`, and on those quantities the chains fall into groups that are well mixed
//!    within and do not overlap between: [`Verdict::ChainsDisagree`];
//! 4. otherwise [`Verdict::NotYet`].

use rayon::prelude::*;

use super::chains::{Chains, ChainsError, mean};
use super::diagnosis::{Diagnosis, Monitored};
use super::modes::{Modes, find_modes};
use super::verdict::{Limits, Verdict, Worst};

/// The numbers and the verdict.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Assessment {
    /// One per quantity: the log density, then the others in the order given.
    pub diagnoses: Vec<Diagnosis>,
    /// What they amount to.
    pub verdict: Verdict,
}

impl Assessment {
    /// The largest R-hat of all quantities that move; `None` when there is none.
    pub fn max_rhat(&self) -> Option<Worst> {
        max_rhat(&self.diagnoses)
    }

    /// The smallest bulk or tail effective sample size of all quantities that move; `None` when there is none.
    pub fn min_ess(&self) -> Option<Worst> {
        min_ess(&self.diagnoses)
    }
}

/// Diagnoses every quantity, in parallel, and judges them together.
///
/// The log density is a quantity like the `others`, and ranks the modes when chains disagree. All must have the same
/// number of chains and draws.
pub fn assess(log_density: &Monitored, others: &[Monitored], limits: &Limits) -> Result<Assessment, ChainsError> {
    let quantities: Vec<&Monitored> = std::iter::once(log_density).chain(others).collect();
    check_shapes(&quantities)?;
    let diagnoses: Vec<Diagnosis> = quantities.par_iter().map(|quantity| Diagnosis::new(quantity)).collect();
    let verdict = not_finite(&quantities)
        .or_else(|| converged(&quantities, &diagnoses, limits))
        .or_else(|| chains_disagree(&quantities, &diagnoses, limits))
        .unwrap_or_else(|| not_yet(&quantities, &diagnoses, limits));
    Ok(Assessment { diagnoses, verdict })
}

fn check_shapes(quantities: &[&Monitored]) -> Result<(), ChainsError> {
    let shape = |quantity: &Monitored| (quantity.chains().n_chains(), quantity.chains().n_draws());
    let (n_chains, n_draws) = shape(quantities[0]);
    let Some(odd) = quantities.iter().find(|quantity| shape(quantity) != (n_chains, n_draws)) else {
        return Ok(());
    };
    let (found_chains, found_draws) = shape(odd);
    Err(ChainsError::OtherShape { name: odd.name().into(), found_chains, found_draws, n_chains, n_draws })
}

fn not_finite(quantities: &[&Monitored]) -> Option<Verdict> {
    quantities.iter().find_map(|quantity| {
        let (chain, draw) = quantity.first_not_finite()?;
        Some(Verdict::NotFinite { quantity: quantity.name().into(), chain, draw })
    })
}

fn converged(quantities: &[&Monitored], diagnoses: &[Diagnosis], limits: &Limits) -> Option<Verdict> {
    let (max_rhat, min_ess) = (max_rhat(diagnoses)?, min_ess(diagnoses)?);
    let good = max_rhat.value < limits.max_rhat && min_ess.value >= target_ess(quantities, limits);
    good.then_some(Verdict::Converged { max_rhat, min_ess })
}

fn chains_disagree(quantities: &[&Monitored], diagnoses: &[Diagnosis], limits: &Limits) -> Option<Verdict> {
    let suspects: Vec<&Monitored> = quantities
        .iter()
        .zip(diagnoses)
        .filter(|(_, diagnosis)| diagnosis.rhat > limits.disagree_rhat)
        .map(|(quantity, _)| *quantity)
        .collect();
    let chains: Vec<Chains> = suspects.iter().map(|quantity| quantity.chains()).collect();
    let Modes { groups, clearest } = find_modes(&chains, limits)?;
    let log_density = quantities[0].chains();
    let mut ranked: Vec<(f64, Vec<usize>)> =
        groups.into_iter().map(|group| (mean(&log_density.select(&group).pooled()), group)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (log_densities, groups): (Vec<f64>, Vec<Vec<usize>>) = ranked.into_iter().unzip();
    let log_density_gap = log_densities[0] - log_densities[1];
    Some(Verdict::ChainsDisagree { groups, log_densities, log_density_gap, quantity: suspects[clearest].name().into() })
}

fn not_yet(quantities: &[&Monitored], diagnoses: &[Diagnosis], limits: &Limits) -> Verdict {
    let (max_rhat, min_ess) = (max_rhat(diagnoses), min_ess(diagnoses));
    let target_ess = target_ess(quantities, limits);
    let for_rhat = max_rhat.as_ref().map_or(2.0, |worst| longer_for_rhat(worst.value, limits.max_rhat));
    // When nothing is known yet, the best that can be hoped for is that every draw counts.
    let n_draws = quantities[0].chains().n_draws().max(1) as f64;
    let for_ess = min_ess.as_ref().map_or(limits.min_ess_per_chain / n_draws, |worst| target_ess / worst.value);
    Verdict::NotYet { times_longer: for_rhat.max(for_ess), max_rhat, min_ess, target_ess, target_rhat: limits.max_rhat }
}

/// R-hat^2 - 1 is the variance between chain means over that within, and falls as 1/n once chains move freely.
/// At least 2, for chains that do not yet.
fn longer_for_rhat(rhat: f64, limit: f64) -> f64 {
    if rhat < limit { 1.0 } else { ((rhat * rhat - 1.0) / (limit * limit - 1.0)).max(2.0) }
}

fn target_ess(quantities: &[&Monitored], limits: &Limits) -> f64 {
    limits.min_ess_per_chain * quantities[0].chains().n_chains() as f64
}

fn max_rhat(diagnoses: &[Diagnosis]) -> Option<Worst> {
    let worst = moving(diagnoses).max_by(|a, b| a.rhat.total_cmp(&b.rhat))?;
    Some(Worst { quantity: worst.name.clone(), value: worst.rhat })
}

fn min_ess(diagnoses: &[Diagnosis]) -> Option<Worst> {
    let worst = moving(diagnoses).min_by(|a, b| a.min_ess().total_cmp(&b.min_ess()))?;
    Some(Worst { quantity: worst.name.clone(), value: worst.min_ess() })
}

/// Quantities with an R-hat; a constant (a fixed sigma) has none and says nothing about convergence.
fn moving(diagnoses: &[Diagnosis]) -> impl Iterator<Item = &Diagnosis> {
    diagnoses.iter().filter(|diagnosis| !diagnosis.rhat.is_nan())
}
