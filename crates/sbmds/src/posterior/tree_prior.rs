//! Locations that diffuse along a tree: the prior of X and Sigma^-1 together.

use rand_chacha::ChaCha8Rng;

use super::Spread;
use crate::brownian::{BrownianPrior, BrownianWorkspace, Precision, WishartPrior};

/// X ~ MN(mu0, V, Sigma) along a tree, Sigma^-1 ~ Wishart(d0, T0).
#[derive(Clone, Debug)]
pub struct TreePrior {
    /// Of the locations given Sigma.
    pub brownian: BrownianPrior,
    /// Of Sigma^-1.
    pub wishart: WishartPrior,
    /// How Sigma^-1 is drawn.
    pub update: PrecisionUpdate,
}

/// How the precision of the diffusion, Sigma^-1, is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PrecisionUpdate {
    /// Locations move with Sigma integrated out; it is drawn from its conditional after every iteration.
    #[default]
    Collapsed,
    /// Locations move given Sigma, which is then drawn given the locations: the paper's Gibbs step.
    Gibbs,
}

impl TreePrior {
    /// This Sigma^-1 in the form the updates ask for.
    pub fn spread(&self, precision: Precision) -> Spread {
        match self.update {
            PrecisionUpdate::Collapsed => Spread::Collapsed(precision),
            PrecisionUpdate::Gibbs => Spread::Precision(precision),
        }
    }

    /// Sigma^-1 and N * D locations (dimension by dimension, by position) from the prior.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> (Vec<f64>, Spread) {
        let precision = self.wishart.draw(rng);
        let mut x = vec![0.0; self.brownian.n_objects() * self.brownian.n_dims()];
        self.brownian.draw(&mut self.brownian.workspace(), &precision, rng, &mut x);
        (x, self.spread(precision))
    }

    /// Sigma^-1 given locations, to start from: a draw (eq. 19), or the prior's scale where the locations are too large to square.
    pub fn start(&self, x: &[f64], rng: &mut ChaCha8Rng) -> Spread {
        let drawn = self.brownian.draw_precision(&mut self.brownian.workspace(), x, &self.wishart, rng);
        self.spread(drawn.unwrap_or_else(|| self.wishart.scale().clone()))
    }

    pub(super) fn log_density(&self, workspace: &mut BrownianWorkspace, x: &[f64], given: Option<&Precision>) -> f64 {
        match given {
            Some(precision) => self.brownian.log_density(workspace, x, precision),
            None => self.brownian.collapsed_log_density(workspace, x, &self.wishart),
        }
    }

    /// The same; adds the gradient.
    pub(super) fn add_gradient(
        &self,
        workspace: &mut BrownianWorkspace,
        x: &[f64],
        given: Option<&Precision>,
        gradient: &mut [f64],
    ) -> f64 {
        match given {
            Some(precision) => self.brownian.log_density_and_gradient(workspace, x, precision, gradient),
            None => self.brownian.collapsed_log_density_and_gradient(workspace, x, &self.wishart, gradient),
        }
    }
}
