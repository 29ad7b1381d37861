//! Whether the chains can be trusted: R-hat, effective sample sizes, Monte Carlo errors and a verdict in words.
//!
//! The statistics are pure functions of [`Chains`], the checked view of one scalar's draws. Quantities worth
//! monitoring do not change when the map is rotated or reflected: sigma, the log density, distances.
//!
//! - [`rhat`], [`ess_bulk`], [`ess_tail`], [`ess_mean`], [`mcse_mean`], ...: Vehtari, Gelman, Simpson, Carpenter and
//!   Bürkner (2021), "Rank-normalization, folding, and localization: an improved R-hat", with ArviZ's conventions:
//!   too few draws (below 4 per chain) or any NaN give NaN; a constant quantity has R-hat NaN and as many effective
//!   draws as draws. One departure: a single chain has an R-hat, that of its two halves, where ArviZ gives NaN.
//! - [`bfmi`]: how well momentum resampling explores the energies of a Hamiltonian sampler.
//! - [`spectral_ess`]: coda's `effectiveSize`, for comparison with figures drawn in R.
//! - [`hellinger`]: how far two posteriors of one quantity are apart.
//! - [`assess`]: a [`Diagnosis`] of each [`Monitored`] quantity and one [`Verdict`] over all of them.

mod assess;
mod autocovariance;
mod chains;
mod diagnosis;
mod energy;
mod ess;
mod hellinger;
pub mod kernel_density;
mod mcse;
mod modes;
mod rank;
mod rhat;
mod special;
mod spectral;
mod verdict;
#[cfg(test)]
mod verdict_tests;

pub use assess::{Assessment, assess};
pub use chains::{Chains, ChainsError};
pub use diagnosis::{Diagnosis, Monitored, worst_first};
pub use energy::bfmi;
pub use ess::{ess_bulk, ess_mean, ess_quantile, ess_sd, ess_tail};
pub use hellinger::hellinger;
pub use mcse::{mcse_mean, mcse_quantile, mcse_sd};
pub use rank::{RANK_BINS, rank_histogram};
pub(crate) use rank::{quantile_of_sorted, sorted};
pub use rhat::rhat;
pub use spectral::{spectral_ess, spectral_ess_of_chain};
pub(crate) use verdict::name_chains;
pub use verdict::{Limits, Verdict, Worst};
