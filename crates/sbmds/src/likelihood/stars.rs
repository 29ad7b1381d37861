//! Landmarks in two passes, as `two_passes` does it for diagonals.
//!
//! Pass 1 broadcasts a landmark and streams columns past it: derivatives are stored, the landmark's gradient is summed in
//! registers. Pass 2 keeps a vector of columns in registers and goes through the landmarks' derivatives.

use std::ops::Range;

use super::density::{Energy, Expected, Formulas, PairDensity, Total, TotalOf};
use super::dispatch::Kernel;
use super::landmarks::{BLOCK, Landmarks, columns_of};
use super::layout::{ChunkGradient, Scaled};
use super::pair_derivatives::Lines;
use super::simd::{Number, Simd};

/// Blocks of columns a landmark goes through before its gradient is summed over the lanes.
const BLOCKS: usize = 4;
/// Landmarks between the passes: sums of more single-precision numbers would be less accurate.
const MOST_LANDMARKS: usize = 64;

/// All pairs of a chunk.
pub(super) struct Stars<'a, T> {
    pub(super) layout: &'a Landmarks,
    pub(super) deltas: &'a [T],
    pub(super) blocks: Range<usize>,
    pub(super) n_dims: usize,
    pub(super) scaled: Scaled<'a, T>,
    pub(super) out: &'a mut ChunkGradient<T>,
}

impl<T: Number> Kernel for Stars<'_, T> {
    type Number = T;

    #[inline(always)]
    fn run<S: Simd<Number = T>, P: PairDensity<S>, const D: usize, const VALUE: bool, const GRADIENT: bool>(
        self,
        s: S,
        density: P,
    ) -> Energy {
        let mut total = TotalOf::<S>::new(s);
        let ChunkGradient { near, far, derivatives } = self.out;
        let derivatives =
            if GRADIENT { derivatives.lay_out(MOST_LANDMARKS, BLOCKS * BLOCK) } else { derivatives.lay_out(0, 0) };
        for first in self.blocks.clone().step_by(BLOCKS) {
            let blocks = first..self.blocks.end.min(first + BLOCKS);
            let patch = Patch {
                layout: self.layout,
                deltas: self.deltas,
                blocks: blocks.clone(),
                n_dims: if D == 0 { self.n_dims } else { D },
                x: (self.scaled.x.origin(), self.scaled.x.stride()),
                per_sigma: self.scaled.per_sigma,
                g_near: (near.origin_mut(), near.stride()),
                g_far: (far.origin_mut(), far.stride()),
                derivatives,
            };
            let n_landmarks = blocks.map(|block| patch.n_rows(block)).max().unwrap_or(0);
            for group in (0..n_landmarks).step_by(MOST_LANDMARKS) {
                let landmarks = group..n_landmarks.min(group + MOST_LANDMARKS);
                // SAFETY: all arrays hold the patch's objects and a vector more.
                unsafe {
                    for (line, landmark) in landmarks.clone().enumerate() {
                        patch.landmark::<S, P, D, VALUE, GRADIENT>(s, density, landmark, line, &mut total);
                    }
                    if GRADIENT {
                        patch.all_columns::<S, D>(s, landmarks);
                    }
                }
            }
        }
        if VALUE { total.energy(s) } else { Energy::default() }
    }
}

/// Blocks of columns that go through both passes together.
struct Patch<'a, T> {
    layout: &'a Landmarks,
    deltas: &'a [T],
    blocks: Range<usize>,
    n_dims: usize,
    /// Object 0, and the distance between dimensions; the same of the gradients.
    x: (*const T, usize),
    per_sigma: f64,
    g_near: (*mut f64, usize),
    g_far: (*mut f64, usize),
    /// A line per landmark, a column per object.
    derivatives: Lines<T>,
}

impl<T: Number> Patch<'_, T> {
    /// Landmarks that have a later object in the block.
    fn n_rows(&self, block: usize) -> usize {
        (self.layout.block_starts[block + 1] - self.layout.block_starts[block]) / BLOCK
    }

    #[inline(always)]
    unsafe fn broadcast<S: Simd<Number = T>>(&self, s: S, dim: usize, object: usize) -> S::V {
        // SAFETY: the caller's promise.
        unsafe { s.broadcast(*self.x.0.wrapping_add(dim * self.x.1 + object)) }
    }

    #[inline(always)]
    unsafe fn x<S: Simd<Number = T>>(&self, s: S, dim: usize, object: usize) -> S::V {
        // SAFETY: the caller's promise.
        unsafe { s.load(self.x.0.wrapping_add(dim * self.x.1 + object)) }
    }

    /// Pass 1 for one landmark.
    ///
    /// # Safety
    /// All arrays hold the patch's objects.
    #[inline(always)]
    unsafe fn landmark<
        S: Simd<Number = T>,
        P: PairDensity<S>,
        const D: usize,
        const VALUE: bool,
        const GRADIENT: bool,
    >(
        &self,
        s: S,
        density: P,
        landmark: usize,
        line: usize,
        total: &mut TotalOf<S>,
    ) {
        // SAFETY: the caller's promise; what is no pair has NaN for a dissimilarity.
        unsafe {
            let mut row = Row::<S, D> {
                landmark,
                x: [s.splat(0.0); D],
                gradient: [s.splat(0.0); D],
                per_sigma: s.splat(self.per_sigma),
            };
            for dim in 0..D {
                row.x[dim] = self.broadcast(s, dim, landmark);
            }
            for (index, block) in self.blocks.clone().enumerate() {
                let columns = columns_of(self.layout.n_objects, block);
                let derivatives = self.derivatives.origin.wrapping_add(line * self.derivatives.stride + index * BLOCK);
                // Columns up to the landmark itself are no pairs: start at the vector of the first that is.
                let first = if landmark < self.n_rows(block) {
                    (landmark + 1).saturating_sub(columns.start) / S::LANES * S::LANES
                } else {
                    columns.len().next_multiple_of(S::LANES)
                };
                if GRADIENT {
                    for i in (0..first).step_by(S::LANES) {
                        s.store(derivatives.add(i), s.splat(0.0));
                    }
                }
                let deltas = self.deltas.as_ptr().wrapping_add(self.layout.block_starts[block] + landmark * BLOCK);
                let whole = if self.layout.block_has_gaps[block] { first } else { columns.len() / S::LANES * S::LANES };
                let mut i = first;
                while i < columns.len() {
                    let (delta, object) = (s.load(deltas.wrapping_add(i)), columns.start + i);
                    let derivative = if i < whole {
                        self.pairs::<S, P, D, VALUE, GRADIENT, false>(s, density, &mut row, object, delta, total)
                    } else {
                        self.pairs::<S, P, D, VALUE, GRADIENT, true>(s, density, &mut row, object, delta, total)
                    };
                    if GRADIENT {
                        s.store(derivatives.add(i), derivative);
                    }
                    i += S::LANES;
                    if VALUE && (i / S::LANES).is_multiple_of(TotalOf::<S>::VECTORS_PER_SETTLING) {
                        total.settle(s);
                    }
                }
                if VALUE {
                    total.settle(s);
                }
            }
            if GRADIENT {
                self.add_gradient::<S, D>(s, &row, line);
            }
        }
    }

    /// One vector of pairs; returns their derivatives.
    ///
    /// # Safety
    /// All arrays hold these pairs.
    #[inline(always)]
    unsafe fn pairs<
        S: Simd<Number = T>,
        P: PairDensity<S>,
        const D: usize,
        const VALUE: bool,
        const GRADIENT: bool,
        const MASKED: bool,
    >(
        &self,
        s: S,
        density: P,
        row: &mut Row<S, D>,
        object: usize,
        delta: S::V,
        total: &mut TotalOf<S>,
    ) -> S::V {
        // SAFETY: the caller's promise.
        unsafe {
            let mut dx = [s.splat(0.0); D];
            let mut z2 = s.splat(S::Formulas::LEAST_SQUARE);
            for dim in 0..self.n_dims {
                let near = if D > 0 { row.x[dim] } else { self.broadcast(s, dim, row.landmark) };
                let difference = s.sub(near, self.x(s, dim, object));
                z2 = s.mul_add(difference, difference, z2);
                if D > 0 {
                    dx[dim] = difference;
                }
            }
            let y = Expected { delta, per_sigma: row.per_sigma };
            let derivative = density.pair::<VALUE, GRADIENT, MASKED>(s, (z2, S::Formulas::root(s, z2)), y, total);
            for dim in 0..D {
                row.gradient[dim] = s.mul_add(derivative, dx[dim], row.gradient[dim]);
            }
            derivative
        }
    }

    /// Adds a landmark's gradient; if the dimension is only known now, sums it from the derivatives stored.
    ///
    /// # Safety
    /// All arrays hold the patch's objects.
    #[inline(always)]
    unsafe fn add_gradient<S: Simd<Number = T>, const D: usize>(&self, s: S, row: &Row<S, D>, line: usize) {
        let columns = self.columns();
        // SAFETY: the caller's promise.
        unsafe {
            let derivatives = self.derivatives.origin.wrapping_add(line * self.derivatives.stride);
            for dim in 0..self.n_dims {
                let mut sum = s.splat(0.0);
                if D > 0 {
                    sum = row.gradient[dim];
                } else {
                    let near = self.broadcast(s, dim, row.landmark);
                    for i in (0..columns.len()).step_by(S::LANES) {
                        let difference = s.sub(near, self.x(s, dim, columns.start + i));
                        sum = s.mul_add(s.load(derivatives.add(i)), difference, sum);
                    }
                }
                *self.g_near.0.wrapping_add(dim * self.g_near.1 + row.landmark) += s.sum(sum);
            }
        }
    }

    fn columns(&self) -> Range<usize> {
        self.blocks.start * BLOCK..self.layout.n_objects.min(self.blocks.end * BLOCK)
    }

    /// Pass 2 for the derivatives of these landmarks.
    ///
    /// # Safety
    /// All arrays hold the patch's objects, and pass 1 was made for these landmarks.
    #[inline(always)]
    unsafe fn all_columns<S: Simd<Number = T>, const D: usize>(&self, s: S, landmarks: Range<usize>) {
        for object in self.columns().step_by(S::LANES) {
            // SAFETY: the caller's promise.
            unsafe {
                if D > 0 {
                    self.columns_at::<S, D>(s, object, landmarks.clone(), 0);
                } else {
                    for dim in 0..self.n_dims {
                        self.columns_at::<S, 1>(s, object, landmarks.clone(), dim);
                    }
                }
            }
        }
    }

    /// `D` dimensions from `first_dim` on of the vector of columns that starts at `object`.
    ///
    /// # Safety
    /// As for [`Patch::all_columns`].
    #[inline(always)]
    unsafe fn columns_at<S: Simd<Number = T>, const D: usize>(
        &self,
        s: S,
        object: usize,
        landmarks: Range<usize>,
        first_dim: usize,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut x = [s.splat(0.0); D];
            let mut gradient = [s.splat(0.0); D];
            for dim in 0..D {
                x[dim] = self.x(s, first_dim + dim, object);
            }
            let derivatives = self.derivatives.origin.wrapping_add(object - self.blocks.start * BLOCK);
            for (line, landmark) in landmarks.enumerate() {
                let derivative = s.load(derivatives.wrapping_add(line * self.derivatives.stride));
                for dim in 0..D {
                    let difference = s.sub(x[dim], self.broadcast(s, first_dim + dim, landmark));
                    gradient[dim] = s.mul_add(derivative, difference, gradient[dim]);
                }
            }
            for dim in 0..D {
                s.add_to(self.g_far.0.wrapping_add((first_dim + dim) * self.g_far.1 + object), gradient[dim]);
            }
        }
    }
}

/// A landmark while pass 1 goes through the columns.
struct Row<S: Simd, const D: usize> {
    landmark: usize,
    x: [S::V; D],
    gradient: [S::V; D],
    per_sigma: S::V,
}
