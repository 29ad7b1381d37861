//! The priors: x_n ~ N(0, Lambda), sigma^2 ~ IG(a, b) above a floor, and Lambda fixed or Lambda_d ~ IG(a, b).

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
    /// Rate of the noise under weak priors: as much as two pairs with residuals of 0.3% of the scale.
    pub const WEAK_NOISE_RATE: f64 = 1e-5;
    /// The smallest sigma under weak priors: nobody measures dissimilarities to better than 1 in 10,000, and chains of maps that
    /// fit better mix badly.
    pub const RELATIVE_FLOOR: f64 = 1e-4;

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
    /// sigma^2 ~ IG(shape, rate), truncated to sigma above a floor.
    InverseGamma {
        /// Shape a.
        shape: f64,
        /// Rate b (the scale of the inverse gamma).
        rate: f64,
        /// Below this sigma cannot be: what rounding leaves of the measurements. 0 for no limit.
        floor: f64,
    },
}

impl NoisePrior {
    /// Whether sigma is known.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::Fixed { .. })
    }

    /// The smallest sigma there can be, if it is not known.
    pub fn floor(&self) -> f64 {
        match *self {
            Self::Fixed { .. } => 0.0,
            Self::InverseGamma { floor, .. } => floor,
        }
    }

    /// A value of sigma^2.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> f64 {
        match *self {
            Self::Fixed { sigma } => sigma * sigma,
            Self::InverseGamma { shape, rate, floor: 0.0 } => draw_inverse_gamma(shape, rate, rng),
            Self::InverseGamma { shape, rate, floor } => draw_truncated(shape, rate, floor * floor, rng),
        }
    }

    /// Log density of sigma^2, up to the constant of the truncation; 0 if it is known.
    pub fn log_density(&self, variance: f64) -> f64 {
        match *self {
            Self::Fixed { .. } => 0.0,
            Self::InverseGamma { floor, .. } if variance <= floor * floor => f64::NEG_INFINITY,
            Self::InverseGamma { shape, rate, .. } => log_inverse_gamma(variance, shape, rate),
        }
    }

    /// The unbounded coordinate w of sigma^2 = floor^2 + exp(2 w): log sigma where there is no floor.
    pub fn coordinate(&self, variance: f64) -> f64 {
        let floor = self.floor();
        if floor == 0.0 { variance.sqrt().ln() } else { 0.5 * (variance - floor * floor).ln() }
    }

    /// sigma^2 at the coordinate w.
    pub fn variance_at(&self, w: f64) -> f64 {
        self.floor().powi(2) + (2.0 * w).exp()
    }

    /// Derivative of log sigma by the coordinate w: exp(2 w) / sigma^2, 1 where there is no floor.
    pub fn log_sigma_by_coordinate(&self, w: f64) -> f64 {
        match self.floor() {
            0.0 => 1.0,
            floor => 1.0 / (1.0 + (floor / w.exp()).powi(2)),
        }
    }

    /// Log density of the coordinate w: that of sigma^2 times the Jacobian 2 exp(2 w).
    pub fn log_density_at(&self, w: f64) -> f64 {
        match *self {
            Self::Fixed { .. } => 0.0,
            Self::InverseGamma { shape, rate, .. } => {
                log_inverse_gamma(self.variance_at(w), shape, rate) + 2.0 * w + std::f64::consts::LN_2
            }
        }
    }

    /// Derivative of that log density by w.
    pub fn derivative_at(&self, w: f64) -> f64 {
        match *self {
            Self::Fixed { .. } => 0.0,
            Self::InverseGamma { shape, rate, .. } => {
                let by_log_sigma = -2.0 * (shape + 1.0) + 2.0 * rate / self.variance_at(w);
                by_log_sigma * self.log_sigma_by_coordinate(w) + 2.0
            }
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

/// Inverse gamma above `least`, by rejection in 1 / v, which is gamma below 1 / least.
fn draw_truncated(shape: f64, rate: f64, least: f64, rng: &mut ChaCha8Rng) -> f64 {
    loop {
        let drawn = if rate > least {
            draw_inverse_gamma(shape, rate, rng)
        } else {
            // Far in the gamma's lower tail: its power law there, thinned by exp(-rate / v), which is at least exp(-1).
            let drawn = least / rng.random::<f64>().powf(1.0 / shape);
            if rng.random::<f64>() < (-rate / drawn).exp() { drawn } else { continue }
        };
        if drawn > least || drawn.is_nan() {
            return drawn;
        }
    }
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
    fn the_coordinate_of_the_noise_goes_there_and_back_with_its_density() {
        for floor in [0.0, 0.7] {
            let prior = NoisePrior::InverseGamma { shape: 1.5, rate: 0.3, floor };
            let w = 0.4;
            let variance = prior.variance_at(w);
            assert!((prior.coordinate(variance) - w).abs() < 1e-12);
            // p(w) = p(sigma^2) d sigma^2 / dw, and every derivative is the central difference.
            let jacobian = (prior.variance_at(w + 1e-6) - prior.variance_at(w - 1e-6)) / 2e-6;
            assert!((prior.log_density(variance) + jacobian.ln() - prior.log_density_at(w)).abs() < 1e-8);
            let difference = (prior.log_density_at(w + 1e-6) - prior.log_density_at(w - 1e-6)) / 2e-6;
            assert!((difference - prior.derivative_at(w)).abs() < 1e-6);
            let log_sigma = |w: f64| 0.5 * prior.variance_at(w).ln();
            let difference = (log_sigma(w + 1e-6) - log_sigma(w - 1e-6)) / 2e-6;
            assert!((difference - prior.log_sigma_by_coordinate(w)).abs() < 1e-8);
        }
    }

    #[test]
    fn draws_above_a_floor_follow_the_truncated_density() {
        use rand::SeedableRng;
        // With shape 1, P(v < t | v > f) = (exp(-b / t) - exp(-b / f)) / (1 - exp(-b / f)).
        for (rate, floor) in [(1.0, 0.8_f64), (0.1, 0.8), (1e-5, 0.8)] {
            let prior = NoisePrior::InverseGamma { shape: 1.0, rate, floor };
            let mut rng = ChaCha8Rng::seed_from_u64(7);
            let share = |t: f64| {
                let below = |v: f64| (-rate / v).exp();
                (below(t) - below(floor * floor)) / (1.0 - below(floor * floor))
            };
            let n = 20_000;
            let draws: Vec<f64> = (0..n).map(|_| prior.draw(&mut rng)).collect();
            for t in [0.8, 1.5, 6.0] {
                let drawn = draws.iter().filter(|&&v| v < t).count() as f64 / f64::from(n);
                // Five standard errors.
                assert!((drawn - share(t)).abs() < 5.0 * (0.25 / f64::from(n)).sqrt(), "{rate} {t}: {drawn}");
            }
        }
    }

    #[test]
    fn no_noise_is_below_its_floor() {
        let prior = NoisePrior::InverseGamma { shape: 1.0, rate: 1e-5, floor: 0.5 };
        assert_eq!(prior.log_density(0.25), f64::NEG_INFINITY);
        assert!(prior.log_density(0.251).is_finite());
        assert!(prior.variance_at(-50.0) >= 0.25 && prior.log_sigma_by_coordinate(-50.0) < 1e-40);
    }
}
