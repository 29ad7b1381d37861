//! The noise families, with the plain scalar formulas everything else is checked against.

use std::f64::consts::{FRAC_1_SQRT_2, PI};
use std::fmt;
use std::str::FromStr;

/// How a dissimilarity scatters around the distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Noise {
    /// Normal around the distance, truncated to positive values (docs/model.md, eq. 2): the paper's.
    #[default]
    TruncatedNormal,
    /// Normal around the distance (eq. 4).
    Normal,
}

impl Noise {
    /// All families.
    pub const ALL: [Self; 2] = [Self::TruncatedNormal, Self::Normal];

    /// Log density of one dissimilarity, as the equation says it (eq. 2, eq. 4).
    pub fn log_density(self, delta: f64, distance: f64, sigma: f64) -> f64 {
        let z = distance / sigma;
        let normal = -0.5 * (2.0 * PI * sigma * sigma).ln() - 0.5 * ((delta - distance) / sigma).powi(2);
        match self {
            Self::TruncatedNormal => normal - log_phi_cdf(z),
            Self::Normal => normal,
        }
    }

    /// Derivative of the log density with respect to the distance (eq. 3, eq. 5).
    pub fn derivative(self, delta: f64, distance: f64, sigma: f64) -> f64 {
        let pull = (delta - distance) / (sigma * sigma);
        match self {
            Self::TruncatedNormal => {
                let z = distance / sigma;
                let density = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
                pull - density / (sigma * phi_cdf(z))
            }
            Self::Normal => pull,
        }
    }

    /// Probability of a dissimilarity of at most `delta`.
    pub fn cumulative(self, delta: f64, distance: f64, sigma: f64) -> f64 {
        let normal = phi_cdf((delta - distance) / sigma);
        match self {
            Self::TruncatedNormal if delta <= 0.0 => 0.0,
            // Phi(-9) is 1e-19: nothing is cut off in double precision.
            Self::TruncatedNormal if distance > 9.0 * sigma => normal,
            Self::TruncatedNormal => {
                let z = distance / sigma;
                (normal - phi_cdf(-z)) / phi_cdf(z)
            }
            Self::Normal => normal,
        }
    }

    /// Expected dissimilarity.
    pub fn mean(self, distance: f64, sigma: f64) -> f64 {
        match self {
            Self::TruncatedNormal => {
                let z = distance / sigma;
                distance + sigma * (-0.5 * z * z).exp() / ((2.0 * PI).sqrt() * phi_cdf(z))
            }
            Self::Normal => distance,
        }
    }

    /// Variance of a dissimilarity.
    pub fn variance(self, distance: f64, sigma: f64) -> f64 {
        match self {
            Self::TruncatedNormal => {
                let z = distance / sigma;
                let ratio = (-0.5 * z * z).exp() / ((2.0 * PI).sqrt() * phi_cdf(z));
                sigma * sigma * (1.0 - ratio * (z + ratio))
            }
            Self::Normal => sigma * sigma,
        }
    }
}

fn phi_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// log Phi(z), exact also where Phi is nearly 1.
pub(crate) fn log_phi_cdf(z: f64) -> f64 {
    if z > 0.0 { (-0.5 * libm::erfc(z * FRAC_1_SQRT_2)).ln_1p() } else { phi_cdf(z).ln() }
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TruncatedNormal => "truncated-normal",
            Self::Normal => "normal",
        })
    }
}

impl FromStr for Noise {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|noise| noise.to_string() == name)
            .ok_or_else(|| format!("{name:?} is no noise family: use truncated-normal or normal"))
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    #[test]
    fn probabilities_and_means_are_integrals_of_the_density() {
        let (n, sigma) = (20_000, 0.7);
        for (noise, from) in [(Noise::TruncatedNormal, 0.0), (Noise::Normal, -9.0)] {
            for distance in [0.0, 0.4, 3.0] {
                let step = (11.0 - from) / f64::from(n);
                let (mut probability, mut mean, mut squares) = (0.0, 0.0, 0.0);
                for k in 0..n {
                    let delta = from + (f64::from(k) + 0.5) * step;
                    let weight = noise.log_density(delta, distance, sigma).exp() * step;
                    (probability, mean) = (probability + weight, mean + weight * delta);
                    squares += weight * delta * delta;
                    if k % 2_000 == 0 {
                        let reached = noise.cumulative(delta + 0.5 * step, distance, sigma);
                        assert_relative_eq!(probability, reached, epsilon = 1e-6);
                    }
                }
                assert_relative_eq!(mean, noise.mean(distance, sigma), epsilon = 1e-6);
                assert_relative_eq!(squares - mean * mean, noise.variance(distance, sigma), epsilon = 1e-5);
            }
        }
        assert_eq!(Noise::TruncatedNormal.cumulative(-0.1, 1.0, 0.5), 0.0);
    }
}
