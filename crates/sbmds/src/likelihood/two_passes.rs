//! Diagonals in two passes without a gradient read, changed and written for every pair.
//!
//! Pass 1 keeps a vector of lower ends in registers and goes through the offsets: it computes the derivatives, stores them, and
//! sums the gradient of the lower ends. Pass 2 keeps a vector of upper ends in registers and goes through the offsets
//! again: the derivative of the pair (m - o, m) is one load away, so the gradient of the upper ends is a sum in registers too.

use std::ops::Range;

use super::density::{Energy, Expected, Formulas, PairDensity, Total, TotalOf};
use super::diagonals::{ChunkTiles, Diagonals, TILE};
use super::dispatch::Kernel;
use super::layout::{ChunkGradient, Scaled};
use super::pair_derivatives::Lines;
use super::simd::{Number, Simd};

/// Derivatives kept between the passes: they stay in the second-level cache.
const MOST_DERIVATIVES: usize = 65_536;
/// Offsets taken together: sums of more single-precision numbers would be less accurate.
const MOST_OFFSETS: usize = 64;
/// Rows of a block of neighbouring offsets, whose upper ends overlap in few rows already.
const BAND_ROWS: usize = 512;
/// Offsets far apart that should lead to the same upper ends from the rows of a block, at least.
const OVERLAP: usize = 8;
/// Rows of a block of offsets far apart, at least.
const FEWEST_ROWS: usize = 2_048;
/// Objects from which on locations are not all in the second-level cache; of offsets far apart the processor cannot guess
/// which it will need.
const FETCH_AHEAD_FROM: usize = 20_000;

/// All pairs of a chunk.
pub(super) struct TwoPasses<'a, T> {
    pub(super) layout: &'a Diagonals,
    pub(super) deltas: &'a [T],
    pub(super) chunk: &'a ChunkTiles,
    pub(super) n_dims: usize,
    pub(super) scaled: Scaled<'a, T>,
    pub(super) out: &'a mut ChunkGradient<T>,
}

impl<T: Number> TwoPasses<'_, T> {
    /// Rows and offsets of a block.
    fn block_shape(&self) -> (usize, usize) {
        let shape = &self.layout.shape;
        let n_offsets = shape.offsets.len().max(1);
        let n_rows = if shape.is_band() { BAND_ROWS } else { FEWEST_ROWS.max(OVERLAP * shape.n_objects / n_offsets) };
        let n_rows = n_rows.next_multiple_of(TILE).min(self.chunk.tiles.len() * TILE);
        (n_rows, (MOST_DERIVATIVES / n_rows).clamp(OVERLAP, MOST_OFFSETS).min(n_offsets))
    }
}

impl<T: Number> Kernel for TwoPasses<'_, T> {
    type Number = T;

    #[inline(always)]
    fn run<S: Simd<Number = T>, P: PairDensity<S>, const D: usize, const VALUE: bool, const GRADIENT: bool>(
        self,
        s: S,
        density: P,
    ) -> Energy {
        let shape = &self.layout.shape;
        let (n_rows, n_offsets) = self.block_shape();
        let mut total = TotalOf::<S>::new(s);
        let ChunkGradient { far, derivatives, .. } = self.out;
        let derivatives = if GRADIENT { derivatives.lay_out(n_offsets, n_rows) } else { derivatives.lay_out(0, 0) };
        let g = (far.origin_mut(), far.stride());
        let rows = self.chunk.tiles.start * TILE..shape.n_objects.min(self.chunk.tiles.end * TILE);
        for first in rows.clone().step_by(n_rows) {
            for group in (0..shape.offsets_at(first).len()).step_by(n_offsets) {
                let block = Block {
                    layout: self.layout,
                    deltas: self.deltas,
                    has_missing: self.chunk.has_missing,
                    rows: first..rows.end.min(first + n_rows),
                    offsets: &shape.offsets[group..shape.offsets.len().min(group + n_offsets)],
                    group,
                    n_dims: if D == 0 { self.n_dims } else { D },
                    fetches_ahead: !shape.is_band() && shape.n_objects > FETCH_AHEAD_FROM,
                    x: (self.scaled.x.origin(), self.scaled.x.stride()),
                    per_sigma: self.scaled.per_sigma,
                    g,
                    derivatives,
                };
                // SAFETY: all arrays hold these rows, their partners, and a vector of zeros before and after.
                unsafe {
                    for row in block.rows.clone().step_by(S::LANES) {
                        block.lower_ends::<S, P, D, VALUE, GRADIENT>(s, density, row, &mut total);
                    }
                    if GRADIENT {
                        block.end_lines(s);
                        block.all_upper_ends::<S, D>(s);
                    }
                }
            }
        }
        if VALUE { total.energy(s) } else { Energy::default() }
    }
}

/// Rows and offsets that go through both passes together.
struct Block<'a, T> {
    layout: &'a Diagonals,
    deltas: &'a [T],
    has_missing: bool,
    rows: Range<usize>,
    offsets: &'a [usize],
    /// Index of the first of these offsets among all.
    group: usize,
    n_dims: usize,
    /// Whether the upper ends of the next rows are fetched ahead.
    fetches_ahead: bool,
    /// Object 0, and the distance between dimensions; the same of the gradient.
    x: (*const T, usize),
    per_sigma: f64,
    g: (*mut f64, usize),
    derivatives: Lines<T>,
}

impl<T: Number> Block<'_, T> {
    /// Coordinate `dim` of `object` and those after it.
    #[inline(always)]
    unsafe fn x<S: Simd<Number = T>>(&self, s: S, dim: usize, object: usize) -> S::V {
        // SAFETY: the caller's promise.
        unsafe { s.load(self.x.0.wrapping_add(dim * self.x.1 + object)) }
    }

    /// Pass 1 for the vector of lower ends that starts at `row`.
    ///
    /// # Safety
    /// All arrays hold the block's pairs.
    #[inline(always)]
    unsafe fn lower_ends<
        S: Simd<Number = T>,
        P: PairDensity<S>,
        const D: usize,
        const VALUE: bool,
        const GRADIENT: bool,
    >(
        &self,
        s: S,
        density: P,
        row: usize,
        total: &mut TotalOf<S>,
    ) {
        let shape = &self.layout.shape;
        let start = self.layout.tile_starts[row / TILE] + self.group * TILE + row % TILE;
        let [some, whole] = [1, S::LANES].map(|lanes| shape.n_reaching(self.offsets, row + lanes));
        let whole = if self.has_missing { 0 } else { whole };
        // The next vector of lower ends has its dissimilarities here; they are many, and come from far.
        let next = self.layout.tile_starts[(row + S::LANES) / TILE] + self.group * TILE + (row + S::LANES) % TILE;
        let mut lower = LowerEnds::<S, D> {
            row,
            x: [s.splat(0.0); D],
            gradient: [s.splat(0.0); D],
            per_sigma: s.splat(self.per_sigma),
            deltas: self.deltas.as_ptr().wrapping_add(start),
            next_deltas: self.deltas.as_ptr().wrapping_add(next),
            derivatives: self.derivatives.origin.wrapping_add(row - self.rows.start),
        };
        // SAFETY: the caller's promise; dissimilarities beyond the last object are NaN.
        unsafe {
            for dim in 0..D {
                lower.x[dim] = self.x(s, dim, row);
            }
            // Square roots take long: that of the next offset is begun before the pairs of this one are finished.
            if whole > 0 {
                let mut next = self.distance::<S, D>(s, &lower, 0);
                for index in 0..whole {
                    let distance = std::mem::replace(&mut next, self.distance(s, &lower, (index + 1).min(whole - 1)));
                    self.pairs::<S, P, D, VALUE, GRADIENT, false>(s, density, &mut lower, distance, index, total);
                }
            }
            for index in whole..some {
                let distance = self.distance(s, &lower, index);
                self.pairs::<S, P, D, VALUE, GRADIENT, true>(s, density, &mut lower, distance, index, total);
            }
            if VALUE {
                total.settle(s);
            }
            if GRADIENT {
                for index in some..self.offsets.len() {
                    s.store(lower.derivatives.add(index * self.derivatives.stride), s.splat(0.0));
                }
                self.add_gradient::<S, D>(s, &lower, some);
            }
        }
    }

    /// The vectors between lower ends and their partners at the offset with this index.
    ///
    /// # Safety
    /// All arrays hold these pairs, or a vector of zeros beyond them.
    #[inline(always)]
    unsafe fn distance<S: Simd<Number = T>, const D: usize>(
        &self,
        s: S,
        lower: &LowerEnds<S, D>,
        index: usize,
    ) -> Distance<S, D> {
        // SAFETY: the caller's promise.
        unsafe {
            let upper = lower.row + *self.offsets.get_unchecked(index);
            let mut dx = [s.splat(0.0); D];
            let mut z2 = s.splat(S::Formulas::LEAST_SQUARE);
            for dim in 0..self.n_dims {
                let near = if D > 0 { lower.x[dim] } else { self.x(s, dim, lower.row) };
                let difference = s.sub(near, self.x(s, dim, upper));
                z2 = s.mul_add(difference, difference, z2);
                if D > 0 {
                    dx[dim] = difference;
                }
            }
            if self.fetches_ahead {
                for dim in 0..self.n_dims {
                    s.prefetch(self.x.0.wrapping_add(dim * self.x.1 + upper + S::LANES));
                }
            }
            Distance { dx, z2, z: S::Formulas::root(s, z2) }
        }
    }

    /// One vector of pairs, of the offset with this index.
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
        lower: &mut LowerEnds<S, D>,
        Distance { dx, z2, z }: Distance<S, D>,
        index: usize,
        total: &mut TotalOf<S>,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            let y = Expected { delta: s.load(lower.deltas.add(index * TILE)), per_sigma: lower.per_sigma };
            s.prefetch(lower.next_deltas.wrapping_add(index * TILE));
            let derivative = density.pair::<VALUE, GRADIENT, MASKED>(s, (z2, z), y, total);
            if GRADIENT {
                for dim in 0..D {
                    lower.gradient[dim] = s.mul_add(derivative, dx[dim], lower.gradient[dim]);
                }
                s.store(lower.derivatives.add(index * self.derivatives.stride), derivative);
            }
            if VALUE && (index + 1).is_multiple_of(TotalOf::<S>::VECTORS_PER_SETTLING) {
                total.settle(s);
            }
        }
    }

    /// Adds what pass 1 summed; if the dimension is only known now, sums it from the `count` derivatives stored.
    ///
    /// # Safety
    /// All arrays hold the block's pairs.
    #[inline(always)]
    unsafe fn add_gradient<S: Simd<Number = T>, const D: usize>(&self, s: S, lower: &LowerEnds<S, D>, count: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            for dim in 0..self.n_dims {
                let mut sum = s.splat(0.0);
                if D > 0 {
                    sum = lower.gradient[dim];
                } else {
                    let near = self.x(s, dim, lower.row);
                    for index in 0..count {
                        let difference = s.sub(near, self.x(s, dim, lower.row + self.offsets[index]));
                        sum =
                            s.mul_add(s.load(lower.derivatives.add(index * self.derivatives.stride)), difference, sum);
                    }
                }
                s.add_to(self.g.0.wrapping_add(dim * self.g.1 + lower.row), sum);
            }
        }
    }

    /// Zeros after the last row: a longer block before this one left its derivatives there.
    ///
    /// # Safety
    /// The lines hold the block's rows and a vector more.
    #[inline(always)]
    unsafe fn end_lines<S: Simd<Number = T>>(&self, s: S) {
        let end = self.derivatives.origin.wrapping_add(self.rows.len().next_multiple_of(S::LANES));
        for index in 0..self.offsets.len() {
            // SAFETY: the caller's promise.
            unsafe { s.store(end.add(index * self.derivatives.stride), s.splat(0.0)) };
        }
    }

    /// Pass 2.
    ///
    /// # Safety
    /// All arrays hold the block's pairs, and pass 1 was made for all rows.
    #[inline(always)]
    unsafe fn all_upper_ends<S: Simd<Number = T>, const D: usize>(&self, s: S) {
        let n_objects = self.layout.shape.n_objects;
        // Offsets that lead from a row of the block to one of the vector's objects.
        let (mut low, mut high) = (0, 0);
        let mut object = 0;
        loop {
            while high < self.offsets.len() && self.rows.start + self.offsets[high] < object + S::LANES {
                high += 1;
            }
            while low < high && self.rows.end + self.offsets[low] <= object {
                low += 1;
            }
            if low == high {
                let Some(offset) = self.offsets.get(high) else { return };
                object = (self.rows.start + offset) / S::LANES * S::LANES;
            } else {
                // SAFETY: the caller's promise; where a row is not of the block, its derivative is 0.
                unsafe {
                    if D > 0 {
                        self.upper_ends::<S, D>(s, object, low..high, 0);
                    } else {
                        for dim in 0..self.n_dims {
                            self.upper_ends::<S, 1>(s, object, low..high, dim);
                        }
                    }
                }
                object += S::LANES;
            }
            if object >= n_objects {
                return;
            }
        }
    }

    /// `D` dimensions from `first_dim` on of the vector of upper ends that starts at `object`.
    ///
    /// # Safety
    /// As for [`Block::all_upper_ends`].
    #[inline(always)]
    unsafe fn upper_ends<S: Simd<Number = T>, const D: usize>(
        &self,
        s: S,
        object: usize,
        offsets: Range<usize>,
        first_dim: usize,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut x = [s.splat(0.0); D];
            let mut gradient = [s.splat(0.0); D];
            for dim in 0..D {
                x[dim] = self.x(s, first_dim + dim, object);
            }
            // The derivative of the pair whose upper end is object 0 would be here.
            let derivatives = self.derivatives.origin.wrapping_sub(self.rows.start);
            for index in offsets {
                let row = object.wrapping_sub(*self.offsets.get_unchecked(index));
                let derivative = s.load(derivatives.wrapping_add(index * self.derivatives.stride).wrapping_add(row));
                for dim in 0..D {
                    let lower = self.x.0.wrapping_add((first_dim + dim) * self.x.1).wrapping_add(row);
                    gradient[dim] = s.mul_add(derivative, s.sub(x[dim], s.load(lower)), gradient[dim]);
                }
            }
            for dim in 0..D {
                s.add_to(self.g.0.wrapping_add((first_dim + dim) * self.g.1 + object), gradient[dim]);
            }
        }
    }
}

/// A vector of lower ends while pass 1 goes through the offsets.
struct LowerEnds<S: Simd, const D: usize> {
    row: usize,
    x: [S::V; D],
    gradient: [S::V; D],
    per_sigma: S::V,
    /// Of the first offset; those of the next are a tile further.
    deltas: *const S::Number,
    /// The same of the next vector of lower ends.
    next_deltas: *const S::Number,
    /// Of the first offset; those of the next are a line further.
    derivatives: *mut S::Number,
}

/// Where a vector of partners lies.
struct Distance<S: Simd, const D: usize> {
    /// Difference of the locations, dimension by dimension.
    dx: [S::V; D],
    z2: S::V,
    z: S::V,
}
