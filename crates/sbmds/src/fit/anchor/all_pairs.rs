//! One pass over all measured pairs, block by block: memory does not grow with their number.

use crate::coupling::{ObjectOrder, Pairs, all_measured};
use crate::dissimilarity::Dissimilarities;
use crate::fit::problem::Problem;
use crate::fit::problem::unit::Unit;
use crate::likelihood::{AnchorValue, Likelihood, LogLikelihood, MapPoint, Noise, Storage, Workspace};
use crate::settings::Resolved;

/// Pairs of one block: 32 MB.
const BLOCK: usize = 4_000_000;

/// All measured pairs of the objects in coupling order, in the model's unit.
pub(crate) struct AllPairs<'a> {
    data: &'a Dissimilarities,
    order: &'a ObjectOrder,
    n_dims: usize,
    noise: Noise,
    unit: Unit,
}

impl<'a> AllPairs<'a> {
    /// All that was measured of a problem.
    pub fn of(problem: &'a Problem, config: &Resolved) -> Self {
        let (n_dims, noise) = (config.model.n_dims, config.model.noise);
        Self { data: &problem.data, order: &problem.coupling.order, n_dims, noise, unit: problem.unit }
    }

    /// Log-likelihood and gradient of all pairs at a point.
    pub fn gradient(&self, at: MapPoint) -> AnchorValue {
        let mut workspace = Workspace::parallel();
        let mut sum = AnchorValue { n_pairs: 0, log_likelihood: 0.0, by_log_sigma: 0.0, by_x: vec![0.0; at.x.len()] };
        self.for_each_block(|block| sum.add(&AnchorValue::of(block, &mut workspace, at)));
        sum
    }

    /// Log-likelihoods of all pairs at several points, in one pass.
    pub fn values(&self, points: &[MapPoint]) -> Vec<f64> {
        let mut workspace = Workspace::parallel();
        let mut sums = vec![0.0; points.len()];
        self.for_each_block(|block| {
            for (sum, &at) in sums.iter_mut().zip(points) {
                *sum += block.value(&mut workspace, at);
            }
        });
        sums
    }

    fn for_each_block(&self, mut visit: impl FnMut(&dyn LogLikelihood)) {
        let n_objects = self.data.n_objects();
        let mut visit_pairs = |pairs: &Pairs| {
            let dissimilarity = |a: usize, b: usize| self.data.get(self.order[a], self.order[b]);
            let block = Likelihood::new(n_objects, self.n_dims, pairs, self.noise, Storage::F64, dissimilarity);
            visit(&block.in_unit(self.unit.0));
        };
        if let Some(measured) = self.data.measured_pairs() {
            return visit_pairs(&all_measured(measured, self.order));
        }
        let mut first = 1;
        while first < n_objects {
            let (mut last, mut n_pairs) = (first, n_objects - first);
            while last + 1 < n_objects && n_pairs + n_objects - last - 1 <= BLOCK {
                last += 1;
                n_pairs += n_objects - last;
            }
            let block = Pairs::diagonals(n_objects, (first..=last).collect());
            visit_pairs(&block.expect("increasing offsets below N"));
            first = last + 1;
        }
    }
}
