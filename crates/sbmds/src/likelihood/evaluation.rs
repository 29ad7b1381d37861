//! One evaluation: the chunks of a branch, on one thread or many, with the same bits.

use std::ops::Range;

use rayon::prelude::*;

use super::arithmetic::{Buffers, Precision};
use super::density::Energy;
use super::dispatch::Choice;
use super::layout::{ChunkGradient, Kernels, Scaled};
use super::sum_tree::Branch;
use super::{PartialSums, Workspace};

/// Objects whose sums are collected by one thread.
const FOLD_WINDOW: usize = 4096;
/// Values to collect below which another visit to the thread pool costs more than it gains.
const FOLD_IN_PARALLEL: usize = 200_000;

/// What is to be evaluated, with the memory for it.
pub(super) struct Evaluation<'a, T: Precision> {
    job: Job<'a, T>,
    gradients: &'a mut Vec<ChunkGradient<T>>,
    energies: &'a mut Vec<Energy>,
    aside: &'a mut Vec<f64>,
    parallel: bool,
}

impl<'a, T: Precision> Evaluation<'a, T> {
    /// At `x`, N * D numbers.
    pub(super) fn new(
        kernels: &'a dyn Kernels<T>,
        choice: Choice,
        workspace: &'a mut Workspace,
        x: &[f64],
        sigma: f64,
    ) -> Self {
        let parallel = workspace.parallel;
        let (Buffers { scaled, gradients, energies }, aside) = T::buffers(workspace);
        let per_sigma = T::per_sigma(sigma);
        T::scale(scaled, x, choice.n_dims, per_sigma, kernels.interleaved());
        energies.clear();
        energies.resize(kernels.chunks().len(), Energy::default());
        let job = Job {
            kernels,
            choice,
            scaled: Scaled { x: scaled, per_sigma },
            factor: T::gradient_factor(sigma, per_sigma),
            n_objects: x.len() / choice.n_dims,
        };
        Self { job, gradients, energies, aside, parallel }
    }

    /// The sums over a branch (if wanted); `gradient` (N * D numbers, if wanted) is overwritten.
    pub(super) fn run(&mut self, branch: &Branch, gradient: &mut [f64]) -> PartialSums {
        let Job { choice, n_objects, .. } = self.job;
        if choice.want.gradient() {
            assert_eq!(gradient.len(), n_objects * choice.n_dims, "gradient of another size");
            gradient.fill(0.0);
        }
        let parallel = self.parallel && branch.chunks.len() > 1;
        let n_gradients = if parallel { branch.chunks.len() } else { 1 };
        self.gradients.resize_with(self.gradients.len().max(n_gradients), ChunkGradient::new);
        if parallel {
            let energies = &mut self.energies[branch.chunks.clone()];
            self.job.run_parallel(branch, &mut self.gradients[..n_gradients], energies, gradient);
        } else {
            self.job.run_serial(branch, &mut self.gradients[0], self.energies, self.aside, gradient);
        }
        let Energy { value, pull } = branch.total(self.energies);
        PartialSums { energy: value, pull }
    }
}

/// What every chunk needs to know.
struct Job<'a, T: Precision> {
    kernels: &'a dyn Kernels<T>,
    choice: Choice,
    scaled: Scaled<'a, T>,
    /// From a chunk's gradient to that of the log-likelihood.
    factor: f64,
    n_objects: usize,
}

impl<T: Precision> Job<'_, T> {
    fn run_serial(
        &self,
        branch: &Branch,
        scratch: &mut ChunkGradient<T>,
        energies: &mut [Energy],
        aside: &mut Vec<f64>,
        gradient: &mut [f64],
    ) {
        let objects = 0..self.n_objects;
        let mut sums: Vec<_> = gradient.chunks_exact_mut(self.n_objects).collect();
        branch.sum_into(&mut sums, &objects, aside, &mut |index, sums| {
            energies[index] = self.run_chunk(index, scratch);
            for (dim, sums) in sums.iter_mut().enumerate() {
                self.fold(scratch, sums, dim, &objects);
            }
        });
    }

    fn run_parallel(
        &self,
        branch: &Branch,
        scratch: &mut [ChunkGradient<T>],
        energies: &mut [Energy],
        gradient: &mut [f64],
    ) {
        let first = branch.chunks.start;
        scratch
            .par_iter_mut()
            .zip(energies.par_iter_mut())
            .enumerate()
            .with_max_len(1)
            .for_each(|(index, (scratch, energy))| *energy = self.run_chunk(first + index, scratch));
        if self.choice.want.gradient() {
            self.fold_all(branch, scratch, gradient);
        }
    }

    fn run_chunk(&self, index: usize, scratch: &mut ChunkGradient<T>) -> Energy {
        if self.choice.want.gradient() {
            scratch.zero_for(&self.kernels.chunks()[index], self.choice.n_dims, self.kernels.interleaved());
        }
        self.kernels.run_chunk(self.choice, index, self.scaled, scratch)
    }

    /// Adds the chunks of a branch along the tree for every object, whoever does it: the same bits as the serial run.
    fn fold_all(&self, branch: &Branch, chunks: &[ChunkGradient<T>], gradient: &mut [f64]) {
        let fold_window = |aside: &mut Vec<f64>, (dim, window, sums): (usize, usize, &mut [f64])| {
            let objects = window * FOLD_WINDOW..window * FOLD_WINDOW + sums.len();
            branch.sum_into(&mut [sums], &objects, aside, &mut |index, sums| {
                self.fold(&chunks[index - branch.chunks.start], sums[0], dim, &objects);
            });
        };
        let windows = gradient
            .chunks_exact_mut(self.n_objects)
            .enumerate()
            .flat_map(|(dim, sums)| sums.chunks_mut(FOLD_WINDOW).enumerate().map(move |(w, sums)| (dim, w, sums)));
        let held = &self.kernels.chunks()[branch.chunks.clone()];
        let n_values: usize = held.iter().map(|chunk| chunk.near.len() + chunk.far.len()).sum();
        if n_values * self.choice.n_dims < FOLD_IN_PARALLEL {
            let mut aside = Vec::new();
            windows.for_each(|window| fold_window(&mut aside, window));
        } else {
            let windows: Vec<_> = windows.collect();
            windows.into_par_iter().for_each_init(Vec::new, fold_window);
        }
    }

    /// Adds one chunk's gradient.
    fn fold(&self, chunk: &ChunkGradient<T>, sums: &mut [f64], dim: usize, objects: &Range<usize>) {
        chunk.near.fold_into(sums, dim, objects, self.factor);
        chunk.far.fold_into(sums, dim, objects, self.factor);
    }
}
