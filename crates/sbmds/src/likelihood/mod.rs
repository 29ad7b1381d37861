//! The sparse BMDS log-likelihood and its gradient, as fast as the machine allows.
//!
//! [`Likelihood`] holds the coupled pairs with their dissimilarities, arranged for the kernels; it is immutable and
//! shared by all chains. A [`Workspace`] is the scratch memory of one chain. `reference` is the slow twin that says
//! the equations plainly.

mod aligned;
mod anchored;
mod arithmetic;
mod arrays;
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
mod noise;
mod pair_derivatives;
mod partners;
pub mod reference;
mod scratch;
mod simd;
mod single;
mod stars;
mod two_passes;

use arithmetic::{Buffers, Computed};
use density::Energy;
use diagonals::Diagonals;
use dispatch::{Choice, Want};
use graph::Graph;
use job::Job;
use landmarks::Landmarks;
use layout::{ChunkGradient, Layout, Scaled};

pub use anchored::{AnchorValue, Anchored};
pub use arithmetic::Arithmetic;
pub use connections::{Connections, Underdetermined};
pub use log_likelihood::{Conditional, LogLikelihood, MapGradient, MapPoint, OwnParameters};
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
        self.value_in(Arithmetic::F64, workspace, x, sigma)
    }

    /// The same in this arithmetic.
    pub fn value_in(&self, arithmetic: Arithmetic, workspace: &mut Workspace, x: &[f64], sigma: f64) -> f64 {
        self.log_likelihood_of(self.run_in(arithmetic, workspace, Want::Value, x, sigma, &mut []), sigma)
    }

    /// Energy (eq. 6): minus the log-likelihood without the normalising constants of the pairs.
    pub fn energy_at(&self, workspace: &mut Workspace, x: &[f64], sigma: f64) -> f64 {
        self.run::<f64>(workspace, Want::Value, x, sigma, &mut []).value
    }

    /// [`Likelihood::gradient`] of N * D numbers, dimension by dimension.
    pub fn gradient_at(&self, workspace: &mut Workspace, x: &[f64], sigma: f64, gradient: &mut [f64]) {
        self.gradient_in(Arithmetic::F64, workspace, x, sigma, gradient);
    }

    /// The same in this arithmetic.
    pub fn gradient_in(
        &self,
        arithmetic: Arithmetic,
        workspace: &mut Workspace,
        x: &[f64],
        sigma: f64,
        gradient: &mut [f64],
    ) {
        self.run_in(arithmetic, workspace, Want::Gradient, x, sigma, gradient);
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

    /// The same in this arithmetic.
    pub fn evaluate_in(
        &self,
        arithmetic: Arithmetic,
        workspace: &mut Workspace,
        x: &[f64],
        sigma: f64,
        gradient: &mut [f64],
    ) -> LikelihoodValue {
        let energy = self.run_in(arithmetic, workspace, Want::Both, x, sigma, gradient);
        let along_x = || dot(x, gradient);
        let by_log_sigma = match arithmetic {
            Arithmetic::F64 => f64::by_log_sigma(energy, along_x),
            Arithmetic::F32 => f32::by_log_sigma(energy, along_x),
        };
        LikelihoodValue {
            log_likelihood: self.log_likelihood_of(energy, sigma),
            by_log_sigma: by_log_sigma - self.n_pairs() as f64,
        }
    }

    /// Eq. 6: the energy in units of sigma, plus the normalising constant of every pair used.
    fn log_likelihood_of(&self, energy: Energy, sigma: f64) -> f64 {
        -energy.value - self.n_pairs() as f64 * 0.5 * (2.0 * std::f64::consts::PI * sigma * sigma).ln()
    }

    fn choice(&self, want: Want) -> Choice {
        Choice { instruction_set: self.instruction_set, noise: self.noise, n_dims: self.n_dims, want }
    }

    fn run_in(
        &self,
        arithmetic: Arithmetic,
        workspace: &mut Workspace,
        want: Want,
        x: &[f64],
        sigma: f64,
        gradient: &mut [f64],
    ) -> Energy {
        match arithmetic {
            Arithmetic::F64 => self.run::<f64>(workspace, want, x, sigma, gradient),
            Arithmetic::F32 => self.run::<f32>(workspace, want, x, sigma, gradient),
        }
    }

    /// Energy of all pairs (if wanted); `gradient` (N * D numbers, if wanted) is overwritten.
    fn run<T: Computed>(
        &self,
        workspace: &mut Workspace,
        want: Want,
        x: &[f64],
        sigma: f64,
        gradient: &mut [f64],
    ) -> Energy
    where
        Workspace: HasBuffers<T>,
    {
        assert_eq!(x.len(), self.n_objects * self.n_dims, "locations of another size");
        if want.gradient() {
            assert_eq!(gradient.len(), self.n_objects * self.n_dims, "gradient of another size");
            gradient.fill(0.0);
        }
        let per_sigma = T::per_sigma(sigma);
        let kernels = T::kernels(&*self.layout);
        let n_chunks = kernels.chunks().len();
        let parallel = workspace.parallel && n_chunks > 1;
        let (Buffers { scaled, gradients }, energies) = workspace.buffers();
        T::scale(scaled, x, self.n_dims, per_sigma, kernels.interleaved());
        energies.resize(n_chunks, Energy::default());
        gradients.resize_with(gradients.len().max(if parallel { n_chunks } else { 1 }), ChunkGradient::new);
        let job = Job {
            kernels,
            choice: self.choice(want),
            scaled: Scaled { x: scaled, per_sigma },
            factor: T::gradient_factor(sigma, per_sigma),
            n_objects: self.n_objects,
        };
        if parallel {
            job.run_parallel(&mut gradients[..n_chunks], energies, gradient);
        } else {
            job.run_serial(&mut gradients[0], energies, gradient);
        }
        let energy = energies.iter().fold(Energy::default(), |sum, &energy| sum + energy);
        T::corrected(energy, sigma, per_sigma)
    }
}

/// Scratch memory of one evaluator; grows to what it needs once and is then reused.
pub struct Workspace {
    double: Buffers<f64>,
    single: Buffers<f32>,
    energies: Vec<Energy>,
    /// In which [`LogLikelihood::both`] and [`LogLikelihood::gradient`] are computed, if the likelihood has it; values alone are f64.
    pub arithmetic: Arithmetic,
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

    fn new(parallel: bool) -> Self {
        Self {
            double: Buffers::new(),
            single: Buffers::new(),
            energies: Vec::new(),
            arithmetic: Arithmetic::F64,
            scratch: Scratch::default(),
            partners: Partners::default(),
            at: Vec::new(),
            parallel,
        }
    }
}

/// The part of a workspace for one type of numbers, with the energies of the chunks.
trait HasBuffers<T> {
    fn buffers(&mut self) -> (&mut Buffers<T>, &mut Vec<Energy>);
}

impl HasBuffers<f64> for Workspace {
    fn buffers(&mut self) -> (&mut Buffers<f64>, &mut Vec<Energy>) {
        (&mut self.double, &mut self.energies)
    }
}

impl HasBuffers<f32> for Workspace {
    fn buffers(&mut self) -> (&mut Buffers<f32>, &mut Vec<Energy>) {
        (&mut self.single, &mut self.energies)
    }
}
