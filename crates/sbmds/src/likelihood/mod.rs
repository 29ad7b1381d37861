//! The sparse BMDS log-likelihood and its gradient, as fast as the machine allows.
//!
//! [`Likelihood`] holds the coupled pairs with their dissimilarities, arranged for the kernels; it is immutable and
//! shared by all chains. A [`Workspace`] is the scratch memory of one chain. `reference` is the slow twin that says
//! the equations plainly.

mod aligned;
mod anchored;
mod arithmetic;
mod arrays;
mod asked;
mod connections;
mod deltas;
mod density;
mod diagonals;
mod dispatch;
mod double;
mod evaluation;
mod graph;
mod landmarks;
mod layout;
mod log_likelihood;
mod mills;
mod neighbours;
mod new_object;
mod noise;
mod pair_derivatives;
mod partial;
mod partners;
pub mod reference;
mod scratch;
mod share;
mod simd;
mod single;
mod stars;
mod sum_tree;
pub(crate) mod terms;
mod two_passes;

use std::sync::OnceLock;

use arithmetic::{Buffers, Precision};
use asked::Asked;
use diagonals::Diagonals;
use dispatch::Choice;
use evaluation::Evaluation;
use graph::Graph;
use landmarks::Landmarks;
use layout::Layout;
use sum_tree::Branch;

pub use anchored::{AnchorValue, Anchored, Information, Pull};
pub use arithmetic::Arithmetic;
pub use connections::{Connections, Underdetermined};
pub use dispatch::Want;
pub use log_likelihood::{Conditional, LogLikelihood, MapGradient, MapPoint, OwnParameters};
pub use new_object::NewObject;
pub use noise::Noise;
pub(crate) use noise::log_phi_cdf;
pub use partial::{AskedSums, PartialSums};
use partners::Partners;
pub use partners::{Derivatives, MOST_HESSIAN_DIMS, PartnerLists};
pub use scratch::Scratch;
pub use share::{Parts, Share};
pub use simd::InstructionSet;

use crate::Locations;
use crate::coupling::{PairShape, Pairs, Position};

/// The coupled pairs and how dissimilarities scatter: everything the likelihood is made of, for a fixed dimension.
pub struct Likelihood {
    layout: Box<dyn Layout>,
    /// The order in which the chunks of double precision are added.
    double_tree: Branch,
    /// That of single precision; made when it is first used.
    single_tree: OnceLock<Branch>,
    /// Which of them are held.
    share: Share,
    n_objects: usize,
    n_dims: usize,
    noise: Noise,
    instruction_set: InstructionSet,
}

/// The log-likelihood at a point, with its derivative by the noise; that by the locations has its own array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LikelihoodValue {
    /// Log-likelihood.
    pub log_likelihood: f64,
    /// Its derivative by log sigma.
    pub by_log_sigma: f64,
}

/// The number type in which dissimilarities are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Storage {
    /// 8 bytes per pair.
    #[default]
    F64,
    /// 4 bytes per pair, seven significant digits.
    F32,
}

impl Storage {
    /// The number that is left of `value`.
    fn rounded(self, value: f64) -> f64 {
        match self {
            Self::F64 => value,
            Self::F32 => f64::from(value as f32),
        }
    }
}

impl Likelihood {
    /// Arranges the coupled `pairs` of `n_objects` objects in `n_dims` dimensions.
    ///
    /// `dissimilarity(a, b)` is asked once for each pair, from many threads; NaN means missing: the pair is neither
    /// used nor counted.
    ///
    /// # Panics
    /// If there is no dimension, or the pairs are of another number of objects.
    pub fn new(
        n_objects: usize,
        n_dims: usize,
        pairs: &Pairs,
        noise: Noise,
        storage: Storage,
        dissimilarity: impl Fn(usize, usize) -> f64 + Sync,
    ) -> Self {
        Self::shared(n_objects, n_dims, pairs, noise, storage, Share::WHOLE, dissimilarity)
    }

    /// The same of which only a share is held: it gives [`Likelihood::partial_sums`] and nothing else, and
    /// [`Likelihood::n_pairs`] counts what is held.
    ///
    /// # Panics
    /// As [`Likelihood::new`].
    pub fn shared(
        n_objects: usize,
        n_dims: usize,
        pairs: &Pairs,
        noise: Noise,
        storage: Storage,
        share: Share,
        dissimilarity: impl Fn(usize, usize) -> f64 + Sync,
    ) -> Self {
        check_shape(n_objects, n_dims, pairs);
        let layout = arrange(n_objects, pairs, storage, share, &dissimilarity);
        Self::with_layout(layout, share, n_objects, n_dims, noise)
    }

    /// The same of which nothing is held: it knows the partners of every object, whose dissimilarities it asks for each time, and
    /// has neither value nor gradient.
    ///
    /// # Panics
    /// As [`Likelihood::new`].
    pub fn asked(
        n_objects: usize,
        n_dims: usize,
        pairs: &Pairs,
        noise: Noise,
        storage: Storage,
        dissimilarity: Box<dyn Fn(usize, usize) -> f64 + Send + Sync>,
    ) -> Self {
        check_shape(n_objects, n_dims, pairs);
        let layout = Box::new(Asked::new(n_objects, pairs.clone(), storage, dissimilarity));
        Self::with_layout(layout, Share::NOTHING, n_objects, n_dims, noise)
    }

    fn with_layout(layout: Box<dyn Layout>, share: Share, n_objects: usize, n_dims: usize, noise: Noise) -> Self {
        let (double_tree, single_tree) = (Branch::root(layout.double().chunks()), OnceLock::new());
        let instruction_set = InstructionSet::best();
        Self { layout, double_tree, single_tree, share, n_objects, n_dims, noise, instruction_set }
    }

    /// The same pairs with every dissimilarity divided by `unit`, in the same memory.
    pub fn in_unit(mut self, unit: f64) -> Self {
        self.layout.divide_by(unit);
        self
    }

    /// The same likelihood computed with another instruction set, which the machine must have.
    pub fn with_instruction_set(mut self, instruction_set: InstructionSet) -> Self {
        assert!(instruction_set.is_available(), "this machine has no {instruction_set}");
        self.instruction_set = instruction_set;
        self
    }

    /// Number of objects N.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// Number of dimensions D.
    pub fn n_dims(&self) -> usize {
        self.n_dims
    }

    /// Number of pairs used: coupled and not missing.
    pub fn n_pairs(&self) -> usize {
        self.layout.n_pairs()
    }

    /// The noise family.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// The instruction set the kernels run on.
    pub fn instruction_set(&self) -> InstructionSet {
        self.instruction_set
    }

    /// Calls back with the coupled partners of the object at `position` and their dissimilarity, until told `false`.
    pub fn for_each_partner(&self, position: Position, mut visit: impl FnMut(Position, f64) -> bool) {
        self.layout.for_each_partner(position.index(), &mut |other, delta| visit(Position::new(other), delta));
    }

    /// Log-likelihood (docs/model.md, eq. 2).
    pub fn log_likelihood(&self, workspace: &mut Workspace, x: &Locations, sigma: f64) -> f64 {
        self.value_at(workspace, x.as_slice(), sigma)
    }

    /// Gradient of the log-likelihood with respect to the locations (eq. 3).
    pub fn gradient(&self, workspace: &mut Workspace, x: &Locations, sigma: f64, gradient: &mut Locations) {
        self.gradient_at(workspace, x.as_slice(), sigma, gradient.as_mut_slice());
    }

    /// Both at once, for little more than the gradient alone.
    pub fn log_likelihood_and_gradient(
        &self,
        workspace: &mut Workspace,
        x: &Locations,
        sigma: f64,
        gradient: &mut Locations,
    ) -> f64 {
        self.evaluate_at(workspace, x.as_slice(), sigma, gradient.as_mut_slice()).log_likelihood
    }

    /// [`Likelihood::log_likelihood`] of N * D numbers, dimension by dimension.
    pub fn value_at(&self, workspace: &mut Workspace, x: &[f64], sigma: f64) -> f64 {
        self.value_in(Arithmetic::F64, workspace, x, sigma)
    }

    /// Energy (eq. 6): minus the log-likelihood without the normalising constants of the pairs.
    pub fn energy_at(&self, workspace: &mut Workspace, x: &[f64], sigma: f64) -> f64 {
        self.run(Arithmetic::F64, workspace, Want::Value, x, sigma, &mut []).energy
    }

    /// [`Likelihood::gradient`] of N * D numbers, dimension by dimension.
    pub fn gradient_at(&self, workspace: &mut Workspace, x: &[f64], sigma: f64, gradient: &mut [f64]) {
        self.gradient_in(Arithmetic::F64, workspace, x, sigma, gradient);
    }

    /// Value and all derivatives of N * D numbers, dimension by dimension.
    pub fn evaluate_at(
        &self,
        workspace: &mut Workspace,
        x: &[f64],
        sigma: f64,
        gradient: &mut [f64],
    ) -> LikelihoodValue {
        self.evaluate_in(Arithmetic::F64, workspace, x, sigma, gradient)
    }

    /// [`Likelihood::value_at`] in this arithmetic.
    pub fn value_in(&self, arithmetic: Arithmetic, workspace: &mut Workspace, x: &[f64], sigma: f64) -> f64 {
        let sums = self.run(arithmetic, workspace, Want::Value, x, sigma, &mut []);
        arithmetic.value_of(sums, self.n_pairs(), x, sigma, &[]).log_likelihood
    }

    /// [`Likelihood::gradient_at`] in this arithmetic.
    pub fn gradient_in(
        &self,
        arithmetic: Arithmetic,
        workspace: &mut Workspace,
        x: &[f64],
        sigma: f64,
        gradient: &mut [f64],
    ) {
        self.run(arithmetic, workspace, Want::Gradient, x, sigma, gradient);
    }

    /// [`Likelihood::evaluate_at`] in this arithmetic.
    pub fn evaluate_in(
        &self,
        arithmetic: Arithmetic,
        workspace: &mut Workspace,
        x: &[f64],
        sigma: f64,
        gradient: &mut [f64],
    ) -> LikelihoodValue {
        let sums = self.run(arithmetic, workspace, Want::Both, x, sigma, gradient);
        arithmetic.value_of(sums, self.n_pairs(), x, sigma, gradient)
    }

    fn choice(&self, want: Want) -> Choice {
        Choice { instruction_set: self.instruction_set, noise: self.noise, n_dims: self.n_dims, want }
    }

    /// Sums over all pairs (if wanted); `gradient` (N * D numbers, if wanted) is overwritten.
    fn run(
        &self,
        arithmetic: Arithmetic,
        workspace: &mut Workspace,
        want: Want,
        x: &[f64],
        sigma: f64,
        gradient: &mut [f64],
    ) -> PartialSums {
        assert_eq!(self.share, Share::WHOLE, "a share of a likelihood has no value of its own");
        let tree = self.tree(arithmetic);
        match arithmetic {
            Arithmetic::F64 => self.evaluation::<f64>(workspace, want, x, sigma).run(tree, gradient),
            Arithmetic::F32 => self.evaluation::<f32>(workspace, want, x, sigma).run(tree, gradient),
        }
    }

    /// The order in which chunks are added.
    fn tree(&self, arithmetic: Arithmetic) -> &Branch {
        let single = || Branch::root(self.layout.single().map_or(&[], |kernels| kernels.chunks()));
        match arithmetic {
            Arithmetic::F64 => &self.double_tree,
            Arithmetic::F32 => self.single_tree.get_or_init(single),
        }
    }

    /// The locations in the unit of the kernels, ready to be summed over.
    fn evaluation<'a, T: Precision>(
        &'a self,
        workspace: &'a mut Workspace,
        want: Want,
        x: &[f64],
        sigma: f64,
    ) -> Evaluation<'a, T> {
        assert_eq!(x.len(), self.n_objects * self.n_dims, "locations of another size");
        let kernels = T::kernels(&*self.layout).expect("pairs that are held have kernels");
        Evaluation::new(kernels, self.choice(want), workspace, x, sigma)
    }
}

/// Gives the dissimilarity of two coupling positions, the lower first; NaN if it is missing. It is called and not inlined, so
/// that the layouts are compiled once and not for each caller.
type Ask<'a> = &'a (dyn Fn(usize, usize) -> f64 + Sync);

/// The pairs with their dissimilarities, in the layout of their shape.
fn arrange(n_objects: usize, pairs: &Pairs, storage: Storage, share: Share, ask: Ask) -> Box<dyn Layout> {
    match pairs.shape() {
        PairShape::Diagonals(offsets) => Box::new(Diagonals::new(n_objects, offsets.to_vec(), storage, share, ask)),
        PairShape::Landmarks(count) => Box::new(Landmarks::new(n_objects, count, storage, share, ask)),
        PairShape::Graph(edges) => Box::new(Graph::new(n_objects, edges, storage, share, ask)),
    }
}

/// # Panics
/// If the pairs cannot be used.
fn check_shape(n_objects: usize, n_dims: usize, pairs: &Pairs) {
    assert!(n_dims >= 1, "a map needs at least one dimension");
    assert_eq!(pairs.n_objects(), n_objects, "pairs of another number of objects");
}

/// Scratch memory of one evaluator; grows to what it needs once and is then reused.
pub struct Workspace {
    double: Buffers<f64>,
    single: Buffers<f32>,
    /// In which [`LogLikelihood::both`] and [`LogLikelihood::gradient`] are computed, if the likelihood has it; values alone are f64.
    pub arithmetic: Arithmetic,
    /// Sums that wait for those of the other half of the tree.
    aside: Vec<f64>,
    /// Of likelihoods of another kind.
    pub scratch: Scratch,
    partners: Partners,
    /// Where a moving object is, in units of sigma.
    at: Vec<f64>,
    parallel: bool,
}

impl Workspace {
    /// Evaluates on the calling thread only.
    pub fn serial() -> Self {
        Self::new(false)
    }

    /// Evaluates on the current rayon pool when there is enough to do.
    pub fn parallel() -> Self {
        Self::new(true)
    }

    /// Whether evaluations may use many threads.
    pub(crate) fn is_parallel(&self) -> bool {
        self.parallel
    }

    fn new(parallel: bool) -> Self {
        Self {
            double: Buffers::new(),
            single: Buffers::new(),
            arithmetic: Arithmetic::F64,
            aside: Vec::new(),
            scratch: Scratch::default(),
            partners: Partners::default(),
            at: Vec::new(),
            parallel,
        }
    }
}
