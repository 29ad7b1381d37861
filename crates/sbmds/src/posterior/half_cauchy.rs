//! Shrinkage over dimensions: a half-Cauchy prior of the standard deviation of every axis, and the moves that it needs.
//!
//! The likelihood does not notice rotations, so that x_n ~ N(0, diag(lambda)) says of a map's shape just what x_n ~ N(0, Q diag(lambda) Q') does with a
//! Q that may be any rotation: the half-Cauchy is a prior of the *eigenvalues* of the covariance, and which axis is which means nothing.

use std::f64::consts::{PI, TAU};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::draw_inverse_gamma;

/// sqrt(lambda) ~ C+(0, S): flat below S, so that an axis may vanish, with a tail so long that it need not be small.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HalfCauchy {
    /// S.
    pub scale: f64,
}

impl HalfCauchy {
    /// A variance.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> f64 {
        (self.scale * (0.5 * PI * rng.random::<f64>()).tan()).powi(2).max(f64::MIN_POSITIVE)
    }

    /// Log density of a variance.
    pub fn log_density(&self, variance: f64) -> f64 {
        -(PI * self.scale).ln() - 0.5 * variance.ln() - (variance / self.scale.powi(2)).ln_1p()
    }

    /// Log density of log sqrt(lambda).
    pub fn log_density_of_log_sd(&self, variance: f64) -> f64 {
        self.log_density(variance) + variance.ln() + std::f64::consts::LN_2
    }

    /// The variance of `n` normal numbers whose squares sum to `squares`, drawn given them, from the present one: the half-Cauchy is a mixture of inverse
    /// gammas, lambda | nu ~ IG(1/2, 1/nu) and nu ~ IG(1/2, 1/S^2) (Wand et al. 2011, "Mean field variational Bayes for elaborate distributions").
    pub fn draw_given(&self, variance: f64, n: usize, squares: f64, rng: &mut ChaCha8Rng) -> f64 {
        let nu = draw_inverse_gamma(1.0, self.scale.powi(-2) + 1.0 / variance, rng);
        draw_inverse_gamma(0.5 * (n as f64 + 1.0), 1.0 / nu + 0.5 * squares, rng)
    }
}

/// Turns the map in every plane of two axes by an angle drawn given its shape. `squares(i, j)` is the quadratic form of two axes under the prior: with
/// precisions p, the log density is -1/2 sum_i p_i squares(i, i), and along the angle that is von Mises.
pub(super) fn draw_rotation(
    n_objects: usize,
    precisions: &[f64],
    squares: &mut [f64],
    x: &mut [f64],
    rng: &mut ChaCha8Rng,
) {
    let n_dims = precisions.len();
    for i in 0..n_dims {
        for j in i + 1..n_dims {
            let (a, b, c) = (squares[i * n_dims + i], squares[j * n_dims + j], squares[i * n_dims + j]);
            let (radius, phase) = ((0.5 * (a - b)).hypot(c), (2.0 * c).atan2(a - b));
            let concentration = 0.5 * (precisions[j] - precisions[i]) * radius;
            // The condition does not change with the angle, so that a plane may be left out. So sharp an angle is 0 to six digits.
            if concentration.is_nan() || concentration.abs() >= SHARP {
                continue;
            }
            let mode = if concentration >= 0.0 { phase } else { phase + PI };
            let angle = 0.5 * (mode + von_mises(concentration.abs(), rng));
            turn(n_objects, i, j, angle, x);
            turn_squares(n_dims, i, j, angle, squares);
        }
    }
}

/// Concentration beyond which an angle is not drawn.
const SHARP: f64 = 1e12;

/// x_i' = cos x_i + sin x_j, x_j' = cos x_j - sin x_i.
fn turn(n_objects: usize, i: usize, j: usize, angle: f64, x: &mut [f64]) {
    let (sin, cos) = angle.sin_cos();
    let (before, from_j) = x.split_at_mut(j * n_objects);
    for (x, y) in before[i * n_objects..(i + 1) * n_objects].iter_mut().zip(&mut from_j[..n_objects]) {
        (*x, *y) = (cos * *x + sin * *y, cos * *y - sin * *x);
    }
}

/// The same of the symmetric matrix of squares: its rows, then its columns.
fn turn_squares(n_dims: usize, i: usize, j: usize, angle: f64, squares: &mut [f64]) {
    let (sin, cos) = angle.sin_cos();
    for k in 0..n_dims {
        let (p, q) = (squares[i * n_dims + k], squares[j * n_dims + k]);
        (squares[i * n_dims + k], squares[j * n_dims + k]) = (cos * p + sin * q, cos * q - sin * p);
    }
    for k in 0..n_dims {
        let (p, q) = (squares[k * n_dims + i], squares[k * n_dims + j]);
        (squares[k * n_dims + i], squares[k * n_dims + j]) = (cos * p + sin * q, cos * q - sin * p);
    }
}

/// An angle with density proportional to exp(k cos(angle)) (Best and Fisher 1979, "Efficient simulation of the von Mises distribution").
fn von_mises(concentration: f64, rng: &mut ChaCha8Rng) -> f64 {
    // Close to uniform, where the envelope below would lose its digits: rejection from the uniform, accepted more than every third time.
    if concentration < 0.5 {
        loop {
            let angle = TAU * rng.random::<f64>() - PI;
            if rng.random::<f64>() < (concentration * (angle.cos() - 1.0)).exp() {
                return angle;
            }
        }
    }
    let k = concentration;
    let tau = 1.0 + (1.0 + 4.0 * k * k).sqrt();
    let rho = (tau - (2.0 * tau).sqrt()) / (2.0 * k);
    let r = (1.0 + rho * rho) / (2.0 * rho);
    loop {
        let z = (PI * rng.random::<f64>()).cos();
        let f = (1.0 + r * z) / (r + z);
        let c = k * (r - f);
        let u = 1.0 - rng.random::<f64>();
        if c * (2.0 - c) - u > 0.0 || (c / u).ln() + 1.0 - c >= 0.0 {
            let angle = f.clamp(-1.0, 1.0).acos();
            return if rng.random::<bool>() { angle } else { -angle };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    /// Mean cosine against I_1(k) / I_0(k) by quadrature; 20,000 cosines have a standard error below 0.005.
    #[test]
    fn angles_are_von_mises() {
        let rng = &mut stream(1, 0, Purpose::Sampling);
        for k in [0.0, 0.3, 2.0, 50.0, 1e5] {
            let n = 20_000;
            let found = (0..n).map(|_| von_mises(k, rng).cos()).sum::<f64>() / f64::from(n);
            let weight = |angle: f64| (k * (angle.cos() - 1.0)).exp();
            let grid = || (0..200_000).map(|step| PI * (f64::from(step) + 0.5) / 200_000.0);
            let expected = grid().map(|a| a.cos() * weight(a)).sum::<f64>() / grid().map(weight).sum::<f64>();
            let sd = (grid().map(|a| (a.cos() - expected).powi(2) * weight(a)).sum::<f64>()
                / grid().map(weight).sum::<f64>())
            .sqrt();
            assert!((found - expected).abs() < 4.0 * sd / f64::from(n).sqrt() + 1e-12, "{k}: {found} {expected}");
        }
    }

    /// Half of the standard deviations are below the scale, a quarter above its (1 + sqrt 2)-fold; the log density is that of the draws.
    #[test]
    fn draws_have_the_quartiles_of_a_half_cauchy_and_the_density_is_theirs() {
        let (prior, rng) = (HalfCauchy { scale: 0.7 }, &mut stream(2, 0, Purpose::Sampling));
        let draws: Vec<f64> = (0..40_000).map(|_| prior.draw(rng).sqrt()).collect();
        let share = |limit: f64| draws.iter().filter(|&&sd| sd < limit).count() as f64 / draws.len() as f64;
        assert!((share(0.7) - 0.5).abs() < 0.01 && (share(0.7 * (1.0 + 2.0_f64.sqrt())) - 0.75).abs() < 0.01);
        let step = 1e-4;
        let below = (0..4_900).map(|k| (prior.log_density((f64::from(k) + 0.5) * step)).exp() * step).sum::<f64>();
        assert!((below - 0.5).abs() < 5e-3, "the variance is below 0.49 half of the time: {below}");
        assert!((prior.log_density_of_log_sd(2.0) - (prior.log_density(2.0) + 4.0_f64.ln())).abs() < 1e-12);
    }

    /// Gibbs draws of the variance of five numbers against the posterior on a grid of log lambda.
    #[test]
    fn the_variance_is_drawn_from_its_posterior() {
        let (prior, n, squares) = (HalfCauchy { scale: 1.0 }, 5, 0.02);
        let rng = &mut stream(3, 0, Purpose::Sampling);
        let log_posterior = |log: f64| {
            let variance = log.exp();
            prior.log_density(variance) + log - 0.5 * f64::from(n) * log - 0.5 * squares / variance
        };
        let grid: Vec<f64> = (0..20_000).map(|k| -12.0 + 20.0 * (f64::from(k) + 0.5) / 20_000.0).collect();
        let weights: Vec<f64> = grid.iter().map(|&log| log_posterior(log).exp()).collect();
        let mean = grid.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>() / weights.iter().sum::<f64>();
        let (mut variance, mut sum, n_draws) = (1.0, 0.0, 40_000);
        for _ in 0..n_draws {
            variance = prior.draw_given(variance, n as usize, squares, rng);
            sum += variance.ln();
        }
        // The standard deviation of log lambda is about 0.8, draws are nearly independent.
        assert!((sum / f64::from(n_draws) - mean).abs() < 0.03, "{} {mean}", sum / f64::from(n_draws));
    }

    /// The squares follow the map, distances stay, and at equal precisions every angle is as likely as any other.
    #[test]
    fn rotations_keep_distances_and_the_squares_belong_to_the_map() {
        let rng = &mut stream(4, 0, Purpose::Sampling);
        let first: Vec<f64> = (0..12).map(|k| f64::from(k * k % 7) - 2.0).collect();
        let squares_of = |x: &[f64]| -> Vec<f64> {
            let dot = |i: usize, j: usize| (0..4).map(|n| x[4 * i + n] * x[4 * j + n]).sum();
            (0..9).map(|at| dot(at / 3, at % 3)).collect()
        };
        let distance = |x: &[f64]| (0..3).map(|dim| (x[4 * dim] - x[4 * dim + 3]).powi(2)).sum::<f64>();
        let (mut x, mut squares) = (first.clone(), squares_of(&first));
        let mut along = 0.0;
        for _ in 0..4_000 {
            draw_rotation(4, &[2.0; 3], &mut squares, &mut x, rng);
            along += squares[0] / 4_000.0;
        }
        for (kept, fresh) in squares.iter().zip(squares_of(&x)) {
            assert!((kept - fresh).abs() < 1e-8);
        }
        assert!((distance(&x) - distance(&first)).abs() < 1e-9);
        let third = (squares[0] + squares[4] + squares[8]) / 3.0;
        assert!((along / third - 1.0).abs() < 0.05, "{along} {third}");
    }
}
