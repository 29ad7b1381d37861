//! Average linkage of the co-clustering, for runs with few objects.

use super::draw_labels::DrawLabels;
use super::together::counts_with_later;

/// More objects than this have too many pairs to hold.
pub(super) const MOST_OBJECTS: usize = 1_500;

/// Partitions that cut the hierarchy where groups share a cluster with probability 0.95, 0.9, ..., 0.05. Objects alone
/// are -1.
pub(super) fn cuts(draws: &DrawLabels) -> Vec<Vec<i32>> {
    let merges = average_linkage(draws);
    (1_u8..20).rev().map(|twentieths| cut(draws.n_objects(), &merges, f32::from(twentieths) / 20.0)).collect()
}

/// Two groups, each named by one of its objects, and the mean probability of their pairs.
struct Merge {
    ends: [usize; 2],
    probability: f32,
}

/// Merges by the chain of nearest neighbours (Murtagh 1983), which suits average linkage: in O(N^2), any order.
fn average_linkage(draws: &DrawLabels) -> Vec<Merge> {
    let n = draws.n_objects();
    let mut together = vec![0.0_f32; n * n];
    for a in 0..n {
        for (b, count) in (a + 1..).zip(counts_with_later(draws, a)) {
            let probability = count as f32 / draws.n_draws() as f32;
            (together[a * n + b], together[b * n + a]) = (probability, probability);
        }
    }
    let mut sizes = vec![1.0; n];
    let mut active: Vec<usize> = (0..n).collect();
    let (mut chain, mut merges) = (Vec::new(), Vec::with_capacity(n));
    while active.len() > 1 {
        let top = *chain.last().unwrap_or(&active[0]);
        if chain.is_empty() {
            chain.push(top);
        }
        let before = chain.len().checked_sub(2).map(|index| chain[index]);
        let nearest = nearest(&together[top * n..][..n], &active, top, before);
        if Some(nearest) != before {
            chain.push(nearest);
            continue;
        }
        chain.truncate(chain.len() - 2);
        let probability = together[top * n + nearest];
        merges.push(Merge { ends: [top, nearest], probability });
        // `nearest` stands for both from now on.
        for &other in active.iter().filter(|&&other| other != top && other != nearest) {
            let sum = sizes[top] * together[top * n + other] + sizes[nearest] * together[nearest * n + other];
            let mean = sum / (sizes[top] + sizes[nearest]);
            (together[nearest * n + other], together[other * n + nearest]) = (mean, mean);
        }
        sizes[nearest] += sizes[top];
        active.retain(|&other| other != top);
    }
    merges
}

/// The group most probably together with `top`; on a tie the one before it in the chain, or else the first.
fn nearest(together: &[f32], active: &[usize], top: usize, before: Option<usize>) -> usize {
    let mut best = before;
    for &other in active.iter().filter(|&&other| other != top) {
        if best.is_none_or(|best| together[other] > together[best]) {
            best = Some(other);
        }
    }
    best.unwrap_or(top)
}

fn cut(n_objects: usize, merges: &[Merge], probability: f32) -> Vec<i32> {
    let mut group_of: Vec<usize> = (0..n_objects).collect();
    fn find(group_of: &[usize], mut object: usize) -> usize {
        while group_of[object] != object {
            object = group_of[object];
        }
        object
    }
    for merge in merges.iter().filter(|merge| merge.probability >= probability) {
        let [a, b] = merge.ends.map(|end| find(&group_of, end));
        group_of[a.max(b)] = a.min(b);
    }
    let groups: Vec<usize> = (0..n_objects).map(|object| find(&group_of, object)).collect();
    let mut sizes = vec![0; n_objects];
    groups.iter().for_each(|&group| sizes[group] += 1);
    let mut numbers = vec![-1; n_objects];
    let large = (0..n_objects).filter(|&group| sizes[group] > 1);
    large.zip(0..).for_each(|(group, number)| numbers[group] = number);
    groups.iter().map(|&group| numbers[group]).collect()
}
