//! What a noise family expects of a new measurement, and how probable it makes all that was seen of a pair.

use super::family::Family;
use super::student;
use super::terms::{KnownErrors, NoiseScale};
use crate::dissimilarity::Term;
use crate::likelihood::Noise;

impl Family {
    /// Log density of the number `value` around the location `m`.
    pub fn log_density_of_value(self, value: f64, m: f64, noise: NoiseScale) -> f64 {
        let NoiseScale { sigma, nu } = noise;
        let student = || student::log_density((value - m) / sigma, nu).0.value - sigma.ln();
        match self {
            Self::TruncatedNormal => Noise::TruncatedNormal.log_density(value, m, sigma),
            Self::Normal => Noise::Normal.log_density(value, m, sigma),
            Self::StudentT => student(),
            Self::TruncatedStudentT if value < 0.0 => f64::NEG_INFINITY,
            Self::TruncatedStudentT => student() - student_cdf(m / sigma, nu).ln(),
            Self::LogNormal if value <= 0.0 || m <= 0.0 => f64::NEG_INFINITY,
            Self::LogNormal => Noise::Normal.log_density(value.ln(), m.ln(), sigma) - value.ln(),
        }
    }

    /// Probability of a measurement of at most `value`.
    pub fn cumulative(self, value: f64, m: f64, noise: NoiseScale) -> f64 {
        let NoiseScale { sigma, nu } = noise;
        match self {
            Self::TruncatedNormal => Noise::TruncatedNormal.cumulative(value, m, sigma),
            Self::Normal => Noise::Normal.cumulative(value, m, sigma),
            Self::StudentT => student_cdf((value - m) / sigma, nu),
            Self::TruncatedStudentT if value <= 0.0 => 0.0,
            Self::TruncatedStudentT => {
                let negative = student_cdf(-m / sigma, nu);
                (student_cdf((value - m) / sigma, nu) - negative) / (1.0 - negative)
            }
            Self::LogNormal if value <= 0.0 => 0.0,
            Self::LogNormal if m <= 0.0 => 1.0,
            Self::LogNormal => Noise::Normal.cumulative(value.ln(), m.ln(), sigma),
        }
    }

    /// Expected measurement. Student's t with nu <= 1 has none: its centre stands for it, and truncated it is infinite.
    pub fn mean(self, m: f64, noise: NoiseScale) -> f64 {
        let NoiseScale { sigma, nu } = noise;
        match self {
            Self::TruncatedNormal => Noise::TruncatedNormal.mean(m, sigma),
            Self::Normal | Self::StudentT => m,
            Self::TruncatedStudentT => m + sigma * truncated_student(-m / sigma, nu).0,
            Self::LogNormal => m * (0.5 * sigma * sigma).exp(),
        }
    }

    /// Variance of a measurement; infinite for Student's t with nu <= 2.
    pub fn variance(self, m: f64, noise: NoiseScale) -> f64 {
        let NoiseScale { sigma, nu } = noise;
        match self {
            Self::TruncatedNormal => Noise::TruncatedNormal.variance(m, sigma),
            Self::Normal => sigma * sigma,
            Self::StudentT if nu <= 2.0 => f64::INFINITY,
            Self::StudentT => sigma * sigma * nu / (nu - 2.0),
            Self::TruncatedStudentT if nu <= 2.0 => f64::INFINITY,
            Self::TruncatedStudentT => {
                let (mean, square) = truncated_student(-m / sigma, nu);
                sigma * sigma * (square - mean * mean)
            }
            Self::LogNormal => m * m * (sigma * sigma).exp() * (sigma * sigma).exp_m1(),
        }
    }
}

/// Probability of Student's t below z.
fn student_cdf(z: f64, nu: f64) -> f64 {
    if z > 0.0 { 1.0 - student::upper(z, nu) } else { student::upper(-z, nu) }
}

/// Mean and mean square of Student's t above `a`, in units of its scale.
///
/// With f the density, (nu + t^2) / (nu - 1) f(t) has the derivative -t f(t). And (1 + t^2 / nu) f(t) is (nu - 1) / (nu - 2) times the density of
/// sqrt(nu / (nu - 2)) times Student's t with nu - 2 degrees of freedom.
fn truncated_student(a: f64, nu: f64) -> (f64, f64) {
    let above = student_cdf(-a, nu);
    let mean = if nu > 1.0 {
        student::log_density(a, nu).0.value.exp() * (nu + a * a) / (nu - 1.0) / above
    } else {
        f64::INFINITY
    };
    if nu <= 2.0 {
        return (mean, f64::INFINITY);
    }
    let wider = student_cdf(-a * ((nu - 2.0) / nu).sqrt(), nu - 2.0);
    (mean, nu * ((nu - 1.0) / (nu - 2.0) * wider / above - 1.0))
}

/// How the measurements of a fit scatter around distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairNoise {
    /// The family.
    pub family: Family,
    /// What known standard errors do.
    pub known_errors: KnownErrors,
}

impl From<Family> for PairNoise {
    fn from(family: Family) -> Self {
        Self { family, known_errors: KnownErrors::default() }
    }
}

impl From<Noise> for PairNoise {
    fn from(noise: Noise) -> Self {
        Family::from(noise).into()
    }
}

impl PairNoise {
    /// The noise of a measurement with this known standard error; 0 if nothing is known.
    pub fn of_measurement(self, noise: NoiseScale, standard_error: f64) -> NoiseScale {
        NoiseScale { sigma: self.known_errors.scale(noise.sigma, standard_error).0, ..noise }
    }

    /// Log density of a number, or log probability of a limit, of a pair at this distance, times its weight.
    pub fn log_likelihood(self, term: &Term, distance: f64, noise: NoiseScale) -> f64 {
        let noise = self.of_measurement(noise, term.standard_error);
        let value = match term.seen.exact() {
            Some(value) => self.family.log_density_of_value(value, distance, noise),
            None => self.family.log_density(term.seen, distance, noise.sigma, noise.nu).value,
        };
        term.weight * value
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;
    use crate::dissimilarity::Observation;
    use crate::measurement::Support;

    const NOISES: [NoiseScale; 2] = [NoiseScale { sigma: 0.3, nu: 4.5 }, NoiseScale { sigma: 0.9, nu: 9.0 }];

    /// By the midpoint rule in u, with value = m + sinh(u), or sinh(u) > 0: nu = 4.5 has tails that are long, but not beyond e^25.
    #[test]
    fn probabilities_means_and_variances_are_integrals_of_the_density() {
        let with_noise = |family: Family| NOISES.map(|noise| (family, noise));
        let cases = Family::ALL.into_iter().flat_map(with_noise);
        for (family, noise, m) in cases.flat_map(|(family, noise)| [0.2, 1.7].map(|m| (family, noise, m))) {
            let is_positive = family.support() != Support::Line;
            let (n, from, centre) = if is_positive { (20_000, 0.0, 0.0) } else { (40_000, -25.0, m) };
            let step = (25.0 - from) / f64::from(n);
            let (mut total, mut mean, mut square) = (0.0, 0.0, 0.0);
            for k in 0..n {
                let u = from + (f64::from(k) + 0.5) * step;
                let value = centre + u.sinh();
                let weight = family.log_density_of_value(value, m, noise).exp() * u.cosh() * step;
                (total, mean, square) = (total + weight, mean + weight * value, square + weight * value * value);
                if k % 200 == 199 {
                    let reached = centre + (u + 0.5 * step).sinh();
                    assert_relative_eq!(total, family.cumulative(reached, m, noise), epsilon = 1e-5);
                }
            }
            assert_relative_eq!(total, 1.0, epsilon = 1e-5);
            assert_relative_eq!(mean, family.mean(m, noise), epsilon = 1e-4);
            assert_relative_eq!(square - mean * mean, family.variance(m, noise), epsilon = 1e-3);
        }
        assert_eq!(Family::TruncatedStudentT.log_density_of_value(-0.1, 1.0, NOISES[0]), f64::NEG_INFINITY);
        assert_eq!(Family::LogNormal.cumulative(0.0, 1.0, NOISES[0]), 0.0);
        let heavy = NoiseScale { sigma: 0.5, nu: 1.5 };
        assert_eq!((Family::StudentT.mean(2.0, heavy), Family::StudentT.variance(2.0, heavy)), (2.0, f64::INFINITY));
    }

    #[test]
    fn densities_are_those_of_the_terms() {
        for family in Family::ALL {
            for noise in NOISES {
                for (value, m) in [(0.1, 0.7), (2.0, 1.1), (5.0, 0.05)] {
                    let term = family.log_density(Observation::Exact(value), m, noise.sigma, noise.nu).value;
                    assert_relative_eq!(family.log_density_of_value(value, m, noise), term, max_relative = 1e-11);
                }
            }
        }
    }

    #[test]
    fn weights_multiply_errors_widen_and_limits_are_probabilities() {
        let noise = NoiseScale { sigma: 0.3, nu: 5.0 };
        let pair = PairNoise { family: Family::Normal, known_errors: KnownErrors::Add };
        let of = |seen, weight, standard_error| {
            let term = Term { weight, standard_error, ..Term::new(0, 1, seen) };
            pair.log_likelihood(&term, 1.0, noise)
        };
        let wider = NoiseScale { sigma: 0.5, nu: 5.0 };
        assert_eq!(of(Observation::Exact(1.2), 2.0, 0.4), 2.0 * Family::Normal.log_density_of_value(1.2, 1.0, wider));
        let below = Family::Normal.cumulative(0.8, 1.0, noise).ln();
        assert_relative_eq!(of(Observation::Below(0.8), 1.0, 0.0), below, max_relative = 1e-13);
        let replaced = PairNoise { known_errors: KnownErrors::Replace, ..pair };
        assert_eq!(replaced.of_measurement(noise, 0.4).sigma, 0.4);
        assert_eq!(replaced.of_measurement(noise, 0.0).sigma, 0.3);
    }
}
