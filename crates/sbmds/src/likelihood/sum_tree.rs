//! The order in which chunks are added: a binary tree that the problem alone fixes.
//!
//! Chunks are grouped into at most [`MOST_LEAVES`] leaves, runs of neighbours that are added in order; the sum of a branch is the
//! sum of its left half plus that of its right half. Whoever has the chunks of a branch can add them without the others, so
//! threads and machines may share the chunks in any way and every sum keeps its bits.

use std::ops::Range;

use super::layout::Chunk;

/// Leaves at most: as many machines can share a likelihood.
pub(super) const MOST_LEAVES: usize = 1_024;

/// Neighbouring leaves of the tree: one, or two halves.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Branch {
    pub(super) leaves: Range<usize>,
    pub(super) chunks: Range<usize>,
    /// The objects its pairs touch: increasing ranges that neither meet nor overlap.
    objects: Vec<Range<usize>>,
    halves: Option<Box<[Branch; 2]>>,
}

/// The number of leaves of `n_chunks` chunks.
pub(super) fn n_leaves(n_chunks: usize) -> usize {
    n_chunks.min(MOST_LEAVES)
}

/// The chunks of neighbouring leaves.
pub(super) fn chunks_of(leaves: &Range<usize>, n_chunks: usize) -> Range<usize> {
    let start = |leaf: usize| leaf * n_chunks / n_leaves(n_chunks).max(1);
    start(leaves.start)..start(leaves.end)
}

impl Branch {
    /// The whole tree over `chunks`.
    pub(super) fn root(chunks: &[Chunk]) -> Self {
        Self::over(0..n_leaves(chunks.len()), chunks)
    }

    fn over(leaves: Range<usize>, all: &[Chunk]) -> Self {
        let chunks = chunks_of(&leaves, all.len());
        if leaves.len() <= 1 {
            let touched = all[chunks.clone()].iter().flat_map(|chunk| [chunk.near.clone(), chunk.far.clone()]);
            return Self { leaves, chunks, objects: union(touched.collect()), halves: None };
        }
        let middle = leaves.start.midpoint(leaves.end);
        let halves = [Self::over(leaves.start..middle, all), Self::over(middle..leaves.end, all)];
        let objects = union(halves.iter().flat_map(|half| half.objects.iter().cloned()).collect());
        Self { leaves, chunks, objects, halves: Some(Box::new(halves)) }
    }

    /// The branch of exactly these leaves.
    pub(super) fn of(&self, leaves: &Range<usize>) -> Option<&Branch> {
        if self.leaves == *leaves {
            return Some(self);
        }
        let [left, right] = &**self.halves.as_ref()?;
        if leaves.end <= left.leaves.end { left.of(leaves) } else { right.of(leaves) }
    }

    /// The sum of one number per chunk.
    pub(super) fn total<T: Copy + Default + std::ops::Add<Output = T>>(&self, of_chunks: &[T]) -> T {
        match &self.halves {
            Some(halves) => halves[0].total(of_chunks) + halves[1].total(of_chunks),
            None => of_chunks[self.chunks.clone()].iter().fold(T::default(), |sum, &value| sum + value),
        }
    }

    /// Makes `sums`, which are zero, the sum of the branch for the objects of `window`, one array for each of some dimensions.
    ///
    /// `add(chunk, sums)` adds a chunk. Where the halves share objects, the left sum waits in `aside` while the right one is made.
    pub(super) fn sum_into(
        &self,
        sums: &mut [&mut [f64]],
        window: &Range<usize>,
        aside: &mut Vec<f64>,
        add: &mut impl FnMut(usize, &mut [&mut [f64]]),
    ) {
        let Some(halves) = &self.halves else {
            self.chunks.clone().for_each(|chunk| add(chunk, sums));
            return;
        };
        let [left, right] = &**halves;
        if left.touches(window) {
            left.sum_into(sums, window, aside, add);
        }
        if !right.touches(window) {
            return;
        }
        let shared = shared(&left.objects, &right.objects, window);
        let mark = aside.len();
        for sums in sums.iter_mut() {
            for part in &shared {
                let part = &mut sums[part.start - window.start..part.end - window.start];
                aside.extend_from_slice(part);
                part.fill(0.0);
            }
        }
        right.sum_into(sums, window, aside, add);
        let mut left_sums = aside[mark..].iter();
        for sums in sums.iter_mut() {
            for part in &shared {
                let part = &mut sums[part.start - window.start..part.end - window.start];
                part.iter_mut().zip(&mut left_sums).for_each(|(right, left)| *right += left);
            }
        }
        aside.truncate(mark);
    }

    fn touches(&self, window: &Range<usize>) -> bool {
        self.objects.iter().any(|part| part.start < window.end && window.start < part.end)
    }
}

/// The same numbers as increasing ranges that neither meet nor overlap.
fn union(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// What lies in both lists and the window.
fn shared(a: &[Range<usize>], b: &[Range<usize>], window: &Range<usize>) -> Vec<Range<usize>> {
    let meet = |a: &Range<usize>, b: &Range<usize>| {
        let start = a.start.max(b.start).max(window.start);
        start..a.end.min(b.end).min(window.end)
    };
    a.iter().flat_map(|a| b.iter().map(|b| meet(a, b))).filter(|range| range.start < range.end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of different size, whose sum depends on the order.
    fn value(chunk: usize, object: usize, dim: usize) -> f64 {
        let k = (chunk * 31 + object * 7 + dim * 3) as f64;
        (k * 0.618_033_988_749_895).fract() * 10.0_f64.powi((chunk % 7) as i32 * 3 - 9)
    }

    /// Chunks of a band, of a wide coupling, and of landmarks.
    fn shapes(n_chunks: usize, n_objects: usize) -> [Vec<Chunk>; 3] {
        let cut = |k: usize| k * n_objects / n_chunks;
        let chunk = |near, far| Chunk { near, far };
        [
            (0..n_chunks).map(|k| chunk(cut(k)..cut(k + 1), cut(k)..n_objects.min(cut(k + 1) + 9))).collect(),
            (0..n_chunks).map(|k| chunk(0..0, cut(k)..n_objects)).collect(),
            (0..n_chunks).map(|k| chunk(0..5, cut(k)..cut(k + 1))).collect(),
        ]
    }

    fn add(chunks: &[Chunk], k: usize, window: &Range<usize>, first_dim: usize, sums: &mut [&mut [f64]]) {
        for (dim, sums) in sums.iter_mut().enumerate() {
            for ends in [&chunks[k].near, &chunks[k].far] {
                for object in ends.start.max(window.start)..ends.end.min(window.end) {
                    sums[object - window.start] += value(k, object, first_dim + dim);
                }
            }
        }
    }

    /// Both halves apart, then their sum: what the tree means.
    fn plain(branch: &Branch, chunks: &[Chunk], n_objects: usize) -> Vec<f64> {
        match &branch.halves {
            Some(halves) => {
                let [left, right] = [0, 1].map(|half| plain(&halves[half], chunks, n_objects));
                left.iter().zip(right).map(|(left, right)| left + right).collect()
            }
            None => {
                let mut sums = vec![0.0; 2 * n_objects];
                let (first, second) = sums.split_at_mut(n_objects);
                for k in branch.chunks.clone() {
                    add(chunks, k, &(0..n_objects), 0, &mut [&mut *first, &mut *second]);
                }
                sums
            }
        }
    }

    #[test]
    fn sums_are_those_of_the_halves_in_one_piece_and_in_windows() {
        const N_OBJECTS: usize = 300;
        for n_chunks in [1, 2, 3, 13, 64, 65, 1_025, 1_500] {
            for chunks in shapes(n_chunks, N_OBJECTS) {
                let root = Branch::root(&chunks);
                let expected = plain(&root, &chunks, N_OBJECTS);
                let mut aside = Vec::new();
                let mut whole = vec![0.0; 2 * N_OBJECTS];
                let window = 0..N_OBJECTS;
                let mut sums: Vec<_> = whole.chunks_exact_mut(N_OBJECTS).collect();
                root.sum_into(&mut sums, &window, &mut aside, &mut |k, sums| add(&chunks, k, &window, 0, sums));
                assert!(aside.is_empty() && whole == expected, "{n_chunks} chunks");
                for first in (0..N_OBJECTS).step_by(37) {
                    let window = first..N_OBJECTS.min(first + 37);
                    for dim in 0..2 {
                        let mut sums = vec![0.0; window.len()];
                        root.sum_into(&mut [&mut sums], &window, &mut aside, &mut |k, sums| {
                            add(&chunks, k, &window, dim, sums);
                        });
                        let start = dim * N_OBJECTS + first;
                        assert_eq!(sums, expected[start..start + window.len()], "{n_chunks} chunks, {window:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn ranges_are_joined_and_intersected() {
        assert_eq!(union(vec![5..9, 0..2, 2..4, 8..11, 20..20]), [0..4, 5..11]);
        let middle = std::slice::from_ref(&(3..8));
        assert_eq!(shared(&[0..4, 6..10], middle, &(0..7)), [3..4, 6..7]);
    }
}
