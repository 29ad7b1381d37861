//! What the paper measures: the mean squared error of distances, efficiency, and a Hellinger distance of vectors.

use rand::RngExt;
use sbmds::Locations;
use sbmds::random::{Purpose, stream};

use super::sums::{add_squared_differences, sum_of_squared_errors};

/// Objects up to which all distances are compared.
const ALL_PAIRS_OBJECTS: usize = 2_000;
/// Distances compared beyond that: the paper takes 1,000.
const SAMPLED_PAIRS: usize = 100_000;

/// The errors of a map's distances.
///
/// The paper's code takes the mean over all N^2 entries of the matrix of squared errors, its zero diagonal included (the
/// paper's formula leaves the diagonal out, and divides a sum over ordered pairs by the number of unordered ones).
pub struct DistanceErrors {
    n_objects: usize,
    pairs: ComparedPairs,
}

enum ComparedPairs {
    /// The true distances of (a, b), a < b, row by row.
    All(Vec<f64>),
    Sample(Vec<(usize, usize, f64)>),
}

impl DistanceErrors {
    /// Errors against the distances of the true locations; beyond 2,000 objects those of 100,000 random pairs.
    pub fn new(truth: &Locations) -> Self {
        let n_objects = truth.n_objects();
        let pairs = if n_objects <= ALL_PAIRS_OBJECTS {
            let pairs = (0..n_objects).flat_map(|a| (a + 1..n_objects).map(move |b| (a, b)));
            ComparedPairs::All(pairs.map(|(a, b)| truth.distance(a, b)).collect())
        } else {
            let mut rng = stream(n_objects as u64, 0, Purpose::Monitoring);
            let mut pair = || {
                let a = rng.random_range(0..n_objects);
                let b = rng.random_range(0..n_objects - 1);
                (a, b + usize::from(b >= a))
            };
            let pairs = (0..SAMPLED_PAIRS).map(|_| pair());
            ComparedPairs::Sample(pairs.map(|(a, b)| (a, b, truth.distance(a, b))).collect())
        };
        Self { n_objects, pairs }
    }

    /// Mean over all N^2 entries of the squared difference of distances; `x` holds the map dimension by dimension.
    pub fn mean_square(&self, x: &[f64]) -> f64 {
        let n = self.n_objects as f64;
        let per_pair = match &self.pairs {
            ComparedPairs::All(truth) => self.sum_over_rows(x, truth) / (0.5 * n * (n - 1.0)),
            ComparedPairs::Sample(pairs) => {
                let error = |&(a, b, truth): &(usize, usize, f64)| {
                    let squares = x.chunks_exact(self.n_objects).map(|values| (values[a] - values[b]).powi(2));
                    (squares.sum::<f64>().sqrt() - truth).powi(2)
                };
                pairs.iter().map(error).sum::<f64>() / pairs.len() as f64
            }
        };
        per_pair * (n - 1.0) / n
    }

    fn sum_over_rows(&self, x: &[f64], truth: &[f64]) -> f64 {
        let mut squared = vec![0.0; self.n_objects];
        let (mut sum, mut rest) = (0.0, truth);
        for object in 0..self.n_objects {
            let (row, after) = rest.split_at(self.n_objects - 1 - object);
            let squared = &mut squared[..row.len()];
            squared.fill(0.0);
            for values in x.chunks_exact(self.n_objects) {
                add_squared_differences(squared, &values[object + 1..], values[object]);
            }
            sum += sum_of_squared_errors(squared, row);
            rest = after;
        }
        sum
    }
}

/// The paper's efficiency: the natural logarithm of the smallest effective sample size per hour.
pub fn log_efficiency(min_ess: f64, seconds: f64) -> f64 {
    (min_ess / seconds * 3600.0).ln()
}

/// What textmineR's `CalcHellingerDist(x, y)` computes of two vectors of equal length: each is divided by its sum, and
/// H = sqrt(1/2 sum (sqrt p_i - sqrt q_i)^2).
///
/// For word counts that is the Hellinger distance. Of two vectors of *draws* it is not a distance between their
/// distributions: independent draws with coefficients of variation c and d give about sqrt(c^2 + d^2) / (2 sqrt 2), also when
/// both have the same distribution.
pub fn vector_hellinger(x: &[f64], y: &[f64]) -> f64 {
    let (sum_x, sum_y) = (x.iter().sum::<f64>(), y.iter().sum::<f64>());
    let squares = x.iter().zip(y).map(|(x, y)| ((x / sum_x).sqrt() - (y / sum_y).sqrt()).powi(2));
    (0.5 * squares.sum::<f64>()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_squared_error_counts_the_diagonal() {
        // A right triangle with sides 3, 4, 5 against a line 0, 3, 9: errors 0, 2 and 4... of the pairs 12, 13, 23.
        let truth = Locations::from_fn(3, 2, |object, dim| [[0.0, 0.0], [3.0, 0.0], [3.0, 4.0]][object][dim]);
        let line = [0.0, 3.0, 9.0, 0.0, 0.0, 0.0];
        // Distances 3, 9, 6 against 3, 5, 4: squares 0, 16, 4; nine entries hold each twice.
        let expected = 2.0 * (0.0 + 16.0 + 4.0) / 9.0;
        assert!((DistanceErrors::new(&truth).mean_square(&line) - expected).abs() < 1e-12);
        assert_eq!(DistanceErrors::new(&truth).mean_square(truth.as_slice()), 0.0);
    }

    #[test]
    fn many_objects_are_compared_in_a_sample() {
        let truth = Locations::from_fn(2_500, 2, |object, dim| ((object * (dim + 1)) as f64 * 0.618).fract());
        let moved = Locations::from_fn(2_500, 2, |object, dim| 1.5 * truth.get(object, dim));
        let all: f64 = (0..2_500)
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .map(|(a, b)| (moved.distance(a, b) - truth.distance(a, b)).powi(2))
            .sum();
        let sampled = DistanceErrors::new(&truth).mean_square(moved.as_slice());
        assert!((sampled / (2.0 * all / 2_500_f64.powi(2)) - 1.0).abs() < 0.02);
    }

    #[test]
    fn efficiency_is_the_logarithm_of_effective_draws_per_hour() {
        // efficiency.csv: full HMC with 320 objects, 180.245 in 42,078.3 s, is 15.42 an hour.
        assert!((log_efficiency(180.245, 42_078.3) - 15.4208_f64.ln()).abs() < 1e-4);
        assert_eq!(log_efficiency(1.0, 3600.0), 0.0);
    }

    #[test]
    fn vectors_are_taken_as_weights() {
        // (1, 3) and (1, 1): weights .25, .75 and .5, .5.
        let expected = (0.5 * ((0.5 - 0.5_f64.sqrt()).powi(2) + (0.75_f64.sqrt() - 0.5_f64.sqrt()).powi(2))).sqrt();
        assert!((vector_hellinger(&[1.0, 3.0], &[10.0, 10.0]) - expected).abs() < 1e-15);
        assert_eq!(vector_hellinger(&[1.0, 2.0], &[2.0, 4.0]), 0.0);
    }
}
