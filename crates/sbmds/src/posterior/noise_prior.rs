//! The prior of the noise variance sigma^2, and the unbounded coordinate in which samplers move it.

use std::sync::Arc;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::Gamma;

use super::Variance;

/// A density of sigma^2 above a floor. Samplers move the coordinate w of sigma^2 = floor^2 + exp(2 w), which is log sigma where
/// there is no floor.
pub trait SigmaPrior: Send + Sync {
    /// A value of sigma^2.
    fn draw(&self, rng: &mut ChaCha8Rng) -> Variance;

    /// Log density of sigma^2 where it is above the floor, up to the constant of the truncation.
    fn log_density_above_floor(&self, variance: Variance) -> f64;

    /// Derivative of that by log sigma.
    fn by_log_sigma(&self, variance: Variance) -> f64;

    /// sigma, if it is known: nothing moves it then.
    fn known(&self) -> Option<f64> {
        None
    }

    /// The smallest sigma there can be: what rounding leaves of the measurements. 0 for no limit.
    fn floor(&self) -> f64 {
        0.0
    }

    /// Log density of sigma^2; 0 if it is known.
    fn log_density(&self, variance: Variance) -> f64 {
        if self.known().is_some() {
            0.0
        } else if variance <= Variance::of_sigma(self.floor()) {
            f64::NEG_INFINITY
        } else {
            self.log_density_above_floor(variance)
        }
    }

    /// The coordinate w of a variance.
    fn coordinate(&self, variance: Variance) -> f64 {
        let floor = self.floor();
        if floor == 0.0 { variance.sigma().ln() } else { 0.5 * (variance.get() - floor * floor).ln() }
    }

    /// sigma^2 at the coordinate w.
    fn variance_at(&self, w: f64) -> Variance {
        Variance::new(self.floor().powi(2) + (2.0 * w).exp())
    }

    /// sigma at the coordinate w; without a floor it need not go through its square.
    fn sigma_at(&self, w: f64) -> f64 {
        if self.floor() == 0.0 { w.exp() } else { self.variance_at(w).sigma() }
    }

    /// Derivative of log sigma by the coordinate w: exp(2 w) / sigma^2, 1 where there is no floor.
    fn log_sigma_by_coordinate(&self, w: f64) -> f64 {
        match self.floor() {
            0.0 => 1.0,
            floor => 1.0 / (1.0 + (floor / w.exp()).powi(2)),
        }
    }

    /// Log density of the coordinate w: that of sigma^2 times the Jacobian 2 exp(2 w).
    fn log_density_at(&self, w: f64) -> f64 {
        self.log_density_above_floor(self.variance_at(w)) + 2.0 * w + std::f64::consts::LN_2
    }

    /// Derivative of that log density by w.
    fn derivative_at(&self, w: f64) -> f64 {
        self.by_log_sigma(self.variance_at(w)) * self.log_sigma_by_coordinate(w) + 2.0
    }
}

/// The priors of the noise by name.
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
    /// The density of that name.
    pub fn density(&self) -> Arc<dyn SigmaPrior> {
        match *self {
            Self::Fixed { sigma } => Arc::new(KnownSigma(sigma)),
            Self::InverseGamma { shape, rate, floor } => Arc::new(InverseGamma { shape, rate, floor }),
        }
    }

    /// Whether sigma is known.
    pub fn is_fixed(&self) -> bool {
        self.density().known().is_some()
    }

    /// A value of sigma^2.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> Variance {
        self.density().draw(rng)
    }
}

/// A sigma that is known.
struct KnownSigma(f64);

impl SigmaPrior for KnownSigma {
    fn draw(&self, _rng: &mut ChaCha8Rng) -> Variance {
        Variance::of_sigma(self.0)
    }

    fn log_density_above_floor(&self, _variance: Variance) -> f64 {
        0.0
    }

    fn by_log_sigma(&self, _variance: Variance) -> f64 {
        0.0
    }

    fn known(&self) -> Option<f64> {
        Some(self.0)
    }
}

/// sigma^2 ~ IG(shape, rate) above a floor.
struct InverseGamma {
    shape: f64,
    rate: f64,
    floor: f64,
}

impl SigmaPrior for InverseGamma {
    fn draw(&self, rng: &mut ChaCha8Rng) -> Variance {
        Variance::new(match *self {
            Self { shape, rate, floor: 0.0 } => draw_inverse_gamma(shape, rate, rng),
            Self { shape, rate, floor } => draw_truncated(shape, rate, floor * floor, rng),
        })
    }

    fn log_density_above_floor(&self, variance: Variance) -> f64 {
        log_inverse_gamma(variance.get(), self.shape, self.rate)
    }

    fn by_log_sigma(&self, variance: Variance) -> f64 {
        -2.0 * (self.shape + 1.0) + 2.0 * self.rate / variance.get()
    }

    fn floor(&self) -> f64 {
        self.floor
    }
}

/// a log b - log Gamma(a) - (a + 1) log v - b / v
pub(super) fn log_inverse_gamma(variance: f64, shape: f64, rate: f64) -> f64 {
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
            let prior = InverseGamma { shape: 1.5, rate: 0.3, floor };
            let w = 0.4;
            let variance = prior.variance_at(w);
            assert!((prior.coordinate(variance) - w).abs() < 1e-12);
            // p(w) = p(sigma^2) d sigma^2 / dw, and every derivative is the central difference.
            let jacobian = (prior.variance_at(w + 1e-6).get() - prior.variance_at(w - 1e-6).get()) / 2e-6;
            assert!((prior.log_density(variance) + jacobian.ln() - prior.log_density_at(w)).abs() < 1e-8);
            let difference = (prior.log_density_at(w + 1e-6) - prior.log_density_at(w - 1e-6)) / 2e-6;
            assert!((difference - prior.derivative_at(w)).abs() < 1e-6);
            let log_sigma = |w: f64| prior.variance_at(w).sigma().ln();
            let difference = (log_sigma(w + 1e-6) - log_sigma(w - 1e-6)) / 2e-6;
            assert!((difference - prior.log_sigma_by_coordinate(w)).abs() < 1e-8);
        }
    }

    #[test]
    fn draws_above_a_floor_follow_the_truncated_density() {
        use rand::SeedableRng;
        // With shape 1, P(v < t | v > f) = (exp(-b / t) - exp(-b / f)) / (1 - exp(-b / f)).
        for (rate, floor) in [(1.0, 0.8_f64), (0.1, 0.8), (1e-5, 0.8)] {
            let prior = InverseGamma { shape: 1.0, rate, floor };
            let mut rng = ChaCha8Rng::seed_from_u64(7);
            let share = |t: f64| {
                let below = |v: f64| (-rate / v).exp();
                (below(t) - below(floor * floor)) / (1.0 - below(floor * floor))
            };
            let n = 20_000;
            let draws: Vec<f64> = (0..n).map(|_| prior.draw(&mut rng).get()).collect();
            for t in [0.8, 1.5, 6.0] {
                let drawn = draws.iter().filter(|&&v| v < t).count() as f64 / f64::from(n);
                // Five standard errors.
                assert!((drawn - share(t)).abs() < 5.0 * (0.25 / f64::from(n)).sqrt(), "{rate} {t}: {drawn}");
            }
        }
    }

    #[test]
    fn no_noise_is_below_its_floor() {
        let prior = InverseGamma { shape: 1.0, rate: 1e-5, floor: 0.5 };
        assert_eq!(prior.log_density(Variance::new(0.25)), f64::NEG_INFINITY);
        assert!(prior.log_density(Variance::new(0.251)).is_finite());
        assert!(prior.variance_at(-50.0).get() >= 0.25 && prior.log_sigma_by_coordinate(-50.0) < 1e-40);
    }
}
