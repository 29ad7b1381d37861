//! The sparse BMDS log-likelihood and its gradient, as fast as the machine allows.
//!
//! [`Likelihood`] holds the coupled pairs with their dissimilarities, arranged for the kernels; it is immutable and
//! shared by all chains. A [`Workspace`] is the scratch memory of one chain. `reference` is the slow twin that says
//! the equations plainly.

mod anchored;
mod arrays;
mod connections;
mod deltas;
mod density;
mod diagonals;
mod dispatch;
mod graph;
mod landmarks;
mod layout;
mod log_likelihood;
mod mills;
mod new_object;
mod noise;
mod partners;
pub mod reference;
mod scratch;
mod simd;

use rayon::prelude::*;

use arrays::Arrays;
use density::Energy;
use diagonals::Diagonals;
use dispatch::{Choice, Want};
use graph::Graph;
use landmarks::Landmarks;
use layout::{ChunkGradient, Layout};

pub use anchored::{AnchorValue, Anchored};
pub use connections::{Connections, Underdetermined};
pub use log_likelihood::{Conditional, LogLikelihood, MapGradient, MapPoint, OwnParameters};
pub use new_object::NewObject;
pub use noise::Noise;
pub(crate) use noise::log_phi_cdf;
use partners::Partners;
pub use partners::{Derivatives, MOST_HESSIAN_DIMS, PartnerLists};
pub use scratch::Scratch;
pub use simd::InstructionSet;

use crate::Locations;
use crate::coupling::{PairShape, Pairs};
use crate::numeric::dot;

/// The coupled pairs and how dissimilarities scatter: everything the likelihood is made of, for a fixed dimension.
pub struct Likelihood {
    layout: Box<dyn Layout>,
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

/// The number type in which dissimilarities are kept. Arithmetic is always f64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Storage {
    /// 8 bytes per pair.
    #[default]
    F64,
    /// 4 bytes per pair, seven significant digits.
    F32,
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
        assert!(n_dims >= 1, "a map needs at least one dimension");
        assert_eq!(pairs.n_objects(), n_objects, "pairs of another number of objects");
        let layout: Box<dyn Layout> = match pairs.shape() {
            PairShape::Diagonals(offsets) => {
                Box::new(Diagonals::new(n_objects, offsets.to_vec(), storage, &dissimilarity))
            }
            PairShape::Landmarks(count) => Box::new(Landmarks::new(n_objects, count, storage, &dissimilarity)),
            PairShape::Graph(edges) => Box::new(Graph::new(n_objects, edges, storage, &dissimilarity)),
        };
        Self { layout, n_objects, n_dims, noise, instruction_set: InstructionSet::best() }
    }

    /// The same pairs with every dissimilarity divided by `unit`, in the same memory.
    pub fn in_unit(mut self, unit: f64) -> Self {
        self.layout.deltas_mut().divide_by(unit);
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
        self.log_likelihood_of(self.run(workspace, Want::Value, x, sigma, &mut []), sigma)
    }

    /// Energy (eq. 6): minus the log-likelihood without the normalising constants of the pairs.
    pub fn energy_at(&self, workspace: &mut Workspace, x: &[f64], sigma: f64) -> f64 {
        self.run(workspace, Want::Value, x, sigma, &mut []).value
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
        let energy = self.run(workspace, Want::Both, x, sigma, gradient);
        // Eq. 10, by Euler's identity.
        let along_x = dot(x, gradient);
        LikelihoodValue {
            log_likelihood: self.log_likelihood_of(energy, sigma),
            by_log_sigma: energy.pull - along_x - self.n_pairs() as f64,
        }
    }

    /// Eq. 6: the energy in units of sigma, plus the normalising constant of every pair used.
    fn log_likelihood_of(&self, energy: Energy, sigma: f64) -> f64 {
        -energy.value - self.n_pairs() as f64 * 0.5 * (2.0 * std::f64::consts::PI * sigma * sigma).ln()
    }

    fn choice(&self, want: Want) -> Choice {
        Choice { instruction_set: self.instruction_set, noise: self.noise, n_dims: self.n_dims, want }
    }

    /// Energy of all pairs (if wanted); `gradient` (N * D numbers, if wanted) is overwritten.
    fn run(&self, workspace: &mut Workspace, want: Want, x: &[f64], sigma: f64, gradient: &mut [f64]) -> Energy {
        assert_eq!(x.len(), self.n_objects * self.n_dims, "locations of another size");
        if want.gradient() {
            assert_eq!(gradient.len(), self.n_objects * self.n_dims, "gradient of another size");
            gradient.fill(0.0);
        }
        let n_chunks = self.layout.chunks().len();
        workspace.scaled.scale_from(x, self.n_dims, 1.0 / sigma, self.layout.interleaved());
        workspace.energies.resize(n_chunks, Energy::default());
        if workspace.parallel && n_chunks > 1 {
            self.run_parallel(workspace, want, sigma, gradient);
        } else {
            self.run_serial(workspace, want, sigma, gradient);
        }
        workspace.energies.iter().fold(Energy::default(), |sum, &energy| sum + energy)
    }

    fn run_serial(&self, workspace: &mut Workspace, want: Want, sigma: f64, gradient: &mut [f64]) {
        let Workspace { scaled, gradients, energies, .. } = workspace;
        if gradients.is_empty() {
            gradients.push(ChunkGradient::new());
        }
        let scratch = &mut gradients[0];
        for (index, chunk) in self.layout.chunks().iter().enumerate() {
            if want.gradient() {
                scratch.zero_for(chunk, self.n_dims, self.layout.interleaved());
            }
            energies[index] = self.layout.run_chunk(self.choice(want), index, scaled, 1.0 / sigma, scratch);
            if want.gradient() {
                for (dim, sums) in gradient.chunks_exact_mut(self.n_objects).enumerate() {
                    fold(scratch, sums, dim, &(0..self.n_objects), sigma);
                }
            }
        }
    }

    fn run_parallel(&self, workspace: &mut Workspace, want: Want, sigma: f64, gradient: &mut [f64]) {
        let Workspace { scaled, gradients, energies, .. } = workspace;
        let chunks = self.layout.chunks();
        gradients.resize_with(chunks.len().max(gradients.len()), ChunkGradient::new);
        let gradients = &mut gradients[..chunks.len()];
        gradients.par_iter_mut().zip(energies.par_iter_mut()).enumerate().with_max_len(1).for_each(
            |(index, (scratch, energy))| {
                if want.gradient() {
                    scratch.zero_for(&chunks[index], self.n_dims, self.layout.interleaved());
                }
                *energy = self.layout.run_chunk(self.choice(want), index, scaled, 1.0 / sigma, scratch);
            },
        );
        if !want.gradient() {
            return;
        }
        self.fold_all(gradients, gradient, sigma);
    }

    /// Adds all chunks in order for every object, whoever does it: the same bits as the serial run.
    fn fold_all(&self, chunks: &[ChunkGradient], gradient: &mut [f64], sigma: f64) {
        let fold_window = |dim: usize, window: usize, sums: &mut [f64]| {
            let objects = window * FOLD_WINDOW..window * FOLD_WINDOW + sums.len();
            for chunk in chunks {
                fold(chunk, sums, dim, &objects, sigma);
            }
        };
        let windows = gradient
            .chunks_exact_mut(self.n_objects)
            .enumerate()
            .flat_map(|(dim, sums)| sums.chunks_mut(FOLD_WINDOW).enumerate().map(move |(w, sums)| (dim, w, sums)));
        let n_values: usize = self.layout.chunks().iter().map(|chunk| chunk.near.len() + chunk.far.len()).sum();
        if n_values * self.n_dims < FOLD_IN_PARALLEL {
            windows.for_each(|(dim, window, sums)| fold_window(dim, window, sums));
        } else {
            let windows: Vec<_> = windows.collect();
            windows.into_par_iter().for_each(|(dim, window, sums)| fold_window(dim, window, sums));
        }
    }
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
            scratch: Scratch::default(),
            partners: Partners::default(),
            at: Vec::new(),
            parallel,
        }
    }
}
