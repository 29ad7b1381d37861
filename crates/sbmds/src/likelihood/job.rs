//! One evaluation: all chunks, on one thread or many, with the same bits.

use rayon::prelude::*;

use super::density::Energy;
use super::dispatch::Choice;
use super::layout::{ChunkGradient, Kernels, Scaled};
use super::simd::Number;

/// Objects whose sums are collected by one thread.
const FOLD_WINDOW: usize = 4096;
/// Values to collect below which another visit to the thread pool costs more than it gains.
const FOLD_IN_PARALLEL: usize = 200_000;

/// What is to be evaluated.
pub(super) struct Job<'a, T: Number> {
    pub(super) kernels: &'a dyn Kernels<T>,
    pub(super) choice: Choice,
    pub(super) scaled: Scaled<'a, T>,
    /// From a chunk's gradient to that of the log-likelihood.
    pub(super) factor: f64,
    pub(super) n_objects: usize,
}

impl<T: Number> Job<'_, T> {
    pub(super) fn run_serial(&self, scratch: &mut ChunkGradient<T>, energies: &mut [Energy], gradient: &mut [f64]) {
        for (index, energy) in energies.iter_mut().enumerate() {
            *energy = self.run_chunk(index, scratch);
            if self.choice.want.gradient() {
                for (dim, sums) in gradient.chunks_exact_mut(self.n_objects).enumerate() {
                    self.fold(scratch, sums, dim, &(0..self.n_objects));
                }
            }
        }
    }

    pub(super) fn run_parallel(&self, scratch: &mut [ChunkGradient<T>], energies: &mut [Energy], gradient: &mut [f64]) {
        scratch
            .par_iter_mut()
            .zip(energies.par_iter_mut())
            .enumerate()
            .with_max_len(1)
            .for_each(|(index, (scratch, energy))| *energy = self.run_chunk(index, scratch));
        if self.choice.want.gradient() {
            self.fold_all(scratch, gradient);
        }
    }

    fn run_chunk(&self, index: usize, scratch: &mut ChunkGradient<T>) -> Energy {
        if self.choice.want.gradient() {
            scratch.zero_for(&self.kernels.chunks()[index], self.choice.n_dims, self.kernels.interleaved());
        }
        self.kernels.run_chunk(self.choice, index, self.scaled, scratch)
    }

    /// Adds all chunks in order for every object, whoever does it: the same bits as the serial run.
    fn fold_all(&self, chunks: &[ChunkGradient<T>], gradient: &mut [f64]) {
        let fold_window = |dim: usize, window: usize, sums: &mut [f64]| {
            let objects = window * FOLD_WINDOW..window * FOLD_WINDOW + sums.len();
            for chunk in chunks {
                self.fold(chunk, sums, dim, &objects);
            }
        };
        let windows = gradient
            .chunks_exact_mut(self.n_objects)
            .enumerate()
            .flat_map(|(dim, sums)| sums.chunks_mut(FOLD_WINDOW).enumerate().map(move |(w, sums)| (dim, w, sums)));
        let n_values: usize = self.kernels.chunks().iter().map(|chunk| chunk.near.len() + chunk.far.len()).sum();
        if n_values * self.choice.n_dims < FOLD_IN_PARALLEL {
            windows.for_each(|(dim, window, sums)| fold_window(dim, window, sums));
        } else {
            let windows: Vec<_> = windows.collect();
            windows.into_par_iter().for_each(|(dim, window, sums)| fold_window(dim, window, sums));
        }
    }

    /// Adds one chunk's gradient.
    fn fold(&self, chunk: &ChunkGradient<T>, sums: &mut [f64], dim: usize, objects: &std::ops::Range<usize>) {
        chunk.near.fold_into(sums, dim, objects, self.factor);
        chunk.far.fold_into(sums, dim, objects, self.factor);
    }
}
