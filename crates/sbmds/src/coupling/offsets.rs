//! The diagonals of dispersed couplings.

use std::f64::consts::TAU;

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Bands up to which offsets are chosen from several sets; more bands are all about equally good (docs/dispersed.md).
pub const CHOSEN_BANDS: usize = 10;
/// Sets to choose from.
const CANDIDATES: usize = 64;

/// Offsets of B wrapped diagonals (n, n + o mod N), as plain diagonals: o and N - o for each.
///
/// Offsets are drawn at random; up to ten bands, the set with the largest spectral gap of 64 drawn. B of (N - 1) / 2 or more
/// is all pairs.
pub fn dispersed_offsets(n_objects: usize, bands: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    best_offsets(n_objects, bands, if bands <= CHOSEN_BANDS { CANDIDATES } else { 1 }, rng)
}

/// The same with offsets as they are drawn, to see what choosing them gains.
pub fn random_offsets(n_objects: usize, bands: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    best_offsets(n_objects, bands, 1, rng)
}

/// The offsets 1..=(N - 1) / 2 in a random order, the first of which connects all objects: any number of them from the front on does.
pub(super) fn offset_order(n_objects: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut offsets: Vec<usize> = (1..=n_objects.saturating_sub(1) / 2).collect();
    offsets.shuffle(rng);
    if let Some(first) = offsets.iter().position(|&offset| greatest_common_divisor(n_objects, offset) == 1) {
        offsets.swap(0, first);
    }
    offsets
}

/// The first B of that order as plain diagonals; B of (N - 1) / 2 or more is all pairs.
pub(super) fn nested_offsets(n_objects: usize, bands: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    if bands >= n_objects.saturating_sub(1) / 2 {
        return (1..n_objects).collect();
    }
    let chosen = &offset_order(n_objects, rng)[..bands];
    let mut diagonals: Vec<usize> = chosen.iter().flat_map(|&offset| [offset, n_objects - offset]).collect();
    diagonals.sort_unstable();
    diagonals
}

/// The best of this many sets.
fn best_offsets(n_objects: usize, bands: usize, n_candidates: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    if bands >= n_objects.saturating_sub(1) / 2 {
        return (1..n_objects).collect();
    }
    let mut best = draw_connected(n_objects, bands, rng);
    if n_candidates > 1 {
        let cosines = cosines(n_objects);
        let mut gap = spectral_gap(&best, &cosines, 0.0).unwrap_or(0.0);
        for _ in 1..n_candidates {
            let candidate = draw_connected(n_objects, bands, rng);
            if let Some(larger) = spectral_gap(&candidate, &cosines, gap) {
                (best, gap) = (candidate, larger);
            }
        }
    }
    let mut diagonals: Vec<usize> = best.iter().flat_map(|&offset| [offset, n_objects - offset]).collect();
    diagonals.sort_unstable();
    diagonals
}

/// Distinct offsets that connect all objects: wrapped diagonals do exactly when the offsets and N have no common divisor.
fn draw_connected(n_objects: usize, bands: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let largest = (n_objects - 1) / 2;
    loop {
        let drawn = draw_distinct(bands, largest, rng);
        if drawn.iter().fold(n_objects, |divisor, &offset| greatest_common_divisor(divisor, offset)) == 1 {
            return drawn.into_iter().collect();
        }
    }
}

/// cos(2 pi k / N) for k = 0, ..., N - 1.
fn cosines(n_objects: usize) -> Vec<f64> {
    (0..n_objects).map(|k| (TAU * k as f64 / n_objects as f64).cos()).collect()
}

/// Half the smallest eigenvalue but zero of the graph's Laplacian, min over waves k of sum over o of 1 - cos(2 pi k o / N), if
/// it is larger than `least`.
fn spectral_gap(offsets: &[usize], cosines: &[f64], least: f64) -> Option<f64> {
    let n_objects = cosines.len();
    let mut angles = vec![0; offsets.len()];
    let mut gap = f64::INFINITY;
    for _wave in 1..=n_objects / 2 {
        let mut eigenvalue = 0.0;
        for (angle, offset) in angles.iter_mut().zip(offsets) {
            *angle = (*angle + offset) % n_objects;
            eigenvalue += 1.0 - cosines[*angle];
        }
        gap = gap.min(eigenvalue);
        if gap <= least {
            return None;
        }
    }
    Some(gap)
}

/// `count` distinct numbers from 1..=largest (Floyd's algorithm).
fn draw_distinct(count: usize, largest: usize, rng: &mut ChaCha8Rng) -> std::collections::BTreeSet<usize> {
    let mut drawn = std::collections::BTreeSet::new();
    for upper in largest - count + 1..=largest {
        let candidate = rng.random_range(1..=upper);
        if !drawn.insert(candidate) {
            drawn.insert(upper);
        }
    }
    drawn
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::{Matrix, symmetric_eigenvalues};
    use crate::random::{Purpose, stream};

    #[test]
    fn offsets_are_distinct_symmetric_and_connected() {
        for (n_objects, bands) in [(3, 1), (4, 1), (12, 1), (12, 2), (100, 1), (101, 20), (1_000, 7), (30_030, 2)] {
            for seed in 0..20 {
                let offsets = dispersed_offsets(n_objects, bands, &mut stream(seed, 0, Purpose::Coupling));
                assert!(offsets.is_sorted_by(|a, b| a < b));
                assert!(offsets.iter().all(|o| offsets.contains(&(n_objects - o))));
                let divisor = offsets.iter().fold(n_objects, |d, &o| greatest_common_divisor(d, o));
                assert_eq!(divisor, 1);
                let pairs: usize = offsets.iter().map(|o| n_objects - o).sum();
                if bands < (n_objects - 1) / 2 {
                    assert_eq!(pairs, bands * n_objects, "as many pairs as {bands} wrapped diagonals");
                } else {
                    assert_eq!(pairs, n_objects * (n_objects - 1) / 2);
                }
            }
        }
    }

    /// The gap against the eigenvalues of the Laplacian itself.
    #[test]
    fn gaps_are_those_of_the_laplacian() {
        const N: usize = 23;
        let cosines = cosines(N);
        for offsets in [vec![1, 2], vec![1, 5], vec![2, 3, 9]] {
            let tied = |a: usize, b: usize| offsets.iter().any(|o| (a + o) % N == b || (b + o) % N == a);
            let laplacian = Matrix::from_fn(N, N, |a, b| match (a == b, tied(a, b)) {
                (true, _) => 2.0 * offsets.len() as f64,
                (false, true) => -1.0,
                (false, false) => 0.0,
            });
            let eigenvalues = symmetric_eigenvalues(&laplacian).unwrap();
            let gap = spectral_gap(&offsets, &cosines, 0.0).unwrap();
            assert!((2.0 * gap - eigenvalues[1]).abs() < 1e-9, "{offsets:?}: {gap} {}", eigenvalues[1]);
            assert_eq!(spectral_gap(&offsets, &cosines, gap), None);
        }
    }

    /// The best of 64 sets fails to be above nine tenths of all with probability 0.9^64 = 0.001.
    #[test]
    fn chosen_offsets_have_larger_gaps_than_most() {
        let cosines = cosines(320);
        // Offsets are below N / 2, so they come before their other halves.
        let gap = |diagonals: Vec<usize>| spectral_gap(&diagonals[..3], &cosines, 0.0).unwrap_or(0.0);
        let rng = |seed| stream(seed, 0, Purpose::Coupling);
        let mut drawn: Vec<f64> = (0..200).map(|seed| gap(random_offsets(320, 3, &mut rng(seed)))).collect();
        drawn.sort_by(f64::total_cmp);
        for seed in 0..10 {
            assert!(gap(dispersed_offsets(320, 3, &mut rng(seed))) > drawn[180], "seed {seed}");
        }
    }

    #[test]
    fn every_offset_is_as_likely_as_any_other() {
        let mut counts = [0_u32; 51];
        for seed in 0..4_000 {
            for offset in random_offsets(101, 5, &mut stream(seed, 0, Purpose::Coupling)) {
                counts[offset.min(101 - offset)] += 1;
            }
        }
        // 4,000 draws of 5 in 50, each counted twice: mean 800, standard deviation 2 * sqrt(4000 * .1 * .9) = 38.
        assert!(counts[1..].iter().all(|&count| (600..=1_000).contains(&count)), "{counts:?}");
    }
}
