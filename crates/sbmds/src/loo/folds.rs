//! Pairs parted into folds so that no object loses all its pairs at once.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::quality::KnownPair;

/// Which fold each pair is held out in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    /// For every pair; `None`: it is never held out, for one of its objects has no pair to spare.
    of_pair: Vec<Option<usize>>,
    n_folds: usize,
}

impl Folds {
    /// Parts `pairs` at random into `n_folds`. The pairs of an object are spread evenly over the folds, and every fit keeps at least
    /// `fewest` pairs of each object that has that many.
    pub fn new(pairs: &[KnownPair], n_objects: usize, n_folds: usize, fewest: usize, rng: &mut ChaCha8Rng) -> Self {
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        for k in (1..order.len()).rev() {
            order.swap(k, rng.random_range(0..=k));
        }
        let mut degrees = vec![0; n_objects];
        for pair in pairs {
            degrees[pair.a] += 1;
            degrees[pair.b] += 1;
        }
        let mut held_out = vec![0; n_objects * n_folds];
        let mut sizes = vec![0; n_folds];
        let mut of_pair = vec![None; pairs.len()];
        for k in order {
            let KnownPair { a, b, .. } = pairs[k];
            let can_spare = |object: usize, fold: usize| degrees[object] - held_out[object * n_folds + fold] > fewest;
            let burden = |fold: usize| (held_out[a * n_folds + fold] + held_out[b * n_folds + fold], sizes[fold]);
            let able = (0..n_folds).filter(|&fold| can_spare(a, fold) && can_spare(b, fold));
            let Some(fold) = able.min_by_key(|&fold| burden(fold)) else { continue };
            held_out[a * n_folds + fold] += 1;
            held_out[b * n_folds + fold] += 1;
            sizes[fold] += 1;
            of_pair[k] = Some(fold);
        }
        Self { of_pair, n_folds }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.n_folds
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n_folds == 0
    }

    /// The pairs held out in a fold, by number.
    pub fn held_out(&self, fold: usize) -> impl Iterator<Item = usize> {
        self.of_pair.iter().enumerate().filter(move |(_, of)| **of == Some(fold)).map(|(pair, _)| pair)
    }

    /// The pairs that the fit of a fold keeps.
    pub fn kept(&self, fold: usize) -> impl Iterator<Item = usize> {
        self.of_pair.iter().enumerate().filter(move |(_, of)| **of != Some(fold)).map(|(pair, _)| pair)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    fn all_pairs(n_objects: usize) -> Vec<KnownPair> {
        let pairs = (0..n_objects).flat_map(|a| (a + 1..n_objects).map(move |b| KnownPair { a, b, delta: 1.0 }));
        pairs.collect()
    }

    #[test]
    fn folds_part_the_pairs_evenly_for_every_object() {
        let (n_objects, n_folds) = (21, 5);
        let pairs = all_pairs(n_objects);
        let folds = Folds::new(&pairs, n_objects, n_folds, 3, &mut stream(1, 0, Purpose::Folds));
        for fold in 0..n_folds {
            assert_eq!(folds.held_out(fold).count() + folds.kept(fold).count(), pairs.len());
            for object in 0..n_objects {
                let n_held = folds.held_out(fold).filter(|&k| pairs[k].a == object || pairs[k].b == object).count();
                // A fifth of 20 pairs, give or take two.
                assert!((2..=6).contains(&n_held), "object {object} loses {n_held} in fold {fold}");
            }
        }
        assert_eq!((0..n_folds).map(|fold| folds.held_out(fold).count()).sum::<usize>(), pairs.len());
    }

    #[test]
    fn an_object_with_few_pairs_keeps_them() {
        // A triangle in which everybody has two pairs, and one further object with a single pair.
        let mut pairs = all_pairs(3);
        pairs.push(KnownPair { a: 0, b: 3, delta: 1.0 });
        let folds = Folds::new(&pairs, 4, 3, 2, &mut stream(1, 0, Purpose::Folds));
        assert!((0..3).all(|fold| folds.held_out(fold).next().is_none()));
        let one_to_spare = Folds::new(&pairs, 4, 3, 1, &mut stream(1, 0, Purpose::Folds));
        assert!(
            (0..3).all(|fold| !one_to_spare.held_out(fold).any(|k| k == 3)),
            "the pair of object 3 is its only one"
        );
    }
}
