//! The posterior predictive distribution of one dissimilarity: the noise, mixed over draws of distance and sigma.

use crate::measurement::{Family, NoiseScale};

/// Steps of a search for a quantile. Newton's method needs about five; halving the interval, its fallback, gains a factor of two each.
const STEPS: usize = 60;
/// A quantile is found when its probability is right to this part.
const PRECISION: f64 = 1e-10;

/// The noise around the distance of each of some draws, all with the same weight.
#[derive(Clone, Copy, Debug)]
pub struct Mixture<'a> {
    family: Family,
    draws: &'a [(f64, NoiseScale)],
}

impl<'a> Mixture<'a> {
    /// `None` without draws.
    pub fn new(noise: impl Into<Family>, draws: &'a [(f64, NoiseScale)]) -> Option<Self> {
        (!draws.is_empty()).then_some(Self { family: noise.into(), draws })
    }

    fn mean_of(&self, value: impl Fn(f64, NoiseScale) -> f64) -> f64 {
        self.draws.iter().map(|&(distance, noise)| value(distance, noise)).sum::<f64>() / self.draws.len() as f64
    }

    /// Posterior mean of the distance.
    pub fn distance(&self) -> f64 {
        self.mean_of(|distance, _| distance)
    }

    /// Posterior predictive mean.
    pub fn mean(&self) -> f64 {
        self.mean_of(|distance, noise| self.family.mean(distance, noise))
    }

    /// Posterior predictive standard deviation: the mean variance of the noise plus the variance of its mean.
    pub fn sd(&self) -> f64 {
        let mean = self.mean();
        let spread = |distance, noise| {
            let off = self.family.mean(distance, noise) - mean;
            self.family.variance(distance, noise) + off * off
        };
        self.mean_of(spread).sqrt()
    }

    /// Posterior predictive probability of a dissimilarity of at most `delta`.
    pub fn cumulative(&self, delta: f64) -> f64 {
        self.mean_of(|distance, noise| self.family.cumulative(delta, distance, noise))
    }

    fn density(&self, delta: f64) -> f64 {
        self.mean_of(|distance, noise| self.family.log_density_of_value(delta, distance, noise).exp())
    }

    /// The dissimilarity below which lies this part of the distribution: by Newton's method inside an interval that shrinks, from
    /// the normal distribution with the same moments.
    pub fn quantile(&self, probability: f64) -> f64 {
        let (mut low, mut high) = self.around(probability);
        let mut at = self.mean() + self.sd() * normal_quantile(probability);
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            if !(low < at && at < high) {
                at = 0.5 * (low + high);
            }
            let off = self.cumulative(at) - probability;
            if off.abs() <= PRECISION * probability.min(1.0 - probability) || high - low <= f64::EPSILON * at.abs() {
                break;
            }
            if off < 0.0 {
                low = at
            } else {
                high = at
            }
            // Where a step of Newton's does not halve the error (between two lumps, say), the interval is halved instead.
            at = if off.abs() < 0.5 * last { at - off / self.density(at) } else { 0.5 * (low + high) };
            last = off.abs();
        }
        at
    }

    /// The central interval at a `level` such as 0.95.
    pub fn interval(&self, level: f64) -> (f64, f64) {
        let tail = 0.5 * (1.0 - level);
        (self.quantile(tail), self.quantile(1.0 - tail))
    }

    /// Ends between which the quantile lies: tails of Student's t reach far beyond those of a normal distribution.
    fn around(&self, probability: f64) -> (f64, f64) {
        let (mut low, mut high) = self.reach();
        if self.family.has_nu() {
            let mut step = high - low;
            while step.is_finite() && self.cumulative(low) > probability {
                (low, step) = (low - step, 2.0 * step);
            }
            step = high - low;
            while step.is_finite() && self.cumulative(high) < probability {
                (high, step) = (high + step, 2.0 * step);
            }
        }
        (low, high)
    }

    /// Between these ends lies nearly everything, if the tails are not heavy.
    fn reach(&self) -> (f64, f64) {
        let ends = self.draws.iter().map(|&(distance, NoiseScale { sigma, .. })| match self.family {
            Family::LogNormal => (distance * (-10.0 * sigma).exp(), distance * (10.0 * sigma).exp()),
            _ => (distance - 10.0 * sigma, distance + 10.0 * sigma),
        });
        ends.fold((f64::INFINITY, f64::NEG_INFINITY), |all, end| (all.0.min(end.0), all.1.max(end.1)))
    }
}

/// A start for the search: the quantile of the standard normal distribution to three digits (Abramowitz and Stegun 1964, 26.2.23).
pub(crate) fn normal_quantile(probability: f64) -> f64 {
    let tail = probability.min(1.0 - probability);
    let t = (-2.0 * tail.ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    (t - above / below).copysign(probability - 0.5)
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    #[test]
    fn quantiles_undo_probabilities() {
        // Two lumps far apart, where Newton's method alone would leave the interval.
        let draws = [(0.01, 0.2), (0.02, 0.2), (9.0, 0.01), (9.0, 0.01), (9.0, 0.01)];
        let draws = draws.map(|(distance, sigma)| (distance, NoiseScale { sigma, nu: 1.3 }));
        for family in Family::ALL {
            let mixture = Mixture::new(family, &draws).unwrap();
            for probability in [0.001, 0.025, 0.3, 0.4, 0.5, 0.9, 0.975, 0.999] {
                let found = mixture.cumulative(mixture.quantile(probability));
                assert_relative_eq!(found, probability, max_relative = 1e-8);
            }
        }
        assert!(Mixture::new(Family::Normal, &[]).is_none());
    }

    #[test]
    fn moments_are_those_of_the_mixture() {
        let draws = [(1.0, 0.5), (2.0, 0.1)].map(|(distance, sigma)| (distance, NoiseScale::of_sigma(sigma)));
        let mixture = Mixture::new(Family::Normal, &draws).unwrap();
        assert_relative_eq!(mixture.mean(), 1.5);
        assert_relative_eq!(mixture.sd().powi(2), 0.5 * (0.25 + 0.01) + 0.25, max_relative = 1e-12);
        assert_eq!(mixture.distance(), 1.5);
    }

    #[test]
    fn the_start_of_the_search_is_near() {
        // scipy 1.15, norm.ppf.
        for (probability, quantile) in [(0.975, 1.959_963_985), (0.01, -2.326_347_874), (0.5, 0.0)] {
            assert_relative_eq!(normal_quantile(probability), quantile, epsilon = 5e-4);
        }
    }
}
