//! Energy diagnostics of Hamiltonian samplers.

use super::chains::variance;

/// Bayesian fraction of missing information of one chain's energies (Betancourt 2016, arXiv:1604.00695).
///
/// The mean squared step of the energy over its variance: about 2 when momentum resampling moves freely between
/// energies; below 0.3 the chain creeps along and its tails should not be believed. NaN of fewer than two energies.
pub fn bfmi(energies: &[f64]) -> f64 {
    let squared_steps = energies.windows(2).map(|step| (step[1] - step[0]).powi(2)).sum::<f64>();
    squared_steps / (energies.len() as f64 - 1.0) / variance(energies)
}
