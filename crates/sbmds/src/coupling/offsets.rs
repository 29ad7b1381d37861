//! The random diagonals of dispersed couplings.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Offsets of B random wrapped diagonals (n, n + o mod N), as plain diagonals: o and N - o for each.
///
/// A set of wrapped diagonals is connected exactly when the offsets and N have no common divisor; sets that have one
/// are drawn again. B of (N - 1) / 2 or more is all pairs.
pub fn dispersed_offsets(n_objects: usize, bands: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let largest = n_objects.saturating_sub(1) / 2;
    if bands >= largest {
        return (1..n_objects).collect();
    }
    loop {
        let drawn = draw_distinct(bands, largest, rng);
        if drawn.iter().fold(n_objects, |divisor, &offset| greatest_common_divisor(divisor, offset)) == 1 {
            let mut offsets: Vec<usize> = drawn.iter().flat_map(|&offset| [offset, n_objects - offset]).collect();
            offsets.sort_unstable();
            return offsets;
        }
    }
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

    #[test]
    fn every_offset_is_as_likely_as_any_other() {
        let mut counts = [0_u32; 51];
        for seed in 0..4_000 {
            for offset in dispersed_offsets(101, 5, &mut stream(seed, 0, Purpose::Coupling)) {
                counts[offset.min(101 - offset)] += 1;
            }
        }
        // 4,000 draws of 5 in 50, each counted twice: mean 800, standard deviation 2 * sqrt(4000 * .1 * .9) = 38.
        assert!(counts[1..].iter().all(|&count| (600..=1_000).contains(&count)), "{counts:?}");
    }
}
