//! The priors: x_n ~ N(0, Lambda), sigma^2 ~ IG(a, b), and Lambda fixed or Lambda_d ~ IG(a, b).

use std::f64::consts::PI;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Gamma, StandardNormal};

use super::{Parameters, Spread};
use crate::Locations;
use crate::numeric::sum_of_squares;

/// Priors of everything unknown.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Priors {
    /// Of the spread of the locations.
    pub scales: ScalePrior,
    /// Of the noise.
    pub noise: NoisePrior,
}

impl Priors {
    /// The paper's: x_n ~ N(0, I), sigma^2 ~ IG(1, 1).
    pub fn paper(n_dims: usize) -> Self {
        Self {
            scales: ScalePrior::Fixed { variances: vec![1.0; n_dims] },
            noise: NoisePrior::InverseGamma { shape: 1.0, rate: 1.0 },
        }
    }

    /// Everything unknown, drawn from the priors (without a tree).
    pub fn draw(&self, n_objects: usize, n_dims: usize, rng: &mut ChaCha8Rng) -> Parameters {
        let scales = match &self.scales {
            ScalePrior::Fixed { variances } => variances.clone(),
            ScalePrior::Learned { shape, rate } => {
                (0..n_dims).map(|_| draw_inverse_gamma(*shape, *rate, rng)).collect()
            }
        };
        let variance = self.noise.draw(rng);
        let x =
            Locations::from_fn(n_objects, n_dims, |_, dim| scales[dim].sqrt() * rng.sample::<f64, _>(StandardNormal));
        Parameters { x: x.as_slice().to_vec(), variance, spread: Spread::Scales(scales) }
    }
}

/// Prior variances of the locations, one per dimension.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ScalePrior {
    /// Known.
    Fixed {
        /// Lambda.
        variances: Vec<f64>,
    },
    /// Lambda_d ~ IG(shape, rate), drawn with the rest.
    Learned {
        /// Shape of the inverse gamma.
        shape: f64,
        /// Rate of the inverse gamma.
        rate: f64,
    },
}

impl ScalePrior {
    /// A value to start from.
    pub fn start(&self, n_dims: usize) -> Vec<f64> {
        match self {
            Self::Fixed { variances } => variances.clone(),
            Self::Learned { .. } => vec![1.0; n_dims],
        }
    }

    pub(super) fn log_density(&self, scales: &[f64]) -> f64 {
        match self {
            Self::Fixed { .. } => 0.0,
            Self::Learned { shape, rate } => {
                scales.iter().map(|&variance| log_inverse_gamma(variance, *shape, *rate)).sum()
            }
        }
    }
}

/// Prior of the noise variance.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum NoisePrior {
    /// sigma is known.
    Fixed {
        /// Standard deviation.
        sigma: f64,
    },
    /// sigma^2 ~ IG(shape, rate).
    InverseGamma {
        /// Shape a.
        shape: f64,
        /// Rate b (the scale of the inverse gamma).
        rate: f64,
    },
}

impl NoisePrior {
    /// Whether sigma is known.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::Fixed { .. })
    }

    /// A value of sigma^2.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> f64 {
        match *self {
            Self::Fixed { sigma } => sigma * sigma,
            Self::InverseGamma { shape, rate } => draw_inverse_gamma(shape, rate, rng),
        }
    }

    /// Log density of sigma^2; 0 if it is known.
    pub fn log_density(&self, variance: f64) -> f64 {
        match self {
            Self::Fixed { .. } => 0.0,
            Self::InverseGamma { shape, rate } => log_inverse_gamma(variance, *shape, *rate),
        }
    }

    /// Derivative of the log density of log sigma (density of sigma^2 times the Jacobian 2 sigma^2) by log sigma.
    pub fn slope_by_log_sigma(&self, variance: f64) -> f64 {
        match self {
            Self::Fixed { .. } => 0.0,
            Self::InverseGamma { shape, rate } => -2.0 * shape + 2.0 * rate / variance,
        }
    }
}

/// a log b - log Gamma(a) - (a + 1) log v - b / v
fn log_inverse_gamma(variance: f64, shape: f64, rate: f64) -> f64 {
    shape * rate.ln() - libm::lgamma(shape) - (shape + 1.0) * variance.ln() - rate / variance
}

/// NaN if shape or rate is no positive number.
pub(crate) fn draw_inverse_gamma(shape: f64, rate: f64, rng: &mut ChaCha8Rng) -> f64 {
    1.0 / Gamma::new(shape, 1.0 / rate).map_or(f64::NAN, |gamma| rng.sample(gamma))
}

/// Log density of independent N(0, variance) values.
pub(super) fn log_normal_prior(values: &[f64], variance: f64) -> f64 {
    -0.5 * values.len() as f64 * (2.0 * PI * variance).ln() - 0.5 * sum_of_squares(values) / variance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_gamma_is_a_density() {
        // Substituting v = e^u: a Riemann sum over u of density * v.
        let total: f64 = (-20_000..40_000)
            .map(|i| {
                let v = (i as f64 * 1e-3).exp();
                log_inverse_gamma(v, 2.5, 0.7).exp() * v * 1e-3
            })
            .sum();
        assert!((total - 1.0).abs() < 1e-6, "{total}");
    }

    #[test]
    fn slope_by_log_sigma_is_the_central_difference() {
        let prior = NoisePrior::InverseGamma { shape: 1.5, rate: 0.3 };
        let log_density = |u: f64| prior.log_density((2.0 * u).exp()) + 2.0 * u;
        let difference = (log_density(0.4 + 1e-6) - log_density(0.4 - 1e-6)) / 2e-6;
        assert!((difference - prior.slope_by_log_sigma(0.8_f64.exp())).abs() < 1e-6);
    }
}
