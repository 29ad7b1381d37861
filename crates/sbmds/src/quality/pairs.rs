//! The pairs that a map is judged by: those that are coupled, and a sample of those that are not.

use std::collections::BTreeSet;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::dissimilarity::Term;

/// Two objects with their dissimilarity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownPair {
    /// The first object.
    pub a: usize,
    /// The second, with the larger number.
    pub b: usize,
    /// Their dissimilarity.
    pub delta: f64,
}

/// Everything known about the dissimilarities of a fit, by object and in the unit of the input.
pub trait KnownPairs: Sync {
    /// Objects.
    fn n_objects(&self) -> usize;
    /// Coupled pairs that have a dissimilarity.
    fn n_coupled(&self) -> usize;
    /// The coupled partners of an object with their dissimilarities.
    fn partners(&self, object: usize) -> Vec<(usize, f64)>;
    /// Whether two different objects are coupled.
    fn is_coupled(&self, a: usize, b: usize) -> bool;
    /// The dissimilarity of any two objects; NaN if it is missing.
    fn get(&self, a: usize, b: usize) -> f64;
    /// The measured pairs, if the input lists them and all others are missing.
    fn measured(&self) -> Option<&[(u32, u32, f64)]>;
    /// All measurements, if they are more than one exact number per pair: repeats, limits, weights, known errors.
    fn measurements(&self) -> Option<&[Term]> {
        None
    }
}

/// Visits every coupled pair once.
pub(super) fn for_each_coupled(pairs: &dyn KnownPairs, mut visit: impl FnMut(KnownPair)) {
    for a in 0..pairs.n_objects() {
        let later = pairs.partners(a).into_iter().filter(|&(b, _)| a < b);
        later.for_each(|(b, delta)| visit(KnownPair { a, b, delta }));
    }
}

/// A fixed number of elements of a stream of known length, at random, each subset with the same probability (Knuth's algorithm S).
pub(super) struct Selection<'a> {
    wanted: usize,
    left: usize,
    rng: &'a mut ChaCha8Rng,
}

impl<'a> Selection<'a> {
    pub fn new(wanted: usize, total: usize, rng: &'a mut ChaCha8Rng) -> Self {
        Self { wanted: wanted.min(total), left: total, rng }
    }

    /// Whether to take the next one.
    pub fn takes_next(&mut self) -> bool {
        if self.wanted == 0 || self.left == 0 {
            return false;
        }
        let takes = self.wanted == self.left || self.rng.random_range(0..self.left) < self.wanted;
        self.left -= 1;
        self.wanted -= usize::from(takes);
        takes
    }
}

/// Tries for every pair wanted. Where so few pairs are left uncoupled that these do not suffice, fewer will do.
const TRIES: usize = 50;

/// At most `most` pairs that are not coupled but have a dissimilarity, at random.
pub(super) fn held_out(pairs: &dyn KnownPairs, most: usize, rng: &mut ChaCha8Rng) -> Vec<KnownPair> {
    let n_objects = pairs.n_objects();
    if let Some(measured) = pairs.measured() {
        return held_out_of_list(pairs, measured, most, rng);
    }
    let n_uncoupled = (n_objects * n_objects.saturating_sub(1) / 2).saturating_sub(pairs.n_coupled());
    let wanted = most.min(n_uncoupled);
    let mut found = BTreeSet::new();
    for _ in 0..TRIES * wanted {
        if found.len() == wanted {
            break;
        }
        let (a, b) = (rng.random_range(0..n_objects), rng.random_range(0..n_objects));
        if a != b && !pairs.is_coupled(a, b) && !pairs.get(a, b).is_nan() {
            found.insert((a.min(b), a.max(b)));
        }
    }
    found.into_iter().map(|(a, b)| KnownPair { a, b, delta: pairs.get(a, b) }).collect()
}

fn held_out_of_list(
    pairs: &dyn KnownPairs,
    measured: &[(u32, u32, f64)],
    most: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<KnownPair> {
    let known = |&(a, b, delta): &(u32, u32, f64)| KnownPair { a: a as usize, b: b as usize, delta };
    let others = || measured.iter().map(known).filter(|pair| !pairs.is_coupled(pair.a, pair.b) && !pair.delta.is_nan());
    let mut selection = Selection::new(most, others().count(), rng);
    others().filter(|_| selection.takes_next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::test_data::Matrix;
    use crate::random::{Purpose, stream};

    #[test]
    fn a_selection_has_the_size_asked_for_and_favours_nobody() {
        let mut rng = stream(1, 0, Purpose::MapVerdict);
        let mut counts = [0; 10];
        for _ in 0..3_000 {
            let mut selection = Selection::new(3, 10, &mut rng);
            let taken: Vec<usize> = (0..10).filter(|_| selection.takes_next()).collect();
            assert_eq!(taken.len(), 3);
            taken.iter().for_each(|&index| counts[index] += 1);
        }
        // 900 expected, standard deviation 25: beyond four of them about once in a thousand such tests.
        assert!(counts.iter().all(|count| (800..1_000).contains(count)), "{counts:?}");
    }

    #[test]
    fn held_out_pairs_are_known_not_coupled_and_follow_the_seed() {
        let matrix = Matrix::new(40, |a, b| if (a + b) % 7 == 0 { f64::NAN } else { (a + b) as f64 }).banded(3);
        let sample = |seed| held_out(&matrix, 200, &mut stream(seed, 0, Purpose::MapVerdict));
        let found = sample(1);
        assert_eq!(found.len(), 200);
        for pair in &found {
            assert!(pair.a < pair.b && pair.b - pair.a > 3 && pair.delta == (pair.a + pair.b) as f64, "{pair:?}");
        }
        assert!(found.windows(2).all(|two| (two[0].a, two[0].b) < (two[1].a, two[1].b)), "a pair twice");
        assert_eq!(found, sample(1));
        assert_ne!(found, sample(2));
        // Not one is left when all are coupled, and all that are known when few are.
        assert!(held_out(&Matrix::new(40, |_, _| 1.0), 200, &mut stream(1, 0, Purpose::MapVerdict)).is_empty());
        let few = Matrix::new(6, |a, b| if (a, b) == (0, 5) { f64::NAN } else { 1.0 }).banded(3);
        assert_eq!(held_out(&few, 200, &mut stream(1, 0, Purpose::MapVerdict)).len(), 2);
    }
}
