//! What the three arrangements of pairs (diagonals, landmarks, graph) have in common: chunks.

use std::ops::Range;

use super::arrays::Arrays;
use super::density::Energy;
use super::dispatch::Choice;
use super::pair_derivatives::PairDerivatives;
use super::simd::Number;
use super::sum_tree::MOST_LEAVES;

/// Pairs of one coupling with their dissimilarities, arranged for a kernel.
///
/// The pairs are split into chunks by the problem alone, never by the number of threads: each chunk sums its gradient
/// in private memory and the chunks are added along a fixed tree (`sum_tree`), so that any number of threads gives the same bits.
pub(super) trait Layout: Send + Sync {
    /// Number of pairs with a dissimilarity.
    fn n_pairs(&self) -> usize;

    /// Measures the dissimilarities in another unit.
    fn divide_by(&mut self, unit: f64);

    /// The kernels in double precision.
    fn double(&self) -> &dyn Kernels<f64>;

    /// The kernels in single precision, if there are any.
    fn single(&self) -> Option<&dyn Kernels<f32>> {
        None
    }

    /// Calls back with the partners of the object at `position` and their dissimilarity until told `false`; missing pairs
    /// are left out.
    fn for_each_partner(&self, position: usize, visit: &mut dyn FnMut(usize, f64) -> bool);
}

/// The kernels of an arrangement that compute with numbers of one type.
pub(super) trait Kernels<T: Number>: Send + Sync {
    fn chunks(&self) -> &[Chunk];

    /// Whether the kernel wants the coordinates of an object side by side.
    fn interleaved(&self) -> bool {
        false
    }

    /// Energy of one chunk (if wanted), its gradient added to `near` and `far` (if wanted).
    fn run_chunk(&self, choice: Choice, chunk: usize, x: Scaled<'_, T>, out: &mut ChunkGradient<T>) -> Energy;
}

/// Locations in the unit of the kernels, and the factor that brings dissimilarities there.
pub(super) struct Scaled<'a, T> {
    pub(super) x: &'a Arrays<T>,
    pub(super) per_sigma: f64,
}

impl<T> Clone for Scaled<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Scaled<'_, T> {}

/// The objects at the two ends of a chunk's pairs; or none and those at either end, if both share one array.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chunk {
    pub(super) near: Range<usize>,
    pub(super) far: Range<usize>,
}

/// Gradient of one chunk with respect to scaled locations, always in f64, one part per end: with a single array the load for
/// one end would overlap the store just made for the other, and store forwarding would fail.
pub(super) struct ChunkGradient<T = f64> {
    pub(super) near: Arrays<f64>,
    pub(super) far: Arrays<f64>,
    /// Between the two passes of a kernel.
    pub(super) derivatives: PairDerivatives<T>,
}

impl<T: Number> ChunkGradient<T> {
    pub(super) fn new() -> Self {
        Self { near: Arrays::new(), far: Arrays::new(), derivatives: PairDerivatives::new() }
    }

    /// Origins of both parts, to write.
    pub(super) fn origins(&mut self) -> (*mut f64, *mut f64) {
        (self.near.origin_mut(), self.far.origin_mut())
    }

    pub(super) fn zero_for(&mut self, chunk: &Chunk, n_dims: usize, interleaved: bool) {
        for (part, objects, role) in [(&mut self.near, &chunk.near, 1), (&mut self.far, &chunk.far, 2)] {
            part.lay_out(objects.clone(), n_dims, role, interleaved);
            part.zero();
        }
    }
}

/// Splits `work` (pairs per unit, in order) into runs of about equally many pairs, at least `target` each.
pub(super) fn split_work(work: &[usize], target: usize) -> Vec<Range<usize>> {
    let total: usize = work.iter().sum();
    let n_runs = (total / target).max(1);
    let mut runs = Vec::with_capacity(n_runs);
    let (mut start, mut sum) = (0, 0);
    for (unit, pairs) in work.iter().enumerate() {
        sum += pairs;
        let is_last = runs.len() + 1 == n_runs;
        if !is_last && sum * n_runs >= (runs.len() + 1) * total {
            runs.push(start..unit + 1);
            start = unit + 1;
        }
    }
    runs.push(start..work.len());
    runs
}

/// Pairs below which entering the thread pool costs more than it gains.
pub(super) const SMALLEST_CHUNK: usize = 16_384;
/// A far end that spans most objects is zeroed and summed once per chunk: this many pairs per object keep that cheap.
const PAIRS_PER_SPANNED_OBJECT: usize = 24;
/// Enough for any machine to balance its load, and for as many machines as can share a likelihood.
pub(super) const MOST_WIDE_CHUNKS: usize = MOST_LEAVES;

/// Pairs per chunk for `n_pairs` pairs over `n_objects` objects whose far ends reach over `span` objects.
pub(super) fn pairs_per_chunk(n_pairs: usize, n_objects: usize, span: usize) -> usize {
    if 4 * span <= n_objects {
        return SMALLEST_CHUNK.max(PAIRS_PER_SPANNED_OBJECT * span);
    }
    let worthwhile = n_pairs / SMALLEST_CHUNK.max(PAIRS_PER_SPANNED_OBJECT * span);
    // A power of two: few chunks share out evenly among the usual numbers of cores.
    let n_chunks = (worthwhile.clamp(1, MOST_WIDE_CHUNKS) + 1).next_power_of_two() / 2;
    n_pairs.div_ceil(n_chunks.max(1))
}

/// Where units start in an array that begins with the first of `held`. What is not held starts beyond its end.
pub(super) fn relative(starts: Vec<usize>, held: &Range<usize>) -> Vec<usize> {
    let first = starts[held.start];
    starts.into_iter().map(|start| start.wrapping_sub(first)).collect()
}

/// The slices of `values` that begin at `starts`, the last of which is the end.
pub(super) fn parts_of<'a, T>(mut values: &'a mut [T], starts: &[usize]) -> Vec<&'a mut [T]> {
    let mut parts = Vec::with_capacity(starts.len());
    for bounds in starts.windows(2) {
        let (part, rest) = values.split_at_mut(bounds[1] - bounds[0]);
        parts.push(part);
        values = rest;
    }
    parts
}

#[cfg(test)]
// A single range is meant as such.
#[allow(clippy::single_range_in_vec_init)]
mod tests {
    use super::*;

    #[test]
    fn work_is_split_evenly_and_without_empty_runs() {
        assert_eq!(split_work(&[10; 10], 30), [0..4, 4..7, 7..10]);
        // Units without pairs do not make a run of their own.
        assert_eq!(split_work(&[10, 10, 0], 20), [0..3]);
        assert_eq!(split_work(&[10, 10, 0], 10), [0..1, 1..3]);
        assert_eq!(split_work(&[0, 0], 10), [0..2]);
        assert_eq!(split_work(&[], 10), [0..0]);
        assert_eq!(split_work(&[100, 1, 1], 30), [0..1, 1..2, 2..3]);
    }

    #[test]
    fn wide_couplings_get_a_power_of_two_of_chunks() {
        assert_eq!(pairs_per_chunk(100_000, 10_000, 9_000), 100_000);
        assert_eq!(pairs_per_chunk(500_000, 10_000, 9_998), 250_000);
        assert_eq!(pairs_per_chunk(49_995_000, 10_000, 9_998), 49_995_000_usize.div_ceil(128));
        assert_eq!(pairs_per_chunk(500_000, 10_000, 49), SMALLEST_CHUNK);
    }
}
