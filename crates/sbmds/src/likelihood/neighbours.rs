//! A graph's pairs from both ends: every object with all its partners.
//!
//! Each pair is computed twice, so that nothing is scattered: a gradient is a sum over an object's own partners, written
//! once, by whichever thread. In single precision computing twice costs less than scattering once.

use std::ops::Range;

use super::Storage;
use super::aligned::Aligned;
use super::deltas::Deltas;
use super::density::{Energy, Expected, Formulas, PairDensity, Total, TotalOf};
use super::dispatch::Kernel;
use super::layout::{Chunk, ChunkGradient, SMALLEST_CHUNK, Scaled, split_work};
use super::share::Share;
use super::simd::{Number, Simd};

/// The partners of every object, each row padded to whole vectors.
pub(super) struct Neighbours<T> {
    /// Where each row starts in `columns` and `deltas`.
    row_starts: Vec<usize>,
    columns: Vec<u32>,
    /// NaN in the padding.
    deltas: Aligned<T>,
    pub(super) chunks: Vec<Chunk>,
}

impl<T: Number> Neighbours<T> {
    /// `for_each_partner(object, visit)` tells the partners of an object with their dissimilarities, of which every object has
    /// `n_partners`. Rows outside of `share` are empty.
    pub(super) fn new(
        n_partners: &[usize],
        share: Share,
        for_each_partner: impl Fn(usize, &mut dyn FnMut(usize, f64) -> bool),
    ) -> Self {
        let runs = split_work(n_partners, SMALLEST_CHUNK);
        let held = share.units(&runs);
        let (mut row_starts, mut columns, mut deltas) = (vec![0], Vec::new(), Vec::new());
        for object in 0..n_partners.len() {
            let start = columns.len();
            if held.contains(&object) {
                for_each_partner(object, &mut |other, delta| {
                    columns.push(other as u32);
                    deltas.push(T::from_f64(delta));
                    true
                });
            }
            // Padding points at a true partner, whose location it does not use.
            let repeated = columns[start..].first().copied().unwrap_or(0);
            columns.resize(columns.len().next_multiple_of(T::MAX_LANES), repeated);
            deltas.resize(columns.len(), T::from_f64(f64::NAN));
            row_starts.push(columns.len());
        }
        let chunks = runs.into_iter().map(|near| Chunk { near, far: 0..0 }).collect();
        let mut aligned = Aligned::new(deltas.len(), T::ZERO);
        aligned.copy_from_slice(&deltas);
        Self { row_starts, columns, deltas: aligned, chunks }
    }
}

/// What one of several machines holds of a graph's pairs as they are seen from both ends.
pub(super) struct SharedRows {
    share: Share,
    n_partners: Vec<usize>,
    /// The objects whose partners are held, and where their rows start.
    held: Range<usize>,
    starts: Vec<usize>,
    columns: Vec<u32>,
    deltas: Deltas,
}

impl SharedRows {
    /// `edges` as [`super::graph::Graph::new`] takes them, `delta` NaN where it is missing.
    pub(super) fn new(
        n_objects: usize,
        edges: &[(u32, u32)],
        storage: Storage,
        share: Share,
        delta: impl Fn(&(u32, u32)) -> f64 + Sync,
    ) -> Self {
        let measured = || edges.iter().map(|edge| (edge, delta(edge))).filter(|(_, delta)| !delta.is_nan());
        let mut n_partners = vec![0; n_objects];
        for (&(lower, upper), _) in measured() {
            n_partners[lower as usize] += 1;
            n_partners[upper as usize] += 1;
        }
        let held = share.units(&split_work(&n_partners, SMALLEST_CHUNK));
        let starts: Vec<usize> = [0].into_iter().chain(running_sums(&n_partners[held.clone()])).collect();
        let n_held = starts[starts.len() - 1];
        let (mut columns, mut deltas, mut ends) = (vec![0; n_held], vec![0.0; n_held], starts.clone());
        // Edges are sorted by their lower end: every row gets its lower partners first, as when all is held.
        for (&(lower, upper), delta) in measured() {
            for (object, partner) in [(lower, upper), (upper, lower)] {
                if held.contains(&(object as usize)) {
                    let at = &mut ends[object as usize - held.start];
                    (columns[*at], deltas[*at]) = (partner, delta);
                    *at += 1;
                }
            }
        }
        Self { share, n_partners, held, starts, columns, deltas: Deltas::from_slice(storage, &deltas) }
    }

    pub(super) fn divide_by(&mut self, unit: f64) {
        self.deltas.divide_by(unit);
    }

    pub(super) fn neighbours<T: Number>(&self) -> Neighbours<T> {
        Neighbours::new(&self.n_partners, self.share, |object, visit| {
            let row = object - self.held.start;
            for at in self.starts[row]..self.starts[row + 1] {
                visit(self.columns[at] as usize, self.deltas.get(at));
            }
        })
    }
}

fn running_sums(numbers: &[usize]) -> impl Iterator<Item = usize> {
    numbers.iter().scan(0, |sum, number| {
        *sum += number;
        Some(*sum)
    })
}

/// All pairs of the objects of a chunk.
pub(super) struct BothEnds<'a, T> {
    pub(super) neighbours: &'a Neighbours<T>,
    pub(super) objects: Range<usize>,
    pub(super) n_dims: usize,
    pub(super) scaled: Scaled<'a, T>,
    pub(super) out: &'a mut ChunkGradient<T>,
}

impl<T: Number> Kernel for BothEnds<'_, T> {
    type Number = T;

    #[inline(always)]
    fn run<S: Simd<Number = T>, P: PairDensity<S>, const D: usize, const VALUE: bool, const GRADIENT: bool>(
        self,
        s: S,
        density: P,
    ) -> Energy {
        let Neighbours { row_starts, columns, deltas, .. } = self.neighbours;
        let n_dims = if D == 0 { self.n_dims } else { D };
        let (g, _) = self.out.origins();
        let x = self.scaled.x.origin();
        let mut total = TotalOf::<S>::new(s);
        for object in self.objects.clone() {
            let mut gradient = [s.splat(0.0); D];
            let row = row_starts[object]..row_starts[object + 1];
            for (vector, start) in row.clone().step_by(S::LANES).enumerate() {
                // SAFETY: rows are whole vectors, every column is an object, and the padding's deltas are NaN.
                unsafe {
                    let columns = columns.as_ptr().add(start);
                    let delta = s.load(deltas.as_ptr().add(start));
                    let y = Expected { delta, per_sigma: s.splat(self.scaled.per_sigma) };
                    // Of two dimensions from `dim` on; beyond the last is no matter.
                    let differences = |dim: usize| {
                        let near = |dim: usize| s.broadcast(*x.wrapping_add(object * n_dims + dim));
                        let (first, second) = s.gather_two(x.wrapping_add(dim), columns, n_dims);
                        (s.sub(near(dim), first), s.sub(near(dim + 1), second))
                    };
                    let mut dx = [s.splat(0.0); D];
                    let mut z2 = s.splat(S::Formulas::LEAST_SQUARE);
                    for dim in (0..n_dims).step_by(2) {
                        let (first, second) = differences(dim);
                        z2 = s.mul_add(first, first, z2);
                        if dim + 1 < n_dims {
                            z2 = s.mul_add(second, second, z2);
                        }
                        if D > 0 {
                            dx[dim] = first;
                            if dim + 1 < D {
                                dx[dim + 1] = second;
                            }
                        }
                    }
                    // Of a vector's lanes only the padding's are masked.
                    let derivative =
                        density.pair::<VALUE, GRADIENT, true>(s, (z2, S::Formulas::root(s, z2)), y, &mut total);
                    if GRADIENT && D == 0 {
                        for dim in (0..n_dims).step_by(2) {
                            let (first, second) = differences(dim);
                            *g.wrapping_add(object * n_dims + dim) += s.sum(s.mul(derivative, first));
                            if dim + 1 < n_dims {
                                *g.wrapping_add(object * n_dims + dim + 1) += s.sum(s.mul(derivative, second));
                            }
                        }
                    }
                    for dim in 0..D {
                        gradient[dim] = s.mul_add(derivative, dx[dim], gradient[dim]);
                    }
                }
                if VALUE && (vector + 1).is_multiple_of(TotalOf::<S>::VECTORS_PER_SETTLING) {
                    total.settle(s);
                }
            }
            if VALUE {
                total.settle(s);
            }
            if GRADIENT {
                for dim in 0..D {
                    // SAFETY: the object is one of the chunk.
                    unsafe { *g.wrapping_add(object * n_dims + dim) += s.sum(gradient[dim]) };
                }
            }
        }
        if !VALUE {
            return Energy::default();
        }
        let Energy { value, pull } = total.energy(s);
        Energy { value: 0.5 * value, pull: 0.5 * pull }
    }
}
