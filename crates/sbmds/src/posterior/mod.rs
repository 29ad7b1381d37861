//! What is sampled: the likelihood times the priors of locations, their scales and the noise.

mod priors;

use std::sync::Arc;

pub use priors::{NoisePrior, Priors, ScalePrior};

use crate::likelihood::{Likelihood, Workspace};
use crate::numeric::add_scaled;
pub(crate) use priors::draw_inverse_gamma;
use priors::log_normal_prior;

/// The posterior density up to a constant; immutable and shared by all chains.
#[derive(Clone)]
pub struct Posterior {
    likelihood: Arc<Likelihood>,
    priors: Priors,
}

/// All unknowns.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Parameters {
    /// Locations, N * D numbers, dimension by dimension, by place.
    pub x: Vec<f64>,
    /// Noise variance sigma^2.
    pub variance: f64,
    /// Prior variance of the locations in each dimension, Lambda.
    pub scales: Vec<f64>,
}

impl Parameters {
    /// Noise standard deviation sigma.
    pub fn sigma(&self) -> f64 {
        self.variance.sqrt()
    }
}

/// A density at one point of the locations.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Density {
    /// Log-likelihood.
    pub log_likelihood: f64,
    /// Log-likelihood plus the log prior of the locations.
    pub log_density: f64,
    /// Derivative of the log-likelihood by log sigma.
    pub by_log_sigma: f64,
}

impl Posterior {
    /// Combines a likelihood with priors; as many prior scales as dimensions, if they are fixed.
    pub fn new(likelihood: Arc<Likelihood>, priors: Priors) -> Self {
        if let ScalePrior::Fixed { variances } = &priors.scales {
            assert_eq!(variances.len(), likelihood.n_dims(), "one prior variance per dimension");
        }
        Self { likelihood, priors }
    }

    /// The likelihood.
    pub fn likelihood(&self) -> &Likelihood {
        &self.likelihood
    }

    /// The priors.
    pub fn priors(&self) -> &Priors {
        &self.priors
    }

    /// Log density of the locations given sigma and the scales; overwrites `gradient`.
    pub fn evaluate(
        &self,
        workspace: &mut Workspace,
        x: &[f64],
        sigma: f64,
        scales: &[f64],
        gradient: &mut [f64],
    ) -> Density {
        let value = self.likelihood.evaluate_at(workspace, x, sigma, gradient);
        self.add_prior_gradient(x, scales, gradient);
        Density {
            log_likelihood: value.log_likelihood,
            log_density: value.log_likelihood + self.log_prior_x(x, scales),
            by_log_sigma: value.by_log_sigma,
        }
    }

    /// The same without derivatives (`by_log_sigma` is NaN).
    pub fn value(&self, workspace: &mut Workspace, x: &[f64], sigma: f64, scales: &[f64]) -> Density {
        let log_likelihood = self.likelihood.value_at(workspace, x, sigma);
        let log_density = log_likelihood + self.log_prior_x(x, scales);
        Density { log_likelihood, log_density, by_log_sigma: f64::NAN }
    }

    /// Gradient of the log density of the locations alone.
    pub fn gradient(&self, workspace: &mut Workspace, x: &[f64], sigma: f64, scales: &[f64], gradient: &mut [f64]) {
        self.likelihood.gradient_at(workspace, x, sigma, gradient);
        self.add_prior_gradient(x, scales, gradient);
    }

    /// Log prior density of all locations.
    pub fn log_prior_x(&self, x: &[f64], scales: &[f64]) -> f64 {
        let dims = x.chunks_exact(self.likelihood.n_objects()).zip(scales);
        dims.map(|(values, &variance)| log_normal_prior(values, variance)).sum()
    }

    /// Log prior density of sigma^2 and, if they are learned, the scales.
    pub fn log_prior_rest(&self, variance: f64, scales: &[f64]) -> f64 {
        self.priors.noise.log_density(variance) + self.priors.scales.log_density(scales)
    }

    /// Adds the gradient of the log prior of the locations.
    pub fn add_prior_gradient(&self, x: &[f64], scales: &[f64], gradient: &mut [f64]) {
        let n_objects = self.likelihood.n_objects();
        for ((x, gradient), variance) in x.chunks_exact(n_objects).zip(gradient.chunks_exact_mut(n_objects)).zip(scales)
        {
            add_scaled(gradient, -1.0 / variance, x);
        }
    }
}
