//! The priors: x_n ~ N(0, Lambda), sigma^2 ~ IG(a, b) above a floor, and Lambda fixed or Lambda_d ~ IG(a, b).

use rand_chacha::ChaCha8Rng;

use super::noise_prior::{draw_inverse_gamma, log_inverse_gamma};
use super::{HalfCauchy, LocationPrior, NoisePrior, NormalPrior, Parameters};

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
            noise: NoisePrior::InverseGamma { shape: 1.0, rate: 1.0, floor: 0.0 },
        }
    }

    /// Weak ones in a unit of the data's own size (docs/model.md, "Priors without units").
    pub fn weak(n_dims: usize) -> Self {
        Self {
            scales: ScalePrior::Fixed { variances: vec![Self::WEAK_SCALE.powi(2); n_dims] },
            noise: NoisePrior::InverseGamma { shape: 1.0, rate: Self::WEAK_NOISE_RATE, floor: Self::RELATIVE_FLOOR },
        }
    }

    /// Standard deviation of the locations under weak priors. Maps whose measured pairs are mostly near ones are several times
    /// wider than these pairs say.
    pub const WEAK_SCALE: f64 = 8.0;
    /// The same for titres, in twofold dilutions: antigenic maps of decades span some thirty of them.
    pub const TITRE_SCALE: f64 = 16.0;
    /// Rate of the noise under weak priors: as much as two pairs with residuals of 0.3% of the scale.
    pub const WEAK_NOISE_RATE: f64 = 1e-5;
    /// The smallest sigma under weak priors: nobody measures dissimilarities to better than 1 in 10,000, and chains of maps that
    /// fit better mix badly.
    pub const RELATIVE_FLOOR: f64 = 1e-4;

    /// Everything unknown, drawn from the priors (without a tree).
    pub fn draw(&self, n_objects: usize, n_dims: usize, rng: &mut ChaCha8Rng) -> Parameters {
        let scales = self.scales.draw(n_dims, rng);
        let variance = self.noise.draw(rng);
        let given = ScalePrior::Fixed { variances: scales };
        let (x, spread) = NormalPrior::new(n_objects, n_dims, given).draw(rng);
        Parameters { x, variance, spread, own: Vec::new() }
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
    /// sqrt(Lambda_d) half-Cauchy, drawn with the rest: superfluous dimensions vanish.
    Shrunk(HalfCauchy),
}

impl ScalePrior {
    /// A value to start from.
    pub fn start(&self, n_dims: usize) -> Vec<f64> {
        match self {
            Self::Fixed { variances } => variances.clone(),
            Self::Learned { .. } | Self::Shrunk(_) => vec![1.0; n_dims],
        }
    }

    /// A value of Lambda.
    pub(super) fn draw(&self, n_dims: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
        match self {
            Self::Fixed { variances } => variances.clone(),
            Self::Learned { shape, rate } => (0..n_dims).map(|_| draw_inverse_gamma(*shape, *rate, rng)).collect(),
            Self::Shrunk(half_cauchy) => (0..n_dims).map(|_| half_cauchy.draw(rng)).collect(),
        }
    }

    pub(super) fn log_density(&self, scales: &[f64]) -> f64 {
        match self {
            Self::Fixed { .. } => 0.0,
            Self::Learned { shape, rate } => {
                scales.iter().map(|&variance| log_inverse_gamma(variance, *shape, *rate)).sum()
            }
            Self::Shrunk(half_cauchy) => scales.iter().map(|&variance| half_cauchy.log_density(variance)).sum(),
        }
    }
}
