//! Who shares a cluster with whom, for any number of objects: mean probabilities between bins of objects, in consensus order.

use serde::Serialize;

use super::pack;
use crate::cluster::DrawLabels;

/// About this many bins: a screen shows no more.
const BINS: usize = 200;
/// More groups than this do not get bins of their own.
const MOST_GROUPS: usize = 100;
/// The probability 1 in 16 bits.
const ONE: f64 = 65_535.0;

/// Mean co-clustering probabilities between bins.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeatMap {
    /// The objects in the order shown: by consensus cluster, noise last, the surest first in each.
    #[serde(serialize_with = "pack::u32s")]
    pub order: Vec<u32>,
    /// Where each bin ends in this order.
    pub ends: Vec<usize>,
    /// Mean probability that an object of one bin and another of the other share a cluster, in steps of 1/65,535: upper
    /// triangle with its diagonal, row by row. A bin of one object has on the diagonal its probability of being in a cluster.
    #[serde(serialize_with = "pack::u16s")]
    pub together: Vec<u16>,
}

impl HeatMap {
    /// Of the draws' labels, ordered by a partition (noise -1) and its confidence.
    pub(super) fn new(draws: &DrawLabels, partition: &[i32], confidence: &[f64]) -> Self {
        let mut order: Vec<u32> = (0..).take(partition.len()).collect();
        // Noise, -1, becomes the largest.
        let group = |object: u32| partition[object as usize] as u32;
        order.sort_by(|&a, &b| {
            let surer_first = confidence[b as usize].total_cmp(&confidence[a as usize]);
            group(a).cmp(&group(b)).then(surer_first).then(a.cmp(&b))
        });
        let sizes: Vec<usize> = order.chunk_by(|&a, &b| group(a) == group(b)).map(<[u32]>::len).collect();
        let ends = bin_ends(&sizes, partition.len());
        let together = mean_together(draws, &order, &ends).into_iter().map(|p| (p * ONE).round() as u16).collect();
        Self { order, ends, together }
    }
}

/// Cuts groups into bins of nearly equal size, about [`BINS`] in all; no bin has objects of two groups unless there are
/// very many groups.
fn bin_ends(sizes: &[usize], n_objects: usize) -> Vec<usize> {
    let whole = [n_objects];
    let sizes = if sizes.len() > MOST_GROUPS { &whole } else { sizes };
    let largest = n_objects.div_ceil(BINS).max(1);
    let mut ends = Vec::new();
    let mut start = 0;
    for &size in sizes {
        let n_bins = size.div_ceil(largest);
        ends.extend((1..=n_bins).map(|bin| start + bin * size / n_bins));
        start += size;
    }
    ends
}

/// The mean over pairs of the share of draws in which they are together: from the number of objects of each bin in each
/// cluster of each draw, so that no pair is looked at.
fn mean_together(draws: &DrawLabels, order: &[u32], ends: &[usize]) -> Vec<f64> {
    let n_bins = ends.len();
    let row_start = |row: usize| row * n_bins - row * row.saturating_sub(1) / 2;
    let mut pairs = vec![0.0; n_bins * (n_bins + 1) / 2];
    for (number, labels) in draws.iter().enumerate() {
        for bins in bins_of_clusters(labels, order, ends, draws.n_clusters(number)) {
            for (index, &(row, count)) in bins.iter().enumerate() {
                let start = row_start(row);
                pairs[start] += count * (count - 1.0);
                for &(column, other) in &bins[index + 1..] {
                    pairs[start + column - row] += count * other;
                }
            }
        }
    }
    let size = |bin: usize| (ends[bin] - if bin == 0 { 0 } else { ends[bin - 1] }) as f64;
    let n_draws = draws.n_draws().max(1) as f64;
    for row in 0..n_bins {
        let start = row_start(row);
        for column in row..n_bins {
            let n_pairs = if column == row { size(row) * (size(row) - 1.0) } else { size(row) * size(column) };
            pairs[start + column - row] /= n_pairs.max(1.0) * n_draws;
        }
        if size(row) == 1.0 {
            let object = order[ends[row] - 1] as usize;
            pairs[start] = 1.0 - draws.n_noise(object) as f64 / n_draws;
        }
    }
    pairs
}

/// For each cluster of a draw the bins it has objects in, in order, and how many.
fn bins_of_clusters(labels: &[i32], order: &[u32], ends: &[usize], n_clusters: usize) -> Vec<Vec<(usize, f64)>> {
    let mut clusters: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n_clusters];
    let mut start = 0;
    for (bin, &end) in ends.iter().enumerate() {
        for &object in &order[start..end] {
            let Ok(label) = usize::try_from(labels[object as usize]) else { continue };
            match clusters[label].last_mut() {
                Some((last, count)) if *last == bin => *count += 1.0,
                _ => clusters[label].push((bin, 1.0)),
            }
        }
        start = end;
    }
    clusters
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::random::{Purpose, stream};

    fn random_draws(n_objects: usize, n_draws: usize) -> DrawLabels {
        let mut rng = stream(5, 0, Purpose::Clustering);
        let mut draws = DrawLabels::new(n_objects);
        for _ in 0..n_draws {
            let labels: Vec<i32> = (0..n_objects).map(|_| rng.random_range(-1..4)).collect();
            draws.push(&labels);
        }
        draws
    }

    #[test]
    fn bins_hold_what_a_count_over_all_pairs_finds() {
        for n_objects in [7, 450] {
            let draws = random_draws(n_objects, 6);
            let partition: Vec<i32> = (0..n_objects).map(|object| (object * object % 4) as i32 - 1).collect();
            let confidence: Vec<f64> = (0..n_objects).map(|object| (object as f64).sin().abs()).collect();
            let map = HeatMap::new(&draws, &partition, &confidence);
            let starts: Vec<usize> = std::iter::once(0).chain(map.ends.iter().copied()).collect();
            let bin = |k: usize| &map.order[starts[k]..map.ends[k]];
            let mut entries = map.together.iter();
            for row in 0..map.ends.len() {
                for column in row..map.ends.len() {
                    let (mut together, mut n_pairs) = (0, 0);
                    for &a in bin(row) {
                        for &b in bin(column).iter().filter(|&&b| b != a || bin(row).len() == 1) {
                            together += draws.n_together(a as usize, b as usize);
                            n_pairs += 1;
                        }
                    }
                    let expected = together as f64 / (n_pairs * draws.n_draws()) as f64;
                    let found = f64::from(*entries.next().unwrap()) / ONE;
                    assert!((found - expected).abs() <= 0.51 / ONE, "{row} {column}: {found} {expected}");
                }
            }
            assert!(entries.next().is_none());
        }
    }

    #[test]
    fn bins_follow_the_groups_and_are_about_as_many_as_a_screen_shows() {
        assert_eq!(bin_ends(&[2, 1], 3), [1, 2, 3]);
        for sizes in [vec![6_000, 3_000, 400, 7], vec![1; 10_000], vec![250; 40]] {
            let n_objects = sizes.iter().sum();
            let ends = bin_ends(&sizes, n_objects);
            assert!((BINS - 10..=BINS + MOST_GROUPS).contains(&ends.len()), "{}", ends.len());
            assert!(ends.windows(2).all(|two| two[0] < two[1]) && ends.last() == Some(&n_objects));
            let group_ends = sizes.iter().scan(0, |end, size| {
                *end += size;
                Some(*end)
            });
            assert!(sizes.len() > MOST_GROUPS || group_ends.into_iter().all(|end| ends.contains(&end)));
        }
    }

    #[test]
    fn the_order_is_by_cluster_then_confidence_with_noise_last() {
        let draws = random_draws(5, 3);
        let map = HeatMap::new(&draws, &[1, -1, 0, 0, -1], &[0.5, 0.2, 0.3, 0.9, 0.4]);
        assert_eq!(map.order, [3, 2, 0, 4, 1]);
    }
}
