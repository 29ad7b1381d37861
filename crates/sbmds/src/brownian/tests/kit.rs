//! Random trees, and the prior by dense matrices: slow and obviously right.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::super::*;
use crate::cholesky::{cholesky, solve_lower, solve_lower_transposed};
use crate::dense::Matrix;
use crate::random::{Purpose, stream};
use crate::tree::TreeBuilder;

pub fn rng(seed: u64) -> ChaCha8Rng {
    stream(seed, 0, Purpose::Simulation)
}

/// A tree with polytomies, some inner nodes with one child, and zero-length branches (never two tips at distance zero).
pub fn random_tree(n_tips: usize, rng: &mut ChaCha8Rng) -> Tree {
    let mut builder = TreeBuilder::new();
    // Nodes without a parent, and whether a tip is at distance zero below them.
    let mut roots: Vec<(usize, bool)> = Vec::new();
    for tip in 0..n_tips {
        let length = random_length(rng);
        roots.push((builder.tip(format!("t{tip}"), length), length == 0.0));
    }
    while roots.len() > 1 {
        roots.shuffle(rng);
        let n_children = rng.random_range(1..=4.min(roots.len()));
        let mut children = roots.split_off(roots.len() - n_children);
        // Of several tips at distance zero only the first may stay.
        let mut at_zero = false;
        children.retain(|child| {
            let keep = !(child.1 && at_zero);
            at_zero |= child.1;
            if !keep {
                roots.push(*child);
            }
            keep
        });
        let nodes: Vec<usize> = children.iter().map(|child| child.0).collect();
        // Two tips at distance zero of different parents are kept apart by a branch above each.
        let length = if at_zero { rng.random_range(0.1..1.0) } else { random_length(rng) };
        roots.push((builder.parent(&nodes, length), at_zero && length == 0.0));
    }
    builder.finish()
}

fn random_length(rng: &mut ChaCha8Rng) -> f64 {
    match rng.random_range(0..6) {
        0 => 0.0,
        1 => rng.random_range(0.003..0.01),
        _ => rng.random_range(0.01..2.0),
    }
}

/// Everything needed to compare: a tree, shuffled positions, locations and a precision.
pub struct Case {
    pub tree: Tree,
    pub tip_positions: Vec<usize>,
    pub settings: BrownianSettings,
    pub prior: BrownianPrior,
    pub x: Vec<f64>,
    pub precision: Precision,
}

impl Case {
    pub fn new(tree: Tree, n_dims: usize, scaling: BranchScaling, kappa: f64, rng: &mut ChaCha8Rng) -> Self {
        let mut tip_positions: Vec<usize> = (0..tree.n_tips()).collect();
        tip_positions.shuffle(rng);
        let root_mean = (0..n_dims).map(|_| rng.sample(StandardNormal)).collect();
        let settings = BrownianSettings { scaling, root_sample_size: kappa, root_mean };
        let prior = BrownianPrior::new(&tree, &tip_positions, settings.clone()).unwrap();
        let x = (0..tree.n_tips() * n_dims).map(|_| rng.sample(StandardNormal)).collect();
        Self { tree, tip_positions, settings, prior, x, precision: random_precision(n_dims, rng) }
    }

    /// Trees of many sizes, in several dimensions, under both scalings. Roots are surer and branches longer than they may be:
    /// with kappa = 0.001 and branches of 1e-6 it is the dense formula that loses its digits.
    pub fn several() -> Vec<Self> {
        let sizes = [(2, 1), (3, 2), (5, 6), (10, 3), (30, 9), (40, 17), (100, 6), (200, 2)];
        let mut cases = Vec::new();
        for (seed, (n_tips, n_dims)) in sizes.into_iter().enumerate() {
            for (scaling, kappa) in [(BranchScaling::TotalLength, 0.02), (BranchScaling::None, 0.7)] {
                let mut rng = rng(seed as u64 + 100);
                let tree = random_tree(n_tips, &mut rng);
                cases.push(Self::new(tree, n_dims, scaling, kappa, &mut rng));
            }
        }
        cases
    }

    pub fn dense(&self) -> Dense {
        Dense::new(&self.tree, &self.tip_positions, &self.settings)
    }

    /// X - mu0, N x D.
    pub fn centred(&self) -> Matrix {
        let n_objects = self.tree.n_tips();
        Matrix::from_fn(n_objects, self.settings.root_mean.len(), |object, dim| {
            self.x[dim * n_objects + object] - self.settings.root_mean[dim]
        })
    }
}

/// A positive definite matrix far from diagonal.
pub fn random_precision(n_dims: usize, rng: &mut ChaCha8Rng) -> Precision {
    let a = Matrix::from_fn(n_dims, n_dims, |_, _| rng.sample(StandardNormal));
    let product = a.times(&a.transposed());
    let entry = |row: usize, column: usize| product[(row, column)] + f64::from(u8::from(row == column)) * 0.3;
    Precision::new(n_dims, (0..n_dims * n_dims).map(|at| entry(at / n_dims, at % n_dims)).collect()).unwrap()
}

/// D x D numbers, row by row, as a matrix.
pub fn square(n_dims: usize, values: &[f64]) -> Matrix {
    Matrix::from_fn(n_dims, n_dims, |row, column| values[row * n_dims + column])
}

/// V, and the covariance of all nodes with the tips.
pub struct Dense {
    /// N x N, by position.
    pub v: Matrix,
    /// All nodes x all nodes.
    pub nodes: Matrix,
    /// The node at every position.
    pub node_at: Vec<usize>,
}

impl Dense {
    pub fn new(tree: &Tree, tip_positions: &[usize], settings: &BrownianSettings) -> Self {
        let scale = if settings.scaling == BranchScaling::TotalLength { tree.total_length() } else { 1.0 };
        let path = |node| std::iter::successors(Some(node), |&node| tree.parent(node)).collect::<Vec<usize>>();
        let shared = |a: usize, b: usize| {
            let (of_a, of_b) = (path(a), path(b));
            of_a.iter().filter(|node| of_b.contains(node)).map(|&node| tree.length(node)).sum::<f64>() / scale
        };
        let nodes =
            Matrix::from_fn(tree.n_nodes(), tree.n_nodes(), |a, b| shared(a, b) + 1.0 / settings.root_sample_size);
        let mut node_at = vec![0; tree.n_tips()];
        tree.tips().iter().zip(tip_positions).for_each(|(&node, &position)| node_at[position] = node);
        let v = Matrix::from_fn(tree.n_tips(), tree.n_tips(), |a, b| nodes[(node_at[a], node_at[b])]);
        Self { v, nodes, node_at }
    }

    pub fn solve(&self, rhs: &Matrix) -> Matrix {
        let (factor, n) = (self.factor().0, self.v.n_rows());
        let mut solution = rhs.clone();
        for k in 0..rhs.n_columns() {
            solve_lower(n, &factor, solution.column_mut(k));
            solve_lower_transposed(n, &factor, solution.column_mut(k));
        }
        solution
    }

    pub fn log_det(&self) -> f64 {
        self.factor().1
    }

    /// The Cholesky factor of V, and log |V|.
    fn factor(&self) -> (Vec<f64>, f64) {
        let mut factor = vec![0.0; self.v.as_slice().len()];
        let log_det = cholesky(self.v.n_rows(), self.v.as_slice(), &mut factor).unwrap();
        (factor, log_det)
    }

    /// (X - mu0)' V^-1 (X - mu0)
    pub fn quadratic(&self, centred: &Matrix) -> Matrix {
        centred.transposed_times(&self.solve(centred))
    }

    pub fn log_density(&self, centred: &Matrix, precision: &Precision) -> f64 {
        let (n_objects, n_dims) = (centred.n_rows() as f64, centred.n_columns() as f64);
        let product = square(centred.n_columns(), precision.as_slice()).times(&self.quadratic(centred));
        let trace: f64 = (0..centred.n_columns()).map(|k| product[(k, k)]).sum();
        let constant = n_objects * n_dims * (2.0 * std::f64::consts::PI).ln();
        -0.5 * (constant + n_dims * self.log_det() - n_objects * precision.log_det() + trace)
    }
}

/// The largest entry of a matrix, without its sign.
pub fn largest_entry(matrix: &Matrix) -> f64 {
    matrix.as_slice().iter().fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

#[track_caller]
pub fn assert_close(found: f64, expected: f64, relative: f64) {
    assert!((found - expected).abs() <= relative * expected.abs().max(1.0), "{found}, expected {expected}");
}

/// Derivative of `value` by number `k` of `x`, by central differences.
pub fn central_difference(x: &[f64], k: usize, mut value: impl FnMut(&[f64]) -> f64) -> f64 {
    let mut moved = x.to_vec();
    let step = 1e-5;
    moved[k] = x[k] + step;
    let above = value(&moved);
    moved[k] = x[k] - step;
    (above - value(&moved)) / (2.0 * step)
}
