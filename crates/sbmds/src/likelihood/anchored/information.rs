//! What pairs say of each object while the others stay: D x D blocks of information, and stretches that make those of few pairs
//! equal those of all.

use rayon::prelude::*;

use super::super::{LogLikelihood, MOST_HESSIAN_DIMS, MapPoint};
use super::alignment::{from_basis, product};
use crate::coupling::Position;
use crate::numeric::symmetric_eigen;

/// Minus the Hessian of a log-likelihood by the location of each object: D * D numbers per object, row by row.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Information {
    n_dims: usize,
    blocks: Vec<f64>,
}

/// Objects of one task.
const OBJECTS: usize = 64;
/// Directions in which all pairs say less than this part of what the coupled ones do on average (or the opposite: a location
/// between two modes) count as if they said so much.
const LEAST_INFORMATION: f64 = 0.1;
/// Stretches stay between this and its inverse: beyond, the two likelihoods have nothing in common.
const LARGEST_STRETCH: f64 = 4.0;

impl Information {
    /// Of a log-likelihood at a point; `None` if it does not tell, or in more than [`MOST_HESSIAN_DIMS`] dimensions.
    pub fn of(likelihood: &dyn LogLikelihood, at: MapPoint) -> Option<Self> {
        let (n_objects, n_dims) = (likelihood.n_objects(), likelihood.n_dims());
        likelihood.conditional().filter(|_| n_dims <= MOST_HESSIAN_DIMS)?;
        let mut blocks = vec![0.0; n_objects * n_dims * n_dims];
        let of_objects = |(first, blocks): (usize, &mut [f64])| {
            let Some(mut conditional) = likelihood.conditional() else { return };
            for (k, block) in blocks.chunks_exact_mut(n_dims * n_dims).enumerate() {
                let position = first * OBJECTS + k;
                conditional.condition_on(at, Position::new(position));
                let location: Vec<f64> =
                    at.x.chunks_exact(n_objects).map(|values| values[position] / at.sigma).collect();
                let hessian = conditional.derivatives(&location).hessian;
                for (k, entry) in block.iter_mut().enumerate() {
                    let (row, column) = (k / n_dims, k % n_dims);
                    *entry = hessian[row.max(column) * n_dims + row.min(column)] / at.sigma.powi(2);
                }
            }
        };
        blocks.par_chunks_mut(OBJECTS * n_dims * n_dims).enumerate().for_each(of_objects);
        Some(Self { n_dims, blocks })
    }

    /// Of these pairs and others.
    pub fn add(&mut self, other: &Self) {
        self.blocks.iter_mut().zip(&other.blocks).for_each(|(sum, x)| *sum += x);
    }

    /// The same, weighted.
    pub fn times(mut self, weight: f64) -> Self {
        self.blocks.iter_mut().for_each(|x| *x *= weight);
        self
    }

    fn blocks(&self) -> std::slice::ChunksExact<'_, f64> {
        self.blocks.chunks_exact(self.n_dims * self.n_dims)
    }

    /// The stretches A_n of moves with A_n C_n A_n = F_n, where C_n are these blocks and F_n those of `all`: entry (i, j) of every
    /// object side by side.
    pub(super) fn stretches_to(&self, all: &Self) -> Vec<f64> {
        let (n_dims, n_objects) = (self.n_dims, self.blocks().len());
        let mut stretches = vec![0.0; self.blocks.len()];
        for (object, (coupled, all)) in self.blocks().zip(all.blocks()).enumerate() {
            for (k, entry) in stretch(n_dims, coupled, all).into_iter().enumerate() {
                stretches[k * n_objects + object] = entry;
            }
        }
        stretches
    }
}

/// A = C^(-1/2) (C^(1/2) F C^(1/2))^(1/2) C^(-1/2), the symmetric solution of A C A = F.
fn stretch(n: usize, coupled: &[f64], all: &[f64]) -> Vec<f64> {
    let (values, basis) = symmetric_eigen(n, coupled);
    let mean = values.iter().sum::<f64>() / n as f64;
    if !(mean > 0.0 && all.iter().all(|x| x.is_finite())) {
        return (0..n * n).map(|k| f64::from(k / n == k % n)).collect();
    }
    let least = |value: f64| value.max(LEAST_INFORMATION * mean);
    let function = |values: &[f64], basis: &[f64], of: &dyn Fn(f64) -> f64| {
        from_basis(n, basis, |a, b| if a == b { of(values[a]) } else { 0.0 })
    };
    let root = function(&values, &basis, &|value| least(value).sqrt());
    let inverse_root = function(&values, &basis, &|value| 1.0 / least(value).sqrt());
    let (of_all, basis_of_all) = symmetric_eigen(n, all);
    let all = function(&of_all, &basis_of_all, &least);
    let (between, basis_between) = symmetric_eigen(n, &product(n, &product(n, &root, &all), &root));
    let root_between = function(&between, &basis_between, &|value| value.max(0.0).sqrt());
    let stretch = product(n, &product(n, &inverse_root, &root_between), &inverse_root);
    let (sizes, directions) = symmetric_eigen(n, &stretch);
    function(&sizes, &directions, &|size| size.clamp(1.0 / LARGEST_STRETCH, LARGEST_STRETCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretched_blocks_are_those_of_all() {
        let (coupled, all) = ([3.0, 0.5, 0.5, 2.0], [2.0, -0.4, -0.4, 1.5]);
        let a = stretch(2, &coupled, &all);
        let found = product(2, &product(2, &a, &coupled), &a);
        assert!(found.iter().zip(&all).all(|(found, all)| (found - all).abs() < 1e-12), "{found:?}");
        assert!((a[1] - a[2]).abs() < 1e-15);
    }

    #[test]
    fn a_saddle_is_no_reason_to_let_go() {
        let a = stretch(2, &[1.0, 0.0, 0.0, 1.0], &[-5.0, 0.0, 0.0, 1e9]);
        assert!((a[0] - 0.1_f64.sqrt()).abs() < 1e-12 && (a[3] - 4.0).abs() < 1e-12, "{a:?}");
    }
}
