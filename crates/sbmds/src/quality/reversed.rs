//! Whether large numbers mean alike: the data turned around, mapped quickly, beside the data as they are.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::pair_fit::PairFit;
use super::pairs::KnownPairs;
use crate::embedding::graph_start;

/// Objects looked at: a hundred have up to 4,950 pairs, many times the coordinates of any map of few dimensions.
const N_OBJECTS: usize = 100;

/// R^2 of two quick maps of least stress of some of the objects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BothWays {
    /// Of the data as they are.
    pub as_given: f64,
    /// Of the largest of them minus each.
    pub reversed: f64,
}

/// Maps some objects both ways; `None` if their pairs are too few for a map or all alike.
pub(super) fn both_ways(pairs: &dyn KnownPairs, n_dims: usize, rng: &mut ChaCha8Rng) -> Option<BothWays> {
    let objects = best_known(pairs, rng);
    let n = objects.len();
    let delta: Vec<Vec<f64>> = objects.iter().map(|&a| objects.iter().map(|&b| pairs.get(a, b)).collect()).collect();
    let known = || (0..n).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|&(a, b)| !delta[a][b].is_nan());
    if known().count() <= n * n_dims {
        return None;
    }
    let largest = known().map(|(a, b)| delta[a][b]).fold(0.0, f64::max);
    let quick_r2 = |value: &(dyn Fn(f64) -> f64 + Sync)| {
        let partners = |a: usize| (0..n).filter(|&b| b != a).map(|b| (b, value(delta[a][b]))).collect::<Vec<_>>();
        let map = graph_start(n, n_dims, &partners);
        let mut fit = PairFit::default();
        known().for_each(|(a, b)| fit.add(value(delta[a][b]), map.distance(a, b)));
        fit.r2()
    };
    Some(BothWays { as_given: quick_r2(&|delta| delta)?, reversed: quick_r2(&|delta| largest - delta)? })
}

/// The objects with most partners; of those with equally many, random ones.
fn best_known(pairs: &dyn KnownPairs, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut objects: Vec<usize> = (0..pairs.n_objects()).collect();
    if objects.len() > N_OBJECTS {
        objects.shuffle(rng);
        objects.sort_by_cached_key(|&object| std::cmp::Reverse(pairs.partners(object).len()));
        objects.truncate(N_OBJECTS);
    }
    objects
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::test_data::{Matrix, noise, planar};
    use crate::random::{Purpose, stream};

    fn ways(matrix: &Matrix) -> BothWays {
        both_ways(matrix, 2, &mut stream(1, 0, Purpose::MapVerdict)).unwrap()
    }

    #[test]
    fn similarities_fit_better_turned_around_and_distances_as_they_are() {
        for n in [12, 40, 150] {
            let distances = ways(&Matrix::new(n, planar));
            assert!(distances.as_given > 0.99 && distances.reversed < 0.7, "{distances:?}");
            let similarities = ways(&Matrix::new(n, |a, b| (-planar(a, b)).exp()));
            assert!(similarities.reversed > similarities.as_given + 0.3, "{similarities:?}");
        }
        let neither = ways(&Matrix::new(40, noise));
        assert!((neither.as_given - neither.reversed).abs() < 0.15, "{neither:?}");
    }

    #[test]
    fn too_few_pairs_give_no_answer() {
        let path = Matrix::new(30, |a, b| if b == a + 1 { 1.0 } else { f64::NAN });
        assert!(both_ways(&path, 2, &mut stream(1, 0, Purpose::MapVerdict)).is_none());
    }
}
