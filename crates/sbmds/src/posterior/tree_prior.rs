//! Locations that diffuse along a tree: the prior of X and Sigma^-1 together.

use rand_chacha::ChaCha8Rng;

use super::{FreeMotions, LocationPrior, Spread};
use crate::brownian::{BrownianPrior, BrownianWorkspace, CloseMerge, Precision, WishartPrior};
use crate::likelihood::Scratch;

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
#[non_exhaustive]
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

    /// Sigma^-1 of a spread; `None` where it is integrated out.
    fn given<'a>(&self, spread: &'a Spread) -> Option<&'a Precision> {
        match spread {
            Spread::Precision(precision) => Some(precision),
            Spread::Collapsed(_) => None,
            Spread::Scales(_) | Spread::Own(_) => panic!("the spread of another prior"),
        }
    }

    fn workspace<'a>(&self, scratch: &'a mut Scratch) -> &'a mut BrownianWorkspace {
        scratch.get(|| self.brownian.workspace())
    }

    /// Sigma^-1 given locations (eq. 19); `None` where they are too large to square.
    fn draw_precision(&self, scratch: &mut Scratch, x: &[f64], rng: &mut ChaCha8Rng) -> Option<Precision> {
        self.brownian.draw_precision(self.workspace(scratch), x, &self.wishart, rng)
    }
}

impl LocationPrior for TreePrior {
    fn log_density(&self, scratch: &mut Scratch, x: &[f64], spread: &Spread) -> f64 {
        let workspace = self.workspace(scratch);
        match self.given(spread) {
            Some(precision) => self.brownian.log_density(workspace, x, precision),
            None => self.brownian.collapsed_log_density(workspace, x, &self.wishart),
        }
    }

    fn add_gradient(&self, scratch: &mut Scratch, x: &[f64], spread: &Spread, gradient: &mut [f64]) -> f64 {
        let workspace = self.workspace(scratch);
        match self.given(spread) {
            Some(precision) => self.brownian.log_density_and_gradient(workspace, x, precision, gradient),
            None => self.brownian.collapsed_log_density_and_gradient(workspace, x, &self.wishart, gradient),
        }
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> (Vec<f64>, Spread) {
        let precision = self.wishart.draw(rng);
        let mut x = vec![0.0; self.brownian.n_objects() * self.brownian.n_dims()];
        self.brownian.draw(&mut self.brownian.workspace(), &precision, rng, &mut x);
        (x, self.spread(precision))
    }

    /// A draw of Sigma^-1 given the locations, or the prior's scale where these are too large to square.
    fn start_spread(&self, x: &[f64], rng: &mut ChaCha8Rng) -> Spread {
        let drawn = self.draw_precision(&mut Scratch::default(), x, rng);
        self.spread(drawn.unwrap_or_else(|| self.wishart.scale().clone()))
    }

    fn log_density_of_spread(&self, spread: &Spread) -> f64 {
        self.given(spread).map_or(0.0, |precision| self.wishart.log_density(precision))
    }

    fn draw_spread(&self, scratch: &mut Scratch, x: &[f64], spread: &mut Spread, rng: &mut ChaCha8Rng) -> bool {
        let Some(drawn) = self.draw_precision(scratch, x, rng) else { return false };
        *spread = self.spread(drawn);
        self.update == PrecisionUpdate::Gibbs
    }

    fn draw_centre(&self, scratch: &mut Scratch, x: &mut [f64], spread: &Spread, rng: &mut ChaCha8Rng) -> bool {
        let Some(precision) = spread.precision() else { return false };
        self.brownian.draw_centre(self.workspace(scratch), x, precision, rng);
        true
    }

    fn free_motions(&self) -> FreeMotions {
        FreeMotions::RotationsAndShifts
    }

    fn close_pairs(&self, spread: &Spread, known: f64) -> Vec<CloseMerge> {
        let n_dims = self.brownian.n_dims() as f64;
        let per_dim = spread.precision().map_or(1.0, |precision| precision.trace_covariance() / n_dims);
        self.brownian.close_merges(known / per_dim, per_dim)
    }

    /// A precision of D (D + 1) / 2 numbers scales with the inverse square of the unit, each.
    fn power_of_unit(&self, spread: &Spread) -> f64 {
        let n_dims = self.brownian.n_dims() as f64;
        self.given(spread).map_or(0.0, |_| -n_dims * (n_dims + 1.0))
    }

    fn warnings(&self) -> Vec<String> {
        self.brownian.coincident_tips().iter().map(ToString::to_string).collect()
    }
}
