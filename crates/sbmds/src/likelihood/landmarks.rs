//! Pairs (l, m), l < m, that touch one of the first L objects: the landmark couplings.
//!
//! Columns are cut into blocks; in a block one row per landmark: `[block][landmark][column in block]`. A landmark's
//! location is broadcast and its gradient stays in registers, while columns stream past.

use std::ops::Range;

use super::deltas::Deltas;
use super::density::{Energy, Expected, Formulas, PairDensity, Total, TotalOf};
use super::dispatch::{Choice, Kernel, dispatch};
use super::layout::{
    Chunk, ChunkGradient, Kernels, Layout, MOST_WIDE_CHUNKS, SMALLEST_CHUNK, Scaled, relative, split_work,
};
use super::share::Share;
use super::simd::Simd;
use super::stars::Stars;
use super::{Ask, Storage};

/// Columns of a block: their locations and gradients stay in the first-level cache.
pub(super) const BLOCK: usize = Deltas::LONGEST_RUN;
pub(super) struct Landmarks {
    pub(super) n_objects: usize,
    n_landmarks: usize,
    deltas: Deltas,
    /// Where each block starts in `deltas`.
    pub(super) block_starts: Vec<usize>,
    /// Whether a pair of the block's rectangle is missing or on or below the diagonal.
    pub(super) block_has_gaps: Vec<bool>,
    chunks: Vec<Chunk>,
    chunk_blocks: Vec<Range<usize>>,
    n_pairs: usize,
}

impl Landmarks {
    /// `dissimilarity(l, m)`: NaN = missing. Pairs outside of `share` are neither asked for nor held.
    pub(super) fn new(
        n_objects: usize,
        n_landmarks: usize,
        storage: Storage,
        share: Share,
        dissimilarity: Ask,
    ) -> Self {
        let n_blocks = n_objects.div_ceil(BLOCK);
        let rows: Vec<usize> = (0..n_blocks).map(|block| rows_of(n_objects, n_landmarks, block)).collect();
        let mut block_starts = vec![0];
        for rows in &rows {
            block_starts.push(block_starts[block_starts.len() - 1] + rows * BLOCK);
        }
        let work: Vec<usize> = rows.iter().map(|rows| rows * BLOCK).collect();
        let target = SMALLEST_CHUNK.max(work.iter().sum::<usize>().div_ceil(MOST_WIDE_CHUNKS));
        let chunk_blocks = split_work(&work, target);
        let held = share.units(&chunk_blocks);
        let block_starts = relative(block_starts, &held);
        let (deltas, present) = Deltas::build(storage, &block_starts[held.start..=held.end], &|block, deltas| {
            fill_block(columns_of(n_objects, held.start + block), deltas, dissimilarity)
        });
        let has_gaps = |block| held.contains(&block) && present[block - held.start] < work[block];
        let block_has_gaps = (0..n_blocks).map(has_gaps).collect();
        let chunks = chunk_blocks
            .iter()
            .map(|blocks| Chunk { near: 0..n_landmarks, far: blocks.start * BLOCK..n_objects.min(blocks.end * BLOCK) })
            .collect();
        let n_pairs = present.iter().sum();
        Self { n_objects, n_landmarks, deltas, block_starts, block_has_gaps, chunks, chunk_blocks, n_pairs }
    }

    /// The dissimilarity of landmark `landmark` and the later object `other`.
    fn delta(&self, landmark: usize, other: usize) -> f64 {
        self.deltas.get(self.block_starts[other / BLOCK] + landmark * BLOCK + other % BLOCK)
    }
}

pub(super) fn columns_of(n_objects: usize, block: usize) -> Range<usize> {
    block * BLOCK..n_objects.min((block + 1) * BLOCK)
}

/// Landmarks that have a later object in the block.
fn rows_of(n_objects: usize, n_landmarks: usize, block: usize) -> usize {
    n_landmarks.min(columns_of(n_objects, block).end - 1)
}

/// Fills one block and counts the pairs that have a dissimilarity.
fn fill_block(columns: Range<usize>, deltas: &mut [f64], dissimilarity: Ask) -> usize {
    let mut present = 0;
    for (landmark, row) in deltas.chunks_exact_mut(BLOCK).enumerate() {
        for other in columns.start.max(landmark + 1)..columns.end {
            let delta = dissimilarity(landmark, other);
            present += usize::from(!delta.is_nan());
            row[other - columns.start] = delta;
        }
    }
    present
}

impl Kernels<f32> for Landmarks {
    fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    fn run_chunk(&self, choice: Choice, chunk: usize, scaled: Scaled<'_, f32>, out: &mut ChunkGradient<f32>) -> Energy {
        let (blocks, deltas) = (self.chunk_blocks[chunk].clone(), self.deltas.single());
        dispatch(choice, Stars { layout: self, deltas, blocks, n_dims: choice.n_dims, scaled, out })
    }
}

impl Kernels<f64> for Landmarks {
    fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    fn run_chunk(&self, choice: Choice, chunk: usize, scaled: Scaled<'_, f64>, out: &mut ChunkGradient) -> Energy {
        let blocks = self.chunk_blocks[chunk].clone();
        dispatch(choice, LandmarksKernel { layout: self, blocks, n_dims: choice.n_dims, scaled, out })
    }
}

impl Layout for Landmarks {
    fn divide_by(&mut self, unit: f64) {
        self.deltas.divide_by(unit);
    }

    fn n_pairs(&self) -> usize {
        self.n_pairs
    }

    fn double(&self) -> &dyn Kernels<f64> {
        self
    }

    fn single(&self) -> Option<&dyn Kernels<f32>> {
        Some(self)
    }

    fn for_each_partner(&self, position: usize, visit: &mut dyn FnMut(usize, f64) -> bool) {
        let after = if position < self.n_landmarks { position + 1..self.n_objects } else { 0..0 };
        let before = (0..self.n_landmarks.min(position)).map(|landmark| (landmark, self.delta(landmark, position)));
        for (other, delta) in before.chain(after.map(|other| (other, self.delta(position, other)))) {
            if !delta.is_nan() && !visit(other, delta) {
                return;
            }
        }
    }
}

struct LandmarksKernel<'a> {
    layout: &'a Landmarks,
    blocks: Range<usize>,
    n_dims: usize,
    scaled: Scaled<'a, f64>,
    out: &'a mut ChunkGradient<f64>,
}

impl Kernel for LandmarksKernel<'_> {
    type Number = f64;

    #[inline(always)]
    fn run<S: Simd<Number = f64>, P: PairDensity<S>, const D: usize, const VALUE: bool, const GRADIENT: bool>(
        self,
        s: S,
        density: P,
    ) -> Energy {
        let Landmarks { n_objects, deltas, block_starts, block_has_gaps, .. } = self.layout;
        let mut total = TotalOf::<S>::new(s);
        let mut widened = [0.0; Deltas::LONGEST_RUN];
        let x = self.scaled.x.origin();
        let (g_near, g_far) = self.out.origins();
        for block in self.blocks.clone() {
            let columns = columns_of(*n_objects, block);
            for (landmark, start) in (block_starts[block]..block_starts[block + 1]).step_by(BLOCK).enumerate() {
                let row = Row {
                    deltas: deltas.run(start..start + BLOCK, &mut widened),
                    x_near: x.wrapping_add(landmark),
                    x_near_stride: self.scaled.x.stride(),
                    x_far: x.wrapping_add(columns.start),
                    x_far_stride: self.scaled.x.stride(),
                    g_near: g_near.wrapping_add(landmark),
                    g_near_stride: self.out.near.stride(),
                    g_far: g_far.wrapping_add(columns.start),
                    g_far_stride: self.out.far.stride(),
                    n_dims: if D == 0 { self.n_dims } else { D },
                    // Columns up to the landmark itself are no pairs: start at the vector of the first that is.
                    first: (landmark + 1).saturating_sub(columns.start) / S::LANES * S::LANES,
                    n_pairs: columns.len(),
                    has_gaps: block_has_gaps[block],
                };
                // SAFETY: the row's columns and padding to whole vectors exist in all arrays; what is no pair is NaN.
                unsafe { row.run::<S, P, D, VALUE, GRADIENT>(s, density, self.scaled.per_sigma, &mut total) };
            }
        }
        if VALUE { total.energy(s) } else { Energy::default() }
    }
}

/// One object against a run of contiguous others.
pub(super) struct Row {
    pub(super) deltas: *const f64,
    pub(super) x_near: *const f64,
    pub(super) x_near_stride: usize,
    pub(super) x_far: *const f64,
    pub(super) x_far_stride: usize,
    pub(super) g_near: *mut f64,
    pub(super) g_near_stride: usize,
    pub(super) g_far: *mut f64,
    pub(super) g_far_stride: usize,
    pub(super) n_dims: usize,
    pub(super) first: usize,
    pub(super) n_pairs: usize,
    /// Some of the deltas are NaN.
    pub(super) has_gaps: bool,
}

impl Row {
    /// All pairs of the row.
    ///
    /// # Safety
    /// Deltas, locations and gradients can be accessed for `n_pairs` others, rounded up to whole vectors, and
    /// deltas beyond `n_pairs` are NaN.
    #[inline(always)]
    pub(super) unsafe fn run<
        S: Simd<Number = f64>,
        P: PairDensity<S>,
        const D: usize,
        const VALUE: bool,
        const GRADIENT: bool,
    >(
        &self,
        s: S,
        density: P,
        per_sigma: f64,
        total: &mut TotalOf<S>,
    ) {
        // SAFETY: the caller's promise, for every access below.
        unsafe {
            let per_sigma = s.splat(per_sigma);
            let mut near = [s.splat(0.0); D];
            let mut near_gradient = [s.splat(0.0); D];
            for dim in 0..D {
                near[dim] = s.splat(*self.x_near.add(dim * self.x_near_stride));
            }
            let unmasked = if self.has_gaps { self.first } else { self.n_pairs / S::LANES * S::LANES };
            let mut vectors = 0;
            let mut i = self.first;
            while i < unmasked {
                self.step::<S, P, D, VALUE, GRADIENT, false>(
                    s,
                    density,
                    i,
                    per_sigma,
                    &near,
                    &mut near_gradient,
                    total,
                );
                i += S::LANES;
                vectors += 1;
                if VALUE && vectors % TotalOf::<S>::VECTORS_PER_SETTLING == 0 {
                    total.settle(s);
                }
            }
            while i < self.n_pairs {
                self.step::<S, P, D, VALUE, GRADIENT, true>(s, density, i, per_sigma, &near, &mut near_gradient, total);
                i += S::LANES;
                vectors += 1;
                if VALUE && vectors % TotalOf::<S>::VECTORS_PER_SETTLING == 0 {
                    total.settle(s);
                }
            }
            if VALUE && vectors % TotalOf::<S>::VECTORS_PER_SETTLING != 0 {
                total.settle(s);
            }
            if GRADIENT {
                for dim in 0..D {
                    *self.g_near.add(dim * self.g_near_stride) += s.sum(near_gradient[dim]);
                }
            }
        }
    }

    /// One vector of pairs, starting at the i-th.
    ///
    /// # Safety
    /// As for [`Row::run`].
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    unsafe fn step<
        S: Simd<Number = f64>,
        P: PairDensity<S>,
        const D: usize,
        const VALUE: bool,
        const GRADIENT: bool,
        const MASKED: bool,
    >(
        &self,
        s: S,
        density: P,
        i: usize,
        per_sigma: S::V,
        near: &[S::V; D],
        near_gradient: &mut [S::V; D],
        total: &mut TotalOf<S>,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            let difference = |dim: usize| {
                let x_near = if D > 0 { near[dim] } else { s.splat(*self.x_near.add(dim * self.x_near_stride)) };
                s.sub(x_near, s.load(self.x_far.add(dim * self.x_far_stride + i)))
            };
            let mut kept = [s.splat(0.0); D];
            let mut z2 = s.splat(0.0);
            for dim in 0..self.n_dims {
                let dx = difference(dim);
                z2 = s.mul_add(dx, dx, z2);
                if D > 0 {
                    kept[dim] = dx;
                }
            }
            let y = Expected { delta: s.load(self.deltas.add(i)), per_sigma };
            let derivative = density.pair::<VALUE, GRADIENT, MASKED>(s, (z2, S::Formulas::root(s, z2)), y, total);
            if GRADIENT {
                for dim in 0..self.n_dims {
                    let dx = if D > 0 { kept[dim] } else { difference(dim) };
                    let far = self.g_far.add(dim * self.g_far_stride + i);
                    s.store(far, s.neg_mul_add(derivative, dx, s.load(far)));
                    if D > 0 {
                        near_gradient[dim] = s.mul_add(derivative, dx, near_gradient[dim]);
                    } else {
                        *self.g_near.add(dim * self.g_near_stride) += s.sum(s.mul(derivative, dx));
                    }
                }
            }
        }
    }
}
