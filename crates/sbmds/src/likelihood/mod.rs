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
mod graph;
mod job;
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

use rayon::prelude::*;

use arithmetic::Buffers;
use arrays::Arrays;
use asked::Asked;
use density::Energy;
use diagonals::Diagonals;
use dispatch::Choice;
use graph::Graph;
use job::Job;
use landmarks::Landmarks;
use layout::{ChunkGradient, Layout, Scaled};
use sum_tree::Branch;

pub use anchored::{AnchorValue, Anchored};
pub use arithmetic::Arithmetic;
pub use connections::{Connections, Underdetermined};
pub use dispatch::Want;
pub use log_likelihood::{Conditional, LogLikelihood, MapGradient, MapPoint, OwnParameters};
pub use new_object::NewObject;
pub use noise::Noise;
pub(crate) use noise::log_phi_cdf;
pub use partial::PartialSums;
use partners::Partners;
pub use partners::{Derivatives, MOST_HESSIAN_DIMS, PartnerLists};
pub use scratch::Scratch;
pub use share::{Parts, Share};
pub use simd::InstructionSet;

use crate::Locations;
use crate::coupling::{PairShape, Pairs};

/// The coupled pairs and how dissimilarities scatter: everything the likelihood is made of, for a fixed dimension.
pub struct Likelihood {
    layout: Box<dyn Layout>,
    /// The order in which its chunks are added.
    sum_tree: Branch,
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
        let layout: Box<dyn Layout> = match pairs.shape() {
            PairShape::Diagonals(offsets) => {
                Box::new(Diagonals::new(n_objects, offsets.to_vec(), storage, share, &dissimilarity))
            }
            PairShape::Landmarks(count) => Box::new(Landmarks::new(n_objects, count, storage, share, &dissimilarity)),
            PairShape::Graph(edges) => Box::new(Graph::new(n_objects, edges, storage, share, &dissimilarity)),
        };
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
        let sum_tree = Branch::root(layout.chunks());
        Self { layout, sum_tree, share, n_objects, n_dims, noise, instruction_set: InstructionSet::best() }
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
    pub fn for_each_partner(&self, position: usize, mut visit: impl FnMut(usize, f64) -> bool) {
        self.layout.for_each_partner(position, &mut visit);
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
        let sums = self.run(workspace, Want::Value, x, sigma, &mut []);
        LikelihoodValue::of_sums(sums, self.n_pairs(), x, sigma, &[]).log_likelihood
    }

    /// Energy (eq. 6): minus the log-likelihood without the normalising constants of the pairs.
    pub fn energy_at(&self, workspace: &mut Workspace, x: &[f64], sigma: f64) -> f64 {
        self.run(workspace, Want::Value, x, sigma, &mut []).energy
    }

    /// [`Likelihood::gradient`] of N * D numbers, dimension by dimension.
    pub fn gradient_at(&self, workspace: &mut Workspace, x: &[f64], sigma: f64, gradient: &mut [f64]) {
        self.run(workspace, Want::Gradient, x, sigma, gradient);
    }

    /// Value and all derivatives of N * D numbers, dimension by dimension.
    pub fn evaluate_at(
        &self,
        workspace: &mut Workspace,
        x: &[f64],
        sigma: f64,
        gradient: &mut [f64],
    ) -> LikelihoodValue {
        let sums = self.run(workspace, Want::Both, x, sigma, gradient);
        LikelihoodValue::of_sums(sums, self.n_pairs(), x, sigma, gradient)
    }

    /// [`Likelihood::value_at`] in this arithmetic.
    pub fn value_in(&self, arithmetic: Arithmetic, workspace: &mut Workspace, x: &[f64], sigma: f64) -> f64 {
        match arithmetic {
            Arithmetic::F64 => self.value_at(workspace, x, sigma),
            Arithmetic::F32 => {
                let energy = self.run_single(workspace, Want::Value, x, sigma, &mut []);
                self.single_value(energy, sigma).log_likelihood
            }
        }
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
        match arithmetic {
            Arithmetic::F64 => self.gradient_at(workspace, x, sigma, gradient),
            Arithmetic::F32 => _ = self.run_single(workspace, Want::Gradient, x, sigma, gradient),
        }
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
        match arithmetic {
            Arithmetic::F64 => self.evaluate_at(workspace, x, sigma, gradient),
            Arithmetic::F32 => {
                let energy = self.run_single(workspace, Want::Both, x, sigma, gradient);
                self.single_value(energy, sigma)
            }
        }
    }

    /// Eq. 6 and 10a, from the sums of single-precision kernels.
    fn single_value(&self, energy: Energy, sigma: f64) -> LikelihoodValue {
        let n_pairs = self.n_pairs() as f64;
        LikelihoodValue {
            log_likelihood: -energy.value - n_pairs * 0.5 * (2.0 * std::f64::consts::PI * sigma * sigma).ln(),
            by_log_sigma: energy.pull - n_pairs,
        }
    }

    /// The energy (if wanted) in single precision; `gradient` (N * D numbers, if wanted) is overwritten.
    ///
    /// # Panics
    /// If there are no kernels for it: nothing is held.
    fn run_single(&self, workspace: &mut Workspace, want: Want, x: &[f64], sigma: f64, gradient: &mut [f64]) -> Energy {
        assert_eq!(self.share, Share::WHOLE, "a share of a likelihood has no value of its own");
        assert_eq!(x.len(), self.n_objects * self.n_dims, "locations of another size");
        if want.gradient() {
            assert_eq!(gradient.len(), self.n_objects * self.n_dims, "gradient of another size");
            gradient.fill(0.0);
        }
        let kernels = self.layout.single().expect("pairs that are held have kernels");
        let n_chunks = kernels.chunks().len();
        let parallel = workspace.parallel && n_chunks > 1;
        let Workspace { single: Buffers { scaled, gradients }, energies, .. } = workspace;
        let per_sigma = arithmetic::per_sigma(sigma);
        arithmetic::scale(scaled, x, self.n_dims, per_sigma, kernels.interleaved());
        energies.clear();
        energies.resize(n_chunks, Energy::default());
        gradients.resize_with(gradients.len().max(if parallel { n_chunks } else { 1 }), ChunkGradient::new);
        let job = Job {
            kernels,
            choice: self.choice(want),
            scaled: Scaled { x: scaled, per_sigma },
            factor: arithmetic::gradient_factor(sigma, per_sigma),
            n_objects: self.n_objects,
        };
        if parallel {
            job.run_parallel(&mut gradients[..n_chunks], energies, gradient);
        } else {
            job.run_serial(&mut gradients[0], energies, gradient);
        }
        let energy = energies.iter().fold(Energy::default(), |sum, &energy| sum + energy);
        arithmetic::corrected(energy, sigma, per_sigma)
    }

    fn choice(&self, want: Want) -> Choice {
        Choice { instruction_set: self.instruction_set, noise: self.noise, n_dims: self.n_dims, want }
    }

    /// Energy of all pairs (if wanted); `gradient` (N * D numbers, if wanted) is overwritten.
    fn run(&self, workspace: &mut Workspace, want: Want, x: &[f64], sigma: f64, gradient: &mut [f64]) -> PartialSums {
        assert_eq!(self.share, Share::WHOLE, "a share of a likelihood has no value of its own");
        self.prepare(workspace, x, sigma);
        self.run_branch(&self.sum_tree, workspace, want, sigma, gradient)
    }

    /// The locations in units of sigma, and no energies yet.
    fn prepare(&self, workspace: &mut Workspace, x: &[f64], sigma: f64) {
        assert_eq!(x.len(), self.n_objects * self.n_dims, "locations of another size");
        workspace.scaled.scale_from(x, self.n_dims, 1.0 / sigma, self.layout.interleaved());
        workspace.energies.clear();
        workspace.energies.resize(self.layout.chunks().len(), Energy::default());
    }

    /// The part of the sums that belongs to a branch of the tree.
    fn run_branch(
        &self,
        branch: &Branch,
        workspace: &mut Workspace,
        want: Want,
        sigma: f64,
        gradient: &mut [f64],
    ) -> PartialSums {
        if want.gradient() {
            assert_eq!(gradient.len(), self.n_objects * self.n_dims, "gradient of another size");
            gradient.fill(0.0);
        }
        if workspace.parallel && branch.chunks.len() > 1 {
            self.run_parallel(branch, workspace, want, sigma, gradient);
        } else {
            self.run_serial(branch, workspace, want, sigma, gradient);
        }
        let Energy { value, pull } = branch.total(&workspace.energies);
        PartialSums { energy: value, pull }
    }

    fn run_serial(&self, branch: &Branch, workspace: &mut Workspace, want: Want, sigma: f64, gradient: &mut [f64]) {
        let Workspace { scaled, gradients, energies, aside, .. } = workspace;
        if gradients.is_empty() {
            gradients.push(ChunkGradient::new());
        }
        let (scratch, chunks, objects) = (&mut gradients[0], self.layout.chunks(), 0..self.n_objects);
        let mut sums: Vec<_> = gradient.chunks_exact_mut(self.n_objects).collect();
        branch.sum_into(&mut sums, &objects, aside, &mut |index, sums| {
            if want.gradient() {
                scratch.zero_for(&chunks[index], self.n_dims, self.layout.interleaved());
            }
            energies[index] = self.layout.run_chunk(self.choice(want), index, scaled, 1.0 / sigma, scratch);
            for (dim, sums) in sums.iter_mut().enumerate() {
                fold(scratch, sums, dim, &objects, sigma);
            }
        });
    }

    fn run_parallel(&self, branch: &Branch, workspace: &mut Workspace, want: Want, sigma: f64, gradient: &mut [f64]) {
        let Workspace { scaled, gradients, energies, .. } = workspace;
        let (chunks, first) = (self.layout.chunks(), branch.chunks.start);
        gradients.resize_with(branch.chunks.len().max(gradients.len()), ChunkGradient::new);
        let gradients = &mut gradients[..branch.chunks.len()];
        let energies = &mut energies[branch.chunks.clone()];
        gradients.par_iter_mut().zip(energies.par_iter_mut()).enumerate().with_max_len(1).for_each(
            |(index, (scratch, energy))| {
                let index = first + index;
                if want.gradient() {
                    scratch.zero_for(&chunks[index], self.n_dims, self.layout.interleaved());
                }
                *energy = self.layout.run_chunk(self.choice(want), index, scaled, 1.0 / sigma, scratch);
            },
        );
        if want.gradient() {
            self.fold_all(branch, gradients, gradient, sigma);
        }
    }

    /// Adds the chunks of a branch along the tree for every object, whoever does it: the same bits as the serial run.
    fn fold_all(&self, branch: &Branch, chunks: &[ChunkGradient], gradient: &mut [f64], sigma: f64) {
        let fold_window = |aside: &mut Vec<f64>, (dim, window, sums): (usize, usize, &mut [f64])| {
            let objects = window * FOLD_WINDOW..window * FOLD_WINDOW + sums.len();
            branch.sum_into(&mut [sums], &objects, aside, &mut |index, sums| {
                fold(&chunks[index - branch.chunks.start], sums[0], dim, &objects, sigma);
            });
        };
        let windows = gradient
            .chunks_exact_mut(self.n_objects)
            .enumerate()
            .flat_map(|(dim, sums)| sums.chunks_mut(FOLD_WINDOW).enumerate().map(move |(w, sums)| (dim, w, sums)));
        let n_values: usize =
            self.layout.chunks()[branch.chunks.clone()].iter().map(|chunk| chunk.near.len() + chunk.far.len()).sum();
        if n_values * self.n_dims < FOLD_IN_PARALLEL {
            let mut aside = Vec::new();
            windows.for_each(|window| fold_window(&mut aside, window));
        } else {
            let windows: Vec<_> = windows.collect();
            windows.into_par_iter().for_each_init(Vec::new, fold_window);
        }
    }
}

/// # Panics
/// If the pairs cannot be used.
fn check_shape(n_objects: usize, n_dims: usize, pairs: &Pairs) {
    assert!(n_dims >= 1, "a map needs at least one dimension");
    assert_eq!(pairs.n_objects(), n_objects, "pairs of another number of objects");
}

/// Objects whose sums are collected by one thread.
const FOLD_WINDOW: usize = 4096;
/// Values to collect below which another visit to the thread pool costs more than it gains.
const FOLD_IN_PARALLEL: usize = 200_000;

/// Adds one chunk's gradient; the chain rule gives -1/sigma, because the kernels differentiate energy by x / sigma.
fn fold(chunk: &ChunkGradient, sums: &mut [f64], dim: usize, objects: &std::ops::Range<usize>, sigma: f64) {
    let factor = -1.0 / sigma;
    chunk.near.fold_into(sums, dim, objects, factor);
    chunk.far.fold_into(sums, dim, objects, factor);
}

/// Scratch memory of one evaluator; grows to what it needs once and is then reused.
pub struct Workspace {
    scaled: Arrays,
    gradients: Vec<ChunkGradient>,
    energies: Vec<Energy>,
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
            scaled: Arrays::new(),
            gradients: Vec::new(),
            energies: Vec::new(),
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
