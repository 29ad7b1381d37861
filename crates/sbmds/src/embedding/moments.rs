//! Running mean, covariance and 95% ellipse of every object over aligned draws.

use serde::{Deserialize, Serialize};

use crate::Locations;
use crate::align::RigidMotion;
use crate::dense::{Matrix, symmetric_eigen};

/// 95% quantile of the chi-square distribution with two degrees of freedom, -2 ln 0.05.
const CHI_SQUARE_2_95: f64 = 5.991_464_547_107_979;
/// 95% quantile of the chi-square distribution with one degree of freedom, 1.959964^2.
const CHI_SQUARE_1_95: f64 = 3.841_458_820_694_124;

/// Running mean and covariance of every object over aligned draws, D x D each, updated draw by draw (Welford
/// 1962). It serialises, so that a run that keeps no draws can be resumed;
/// the format must keep every bit of a number, or the resumed run differs from one never stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    n_draws: u64,
    mean: Locations,
    /// Sums of products of deviations, one N-vector for each pair of dimensions (row <= column).
    products: Vec<Vec<f64>>,
}

impl Moments {
    /// No draws yet.
    pub fn new(n_objects: usize, n_dims: usize) -> Self {
        let products = vec![vec![0.0; n_objects]; n_dims * (n_dims + 1) / 2];
        Self { n_draws: 0, mean: Locations::zeros(n_objects, n_dims), products }
    }

    /// Adds one draw, already aligned to the others.
    pub fn add(&mut self, draw: &Locations) {
        self.n_draws += 1;
        let n = self.n_draws as f64;
        let n_dims = self.mean.n_dims();
        let deviations = subtract(draw, &self.mean);
        for row in 0..n_dims {
            for column in row..n_dims {
                let products = &mut self.products[packed(row, column, n_dims)];
                for (object, sum) in products.iter_mut().enumerate() {
                    // (x - old mean)(y - new mean), with y - new mean = (y - old mean)(1 - 1/n).
                    *sum += deviations.get(object, row) * deviations.get(object, column) * (1.0 - 1.0 / n);
                }
            }
        }
        self.mean.as_mut_slice().iter_mut().zip(deviations.as_slice()).for_each(|(mean, dev)| *mean += dev / n);
    }

    /// Adds all draws of another set (another chain), aligned to the same reference (Chan, Golub and LeVeque 1983).
    pub fn merge(&mut self, other: &Self) {
        if other.n_draws == 0 {
            return;
        }
        let (n_here, n_there) = (self.n_draws as f64, other.n_draws as f64);
        let n = n_here + n_there;
        let n_dims = self.mean.n_dims();
        let gap = subtract(&other.mean, &self.mean);
        for row in 0..n_dims {
            for column in row..n_dims {
                let index = packed(row, column, n_dims);
                for (object, sum) in self.products[index].iter_mut().enumerate() {
                    let between = gap.get(object, row) * gap.get(object, column) * (n_here * n_there / n);
                    *sum += other.products[index][object] + between;
                }
            }
        }
        self.mean.as_mut_slice().iter_mut().zip(gap.as_slice()).for_each(|(mean, gap)| *mean += gap * (n_there / n));
        self.n_draws += other.n_draws;
    }

    /// The same moments of draws moved rigidly: moving every draw and summarising gives the same result.
    pub fn moved(&self, motion: &RigidMotion) -> Self {
        let n_dims = self.mean.n_dims();
        let mut moved = Self { mean: motion.apply(&self.mean), ..self.clone() };
        for object in 0..self.mean.n_objects() {
            let rotated = motion.apply_to_covariance(&self.product_matrix(object));
            for row in 0..n_dims {
                for column in row..n_dims {
                    moved.products[packed(row, column, n_dims)][object] = rotated[row * n_dims + column];
                }
            }
        }
        moved
    }

    /// The same draws seen from another map: `centre` takes the place of the mean, and covariances are mean products of
    /// deviations from it.
    pub fn about(&self, centre: &Locations) -> Self {
        let (n_dims, n) = (self.mean.n_dims(), self.n_draws as f64);
        let gap = subtract(&self.mean, centre);
        let mut seen = Self { mean: centre.clone(), ..self.clone() };
        for row in 0..n_dims {
            for column in row..n_dims {
                for (object, sum) in seen.products[packed(row, column, n_dims)].iter_mut().enumerate() {
                    *sum += n * gap.get(object, row) * gap.get(object, column);
                }
            }
        }
        seen
    }

    /// Replaces mean and covariance of one object by those of `other`, which has a single object.
    pub fn replace_object(&mut self, object: usize, other: &Self) {
        let (n_dims, covariance) = (self.mean.n_dims(), other.covariance(0));
        let divisor = (self.n_draws.max(2) - 1) as f64;
        for row in 0..n_dims {
            self.mean.set(object, row, other.mean.get(0, row));
            for column in row..n_dims {
                self.products[packed(row, column, n_dims)][object] = covariance[row * n_dims + column] * divisor;
            }
        }
    }

    /// Number of draws added.
    pub fn n_draws(&self) -> u64 {
        self.n_draws
    }

    /// The mean map.
    pub fn mean(&self) -> &Locations {
        &self.mean
    }

    /// Covariance of one object's location, D x D, row by row. NaN with fewer than two draws.
    pub fn covariance(&self, object: usize) -> Vec<f64> {
        let divisor = if self.n_draws > 1 { (self.n_draws - 1) as f64 } else { f64::NAN };
        self.product_matrix(object).into_iter().map(|sum| sum / divisor).collect()
    }

    /// Standard deviation of one coordinate. NaN with fewer than two draws.
    pub fn sd(&self, object: usize, dim: usize) -> f64 {
        self.covariance(object)[dim * self.mean.n_dims() + dim].sqrt()
    }

    /// The 95% ellipse of an object in the first two dimensions, from its normal approximation.
    ///
    /// With one dimension it is the 95% interval: half its width as the major axis, no minor axis.
    pub fn ellipse(&self, object: usize) -> Ellipse {
        let (n_dims, covariance) = (self.mean.n_dims(), self.covariance(object));
        if n_dims < 2 {
            let variance = covariance.first().copied().unwrap_or(0.0);
            return Ellipse { major: (CHI_SQUARE_1_95 * variance).sqrt(), minor: 0.0, angle_degrees: 0.0 };
        }
        Ellipse::of_covariance(covariance[0], covariance[1], covariance[n_dims + 1])
    }

    fn product_matrix(&self, object: usize) -> Vec<f64> {
        let n_dims = self.mean.n_dims();
        let entry = |k: usize| {
            let (row, column) = (k / n_dims, k % n_dims);
            self.products[packed(row.min(column), row.max(column), n_dims)][object]
        };
        (0..n_dims * n_dims).map(entry).collect()
    }
}

fn subtract(a: &Locations, b: &Locations) -> Locations {
    Locations::from_fn(a.n_objects(), a.n_dims(), |object, dim| a.get(object, dim) - b.get(object, dim))
}

/// Index of (row, column), row <= column, in the upper triangle read row by row.
fn packed(row: usize, column: usize, n_dims: usize) -> usize {
    row * n_dims - row * row.saturating_sub(1) / 2 + column - row
}

/// An ellipse around a location: semi-axes, and the angle from the first dimension to the major axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ellipse {
    /// Longer semi-axis.
    pub major: f64,
    /// Shorter semi-axis.
    pub minor: f64,
    /// Direction of the major axis, counter-clockwise from the first dimension, in (-90, 90] degrees.
    pub angle_degrees: f64,
}

impl Ellipse {
    /// The ellipse that holds 95% of a normal distribution with variances `xx`, `yy` and covariance `xy`.
    pub(crate) fn of_covariance(xx: f64, xy: f64, yy: f64) -> Self {
        if !(xx + xy + yy).is_finite() {
            return Self { major: f64::NAN, minor: f64::NAN, angle_degrees: f64::NAN };
        }
        let pairs = symmetric_eigen(&Matrix::from_fn(2, 2, |row, column| [xx, xy, yy][row + column]));
        let semi_axis = |variance: f64| (CHI_SQUARE_2_95 * variance.max(0.0)).sqrt();
        let direction = pairs.vectors[(1, 0)].atan2(pairs.vectors[(0, 0)]).to_degrees();
        // A direction and its opposite are the same axis.
        let angle_degrees = match direction {
            angle if angle > 90.0 => angle - 180.0,
            angle if angle <= -90.0 => angle + 180.0,
            angle => angle,
        };
        Self { major: semi_axis(pairs.values[0]), minor: semi_axis(pairs.values[1]), angle_degrees }
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;
    use crate::embedding::procrustes;
    use crate::embedding::test_maps::gaussian_map;

    fn draws(n: u64, n_objects: usize, n_dims: usize) -> Vec<Locations> {
        // Far from the origin, where sums of squares would cancel.
        let shifted = |seed| {
            let map = gaussian_map(n_objects, n_dims, seed);
            Locations::from_fn(n_objects, n_dims, |o, d| 1e6 + (d + 1) as f64 * map.get(o, d) + map.get(o, 0))
        };
        (0..n).map(shifted).collect()
    }

    fn moments_of(draws: &[Locations]) -> Moments {
        let mut moments = Moments::new(draws[0].n_objects(), draws[0].n_dims());
        draws.iter().for_each(|draw| moments.add(draw));
        moments
    }

    fn assert_close(a: &Moments, b: &Moments) {
        assert_eq!(a.n_draws(), b.n_draws());
        for object in 0..a.mean().n_objects() {
            for (x, y) in a.covariance(object).iter().zip(b.covariance(object)) {
                assert_relative_eq!(*x, y, epsilon = 1e-7, max_relative = 1e-7);
            }
            for (x, y) in a.mean().object(object).iter().zip(b.mean().object(object)) {
                assert_relative_eq!(*x, y, epsilon = 1e-8);
            }
        }
    }

    #[test]
    fn moments_match_the_two_pass_formula() {
        for n_dims in [1, 2, 3, 6] {
            let draws = draws(40, 4, n_dims);
            let moments = moments_of(&draws);
            for object in 0..4 {
                let mean = |d: usize| draws.iter().map(|x| x.get(object, d)).sum::<f64>() / 40.0;
                for (k, found) in moments.covariance(object).iter().enumerate() {
                    let (i, j) = (k / n_dims, k % n_dims);
                    let product = |x: &Locations| (x.get(object, i) - mean(i)) * (x.get(object, j) - mean(j));
                    assert_relative_eq!(*found, draws.iter().map(product).sum::<f64>() / 39.0, max_relative = 1e-7);
                }
                assert_relative_eq!(moments.sd(object, 0).powi(2), moments.covariance(object)[0], epsilon = 1e-12);
            }
        }
    }

    #[test]
    fn chains_merge_and_checkpoints_resume() {
        let draws = draws(30, 5, 3);
        let whole = moments_of(&draws);
        let mut merged = moments_of(&draws[..11]);
        merged.merge(&moments_of(&draws[11..]));
        merged.merge(&Moments::new(5, 3));
        assert_close(&merged, &whole);
        let mut from_nothing = Moments::new(5, 3);
        from_nothing.merge(&whole);
        assert_close(&from_nothing, &whole);
        // A tree of values, not text: serde_json's text parser may miss the last bit of a number.
        let saved = serde_json::to_value(moments_of(&draws[..17])).unwrap();
        let mut resumed: Moments = serde_json::from_value(saved).unwrap();
        draws[17..].iter().for_each(|draw| resumed.add(draw));
        assert_eq!(resumed, whole, "resumed moments must be equal bit for bit");
    }

    #[test]
    fn moved_moments_are_the_moments_of_moved_draws() {
        let draws: Vec<_> = (0..20).map(|seed| gaussian_map(6, 3, seed)).collect();
        let motion = procrustes(&draws[0], &draws[1]);
        let moved: Vec<_> = draws.iter().map(|draw| motion.apply(draw)).collect();
        assert_close(&moments_of(&draws).moved(&motion), &moments_of(&moved));
    }

    #[test]
    fn ellipses_have_the_right_axes_and_angle() {
        // Variances 9 and 1 along axes turned by 30 degrees, and by 120.
        for (angle, expected) in [(30.0_f64, 30.0), (120.0, -60.0), (90.0, 90.0), (0.0, 0.0)] {
            let (sin, cos) = angle.to_radians().sin_cos();
            let (xx, yy) = (9.0 * cos * cos + sin * sin, 9.0 * sin * sin + cos * cos);
            let ellipse = Ellipse::of_covariance(xx, 8.0 * sin * cos, yy);
            assert_relative_eq!(ellipse.major, 3.0 * 2.447_746_830_680_816, epsilon = 1e-9);
            assert_relative_eq!(ellipse.minor, 2.447_746_830_680_816, epsilon = 1e-9);
            assert_relative_eq!(ellipse.angle_degrees, expected, epsilon = 1e-9);
        }
    }

    #[test]
    fn ellipses_hold_95_percent() {
        let draws: Vec<_> = (0..4000).map(|seed| gaussian_map(1, 2, seed)).collect();
        let skewed = |x: &Locations| [x.get(0, 0), 2.0 * x.get(0, 0) + 0.5 * x.get(0, 1)];
        let maps: Vec<_> = draws.iter().map(|x| Locations::from_fn(1, 2, |_, d| skewed(x)[d])).collect();
        let moments = moments_of(&maps);
        let (ellipse, centre) = (moments.ellipse(0), moments.mean().object(0));
        let (sin, cos) = ellipse.angle_degrees.to_radians().sin_cos();
        let inside = |x: &&Locations| {
            let (dx, dy) = (x.get(0, 0) - centre[0], x.get(0, 1) - centre[1]);
            let (along, across) = (cos * dx + sin * dy, cos * dy - sin * dx);
            (along / ellipse.major).powi(2) + (across / ellipse.minor).powi(2) <= 1.0
        };
        let share = maps.iter().filter(inside).count() as f64 / 4000.0;
        // Three standard errors of a share of 95% among 4,000.
        assert!((share - 0.95).abs() < 0.0104, "{share}");
    }

    #[test]
    fn one_dimension_has_an_interval() {
        let moments = moments_of(&(0..50).map(|seed| gaussian_map(1, 1, seed)).collect::<Vec<_>>());
        assert_relative_eq!(moments.ellipse(0).major, 1.959_963_984_540_054 * moments.sd(0, 0), epsilon = 1e-9);
    }
}
