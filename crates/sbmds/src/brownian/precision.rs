//! The precision of the diffusion, Sigma^-1, and its Wishart prior.

use crate::cholesky::{cholesky, inverse, solve_lower_transposed};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{ChiSquared, StandardNormal};

/// A symmetric positive definite D x D matrix with its Cholesky factor: Sigma^-1, or the scale of its prior.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Precision {
    n_dims: usize,
    values: Vec<f64>,
    /// Lower triangular, times its transpose it is the matrix.
    factor: Vec<f64>,
    log_det: f64,
}

/// Why a matrix is no precision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotAPrecision {
    /// The two halves differ.
    #[error("the matrix is not symmetric: entries ({row}, {column}) and ({column}, {row}) differ")]
    Asymmetric {
        /// Row, counted from 1.
        row: usize,
        /// Column, counted from 1.
        column: usize,
    },
    /// Some direction has no positive variance.
    #[error("the matrix is not positive definite")]
    NotPositiveDefinite,
}

impl Precision {
    /// Checks a D x D matrix, given row by row. Rounding may tell the two halves apart (one part in 10^9); the lower counts.
    pub fn new(n_dims: usize, mut values: Vec<f64>) -> Result<Self, NotAPrecision> {
        assert_eq!(values.len(), n_dims * n_dims, "a square matrix");
        for row in 0..n_dims {
            for column in 0..row {
                let (lower, upper) = (values[row * n_dims + column], values[column * n_dims + row]);
                let size = (values[row * n_dims + row] * values[column * n_dims + column]).abs().sqrt();
                // Also caught here: NaN.
                if (lower - upper).abs() > 1e-9 * size {
                    return Err(NotAPrecision::Asymmetric { row: row + 1, column: column + 1 });
                }
                values[column * n_dims + row] = lower;
            }
        }
        Self::of_symmetric(n_dims, values).ok_or(NotAPrecision::NotPositiveDefinite)
    }

    fn of_symmetric(n_dims: usize, values: Vec<f64>) -> Option<Self> {
        let mut factor = vec![0.0; n_dims * n_dims];
        let log_det = cholesky(n_dims, &values, &mut factor).filter(|log_det| log_det.is_finite())?;
        Some(Self { n_dims, values, factor, log_det })
    }

    /// The inverse of a covariance, given row by row; `None` if that is not symmetric and positive definite.
    pub fn of_covariance(n_dims: usize, covariance: &[f64]) -> Option<Self> {
        let covariance = Self::new(n_dims, covariance.to_vec()).ok()?;
        // The inverse of the one is the other.
        Self::of_symmetric(n_dims, covariance.covariance())
    }

    /// The identity.
    pub fn identity(n_dims: usize) -> Self {
        Self::scaled_identity(n_dims, 1.0)
    }

    /// A multiple of the identity.
    ///
    /// # Panics
    /// If `value` is not above zero.
    pub fn scaled_identity(n_dims: usize, value: f64) -> Self {
        let values = (0..n_dims * n_dims).map(|entry| if entry % (n_dims + 1) == 0 { value } else { 0.0 });
        Self::of_symmetric(n_dims, values.collect()).expect("a value above zero")
    }

    /// With these numbers on the diagonal, and zeros beside it.
    ///
    /// # Panics
    /// If one is not above zero.
    pub fn diagonal(entries: impl ExactSizeIterator<Item = f64>) -> Self {
        let n_dims = entries.len();
        let mut values = vec![0.0; n_dims * n_dims];
        entries.enumerate().for_each(|(dim, entry)| values[dim * (n_dims + 1)] = entry);
        Self::of_symmetric(n_dims, values).expect("numbers above zero")
    }

    /// Number of dimensions D.
    pub fn n_dims(&self) -> usize {
        self.n_dims
    }

    /// The matrix, row by row.
    pub fn as_slice(&self) -> &[f64] {
        &self.values
    }

    /// log |Sigma^-1|
    pub fn log_det(&self) -> f64 {
        self.log_det
    }

    /// The covariance Sigma, row by row.
    pub fn covariance(&self) -> Vec<f64> {
        let mut covariance = vec![0.0; self.values.len()];
        inverse(self.n_dims, &self.factor, &mut covariance);
        covariance
    }

    /// trace(Sigma): how fast locations diffuse, all dimensions together.
    pub fn trace_covariance(&self) -> f64 {
        self.covariance().iter().step_by(self.n_dims + 1).sum()
    }

    /// Turns independent standard normal numbers into a draw of N(0, Sigma), in place.
    pub(super) fn colour(&self, normal: &mut [f64]) {
        solve_lower_transposed(self.n_dims, &self.factor, normal);
    }
}

/// Sigma^-1 ~ Wishart(d0, T0), whose mean is d0 T0.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct WishartPrior {
    degrees_of_freedom: f64,
    scale: Precision,
    scale_inverse: Vec<f64>,
}

impl WishartPrior {
    /// Degrees of freedom d0 and scale T0; `None` unless d0 > D - 1, without which it is no density.
    pub fn new(degrees_of_freedom: f64, scale: Precision) -> Option<Self> {
        let proper = degrees_of_freedom.is_finite() && degrees_of_freedom > scale.n_dims() as f64 - 1.0;
        let scale_inverse = scale.covariance();
        proper.then_some(Self { degrees_of_freedom, scale, scale_inverse })
    }

    /// The paper's: Wishart(D, I).
    pub fn paper(n_dims: usize) -> Self {
        Self::new(n_dims as f64, Precision::identity(n_dims)).expect("D > D - 1")
    }

    /// d0
    pub fn degrees_of_freedom(&self) -> f64 {
        self.degrees_of_freedom
    }

    /// T0
    pub fn scale(&self) -> &Precision {
        &self.scale
    }

    /// T0^-1, row by row.
    pub(super) fn scale_inverse(&self) -> &[f64] {
        &self.scale_inverse
    }

    /// Log density of Sigma^-1.
    pub fn log_density(&self, precision: &Precision) -> f64 {
        let n_dims = self.scale.n_dims();
        let trace: f64 = self.scale_inverse.iter().zip(precision.as_slice()).map(|(a, b)| a * b).sum();
        let power = 0.5 * (self.degrees_of_freedom - n_dims as f64 - 1.0);
        power * precision.log_det() - 0.5 * trace - self.log_normaliser()
    }

    /// log of 2^(d0 D / 2) |T0|^(d0 / 2) Gamma_D(d0 / 2).
    pub(super) fn log_normaliser(&self) -> f64 {
        let half = 0.5 * self.degrees_of_freedom;
        half * (self.scale.n_dims() as f64 * std::f64::consts::LN_2 + self.scale.log_det())
            + log_gamma(self.scale.n_dims(), half)
    }

    /// A draw from the prior.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> Precision {
        let mut factor = vec![0.0; self.scale_inverse.len()];
        cholesky(self.scale.n_dims(), &self.scale_inverse, &mut factor)
            .expect("the inverse of a positive definite matrix");
        draw_wishart(self.scale.n_dims(), self.degrees_of_freedom, &factor, rng)
    }
}

/// The multivariate log gamma function: log of the integral of |A|^(a - (D + 1)/2) exp(-tr A) over positive definite A.
pub(super) fn log_gamma(n_dims: usize, a: f64) -> f64 {
    let dims = n_dims as f64;
    let lower: f64 = (0..n_dims).map(|dim| libm::lgamma(a - 0.5 * dim as f64)).sum();
    0.25 * dims * (dims - 1.0) * std::f64::consts::PI.ln() + lower
}

/// A draw of Wishart(`degrees_of_freedom`, (C C')^-1), C lower triangular, by Bartlett's decomposition:
/// C^-T B B' C^-1 with B lower triangular, standard normal below its diagonal and chi on it.
pub(super) fn draw_wishart(n_dims: usize, degrees_of_freedom: f64, factor: &[f64], rng: &mut ChaCha8Rng) -> Precision {
    loop {
        // Column k of B, then C'^-1 times it, is row k here.
        let mut columns = vec![0.0; n_dims * n_dims];
        for (k, column) in columns.chunks_exact_mut(n_dims).enumerate() {
            let chi_squared = ChiSquared::new(degrees_of_freedom - k as f64).expect("above D - 1");
            column[k] = rng.sample(chi_squared).sqrt();
            column[k + 1..].iter_mut().for_each(|entry| *entry = rng.sample(StandardNormal));
            solve_lower_transposed(n_dims, factor, column);
        }
        let entry = |row: usize, column: usize| {
            (0..n_dims).map(|k| columns[k * n_dims + row] * columns[k * n_dims + column]).sum::<f64>()
        };
        let values = (0..n_dims * n_dims).map(|at| entry(at / n_dims, at % n_dims)).collect();
        // A draw too close to singular to factor (chi^2 may underflow with few degrees of freedom) is drawn again.
        if let Some(precision) = Precision::of_symmetric(n_dims, values) {
            return precision;
        }
    }
}
