//! The part of a likelihood that one of several machines holds, and how the parts become one sum.

use std::ops::Range;

use super::sum_tree::{chunks_of, n_leaves};

/// One of `n_ranks` shares of a likelihood's chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Which one, from 0.
    pub rank: usize,
    /// Of how many.
    pub n_ranks: usize,
}

impl Share {
    /// Everything.
    pub const WHOLE: Self = Self { rank: 0, n_ranks: 1 };

    /// Nothing.
    pub(super) const NOTHING: Self = Self { rank: 0, n_ranks: usize::MAX };

    /// Its leaves of a tree of `n_leaves` leaves.
    fn leaves(self, n_leaves: usize) -> Range<usize> {
        self.rank * n_leaves / self.n_ranks..(self.rank + 1) * n_leaves / self.n_ranks
    }

    /// Its part of the units (tiles, blocks, rows) that chunks are made of.
    pub(super) fn units(self, chunks: &[Range<usize>]) -> Range<usize> {
        let held = &chunks[chunks_of(&self.leaves(n_leaves(chunks.len())), chunks.len())];
        held.first().map_or(0, |first| first.start)..held.last().map_or(0, |last| last.end)
    }
}

/// Which branches of the tree of sums the ranks send, and how these are joined.
///
/// A rank has neighbouring leaves and sends the sums of the fewest branches that are made of them: one if the number of ranks is a
/// power of two, a few otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    n_leaves: usize,
    /// The leaves of every branch sent, by rank.
    of_ranks: Vec<Vec<Range<usize>>>,
}

impl Parts {
    /// For a tree of `n_leaves` leaves on `n_ranks` ranks.
    pub fn new(n_leaves: usize, n_ranks: usize) -> Self {
        let of_rank = |rank| covering(&(0..n_leaves), &Share { rank, n_ranks }.leaves(n_leaves));
        Self { n_leaves, of_ranks: (0..n_ranks).map(of_rank).collect() }
    }

    /// How many leaves the tree has: ranks beyond have nothing to do.
    pub fn n_leaves(&self) -> usize {
        self.n_leaves
    }

    /// The leaves of each branch that a rank sends, from left to right.
    pub fn of(&self, rank: usize) -> &[Range<usize>] {
        &self.of_ranks[rank]
    }

    /// Adds the branches of all ranks along the tree: `sums[k]` is the k-th branch, rank after rank. The sum is in the first.
    pub fn join<T>(&self, sums: &mut [T], mut add: impl FnMut(&mut T, &T)) {
        if !sums.is_empty() {
            let branches: Vec<_> = self.of_ranks.iter().flatten().cloned().collect();
            join(&(0..self.n_leaves), &branches, sums, &mut add);
        }
    }
}

fn middle(leaves: &Range<usize>) -> usize {
    leaves.start.midpoint(leaves.end)
}

fn covering(branch: &Range<usize>, leaves: &Range<usize>) -> Vec<Range<usize>> {
    if branch.end <= leaves.start || leaves.end <= branch.start || branch.is_empty() {
        return Vec::new();
    }
    if leaves.start <= branch.start && branch.end <= leaves.end {
        return vec![branch.clone()];
    }
    let middle = middle(branch);
    let mut both = covering(&(branch.start..middle), leaves);
    both.extend(covering(&(middle..branch.end), leaves));
    both
}

/// Makes `sums[0]` the sum of `branch`, whose parts are all in `parts`.
fn join<T>(branch: &Range<usize>, parts: &[Range<usize>], sums: &mut [T], add: &mut impl FnMut(&mut T, &T)) {
    if parts[0] == *branch {
        return;
    }
    let middle = middle(branch);
    let n_left = parts.partition_point(|part| part.end <= middle);
    let (left, right) = sums.split_at_mut(n_left);
    join(&(branch.start..middle), &parts[..n_left], left, add);
    join(&(middle..branch.end), &parts[n_left..], right, add);
    add(&mut left[0], &right[0]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the tree means, leaf by leaf.
    fn plain(leaves: &Range<usize>, values: &[f64]) -> f64 {
        match leaves.len() {
            0 => 0.0,
            1 => values[leaves.start],
            _ => plain(&(leaves.start..middle(leaves)), values) + plain(&(middle(leaves)..leaves.end), values),
        }
    }

    #[test]
    fn any_number_of_ranks_makes_the_same_sum() {
        for n_leaves in [0, 1, 2, 5, 16, 63, 64] {
            let value = |k: usize| (k as f64 * 0.618_033_988_749_895).fract() * 10.0_f64.powi((k % 7) as i32 * 3 - 9);
            let values: Vec<f64> = (0..n_leaves).map(value).collect();
            let expected = plain(&(0..n_leaves), &values);
            for n_ranks in 1..=80 {
                let parts = Parts::new(n_leaves, n_ranks);
                let branches = (0..n_ranks).flat_map(|rank| parts.of(rank));
                let mut sums: Vec<f64> = branches.map(|leaves| plain(leaves, &values)).collect();
                parts.join(&mut sums, |left, right| *left += right);
                let sum = sums.first().copied().unwrap_or(0.0);
                assert_eq!(sum, expected, "{n_leaves} leaves on {n_ranks} ranks");
            }
        }
    }

    #[test]
    fn a_power_of_two_of_ranks_sends_one_branch_each() {
        for n_ranks in [1, 2, 4, 8, 16, 32, 64] {
            let parts = Parts::new(64, n_ranks);
            assert!((0..n_ranks).all(|rank| parts.of(rank).len() == 1), "{n_ranks} ranks");
        }
        let three = Parts::new(64, 3);
        assert_eq!([0, 1, 2].map(|rank| three.of(rank).len()), [3, 5, 3]);
    }
}
