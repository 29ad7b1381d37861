//! x = mu0 + L z: L L' = V, and the three maps belong together.

use rand::RngExt;
use rand_distr::StandardNormal;

use super::super::*;
use super::kit::{Case, assert_close, largest_entry, random_tree, rng, square};

#[test]
fn the_factor_times_its_transpose_is_the_covariance() {
    let mut rng = rng(11);
    for n_tips in [2, 7, 40] {
        let case = Case::new(random_tree(n_tips, &mut rng), 1, BranchScaling::TotalLength, 0.8, &mut rng);
        let mut workspace = case.prior.workspace();
        let columns: Vec<Vec<f64>> = (0..n_tips)
            .map(|k| {
                let unit: Vec<f64> = (0..n_tips).map(|row| f64::from(u8::from(row == k))).collect();
                let mut column = vec![0.0; n_tips];
                case.prior.from_whitened(&mut workspace, &unit, &mut column);
                column.iter().map(|value| value - case.settings.root_mean[0]).collect()
            })
            .collect();
        let v = case.dense().v;
        for row in 0..n_tips {
            for column in 0..n_tips {
                let found: f64 = columns.iter().map(|l| l[row] * l[column]).sum();
                assert_close(found, v[(row, column)], 1e-12);
            }
        }
    }
}

#[test]
fn the_maps_are_inverse_and_transposed() {
    for case in Case::several() {
        let mut workspace = case.prior.workspace();
        let n = case.x.len();
        let (mut z, mut x, mut pulled) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        case.prior.to_whitened(&mut workspace, &case.x, &mut z);
        case.prior.from_whitened(&mut workspace, &z, &mut x);
        x.iter().zip(&case.x).for_each(|(found, expected)| assert_close(*found, *expected, 1e-11));
        // g . L w = L' g . w
        let mut rng = rng(3);
        let mut normal = || (0..n).map(|_| rng.sample(StandardNormal)).collect::<Vec<f64>>();
        let (g, w) = (normal(), normal());
        case.prior.pull_back(&mut workspace, &g, &mut pulled);
        let mut origin = vec![0.0; n];
        case.prior.from_whitened(&mut workspace, &vec![0.0; n], &mut origin);
        case.prior.from_whitened(&mut workspace, &w, &mut x);
        let left: f64 = (0..n).map(|k| g[k] * (x[k] - origin[k])).sum();
        assert_close(pulled.iter().zip(&w).map(|(a, b)| a * b).sum(), left, 1e-9);
    }
}

#[test]
fn whitened_locations_have_the_same_quadratic_form() {
    for case in Case::several() {
        let mut workspace = case.prior.workspace();
        let mut z = vec![0.0; case.x.len()];
        case.prior.to_whitened(&mut workspace, &case.x, &mut z);
        let (n_objects, n_dims) = (case.prior.n_objects(), case.prior.n_dims());
        let expected = square(n_dims, case.prior.quadratic(&mut workspace, &case.x));
        for row in 0..n_dims {
            for column in 0..n_dims {
                let found: f64 = (0..n_objects).map(|k| z[row * n_objects + k] * z[column * n_objects + k]).sum();
                assert_close(found, expected[(row, column)], 1e-10 * largest_entry(&expected));
            }
        }
    }
}

#[test]
fn drawn_locations_have_the_given_covariance() {
    let mut rng = rng(5);
    let case = Case::new(random_tree(200, &mut rng), 2, BranchScaling::TotalLength, 1e-3, &mut rng);
    let mut workspace = case.prior.workspace();
    let (mut x, mut mean, n_draws) = (case.x.clone(), [0.0; 4], 200);
    for _ in 0..n_draws {
        case.prior.draw(&mut workspace, &case.precision, &mut rng, &mut x);
        let square = case.prior.quadratic(&mut workspace, &x);
        mean.iter_mut().zip(square).for_each(|(mean, value)| *mean += value / (200 * n_draws) as f64);
    }
    // 40,000 independent rows: a standard error of sqrt(2 / 40,000) = 0.7%.
    let covariance = case.precision.covariance();
    let size = covariance[0].max(covariance[3]);
    mean.iter().zip(&covariance).for_each(|(found, expected)| assert!((found - expected).abs() < 0.03 * size));
}
