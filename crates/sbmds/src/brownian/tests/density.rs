//! Density, quadratic form and gradient against dense matrices and central differences.

use super::super::*;
use super::kit::{Case, assert_close, central_difference, largest_entry, random_tree, rng, square};

#[test]
fn density_and_quadratic_form_are_those_of_the_dense_formula() {
    for case in Case::several() {
        let (dense, centred) = (case.dense(), case.centred());
        let mut workspace = case.prior.workspace();
        assert_close(case.prior.log_det(), dense.log_det(), 1e-8);
        let expected = dense.quadratic(&centred);
        let found = case.prior.quadratic(&mut workspace, &case.x);
        let n_dims = centred.n_columns();
        for (at, found) in found.iter().enumerate() {
            let limit = 1e-8 * largest_entry(&expected);
            assert!((found - expected[(at / n_dims, at % n_dims)]).abs() <= limit);
        }
        let found = case.prior.log_density(&mut workspace, &case.x, &case.precision);
        assert_close(found, dense.log_density(&centred, &case.precision), 1e-8);
    }
}

#[test]
fn gradient_is_that_of_the_dense_formula_and_is_added() {
    for case in Case::several() {
        let (n_objects, n_dims) = (case.prior.n_objects(), case.prior.n_dims());
        let expected = case.dense().solve(&case.centred()).times(&square(n_dims, case.precision.as_slice()));
        let mut gradient = vec![3.0; case.x.len()];
        let mut workspace = case.prior.workspace();
        let value = case.prior.log_density_and_gradient(&mut workspace, &case.x, &case.precision, &mut gradient);
        assert_eq!(value, case.prior.log_density(&mut workspace, &case.x, &case.precision));
        for (at, found) in gradient.iter().enumerate() {
            let derivative = -expected[(at % n_objects, at / n_objects)];
            assert!(
                (found - 3.0 - derivative).abs() <= 1e-8 * largest_entry(&expected),
                "{found}, expected 3 + {derivative}"
            );
        }
    }
}

#[test]
fn gradient_is_the_central_difference() {
    let mut rng = rng(7);
    let case = Case::new(random_tree(12, &mut rng), 3, BranchScaling::None, 0.5, &mut rng);
    let mut workspace = case.prior.workspace();
    let mut gradient = vec![0.0; case.x.len()];
    case.prior.log_density_and_gradient(&mut workspace, &case.x, &case.precision, &mut gradient);
    for (k, derivative) in gradient.iter().enumerate() {
        let value = |x: &[f64]| case.prior.log_density(&mut workspace, x, &case.precision);
        assert_close(central_difference(&case.x, k, value), *derivative, 1e-5);
    }
}

#[test]
fn a_tree_of_two_tips_by_hand() {
    // T = 4; V = [[1/4 + 2, 2], [2, 3/4 + 2]].
    let tree = Tree::parse("(a:1,b:3);").unwrap();
    let settings = BrownianSettings { root_sample_size: 0.5, ..BrownianSettings::paper(1) };
    let prior = BrownianPrior::new(&tree, &[0, 1], settings).unwrap();
    let det: f64 = 2.25 * 2.75 - 4.0;
    assert_close(prior.log_det(), det.ln(), 1e-14);
    let quadratic = (2.75 - 2.0 * 2.0 * 2.0 + 2.25 * 4.0) / det;
    assert_close(prior.quadratic(&mut prior.workspace(), &[1.0, 2.0])[0], quadratic, 1e-14);
}

#[test]
fn trees_without_length_and_roots_without_variance_are_refused() {
    let tree = Tree::parse("(a:0,b:0);").unwrap();
    let error = BrownianPrior::new(&tree, &[0, 1], BrownianSettings::paper(2)).unwrap_err();
    assert!(error.to_string().starts_with("tree 1 of 1 in tree: all branches have length zero. Remedy: "), "{error}");
    let tree = Tree::parse("(a:1,b:0);").unwrap();
    for root_sample_size in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-320] {
        let settings = BrownianSettings { root_sample_size, ..BrownianSettings::paper(2) };
        assert!(matches!(BrownianPrior::new(&tree, &[0, 1], settings), Err(BrownianError::RootSampleSize(_))));
    }
}
