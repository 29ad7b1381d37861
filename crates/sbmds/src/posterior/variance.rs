//! The noise variance, which must not be taken for its square root.

/// sigma^2. Samplers and priors of the noise work with it; densities of the locations are given sigma.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Variance(f64);

impl Variance {
    /// A number that is a variance.
    pub fn new(variance: f64) -> Self {
        Self(variance)
    }

    /// The square of a standard deviation.
    pub fn of_sigma(sigma: f64) -> Self {
        Self(sigma * sigma)
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// The standard deviation sigma.
    pub fn sigma(self) -> f64 {
        self.0.sqrt()
    }
}
