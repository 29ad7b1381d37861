//! Pairs of an arbitrary graph, each once, sorted by their lower end.
//!
//! Rows are padded to whole vectors, so that a row is a few vectors of column numbers and dissimilarities. The far
//! ends are gathered and scattered lane by lane.

use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::deltas::Deltas;
use super::density::{Energy, Expected, Formulas, PairDensity, Total, TotalOf};
use super::dispatch::{Choice, Kernel, dispatch};
use super::layout::{Chunk, ChunkGradient, Kernels, Layout, Scaled, pairs_per_chunk, split_work};
use super::neighbours::{BothEnds, Neighbours, SharedRows};
use super::share::Share;
use super::simd::{Number, Simd};
use super::{Ask, Storage};

pub(super) struct Graph {
    /// Where each row starts in `columns` and `deltas`; whole vectors.
    row_starts: Vec<usize>,
    columns: Vec<u32>,
    /// NaN in the padding.
    deltas: Deltas,
    chunks: Vec<Chunk>,
    n_pairs: usize,
    /// For each object the pairs in which it is the upper end; made when first asked for.
    lower_partners: OnceLock<LowerPartners>,
    /// The same pairs from both ends; made when single precision first computes with them.
    neighbours: OnceLock<Neighbours<f32>>,
    /// What these are made of where not all pairs are held.
    shared_rows: Option<SharedRows>,
}

/// Rows are whole vectors of any instruction set.
const MAX_LANES: usize = f64::MAX_LANES;

/// Rows of lower ends, and where their pair is stored.
struct LowerPartners {
    starts: Vec<usize>,
    /// (lower end, index into `deltas`)
    pairs: Vec<(u32, usize)>,
}

impl Graph {
    /// `edges`: (n, m) with n < m, strictly increasing. Pairs whose `dissimilarity(n, m)` is NaN are left out, and of the others
    /// those outside of `share` are not held.
    pub(super) fn new(
        n_objects: usize,
        edges: &[(u32, u32)],
        storage: Storage,
        share: Share,
        dissimilarity: Ask,
    ) -> Self {
        debug_assert!(edges.is_sorted_by(|a, b| a < b));
        let delta = |&(near, far): &(u32, u32)| dissimilarity(near as usize, far as usize);
        let rows = rows_of(n_objects, edges);
        let measured = |row: &Range<usize>| edges[row.clone()].iter().filter(|edge| !delta(edge).is_nan()).count();
        let work: Vec<usize> = rows.par_iter().map(measured).collect();
        let target = pairs_per_chunk(work.iter().sum(), n_objects, n_objects);
        let runs = split_work(&work, target);
        let held = share.units(&runs);
        let (mut row_starts, mut columns, mut deltas) = (vec![0], Vec::new(), Vec::new());
        for (row, edges_of_row) in rows.iter().enumerate() {
            let start = columns.len();
            let edges_of_row = if held.contains(&row) { edges_of_row.clone() } else { 0..0 };
            for edge in &edges[edges_of_row] {
                let delta = delta(edge);
                if !delta.is_nan() {
                    columns.push(edge.1);
                    deltas.push(delta);
                }
            }
            let padded = columns.len().next_multiple_of(MAX_LANES);
            // Padding points at a true partner, whose gradient it leaves alone.
            let repeated = columns[start..].first().copied().unwrap_or(0);
            columns.resize(padded, repeated);
            deltas.resize(padded, f64::NAN);
            row_starts.push(padded);
        }
        let chunk =
            |near: Range<usize>| Chunk { far: far_ends(&columns[row_starts[near.start]..row_starts[near.end]]), near };
        let chunks = runs.into_iter().map(chunk).collect();
        let deltas = Deltas::from_slice(storage, &deltas);
        let (lower_partners, neighbours) = (OnceLock::new(), OnceLock::new());
        let n_pairs = work[held].iter().sum();
        let shared_rows = (share != Share::WHOLE).then(|| SharedRows::new(n_objects, edges, storage, share, delta));
        Self { row_starts, columns, deltas, chunks, n_pairs, lower_partners, neighbours, shared_rows }
    }

    fn neighbours(&self) -> &Neighbours<f32> {
        self.neighbours.get_or_init(|| match &self.shared_rows {
            Some(rows) => rows.neighbours(),
            None => {
                let n_partners: Vec<usize> = (0..self.row_starts.len() - 1).map(|row| self.n_partners(row)).collect();
                Neighbours::new(&n_partners, Share::WHOLE, |object, visit| self.for_each_partner(object, visit))
            }
        })
    }

    fn n_partners(&self, object: usize) -> usize {
        let mut count = 0;
        self.for_each_partner(object, &mut |_, _| {
            count += 1;
            true
        });
        count
    }

    fn lower_partners(&self) -> &LowerPartners {
        self.lower_partners.get_or_init(|| {
            let n_objects = self.row_starts.len() - 1;
            let mut by_upper_end: Vec<Vec<(u32, usize)>> = vec![Vec::new(); n_objects];
            for row in 0..n_objects {
                for at in self.row_starts[row]..self.row_starts[row + 1] {
                    if !self.deltas.get(at).is_nan() {
                        by_upper_end[self.columns[at] as usize].push((row as u32, at));
                    }
                }
            }
            let mut starts = vec![0];
            starts.extend(by_upper_end.iter().scan(0, |end, pairs| {
                *end += pairs.len();
                Some(*end)
            }));
            LowerPartners { starts, pairs: by_upper_end.concat() }
        })
    }
}

/// Which of the sorted edges each object is the lower end of.
fn rows_of(n_objects: usize, edges: &[(u32, u32)]) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut row = |object: usize| {
        let length = edges[start..].partition_point(|edge| edge.0 as usize == object);
        start += length;
        start - length..start
    };
    (0..n_objects).map(&mut row).collect()
}

fn far_ends(columns: &[u32]) -> Range<usize> {
    let first = columns.iter().min().map_or(0, |&m| m as usize);
    let last = columns.iter().max().map_or(0, |&m| m as usize + 1);
    first..last
}

impl Kernels<f32> for Graph {
    fn chunks(&self) -> &[Chunk] {
        &self.neighbours().chunks
    }

    fn interleaved(&self) -> bool {
        true
    }

    fn run_chunk(&self, choice: Choice, chunk: usize, scaled: Scaled<'_, f32>, out: &mut ChunkGradient<f32>) -> Energy {
        let neighbours = self.neighbours();
        let objects = neighbours.chunks[chunk].near.clone();
        dispatch(choice, BothEnds { neighbours, objects, n_dims: choice.n_dims, scaled, out })
    }
}

impl Kernels<f64> for Graph {
    fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// A partner's coordinates then share a cache line.
    fn interleaved(&self) -> bool {
        true
    }

    fn run_chunk(&self, choice: Choice, chunk: usize, scaled: Scaled<'_, f64>, out: &mut ChunkGradient) -> Energy {
        let chunk = &self.chunks[chunk];
        dispatch(choice, GraphKernel { layout: self, chunk, n_dims: choice.n_dims, scaled, out })
    }
}

impl Layout for Graph {
    fn divide_by(&mut self, unit: f64) {
        self.neighbours = OnceLock::new();
        self.shared_rows.iter_mut().for_each(|rows| rows.divide_by(unit));
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
        let lower = self.lower_partners();
        let before = lower.pairs[lower.starts[position]..lower.starts[position + 1]].iter().copied();
        let after = (self.row_starts[position]..self.row_starts[position + 1]).map(|at| (self.columns[at], at));
        for (other, at) in before.chain(after) {
            let delta = self.deltas.get(at);
            if !delta.is_nan() && !visit(other as usize, delta) {
                return;
            }
        }
    }
}

struct GraphKernel<'a> {
    layout: &'a Graph,
    chunk: &'a Chunk,
    n_dims: usize,
    scaled: Scaled<'a, f64>,
    out: &'a mut ChunkGradient<f64>,
}

impl Kernel for GraphKernel<'_> {
    type Number = f64;

    #[inline(always)]
    fn run<S: Simd<Number = f64>, P: PairDensity<S>, const D: usize, const VALUE: bool, const GRADIENT: bool>(
        self,
        s: S,
        density: P,
    ) -> Energy {
        let Graph { row_starts, columns, deltas, .. } = self.layout;
        let n_dims = if D == 0 { self.n_dims } else { D };
        let mut total = TotalOf::<S>::new(s);
        let mut widened = [0.0; Deltas::LONGEST_RUN];
        let mut vectors = 0;
        let x = self.scaled.x.origin();
        let (g_near, g_far) = self.out.origins();
        for row in self.chunk.near.clone() {
            let mut star = Star {
                x_near: x.wrapping_add(row * n_dims),
                x_far: x,
                g_near: g_near.wrapping_add(row * n_dims),
                g_far,
                n_dims,
                near_gradient: [s.splat(0.0); D],
            };
            for start in (row_starts[row]..row_starts[row + 1]).step_by(MAX_LANES) {
                let deltas = deltas.run(start..start + MAX_LANES, &mut widened);
                for lanes in (0..MAX_LANES).step_by(S::LANES) {
                    let columns = &columns[start + lanes..start + lanes + S::LANES];
                    // SAFETY: rows are whole vectors, every column is an object of the chunk's far ends, and the
                    // padding's deltas are NaN.
                    unsafe {
                        let per_sigma = s.splat(self.scaled.per_sigma);
                        let y = Expected { delta: s.load(deltas.add(lanes)), per_sigma };
                        star.step::<S, P, VALUE, GRADIENT>(s, density, columns, y, &mut total);
                    }
                }
                vectors += MAX_LANES / S::LANES;
                if VALUE && vectors % TotalOf::<S>::VECTORS_PER_SETTLING == 0 {
                    total.settle(s);
                }
            }
            if GRADIENT {
                for dim in 0..D {
                    // SAFETY: the row is one of the chunk's near ends.
                    unsafe { *star.g_near.add(dim) += s.sum(star.near_gradient[dim]) };
                }
            }
        }
        if VALUE { total.energy(s) } else { Energy::default() }
    }
}

/// One object and its partners; all arrays are interleaved.
struct Star<V, const D: usize> {
    x_near: *const f64,
    x_far: *const f64,
    g_near: *mut f64,
    g_far: *mut f64,
    n_dims: usize,
    near_gradient: [V; D],
}

impl<V: Copy, const D: usize> Star<V, D> {
    /// One vector of pairs.
    ///
    /// # Safety
    /// `columns` holds `S::LANES` objects of the arrays.
    #[inline(always)]
    unsafe fn step<S: Simd<Number = f64, V = V>, P: PairDensity<S>, const VALUE: bool, const GRADIENT: bool>(
        &mut self,
        s: S,
        density: P,
        columns: &[u32],
        y: Expected<S>,
        total: &mut TotalOf<S>,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            let n_dims = self.n_dims;
            let (x_near, x_far, g_far) = (self.x_near, self.x_far, self.g_far);
            let far = |lane: usize| *columns.get_unchecked(lane) as usize * n_dims;
            let difference = |dim: usize| {
                let gathered = s.gather(x_far.wrapping_add(dim), columns.as_ptr(), n_dims);
                s.sub(s.splat(*x_near.add(dim)), gathered)
            };
            let mut kept = [s.splat(0.0); D];
            let mut z2 = s.splat(0.0);
            for dim in 0..n_dims {
                let dx = difference(dim);
                z2 = s.mul_add(dx, dx, z2);
                if D > 0 {
                    kept[dim] = dx;
                }
            }
            let derivative = density.pair::<VALUE, GRADIENT, true>(s, (z2, S::Formulas::root(s, z2)), y, total);
            if !GRADIENT {
                return;
            }
            if D > 0 {
                let mut pushes = [[0.0; MAX_LANES]; D];
                for dim in 0..D {
                    let push = s.mul(derivative, kept[dim]);
                    self.near_gradient[dim] = s.add(self.near_gradient[dim], push);
                    s.store(pushes[dim].as_mut_ptr(), push);
                }
                for lane in 0..S::LANES {
                    let g = g_far.wrapping_add(far(lane));
                    for dim in 0..D {
                        *g.add(dim) -= pushes[dim][lane];
                    }
                }
            } else {
                for dim in 0..n_dims {
                    let push = s.mul(derivative, difference(dim));
                    *self.g_near.add(dim) += s.sum(push);
                    let pushes = s.to_array(push, 0.0);
                    for lane in 0..S::LANES {
                        *g_far.wrapping_add(far(lane) + dim) -= pushes[lane];
                    }
                }
            }
        }
    }
}
