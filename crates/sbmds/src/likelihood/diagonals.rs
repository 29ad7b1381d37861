//! Pairs (n, n + o) for a set of offsets o: band, dispersed and full couplings as one structure.
//!
//! Dissimilarities are stored tile by tile, in a tile diagonal by diagonal: `[tile][offset][row in tile]`. Both ends
//! of neighbouring pairs are then contiguous in memory for every offset.

use std::ops::Range;

use super::deltas::Deltas;
use super::density::{Energy, Expected, Formulas, PairDensity, Total, TotalOf};
use super::dispatch::{Choice, Kernel, dispatch};
use super::layout::{Chunk, ChunkGradient, Kernels, Layout, Scaled, pairs_per_chunk, relative, split_work};
use super::share::Share;
use super::simd::Simd;
use super::two_passes::TwoPasses;
use super::{Ask, Storage};

pub(super) struct Diagonals {
    pub(super) shape: Shape,
    deltas: Deltas,
    /// Where each tile starts in `deltas`.
    pub(super) tile_starts: Vec<usize>,
    chunks: Vec<Chunk>,
    /// The same with both ends in one array, for kernels that add to each end but once for many pairs.
    joint_chunks: Vec<Chunk>,
    chunk_tiles: Vec<ChunkTiles>,
    n_pairs: usize,
}

pub(super) struct ChunkTiles {
    pub(super) tiles: Range<usize>,
    pub(super) has_missing: bool,
}

/// Rows of a tile: eight AVX-512 vectors. Both ends of a band's tile stay in the first-level cache, and for offsets
/// far apart 32, 128 and 256 measured slower too.
pub(super) const TILE: usize = 64;

/// Which pairs there are.
pub(super) struct Shape {
    pub(super) n_objects: usize,
    /// Increasing.
    pub(super) offsets: Vec<usize>,
}

impl Shape {
    fn new(n_objects: usize, offsets: Vec<usize>) -> Self {
        debug_assert!(offsets.is_sorted_by(|a, b| a < b));
        debug_assert!(offsets.first().is_none_or(|&o| o > 0) && offsets.last().is_none_or(|&o| o < n_objects));
        Self { n_objects, offsets }
    }

    /// Whether the offsets are 1, 2, 3, ...: then neighbouring diagonals share their cache lines.
    pub(super) fn is_band(&self) -> bool {
        self.offsets.last().is_none_or(|&last| last == self.offsets.len())
    }

    /// Offsets that have at least one pair whose lower end is in the tile starting at row `first`.
    pub(super) fn offsets_at(&self, first: usize) -> &[usize] {
        &self.offsets[..self.offsets.partition_point(|&offset| first + offset < self.n_objects)]
    }

    /// How many of some neighbouring `offsets` lead from all rows before `end` to an object.
    #[inline(always)]
    pub(super) fn n_reaching(&self, offsets: &[usize], end: usize) -> usize {
        match offsets.last() {
            Some(last) if end + last > self.n_objects => {
                offsets.partition_point(|offset| end + offset <= self.n_objects)
            }
            _ => offsets.len(),
        }
    }

    /// Rows of the tile starting at `first` that have a partner at `offset`.
    #[inline(always)]
    fn rows_at(&self, first: usize, offset: usize) -> usize {
        TILE.min(self.n_objects - offset - first)
    }

    fn tile_starts(&self) -> Vec<usize> {
        let mut starts = vec![0];
        for first in (0..self.n_objects).step_by(TILE) {
            starts.push(starts[starts.len() - 1] + TILE * self.offsets_at(first).len());
        }
        starts
    }

    fn pairs_in_tile(&self, tile: usize) -> usize {
        let first = tile * TILE;
        self.offsets_at(first).iter().map(|&offset| self.rows_at(first, offset)).sum()
    }

    /// Fills one tile and counts the pairs that have a dissimilarity.
    fn fill_tile(&self, tile: usize, deltas: &mut [f64], dissimilarity: Ask) -> usize {
        let first = tile * TILE;
        let mut present = 0;
        for (diagonal, &offset) in deltas.chunks_exact_mut(TILE).zip(&self.offsets) {
            for row in 0..self.rows_at(first, offset) {
                diagonal[row] = dissimilarity(first + row, first + row + offset);
                present += usize::from(!diagonal[row].is_nan());
            }
        }
        present
    }

    /// The ends of the pairs whose lower end is in `near`. Those of a band keep their gradients apart (see
    /// [`ChunkGradient`]); elsewhere the two ends of a tile seldom meet, and one array leaves more of the cache.
    fn chunk(&self, near: Range<usize>) -> Chunk {
        if self.is_band() { Chunk { far: self.far_ends(&near), near } } else { self.joint_chunk(&near) }
    }

    fn joint_chunk(&self, near: &Range<usize>) -> Chunk {
        let far = self.far_ends(near);
        Chunk { near: 0..0, far: near.start.min(far.start)..far.end.max(near.end) }
    }

    fn far_ends(&self, near: &Range<usize>) -> Range<usize> {
        let (Some(smallest), Some(largest)) = (self.offsets.first(), self.offsets.last()) else { return 0..0 };
        let start = (near.start + smallest).min(self.n_objects);
        start..(near.end + largest).min(self.n_objects).max(start)
    }
}

impl Diagonals {
    /// `offsets`: strictly increasing, each in 1..n_objects. `dissimilarity(n, m)`: NaN = missing. Pairs outside of `share` are
    /// neither asked for nor held.
    pub(super) fn new(
        n_objects: usize,
        offsets: Vec<usize>,
        storage: Storage,
        share: Share,
        dissimilarity: Ask,
    ) -> Self {
        let shape = Shape::new(n_objects, offsets);
        let tile_starts = shape.tile_starts();
        let work: Vec<usize> = (0..tile_starts.len() - 1).map(|tile| shape.pairs_in_tile(tile)).collect();
        let span = shape.offsets.last().map_or(0, |last| last - shape.offsets[0]);
        let target = pairs_per_chunk(work.iter().sum(), n_objects, span);
        let runs = split_work(&work, target);
        let held = share.units(&runs);
        let tile_starts = relative(tile_starts, &held);
        let (deltas, present) = Deltas::build(storage, &tile_starts[held.start..=held.end], &|tile, deltas| {
            shape.fill_tile(held.start + tile, deltas, dissimilarity)
        });
        let is_missing = |tile: &usize| held.contains(tile) && present[tile - held.start] < work[*tile];
        let (mut chunks, mut joint_chunks, mut chunk_tiles) = (Vec::new(), Vec::new(), Vec::new());
        for tiles in runs {
            let near = tiles.start * TILE..n_objects.min(tiles.end * TILE);
            joint_chunks.push(shape.joint_chunk(&near));
            chunks.push(shape.chunk(near));
            let has_missing = tiles.clone().any(|tile| is_missing(&tile));
            chunk_tiles.push(ChunkTiles { tiles, has_missing });
        }
        let n_pairs = present.iter().sum();
        Self { shape, deltas, tile_starts, chunks, joint_chunks, chunk_tiles, n_pairs }
    }

    fn delta(&self, row: usize, offset_index: usize) -> f64 {
        self.deltas.get(self.tile_starts[row / TILE] + offset_index * TILE + row % TILE)
    }
}

impl Kernels<f32> for Diagonals {
    #[expect(clippy::misnamed_getters, reason = "single precision has chunks of its own")]
    fn chunks(&self) -> &[Chunk] {
        &self.joint_chunks
    }

    fn run_chunk(&self, choice: Choice, chunk: usize, scaled: Scaled<'_, f32>, out: &mut ChunkGradient<f32>) -> Energy {
        let (chunk, deltas) = (&self.chunk_tiles[chunk], self.deltas.single());
        dispatch(choice, TwoPasses { layout: self, deltas, chunk, n_dims: choice.n_dims, scaled, out })
    }
}

impl Kernels<f64> for Diagonals {
    fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    fn run_chunk(&self, choice: Choice, chunk: usize, scaled: Scaled<'_, f64>, out: &mut ChunkGradient) -> Energy {
        let chunk = &self.chunk_tiles[chunk];
        dispatch(choice, DiagonalsKernel { layout: self, chunk, n_dims: choice.n_dims, scaled, out })
    }
}

impl Layout for Diagonals {
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
        for (index, &offset) in self.shape.offsets.iter().enumerate() {
            let before = position.checked_sub(offset).map(|other| (other, self.delta(other, index)));
            let after =
                (position + offset < self.shape.n_objects).then(|| (position + offset, self.delta(position, index)));
            for (other, delta) in before.into_iter().chain(after) {
                if !delta.is_nan() && !visit(other, delta) {
                    return;
                }
            }
        }
    }
}

struct DiagonalsKernel<'a> {
    layout: &'a Diagonals,
    chunk: &'a ChunkTiles,
    n_dims: usize,
    scaled: Scaled<'a, f64>,
    out: &'a mut ChunkGradient<f64>,
}

impl Kernel for DiagonalsKernel<'_> {
    type Number = f64;

    #[inline(always)]
    fn run<S: Simd<Number = f64>, P: PairDensity<S>, const D: usize, const VALUE: bool, const GRADIENT: bool>(
        self,
        s: S,
        density: P,
    ) -> Energy {
        let Diagonals { shape, deltas, tile_starts, .. } = self.layout;
        let mut total = TotalOf::<S>::new(s);
        let mut widened = [0.0; Deltas::LONGEST_RUN];
        let is_band = shape.is_band();
        let x = self.scaled.x.origin();
        let (mut g_near, g_far) = self.out.origins();
        let mut g_near_stride = self.out.near.stride();
        let g_far_stride = self.out.far.stride();
        if !is_band {
            (g_near, g_near_stride) = (g_far, g_far_stride);
        }
        for tile in self.chunk.tiles.clone() {
            let first = tile * TILE;
            let mut start = tile_starts[tile];
            let offsets = shape.offsets_at(first);
            for (index, &offset) in offsets.iter().enumerate() {
                let rows = shape.rows_at(first, offset);
                let run = PairRun {
                    deltas: deltas.run(start..start + TILE, &mut widened),
                    x_near: x.wrapping_add(first),
                    x_far: x.wrapping_add(first + offset),
                    x_stride: self.scaled.x.stride(),
                    g_near: g_near.wrapping_add(first),
                    g_far: g_far.wrapping_add(first + offset),
                    g_near_stride,
                    g_far_stride,
                    n_dims: if D == 0 { self.n_dims } else { D },
                    per_sigma: s.splat(self.scaled.per_sigma),
                    to_next: offsets.get(index + 1).map_or(0, |next| next - offset),
                };
                start += TILE;
                let unmasked = if self.chunk.has_missing { 0 } else { rows / S::LANES * S::LANES };
                // SAFETY: `rows` pairs start here; arrays and tiles are padded to whole vectors, and deltas of
                // the padding are NaN, so that the masked form adds nothing for it.
                unsafe {
                    if is_band || !GRADIENT {
                        run.steps::<S, P, D, VALUE, GRADIENT, false, false>(s, density, 0..unmasked, &mut total);
                    } else {
                        run.steps::<S, P, D, VALUE, GRADIENT, false, true>(s, density, 0..unmasked, &mut total);
                    }
                    run.steps::<S, P, D, VALUE, GRADIENT, true, false>(s, density, unmasked..rows, &mut total);
                }
            }
        }
        if VALUE { total.energy(s) } else { Energy::default() }
    }
}

/// Consecutive pairs of one diagonal.
struct PairRun<V> {
    deltas: *const f64,
    x_near: *const f64,
    x_far: *const f64,
    x_stride: usize,
    g_near: *mut f64,
    g_far: *mut f64,
    g_near_stride: usize,
    g_far_stride: usize,
    n_dims: usize,
    per_sigma: V,
    /// How much further the far ends of the next diagonal are.
    to_next: usize,
}

impl<V: Copy> PairRun<V> {
    /// The pairs in `range`, which starts at a whole vector.
    ///
    /// # Safety
    /// Deltas, locations and gradients can be accessed for `range`, its end rounded up to whole vectors.
    #[inline(always)]
    unsafe fn steps<
        S: Simd<Number = f64, V = V>,
        P: PairDensity<S>,
        const D: usize,
        const VALUE: bool,
        const GRADIENT: bool,
        const MASKED: bool,
        const AHEAD: bool,
    >(
        &self,
        s: S,
        density: P,
        range: Range<usize>,
        total: &mut TotalOf<S>,
    ) {
        let mut i = range.start;
        while i < range.end {
            // SAFETY: the caller's promise.
            unsafe { self.step::<S, P, D, VALUE, GRADIENT, MASKED, AHEAD>(s, density, i, total) };
            i += S::LANES;
            if VALUE && i.is_multiple_of(S::LANES * TotalOf::<S>::VECTORS_PER_SETTLING) {
                total.settle(s);
            }
        }
        if VALUE && !i.is_multiple_of(S::LANES * TotalOf::<S>::VECTORS_PER_SETTLING) {
            total.settle(s);
        }
    }

    /// One vector of pairs, starting at the i-th.
    ///
    /// # Safety
    /// Deltas, locations and gradients can be accessed for `S::LANES` pairs from the i-th on.
    #[inline(always)]
    unsafe fn step<
        S: Simd<Number = f64, V = V>,
        P: PairDensity<S>,
        const D: usize,
        const VALUE: bool,
        const GRADIENT: bool,
        const MASKED: bool,
        const AHEAD: bool,
    >(
        &self,
        s: S,
        density: P,
        i: usize,
        total: &mut TotalOf<S>,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            let difference = |dim: usize| {
                let at = dim * self.x_stride + i;
                s.sub(s.load(self.x_near.add(at)), s.load(self.x_far.add(at)))
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
            let y = Expected { delta: s.load(self.deltas.add(i)), per_sigma: self.per_sigma };
            let derivative = density.pair::<VALUE, GRADIENT, MASKED>(s, (z2, S::Formulas::root(s, z2)), y, total);
            if GRADIENT {
                if AHEAD {
                    self.prefetch_next(s, i);
                }
                for dim in 0..self.n_dims {
                    let dx = if D > 0 { kept[dim] } else { difference(dim) };
                    let near = self.g_near.add(dim * self.g_near_stride + i);
                    let far = self.g_far.add(dim * self.g_far_stride + i);
                    s.store(near, s.mul_add(derivative, dx, s.load(near)));
                    s.store(far, s.neg_mul_add(derivative, dx, s.load(far)));
                }
            }
        }
    }

    /// Fetches the far ends of the next diagonal: they lie anywhere, so the processor cannot guess them.
    #[inline(always)]
    fn prefetch_next<S: Simd<Number = f64, V = V>>(&self, s: S, i: usize) {
        for dim in 0..self.n_dims {
            s.prefetch(self.x_far.wrapping_add(self.to_next + dim * self.x_stride + i));
            s.prefetch(self.g_far.wrapping_add(self.to_next + dim * self.g_far_stride + i));
        }
    }
}
