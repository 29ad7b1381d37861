//! How well distances on a map agree with dissimilarities, in running sums.

/// Sums over pairs of a dissimilarity and a distance, from which Stress-1, R^2 and the spread follow.
///
/// Means and squares are updated pair by pair (Welford 1962), so that numbers with a large common part lose no digits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairFit {
    n_pairs: usize,
    mean_delta: f64,
    mean_distance: f64,
    /// Sum of squared deviations of the dissimilarities from their mean.
    delta_squares: f64,
    /// The same of the distances.
    distance_squares: f64,
    /// Sum of products of both deviations.
    products: f64,
    squared_residuals: f64,
    squared_deltas: f64,
}

impl PairFit {
    /// Adds a pair.
    pub fn add(&mut self, delta: f64, distance: f64) {
        self.n_pairs += 1;
        let n = self.n_pairs as f64;
        let (off_delta, off_distance) = (delta - self.mean_delta, distance - self.mean_distance);
        self.mean_delta += off_delta / n;
        self.mean_distance += off_distance / n;
        self.delta_squares += off_delta * (delta - self.mean_delta);
        self.distance_squares += off_distance * (distance - self.mean_distance);
        self.products += off_delta * (distance - self.mean_distance);
        self.squared_residuals += (delta - distance).powi(2);
        self.squared_deltas += delta * delta;
    }

    /// Pairs added.
    pub fn n_pairs(&self) -> usize {
        self.n_pairs
    }

    /// Stress-1: the root of the sum of squared residuals over the sum of squared dissimilarities; `None` where that is zero.
    pub fn stress1(&self) -> Option<f64> {
        (self.squared_deltas > 0.0).then(|| (self.squared_residuals / self.squared_deltas).sqrt())
    }

    /// R^2: the squared correlation of dissimilarities and distances, and zero where the correlation is negative, for a map that
    /// puts far what is near explains nothing. `None` if all dissimilarities or all distances are equal.
    pub fn r2(&self) -> Option<f64> {
        let squares = self.delta_squares.sqrt() * self.distance_squares.sqrt();
        (squares > 0.0).then(|| (self.products / squares).clamp(0.0, 1.0).powi(2))
    }

    /// R^2 less what `n_free` free coordinates explain of any data: 1 - (1 - R^2) (n - 1) / (n - `n_free`). `None` without R^2, or with
    /// no more pairs than free coordinates.
    pub fn adjusted_r2(&self, n_free: usize) -> Option<f64> {
        let r2 = self.r2().filter(|_| self.n_pairs > n_free)?;
        Some(1.0 - (1.0 - r2) * (self.n_pairs - 1) as f64 / (self.n_pairs - n_free) as f64)
    }

    /// Standard deviation of the dissimilarities.
    pub fn spread(&self) -> f64 {
        (self.delta_squares / self.n_pairs.max(1) as f64).sqrt()
    }

    /// That standard deviation relative to their mean.
    pub fn relative_spread(&self) -> f64 {
        self.spread() / self.mean_delta
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    fn fit(pairs: &[(f64, f64)]) -> PairFit {
        let mut fit = PairFit::default();
        pairs.iter().for_each(|&(delta, distance)| fit.add(delta, distance));
        fit
    }

    #[test]
    fn running_sums_are_those_of_the_formulas() {
        let pairs: Vec<(f64, f64)> =
            (1..40).map(|k| (1e3 + (k * k % 17) as f64, 1e3 + (k * k % 17) as f64 * 0.5 + (k % 5) as f64)).collect();
        let n = pairs.len() as f64;
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
        let (delta, distance) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
        let variance = |of: &dyn Fn(&(f64, f64)) -> f64, centre: f64| mean(&|pair| (of(pair) - centre).powi(2));
        let covariance = mean(&|pair| (pair.0 - delta) * (pair.1 - distance));
        let r2 = covariance.powi(2) / (variance(&|pair| pair.0, delta) * variance(&|pair| pair.1, distance));
        let found = fit(&pairs);
        assert_relative_eq!(found.r2().unwrap(), r2, max_relative = 1e-10);
        assert_relative_eq!(found.spread(), variance(&|pair| pair.0, delta).sqrt(), max_relative = 1e-10);
        let stress1 = (mean(&|pair| (pair.0 - pair.1).powi(2)) / mean(&|pair| pair.0.powi(2))).sqrt();
        assert_relative_eq!(found.stress1().unwrap(), stress1, max_relative = 1e-12);
        assert_relative_eq!(found.adjusted_r2(9).unwrap(), 1.0 - (1.0 - r2) * 38.0 / 30.0, max_relative = 1e-9);
        assert_eq!(found.adjusted_r2(39), None);
    }

    #[test]
    fn what_has_no_variance_has_no_r2_and_a_reversed_map_explains_nothing() {
        assert_eq!(fit(&[(0.1, 0.3), (0.1, 0.2), (0.1, 0.7)]).r2(), None);
        assert_eq!(fit(&[(0.0, 0.3), (0.0, 0.2)]).stress1(), None);
        assert_eq!(fit(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]).r2(), Some(0.0));
    }
}
