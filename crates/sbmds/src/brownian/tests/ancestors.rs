//! Inner nodes given the tips, against the dense conditional Gaussian.

use super::super::*;
use super::kit::{Case, assert_close, random_tree, rng};
use crate::dense::Matrix;

/// Rows of `a` and columns of `b`, from the covariance of all nodes.
fn covariance(nodes: &Matrix, a: &[usize], b: &[usize]) -> Matrix {
    Matrix::from_fn(a.len(), b.len(), |row, column| nodes[(a[row], b[column])])
}

#[test]
fn means_are_the_dense_conditional_means() {
    for case in Case::several() {
        let dense = case.dense();
        let inner: Vec<usize> = case.tree.inner_nodes().collect();
        let expected = covariance(&dense.nodes, &inner, &dense.node_at).times(&dense.solve(&case.centred()));
        let mut found = vec![0.0; inner.len() * case.prior.n_dims()];
        case.prior.ancestral_means(&mut case.prior.workspace(), &case.x, &mut found);
        for (at, found) in found.iter().enumerate() {
            let (node, dim) = (at % inner.len(), at / inner.len());
            assert_close(*found, case.settings.root_mean[dim] + expected[(node, dim)], 1e-8);
        }
    }
}

#[test]
fn draws_have_the_dense_conditional_covariance() {
    let mut rng = rng(31);
    let case = Case::new(random_tree(7, &mut rng), 2, BranchScaling::TotalLength, 0.5, &mut rng);
    let dense = case.dense();
    let inner: Vec<usize> = case.tree.inner_nodes().collect();
    let with_tips = covariance(&dense.nodes, &inner, &dense.node_at);
    let explained = with_tips.times(&dense.solve(&with_tips.transposed()));
    let all = covariance(&dense.nodes, &inner, &inner);
    let conditional = |row: usize, column: usize| all[(row, column)] - explained[(row, column)];
    let n = inner.len();
    let mut workspace = case.prior.workspace();
    let (mut mean, mut draw) = (vec![0.0; 2 * n], vec![0.0; 2 * n]);
    case.prior.ancestral_means(&mut workspace, &case.x, &mut mean);
    let n_draws = 40_000;
    let mut moments = Matrix::zeros(2 * n, 2 * n);
    for _ in 0..n_draws {
        case.prior.draw_ancestors(&mut workspace, &case.x, &case.precision, &mut rng, &mut draw);
        for row in 0..2 * n {
            for column in 0..2 * n {
                moments[(row, column)] += (draw[row] - mean[row]) * (draw[column] - mean[column]) / f64::from(n_draws);
            }
        }
    }
    let sigma = case.precision.covariance();
    let expected = |row: usize, column: usize| conditional(row % n, column % n) * sigma[(row / n) * 2 + column / n];
    for row in 0..2 * n {
        for column in 0..2 * n {
            // Five standard errors: var of a product of normals is c_rr c_cc + c_rc^2.
            let spread = expected(row, row) * expected(column, column) + expected(row, column).powi(2);
            let limit = 5.0 * (spread.max(0.0) / f64::from(n_draws)).sqrt() + 1e-9;
            let difference = (moments[(row, column)] - expected(row, column)).abs();
            assert!(difference < limit, "{row} {column}: {} {}", moments[(row, column)], expected(row, column));
        }
    }
}

#[test]
fn branch_statistics_by_hand() {
    let tree = Tree::parse("((a:1,b:2):0.5,c:0);").unwrap();
    // Object order c, a, b.
    let prior = BrownianPrior::new(&tree, &[1, 2, 0], BrownianSettings::paper(2)).unwrap();
    let (x, ancestors) = ([9.0, 3.0, 0.0, 9.0, 4.0, 1.0], [0.0, 0.0, 0.0, 1.0]);
    let locations = prior.node_locations(&x, &ancestors);
    let at = |node| (locations.get(node, 0), locations.get(node, 1));
    assert_eq!((at(0), at(1), at(2), at(3), at(4)), ((3.0, 4.0), (0.0, 1.0), (0.0, 0.0), (9.0, 9.0), (0.0, 1.0)));
    // Branches with length: a moves 5 in 1, b moves 1 in 2, their parent moves 1 in 0.5.
    let found = BranchStatistics::of(&tree, &locations);
    assert_close(found.diffusion_rate, (5.0 + 0.5 + 2.0) / 3.0, 1e-14);
    assert_close(found.weighted_diffusion_rate, 7.0 / 3.5, 1e-14);
    assert_close(found.diffusion_coefficient, (25.0 / 4.0 + 1.0 / 8.0 + 1.0 / 2.0) / 3.0, 1e-14);
    assert_close(found.weighted_diffusion_coefficient, 27.0 / 4.0 / 3.5, 1e-14);
}
