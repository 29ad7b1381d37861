//! What is sampled: the likelihood times the priors of locations, their spread and the noise.

mod priors;
mod spread;
mod tree_prior;
mod workspace;

use std::sync::Arc;

pub use priors::{NoisePrior, Priors, ScalePrior};
pub use spread::Spread;
pub use tree_prior::{PrecisionUpdate, TreePrior};
pub use workspace::Workspace;

use crate::brownian::Precision;
use crate::likelihood::Likelihood;
use crate::numeric::add_scaled;
pub(crate) use priors::draw_inverse_gamma;
use priors::log_normal_prior;

/// The posterior density up to a constant; immutable and shared by all chains.
#[derive(Clone)]
pub struct Posterior {
    likelihood: Arc<Likelihood>,
    priors: Priors,
    tree: Option<Arc<TreePrior>>,
}

/// All unknowns.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Parameters {
    /// Locations, N * D numbers, dimension by dimension, by position.
    pub x: Vec<f64>,
    /// Noise variance sigma^2.
    pub variance: f64,
    /// Spread of the locations: Lambda, or Sigma^-1 of the diffusion along a tree.
    pub spread: Spread,
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
    /// Log prior of the locations given their spread, or with Sigma integrated out.
    pub log_prior_x: f64,
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
        Self { likelihood, priors, tree: None }
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
        Self { tree: Some(Arc::new(tree)), ..self }
    }

    /// The prior along a tree, if there is one.
    pub fn tree(&self) -> Option<&TreePrior> {
        self.tree.as_deref()
    }

    /// The likelihood.
    pub fn likelihood(&self) -> &Likelihood {
        &self.likelihood
    }

    /// The same, to be kept after the posterior is gone.
    pub(crate) fn shared_likelihood(&self) -> &Arc<Likelihood> {
        &self.likelihood
    }

    /// The priors.
    pub fn priors(&self) -> &Priors {
        &self.priors
    }

    /// Log density of the locations given sigma and the spread, in the arithmetic of the workspace; overwrites `gradient`.
    pub fn evaluate(
        &self,
        workspace: &mut Workspace,
        x: &[f64],
        sigma: f64,
        spread: &Spread,
        gradient: &mut [f64],
    ) -> Density {
        let value = self.likelihood.evaluate_in(workspace.arithmetic, &mut workspace.likelihood, x, sigma, gradient);
        let log_prior_x = match self.form(spread) {
            Form::Independent(scales) => {
                self.add_normal_gradient(x, scales, gradient);
                self.log_normal_prior(x, scales)
            }
            Form::Tree(tree, given) => tree.add_gradient(workspace.tree(tree), x, given, gradient),
        };
        Density {
            log_likelihood: value.log_likelihood,
            log_prior_x,
            log_density: value.log_likelihood + log_prior_x,
            by_log_sigma: value.by_log_sigma,
        }
    }

    /// The same without derivatives (`by_log_sigma` is NaN), in f64.
    pub fn value(&self, workspace: &mut Workspace, x: &[f64], sigma: f64, spread: &Spread) -> Density {
        let log_likelihood = self.likelihood.value_at(&mut workspace.likelihood, x, sigma);
        let log_prior_x = self.log_prior_x(workspace, x, spread);
        Density { log_likelihood, log_prior_x, log_density: log_likelihood + log_prior_x, by_log_sigma: f64::NAN }
    }

    /// Gradient of the log density of the locations alone, in the arithmetic of the workspace.
    pub fn gradient(&self, workspace: &mut Workspace, x: &[f64], sigma: f64, spread: &Spread, gradient: &mut [f64]) {
        self.likelihood.gradient_in(workspace.arithmetic, &mut workspace.likelihood, x, sigma, gradient);
        self.add_prior_gradient(workspace, x, spread, gradient);
    }

    /// Log prior density of all locations.
    pub fn log_prior_x(&self, workspace: &mut Workspace, x: &[f64], spread: &Spread) -> f64 {
        match self.form(spread) {
            Form::Independent(scales) => self.log_normal_prior(x, scales),
            Form::Tree(tree, given) => tree.log_density(workspace.tree(tree), x, given),
        }
    }

    /// Log prior density of sigma^2 and of what is learned of the spread (nothing if it is integrated out).
    pub fn log_prior_rest(&self, variance: f64, spread: &Spread) -> f64 {
        let of_spread = match self.form(spread) {
            Form::Independent(scales) => self.priors.scales.log_density(scales),
            Form::Tree(tree, Some(precision)) => tree.wishart.log_density(precision),
            Form::Tree(_, None) => 0.0,
        };
        self.priors.noise.log_density(variance) + of_spread
    }

    /// Adds the gradient of the log prior of the locations.
    pub fn add_prior_gradient(&self, workspace: &mut Workspace, x: &[f64], spread: &Spread, gradient: &mut [f64]) {
        match self.form(spread) {
            Form::Independent(scales) => self.add_normal_gradient(x, scales, gradient),
            Form::Tree(tree, given) => _ = tree.add_gradient(workspace.tree(tree), x, given, gradient),
        }
    }

    fn form<'a>(&'a self, spread: &'a Spread) -> Form<'a> {
        match (spread, self.tree()) {
            (Spread::Scales(scales), None) => Form::Independent(scales),
            (Spread::Precision(precision), Some(tree)) => Form::Tree(tree, Some(precision)),
            (Spread::Collapsed(_), Some(tree)) => Form::Tree(tree, None),
            _ => panic!("the spread of another posterior"),
        }
    }

    fn log_normal_prior(&self, x: &[f64], scales: &[f64]) -> f64 {
        let dims = x.chunks_exact(self.likelihood.n_objects()).zip(scales);
        dims.map(|(values, &variance)| log_normal_prior(values, variance)).sum()
    }

    fn add_normal_gradient(&self, x: &[f64], scales: &[f64], gradient: &mut [f64]) {
        let n_objects = self.likelihood.n_objects();
        for ((x, gradient), variance) in x.chunks_exact(n_objects).zip(gradient.chunks_exact_mut(n_objects)).zip(scales)
        {
            add_scaled(gradient, -1.0 / variance, x);
        }
    }
}

/// The prior of the locations, as the spread says.
enum Form<'a> {
    /// N(0, Lambda) for each.
    Independent(&'a [f64]),
    /// Along the tree given Sigma^-1, or with Sigma integrated out.
    Tree(&'a TreePrior, Option<&'a Precision>),
}
