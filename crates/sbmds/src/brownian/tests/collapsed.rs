//! Sigma integrated out: exact identities, and the gradient by differences.

use super::super::*;
use super::kit::{Case, assert_close, central_difference, random_precision, random_tree, rng};

/// The posterior of Sigma^-1, from dense matrices.
fn posterior(case: &Case, prior: &WishartPrior) -> WishartPrior {
    let n_dims = case.prior.n_dims();
    let quadratic = case.dense().quadratic(&case.centred());
    let entry = |(at, prior): (usize, &f64)| prior + quadratic[(at / n_dims, at % n_dims)];
    let inverse_scale = prior.scale().covariance().iter().enumerate().map(entry).collect();
    let scale = Precision::new(n_dims, inverse_scale).unwrap().covariance();
    WishartPrior::new(
        prior.degrees_of_freedom() + case.prior.n_objects() as f64,
        Precision::new(n_dims, scale).unwrap(),
    )
    .unwrap()
}

#[test]
fn joint_density_is_collapsed_density_times_posterior() {
    // p(X | P) p(P) = p(X) p(P | X) for whatever P: here two, so that no constant can hide.
    for mut case in Case::several() {
        let n_dims = case.prior.n_dims();
        let (mut rng, mut workspace) = (rng(17), case.prior.workspace());
        // Locations that the prior expects: the terms would be huge otherwise, and their differences without digits.
        case.prior.draw(&mut workspace, &case.precision, &mut rng, &mut case.x);
        let prior = WishartPrior::new(n_dims as f64 + 0.5, random_precision(n_dims, &mut rng)).unwrap();
        let posterior = posterior(&case, &prior);
        let collapsed = case.prior.collapsed_log_density(&mut workspace, &case.x, &prior);
        for precision in [case.precision.clone(), Precision::scaled_identity(n_dims, 2.0)] {
            let joint = case.prior.log_density(&mut workspace, &case.x, &precision) + prior.log_density(&precision);
            assert_close(collapsed, joint - posterior.log_density(&precision), 1e-8);
        }
    }
}

#[test]
fn two_tips_in_one_dimension_are_a_bivariate_student_t() {
    // d0 degrees of freedom, shape V / (d0 T0).
    let tree = Tree::parse("(a:1,b:3);").unwrap();
    let settings = BrownianSettings { root_sample_size: 0.5, ..BrownianSettings::paper(1) };
    let prior = BrownianPrior::new(&tree, &[0, 1], settings).unwrap();
    let (d0, t0) = (3.0, 0.4);
    let wishart = WishartPrior::new(d0, Precision::scaled_identity(1, t0)).unwrap();
    let (x, det) = ([1.0, 2.0], 2.25 * 2.75 - 4.0_f64);
    let quadratic = (2.75 * x[0] * x[0] - 4.0 * x[0] * x[1] + 2.25 * x[1] * x[1]) / det * (d0 * t0);
    let log_shape_det = det.ln() - 2.0 * (d0 * t0).ln();
    let expected = libm::lgamma((d0 + 2.0) / 2.0)
        - libm::lgamma(d0 / 2.0)
        - (d0 * std::f64::consts::PI).ln()
        - 0.5 * log_shape_det
        - 0.5 * (d0 + 2.0) * (1.0 + quadratic / d0).ln();
    assert_close(prior.collapsed_log_density(&mut prior.workspace(), &x, &wishart), expected, 1e-12);
}

#[test]
fn gradient_is_the_central_difference_and_is_added() {
    let mut rng = rng(8);
    for n_dims in [1, 2, 6, 9] {
        let case = Case::new(random_tree(9, &mut rng), n_dims, BranchScaling::None, 0.5, &mut rng);
        let prior = WishartPrior::new(n_dims as f64, random_precision(n_dims, &mut rng)).unwrap();
        let mut workspace = case.prior.workspace();
        let mut gradient = vec![-1.0; case.x.len()];
        let value = case.prior.collapsed_log_density_and_gradient(&mut workspace, &case.x, &prior, &mut gradient);
        assert_eq!(value, case.prior.collapsed_log_density(&mut workspace, &case.x, &prior));
        for (k, derivative) in gradient.iter().enumerate() {
            let value = |x: &[f64]| case.prior.collapsed_log_density(&mut workspace, x, &prior);
            assert_close(central_difference(&case.x, k, value) - 1.0, *derivative, 1e-5);
        }
    }
}

#[test]
fn drawn_precisions_have_the_posterior_mean() {
    let mut rng = rng(21);
    let case = Case::new(random_tree(30, &mut rng), 2, BranchScaling::TotalLength, 1e-3, &mut rng);
    let prior = WishartPrior::paper(2);
    let posterior = posterior(&case, &prior);
    let (d, scale) = (posterior.degrees_of_freedom(), posterior.scale().as_slice());
    let mut workspace = case.prior.workspace();
    let (n_draws, mut mean) = (20_000, [0.0; 4]);
    for _ in 0..n_draws {
        let draw = case.prior.draw_precision(&mut workspace, &case.x, &prior, &mut rng).unwrap();
        mean.iter_mut().zip(draw.as_slice()).for_each(|(mean, value)| *mean += value / n_draws as f64);
    }
    for (at, found) in mean.iter().enumerate() {
        let sd = (d * (scale[at].powi(2) + scale[(at / 2) * 3] * scale[(at % 2) * 3])).sqrt();
        assert!((found - d * scale[at]).abs() < 5.0 * sd / f64::from(n_draws).sqrt(), "{found} {}", d * scale[at]);
    }
}
