//! Single precision where it is accurate enough, with draws that are as exact as those of double precision.
//!
//! Trajectories follow a gradient in single precision: any function of the position will do for a leapfrog that is
//! reversible and preserves volume (docs/model.md). What is drawn is then accepted by energies in double precision: at
//! the ends of an HMC trajectory, and for NUTS, whose weights along the way are single, by one more Metropolis step.

use std::fmt;
use std::str::FromStr;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::Evaluated;
use super::moves::Conditions;
use super::target::Target;
use crate::likelihood::{Arithmetic, LogLikelihood};

/// The arithmetic of gradients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ArithmeticChoice {
    /// Single precision where its errors are too small to matter. A fit decides before its chains start, for all alike; a chain that
    /// is run by itself decides when its warm-up ends.
    #[default]
    Auto,
    /// Double precision.
    F64,
    /// Single precision.
    F32,
}

impl ArithmeticChoice {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::F64, Self::F32];

    pub(super) fn of_old_runs() -> Self {
        Self::F64
    }
}

impl From<Arithmetic> for ArithmeticChoice {
    fn from(decided: Arithmetic) -> Self {
        match decided {
            Arithmetic::F64 => Self::F64,
            Arithmetic::F32 => Self::F32,
        }
    }
}

impl fmt::Display for ArithmeticChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::F64 => "f64",
            Self::F32 => "f32",
        })
    }
}

impl FromStr for ArithmeticChoice {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|choice| choice.to_string() == name)
            .ok_or_else(|| format!("{name:?} is no arithmetic: use auto, f64 or f32"))
    }
}

/// The standard error of single-precision energies up to which `auto` uses them: a twentieth of what NUTS' steps are off.
const LARGEST_ERROR: f64 = 0.05;
/// 2^-24.
const ROUNDING: f64 = 6e-8;

/// The arithmetic of one chain, and what it is off at the present point.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct ChainArithmetic {
    choice: ArithmeticChoice,
    pub(super) now: Arithmetic,
    /// Log-likelihood in f64 less that by which NUTS weighs the present point; 0 while warming up.
    pub(super) correction: f64,
}

impl ChainArithmetic {
    /// Of a chain whose sampler has use for gradients in single precision (or not), at its start.
    pub(super) fn new(choice: ArithmeticChoice, has_use: bool) -> Self {
        let choice = if has_use { choice } else { ArithmeticChoice::F64 };
        Self { choice, now: Arithmetic::F64, correction: 0.0 }
    }

    /// Of a chain that computes in single precision, to be saved.
    #[cfg(test)]
    pub(super) fn filled() -> Self {
        Self { choice: ArithmeticChoice::F32, now: Arithmetic::F32, correction: 0.125 }
    }

    /// Chooses for the next iteration, by the present point alone; true if that is another arithmetic than before.
    pub(super) fn choose(&mut self, current: &Evaluated, conditions: &Conditions) -> bool {
        let next = match self.choice {
            ArithmeticChoice::F64 => Arithmetic::F64,
            ArithmeticChoice::F32 => Arithmetic::F32,
            ArithmeticChoice::Auto if is_accurate_at(current, conditions) => Arithmetic::F32,
            ArithmeticChoice::Auto => Arithmetic::F64,
        };
        std::mem::replace(&mut self.now, next) != next
    }

    /// Log-likelihood in f64 less that by which the present point is weighed.
    pub(super) fn correction_at(&self, current: &Evaluated, conditions: &mut Conditions) -> f64 {
        if self.now == Arithmetic::F64 {
            return 0.0;
        }
        let n_coordinates = conditions.posterior.location_unknowns().n_coordinates();
        let exact = conditions.locations().value(&current.position()[..n_coordinates]);
        exact.density.log_likelihood - current.value().density.log_likelihood
    }

    /// Whether a draw of a move that is reversible for the single-precision density is one of the exact density: a Metropolis step
    /// by what the two differ (docs/model.md).
    pub(super) fn accepts(&mut self, proposed: &Evaluated, conditions: &mut Conditions, rng: &mut ChaCha8Rng) -> bool {
        let correction = self.correction_at(proposed, conditions);
        let accepted = rng.random::<f64>().ln() < correction - self.correction;
        if accepted {
            self.correction = correction;
        }
        accepted
    }
}

fn is_accurate_at(current: &Evaluated, conditions: &Conditions) -> bool {
    let likelihood = conditions.posterior.likelihood();
    let (n_pairs, sigma_squared) = (likelihood.n_pairs() as f64, conditions.variance.get());
    let normalising = 0.5 * n_pairs * (2.0 * std::f64::consts::PI * sigma_squared).ln();
    let squared_residuals = -2.0 * (current.value().density.log_likelihood + normalising);
    is_single_accurate(likelihood, current.position(), sigma_squared, squared_residuals)
}

/// Whether single-precision energies are accurate enough around a map: every pair's residual is off by the rounding of
/// coordinates, and residuals of about their noise add up as a random walk does. `squared_residuals` is their sum in units of sigma.
pub(crate) fn is_single_accurate(
    likelihood: &dyn LogLikelihood,
    position: &[f64],
    sigma_squared: f64,
    squared_residuals: f64,
) -> bool {
    let n_objects = likelihood.n_objects();
    let x = &position[..n_objects * likelihood.n_dims()];
    // Mean squared distance of two objects.
    let spread: f64 = x.chunks_exact(n_objects).map(|x| 2.0 * variance(x)).sum();
    let squared_residuals = squared_residuals.max(likelihood.n_pairs() as f64);
    ROUNDING * (spread / sigma_squared * squared_residuals).sqrt() < LARGEST_ERROR
}

fn variance(x: &[f64]) -> f64 {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64
}
