//! The arithmetic of a fit: decided once, before any chain moves, by the problem alone.
//!
//! Chains that decided for themselves could decide differently, and a chain run by itself (`chain` K) differently from the same
//! chain beside others. The mode that an optimiser finds from the first map is the same for all of them.

use super::Starts;
use crate::fit::problem::Problem;
use crate::likelihood::Arithmetic;
use crate::sampler::{ArithmeticChoice, is_single_accurate};
use crate::settings::Resolved;

/// The arithmetic that the settings name, that a stopped run has decided on, or that is accurate enough at the mode.
pub(crate) fn decide<'a>(config: &Resolved, problem: &Problem, starts: impl FnOnce() -> &'a Starts<'a>) -> Arithmetic {
    let has_single = problem.posterior.likelihood().has_single_precision() && config.sampler.sampler.has_gradients();
    match (config.arithmetic.first(), config.sampler.arithmetic) {
        (Some(&decided), _) => decided,
        (None, ArithmeticChoice::F32) if has_single => Arithmetic::F32,
        (None, ArithmeticChoice::Auto) if has_single && starts().is_single_accurate() => Arithmetic::F32,
        _ => Arithmetic::F64,
    }
}

impl Starts<'_> {
    /// Whether single precision is accurate enough at the mode. Few pairs are overfitted there: sigma is rather too small than too
    /// large, and the decision on the safe side.
    fn is_single_accurate(&self) -> bool {
        let (map, posterior) = (self.mode(), &self.problem().posterior);
        let (likelihood, noise) = (posterior.likelihood(), posterior.noise());
        let squared_residual = self.rms_residual(&map).powi(2);
        let sigma = noise.known().unwrap_or_else(|| squared_residual.sqrt().max(noise.floor()));
        let sum_of_squares = likelihood.n_pairs() as f64 * squared_residual / sigma.powi(2);
        is_single_accurate(likelihood, map.as_slice(), sigma.powi(2), sum_of_squares)
    }
}
