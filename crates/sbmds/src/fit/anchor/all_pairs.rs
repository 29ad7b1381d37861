//! Passes over all measured pairs, block by block. Blocks are kept from the first pass on where there is room for all; else memory
//! does not grow with their number.

use std::sync::{Arc, OnceLock};

use crate::coupling::{Coupling, Pairs, Position, all_measured};
use crate::dissimilarity::Dissimilarities;
use crate::error::RunError;
use crate::fit::problem::unit::Unit;
use crate::fit::problem::{Problem, measured};
use crate::likelihood::{
    AnchorValue, Information, Likelihood, LikelihoodValue, LogLikelihood, MapGradient, MapPoint, OwnParameters,
    Storage, Workspace,
};
use crate::machine::available_memory;
use crate::settings::Resolved;

/// Pairs of one block: 32 MB.
const BLOCK: usize = 4_000_000;
/// Bytes that must be free for each pair if all are to be kept, to the end of the fit. A dissimilarity takes 8, a measurement with its
/// weight and limits more.
const FREE_BYTES_PER_PAIR: u64 = 64;

/// All measured pairs of the objects in coupling order, in the model's unit.
pub(crate) struct AllPairs {
    data: Dissimilarities,
    coupling: Coupling,
    config: Resolved,
    unit: Unit,
    coupled: Arc<dyn LogLikelihood>,
    /// All blocks, if there was room at the first pass: making them again for every pass, from a file or from features, costs more
    /// than the pass.
    kept: OnceLock<Vec<Arc<dyn LogLikelihood>>>,
}

impl AllPairs {
    /// All that was measured of a problem.
    pub fn of(problem: &Problem, config: &Resolved) -> Self {
        Self {
            data: problem.data.clone(),
            coupling: problem.coupling.clone(),
            config: config.clone(),
            unit: problem.unit,
            coupled: Arc::clone(&problem.pairs),
            kept: OnceLock::new(),
        }
    }

    /// Log-likelihood and gradient of all pairs at a point.
    pub fn gradient(&self, at: MapPoint) -> Result<AnchorValue, RunError> {
        let mut workspace = Workspace::parallel();
        let mut sum = AnchorValue::default();
        self.for_each_block(|block| sum.add(&AnchorValue::of(block, &mut workspace, at)))?;
        Ok(sum)
    }

    /// The information about each object; `None` where blocks do not tell.
    pub fn information(&self, at: MapPoint) -> Result<Option<Information>, RunError> {
        let mut sum: Option<Information> = None;
        self.for_each_block(|block| {
            let of_block = Information::of(block, at);
            match (&mut sum, of_block) {
                (Some(sum), Some(of_block)) => sum.add(&of_block),
                (sum, of_block) => *sum = of_block,
            }
        })?;
        Ok(sum)
    }

    /// Gradients of all pairs at several points, in one pass.
    pub fn gradients(&self, points: &[MapPoint]) -> Result<Vec<AnchorValue>, RunError> {
        let mut workspace = Workspace::parallel();
        let mut sums = vec![AnchorValue::default(); points.len()];
        self.for_each_block(|block| {
            for (sum, &at) in sums.iter_mut().zip(points) {
                sum.add(&AnchorValue::of(block, &mut workspace, at));
            }
        })?;
        Ok(sums)
    }

    fn for_each_block(&self, mut visit: impl FnMut(&dyn LogLikelihood)) -> Result<(), RunError> {
        let n_dims = self.config.model.n_dims;
        if self.kept.get().is_none() && self.has_room() {
            let blocks = self.blocks().map(|pairs| self.block(&pairs, n_dims)).collect::<Result<_, _>>()?;
            self.kept.get_or_init(|| blocks);
        }
        if let Some(kept) = self.kept.get() {
            kept.iter().for_each(|block| visit(&**block));
            return Ok(());
        }
        for pairs in self.blocks() {
            visit(&*self.block(&pairs, n_dims)?);
        }
        Ok(())
    }

    fn has_room(&self) -> bool {
        let n_pairs = self.n_pairs();
        n_pairs <= BLOCK || n_pairs as u64 <= available_memory().unwrap_or(0) / FREE_BYTES_PER_PAIR
    }

    /// The pairs of each block: the measured ones of an edge list, or diagonals.
    fn blocks(&self) -> Box<dyn Iterator<Item = Pairs> + '_> {
        let n_objects = self.data.n_objects();
        if let Some(measured) = self.data.measured_pairs() {
            return Box::new(std::iter::once(all_measured(measured, &self.coupling.order)));
        }
        let mut first = 1;
        Box::new(std::iter::from_fn(move || {
            if first >= n_objects {
                return None;
            }
            let (mut last, mut n_pairs) = (first, n_objects - first);
            while last + 1 < n_objects && n_pairs + n_objects - last - 1 <= BLOCK {
                last += 1;
                n_pairs += n_objects - last;
            }
            let block = Pairs::diagonals(n_objects, (first..=last).collect()).expect("increasing offsets below N");
            first = last + 1;
            Some(block)
        }))
    }

    fn block(&self, pairs: &Pairs, n_dims: usize) -> Result<Arc<dyn LogLikelihood>, RunError> {
        let (model, order) = (&self.config.model, &self.coupling.order);
        let dissimilarity = |a: usize, b: usize| self.data.get(order[a], order[b]);
        let block =
            Likelihood::new(order.len(), n_dims, pairs, model.noise, Storage::F64, dissimilarity).in_unit(self.unit.0);
        let coupling = Coupling { pairs: pairs.clone(), ..self.coupling.clone() };
        let config = (*self.config).clone().with(|config| config.model.n_dims = n_dims);
        let terms = measured::terms(&config, &self.data, &coupling, &block, self.unit)?;
        Ok(terms.unwrap_or_else(|| Arc::new(block)))
    }
}

/// Each evaluation is a pass. A pass must have succeeded before: data that the noise cannot have are found there.
impl LogLikelihood for AllPairs {
    fn n_objects(&self) -> usize {
        self.coupled.n_objects()
    }

    fn n_dims(&self) -> usize {
        self.coupled.n_dims()
    }

    fn n_pairs(&self) -> usize {
        self.data.measured_pairs().map_or(self.data.n_objects() * (self.data.n_objects() - 1) / 2, <[_]>::len)
    }

    fn value(&self, _: &mut Workspace, at: MapPoint) -> f64 {
        self.gradient(at).expect("a pass has succeeded before").log_likelihood
    }

    fn both(&self, _: &mut Workspace, at: MapPoint, gradient: MapGradient) -> LikelihoodValue {
        let value = self.gradient(at).expect("a pass has succeeded before");
        gradient.x.copy_from_slice(&value.by_x);
        gradient.own.copy_from_slice(&value.by_own);
        LikelihoodValue { log_likelihood: value.log_likelihood, by_log_sigma: value.by_log_sigma }
    }

    fn visit_partners(&self, position: Position, visit: &mut dyn FnMut(Position, f64) -> bool) {
        self.coupled.visit_partners(position, visit);
    }

    fn own(&self) -> Option<&dyn OwnParameters> {
        self.coupled.own()
    }
}
