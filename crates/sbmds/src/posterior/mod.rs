//! What is sampled: the likelihood times the priors of locations, their spread and the noise.

mod drift_prior;
mod half_cauchy;
mod location_prior;
mod noise_prior;
mod normal_prior;
mod priors;
mod shrunk_tree_prior;
mod spread;
mod tree_prior;
mod unknowns;
mod variance;
mod workspace;

use std::sync::Arc;

pub use drift_prior::{DriftHyper, DriftPrior};
pub use half_cauchy::HalfCauchy;
pub use location_prior::{FreeMotions, LocationPrior};
pub(crate) use noise_prior::draw_inverse_gamma;
pub use noise_prior::{NoisePrior, SigmaPrior};
pub use normal_prior::NormalPrior;
pub use priors::{Priors, ScalePrior};
pub use shrunk_tree_prior::ShrunkTreePrior;
pub use spread::Spread;
pub use tree_prior::{PrecisionUpdate, TreePrior};
pub use unknowns::Unknowns;
pub use variance::Variance;
pub use workspace::Workspace;

use crate::likelihood::{LogLikelihood, MapGradient, MapPoint};

/// The posterior density up to a constant; immutable and shared by all chains.
#[derive(Clone)]
pub struct Posterior {
    likelihood: Arc<dyn LogLikelihood>,
    locations: Arc<dyn LocationPrior>,
    noise: Arc<dyn SigmaPrior>,
}

/// All unknowns.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Parameters {
    /// Locations, N * D numbers, dimension by dimension, by position.
    pub x: Vec<f64>,
    /// Noise variance sigma^2.
    pub variance: Variance,
    /// Spread of the locations: Lambda, or Sigma^-1 of the diffusion along a tree.
    pub spread: Spread,
    /// The measurement's own parameters ([`LogLikelihood::own`]); most measurements have none.
    pub own: Vec<f64>,
}

impl Parameters {
    /// Noise standard deviation sigma.
    pub fn sigma(&self) -> f64 {
        self.variance.sigma()
    }

    /// All but the locations.
    pub fn given(&self) -> Given<'_> {
        Given { sigma: self.sigma(), spread: &self.spread, own: &self.own }
    }
}

/// What stays while the locations move.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Noise standard deviation.
    pub sigma: f64,
    /// Spread of the locations.
    pub spread: &'a Spread,
    /// The measurement's own parameters.
    pub own: &'a [f64],
}

/// The density of the locations given all else, by its parts.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Density {
    /// Log-likelihood.
    pub log_likelihood: f64,
    /// Log prior of the locations given their spread, or with Sigma integrated out.
    pub log_prior_x: f64,
}

impl Density {
    /// Log-likelihood plus the log prior of the locations.
    pub fn of_locations(&self) -> f64 {
        self.log_likelihood + self.log_prior_x
    }
}

/// A density of locations with the derivative of the log-likelihood by log sigma.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// The density.
    pub density: Density,
    /// Derivative of the log-likelihood by log sigma.
    pub by_log_sigma: f64,
}

impl Posterior {
    /// Combines a likelihood with priors; as many prior scales as dimensions, if they are fixed.
    pub fn new(likelihood: Arc<dyn LogLikelihood>, priors: Priors) -> Self {
        let Priors { scales, noise } = priors;
        let locations = NormalPrior::new(likelihood.n_objects(), likelihood.n_dims(), scales);
        Self { likelihood, locations: Arc::new(locations), noise: noise.density() }
    }

    /// The same with locations that diffuse along a tree, instead of x_n ~ N(0, Lambda).
    ///
    /// # Panics
    /// If the tree has other objects or the diffusion other dimensions than the likelihood.
    pub fn with_tree(self, tree: TreePrior) -> Self {
        let TreePrior { brownian, wishart, .. } = &tree;
        assert_eq!(brownian.n_objects(), self.likelihood.n_objects(), "a tip for every object");
        let n_dims = self.likelihood.n_dims();
        assert_eq!((brownian.n_dims(), wishart.scale().n_dims()), (n_dims, n_dims), "a diffusion of all dimensions");
        self.with_locations(Arc::new(tree))
    }

    /// The same with another prior of the locations, which must be of as many numbers.
    pub fn with_locations(self, locations: Arc<dyn LocationPrior>) -> Self {
        Self { locations, ..self }
    }

    /// The same with another likelihood of as many objects and dimensions.
    pub fn with_likelihood(self, likelihood: Arc<dyn LogLikelihood>) -> Self {
        Self { likelihood, ..self }
    }

    /// The same with another prior of the noise.
    pub fn with_noise(self, noise: Arc<dyn SigmaPrior>) -> Self {
        Self { noise, ..self }
    }

    /// The likelihood.
    pub fn likelihood(&self) -> &dyn LogLikelihood {
        &*self.likelihood
    }

    /// The same, to be kept after the posterior is gone.
    pub(crate) fn shared_likelihood(&self) -> &Arc<dyn LogLikelihood> {
        &self.likelihood
    }

    /// The prior of the locations.
    pub fn locations(&self) -> &dyn LocationPrior {
        &*self.locations
    }

    /// The prior of the noise.
    pub fn noise(&self) -> &dyn SigmaPrior {
        &*self.noise
    }

    /// The locations, as a sampler moves them.
    pub fn location_unknowns(&self) -> Unknowns {
        Unknowns::locations(self.likelihood.n_objects(), self.likelihood.n_dims())
    }

    /// Everything that can move together with the locations: the noise unless it is known, and the measurement's own parameters.
    pub fn joint_unknowns(&self) -> Unknowns {
        let n_own = self.likelihood.own().map_or(0, |own| own.count());
        self.location_unknowns().with(self.noise.known().is_none(), n_own)
    }

    /// Log density of the locations given the rest; overwrites `gradient`.
    pub fn evaluate(&self, workspace: &mut Workspace, x: &[f64], given: Given, gradient: MapGradient) -> Evaluation {
        let MapGradient { x: by_x, own } = gradient;
        let by_map = MapGradient { x: &mut *by_x, own };
        let value = self.likelihood.both(&mut workspace.likelihood, at(x, given), by_map);
        let log_prior_x = self.locations.add_gradient(&mut workspace.prior, x, given.spread, by_x);
        let density = Density { log_likelihood: value.log_likelihood, log_prior_x };
        Evaluation { density, by_log_sigma: value.by_log_sigma }
    }

    /// The same without derivatives.
    pub fn value(&self, workspace: &mut Workspace, x: &[f64], given: Given) -> Density {
        let log_likelihood = self.likelihood.value(&mut workspace.likelihood, at(x, given));
        Density { log_likelihood, log_prior_x: self.log_prior_x(workspace, x, given.spread) }
    }

    /// Gradient of the log density of the locations alone.
    pub fn gradient(&self, workspace: &mut Workspace, x: &[f64], given: Given, gradient: MapGradient) {
        let MapGradient { x: by_x, own } = gradient;
        self.likelihood.gradient(&mut workspace.likelihood, at(x, given), MapGradient { x: &mut *by_x, own });
        self.add_prior_gradient(workspace, x, given.spread, by_x);
    }

    /// Log prior density of all locations.
    pub fn log_prior_x(&self, workspace: &mut Workspace, x: &[f64], spread: &Spread) -> f64 {
        self.locations.log_density(&mut workspace.prior, x, spread)
    }

    /// Log prior density of sigma^2 and of what is learned of the spread (nothing if it is integrated out).
    pub fn log_prior_rest(&self, variance: Variance, spread: &Spread) -> f64 {
        self.noise.log_density(variance) + self.locations.log_density_of_spread(spread)
    }

    /// Adds the gradient of the log prior of the locations.
    pub fn add_prior_gradient(&self, workspace: &mut Workspace, x: &[f64], spread: &Spread, gradient: &mut [f64]) {
        self.locations.add_gradient(&mut workspace.prior, x, spread, gradient);
    }
}

fn at<'a>(x: &'a [f64], given: Given<'a>) -> MapPoint<'a> {
    MapPoint { x, sigma: given.sigma, own: given.own }
}
