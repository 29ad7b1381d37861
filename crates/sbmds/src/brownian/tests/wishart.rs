//! The Wishart distribution: its density integrates to one, its draws have its moments.

use super::super::precision::log_gamma;
use super::super::*;
use super::kit::{assert_close, random_precision, rng};

#[test]
fn moments_of_draws() {
    let mut rng = rng(1);
    let (n_dims, n_draws) = (3, 20_000);
    for degrees_of_freedom in [2.5, 3.0, 40.0] {
        let prior = WishartPrior::new(degrees_of_freedom, random_precision(n_dims, &mut rng)).unwrap();
        let (mut mean, mut square) = ([0.0; 9], [0.0; 9]);
        for _ in 0..n_draws {
            for (at, value) in prior.draw(&mut rng).as_slice().iter().enumerate() {
                mean[at] += value / f64::from(n_draws);
                square[at] += value * value / f64::from(n_draws);
            }
        }
        let scale = |row: usize, column: usize| prior.scale().as_slice()[row * n_dims + column];
        for row in 0..n_dims {
            for column in 0..n_dims {
                let at = row * n_dims + column;
                let variance =
                    degrees_of_freedom * (scale(row, column).powi(2) + scale(row, row) * scale(column, column));
                let error = 5.0 * (variance / f64::from(n_draws)).sqrt();
                assert!((mean[at] - degrees_of_freedom * scale(row, column)).abs() < error);
                // The variance of a variance depends on fourth moments, here at most about 15 variances squared.
                assert!((square[at] - mean[at] * mean[at] - variance).abs() < 0.15 * variance, "{row} {column}");
            }
        }
    }
}

#[test]
fn the_density_integrates_to_one() {
    let scale = Precision::new(2, vec![0.5, 0.2, 0.2, 0.3]).unwrap();
    let prior = WishartPrior::new(4.5, scale).unwrap();
    // P = L L' with L = [[e^a, 0], [c, e^b]]: dP = 4 e^(3a) e^(2b) da db dc.
    let mut total = 0.0;
    let step = 0.1;
    for a in -60..30 {
        for b in -60..30 {
            for c in -60..=60 {
                let (a, b, c) = (f64::from(a) * step, f64::from(b) * step, f64::from(c) * step);
                let (l11, l22) = (a.exp(), b.exp());
                let Ok(p) = Precision::new(2, vec![l11 * l11, l11 * c, l11 * c, c * c + l22 * l22]) else { continue };
                total += (prior.log_density(&p) + 3.0 * a + 2.0 * b).exp() * 4.0 * step.powi(3);
            }
        }
    }
    assert_close(total, 1.0, 1e-4);
}

#[test]
fn one_dimension_is_the_gamma_distribution() {
    let (shape, scale, p) = (2.5 / 2.0, 2.0 * 0.7, 1.3_f64);
    let prior = WishartPrior::new(2.5, Precision::scaled_identity(1, 0.7)).unwrap();
    let expected = (shape - 1.0) * p.ln() - p / scale - libm::lgamma(shape) - shape * scale.ln();
    assert_close(prior.log_density(&Precision::scaled_identity(1, p)), expected, 1e-13);
    // Gamma_2(a) = sqrt(pi) Gamma(a) Gamma(a - 1/2)
    let expected = 0.5 * std::f64::consts::PI.ln() + libm::lgamma(3.2) + libm::lgamma(2.7);
    assert_close(log_gamma(2, 3.2), expected, 1e-13);
}

#[test]
fn matrices_that_are_no_precision_are_refused() {
    assert_eq!(Precision::new(2, vec![1.0, 0.1, 0.2, 1.0]), Err(NotAPrecision::Asymmetric { row: 2, column: 1 }));
    for values in [[1.0, 2.0, 2.0, 1.0], [0.0, 0.0, 0.0, 1.0], [-1.0, 0.0, 0.0, 1.0], [f64::NAN, 0.0, 0.0, 1.0]] {
        assert_eq!(Precision::new(2, values.to_vec()), Err(NotAPrecision::NotPositiveDefinite));
    }
    assert!(WishartPrior::new(1.0, Precision::identity(2)).is_none());
    let precision = Precision::new(2, vec![2.0, 0.5, 0.5, 1.0]).unwrap();
    assert_close(precision.log_det(), 1.75_f64.ln(), 1e-14);
    assert_close(precision.trace_covariance(), 3.0 / 1.75, 1e-14);
    assert_close(precision.covariance()[1], -0.5 / 1.75, 1e-14);
}
