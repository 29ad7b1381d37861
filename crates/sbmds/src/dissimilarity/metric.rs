//! How different two rows of numbers are.

use serde::{Deserialize, Serialize};

/// The dissimilarity of two feature vectors x and y.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Metric {
    /// |x - y|.
    Euclidean,
    /// |x - y|^2.
    SqEuclidean,
    /// The sum of |x_k - y_k|.
    Manhattan,
    /// 1 - cos(x, y).
    Cosine,
    /// 1 - the Pearson correlation of x and y.
    Correlation,
    /// Bray-Curtis: the sum of |x_k - y_k| over the sum of x_k + y_k; values are zero or more.
    BrayCurtis,
    /// Jaccard: of the columns where x or y is 1, the share where only one of them is; values are 0 or 1.
    Jaccard,
    /// The share of columns in which x and y differ.
    Hamming,
    /// Great-circle distance in kilometres; the two columns are latitude and longitude in degrees.
    Haversine,
}

super::words::spelled! { Metric, "metric",
    Euclidean => "euclidean",
    SqEuclidean => "sqeuclidean",
    Manhattan => "manhattan",
    Cosine => "cosine",
    Correlation => "correlation",
    BrayCurtis => "braycurtis",
    Jaccard => "jaccard",
    Hamming => "hamming",
    Haversine => "haversine",
}

/// Mean radius of the Earth in kilometres (IUGG: R1).
const EARTH_RADIUS: f64 = 6371.0088;

impl Metric {
    /// Whether rows are compared by direction, so that each needs a length.
    pub(super) fn is_angular(self) -> bool {
        matches!(self, Self::Cosine | Self::Correlation)
    }

    /// All metrics.
    pub const ALL: [Self; 9] = [
        Self::Euclidean,
        Self::SqEuclidean,
        Self::Manhattan,
        Self::Cosine,
        Self::Correlation,
        Self::BrayCurtis,
        Self::Jaccard,
        Self::Hamming,
        Self::Haversine,
    ];
}

/// What turns a row into a unit vector: (x - centre) * inverse_norm.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaling {
    pub centre: f64,
    pub inverse_norm: f64,
}

/// How many columns are summed side by side; the order of summation, and so every bit, is fixed by it.
pub(super) const LANES: usize = 8;

/// A row of numbers in whatever form it is stored.
pub(super) trait Row: Copy {
    /// The number in `column`.
    fn get(self, column: usize) -> f64;

    /// Adds `term(x, y)` of columns k, k + LANES, k + 2 LANES, ... to lane k, up to the last whole block of `n_columns`.
    ///
    /// Rows that lie in one piece do better than column by column.
    #[inline(always)]
    fn add_blocks(self, other: Self, n_columns: usize, term: impl Fn(f64, f64) -> f64) -> [f64; LANES] {
        let mut lanes = [0.0; LANES];
        for column in 0..n_columns - n_columns % LANES {
            lanes[column % LANES] += term(self.get(column), other.get(column));
        }
        lanes
    }
}

/// The dissimilarity of two rows; swapping them changes no bit, equal rows give exactly 0.
#[inline(always)]
pub(super) fn dissimilarity<R: Row>(metric: Metric, n_columns: usize, x: R, y: R, scale: [Scaling; 2]) -> f64 {
    let [of_x, of_y] = scale;
    let squared = |x: f64, y: f64| (x - y) * (x - y);
    match metric {
        Metric::Euclidean => sum(n_columns, x, y, squared).sqrt(),
        Metric::SqEuclidean => sum(n_columns, x, y, squared),
        Metric::Manhattan => sum(n_columns, x, y, |x, y| (x - y).abs()),
        // For unit vectors 1 - <u, v> = |u - v|^2 / 2, which never cancels nor goes below 0.
        Metric::Cosine => 0.5 * sum(n_columns, x, y, |x, y| squared(x * of_x.inverse_norm, y * of_y.inverse_norm)),
        Metric::Correlation => {
            let unit = |x: f64, of_x: Scaling| (x - of_x.centre) * of_x.inverse_norm;
            0.5 * sum(n_columns, x, y, |x, y| squared(unit(x, of_x), unit(y, of_y)))
        }
        // No row is all zero, so there is something to divide by.
        Metric::BrayCurtis => {
            sum(n_columns, x, y, |x, y| (x - y).abs()) / sum(n_columns, x, y, |x, y| x + y).max(f64::MIN_POSITIVE)
        }
        Metric::Jaccard => {
            let either = sum(n_columns, x, y, |x, y| x.max(y));
            // Two empty sets are alike, as in SciPy.
            if either == 0.0 { 0.0 } else { sum(n_columns, x, y, |x, y| (x - y).abs()) / either }
        }
        Metric::Hamming => sum(n_columns, x, y, |x, y| f64::from(u8::from(x != y))) / n_columns as f64,
        Metric::Haversine => great_circle([x.get(0), x.get(1)], [y.get(0), y.get(1)]),
    }
}

/// Kilometres between two points of (latitude, longitude) in degrees, by the haversine formula.
fn great_circle(x: [f64; 2], y: [f64; 2]) -> f64 {
    let half_chord = |x: f64, y: f64| (0.5 * (x - y).to_radians()).sin().powi(2);
    let cosines = x[0].to_radians().cos() * y[0].to_radians().cos();
    let haversine = half_chord(x[0], y[0]) + cosines * half_chord(x[1], y[1]);
    2.0 * EARTH_RADIUS * haversine.clamp(0.0, 1.0).sqrt().asin()
}

#[inline(always)]
fn sum<R: Row>(n_columns: usize, x: R, y: R, term: impl Fn(f64, f64) -> f64) -> f64 {
    let lanes = x.add_blocks(y, n_columns, &term);
    // Halving keeps the lanes in vector registers.
    let four: [f64; 4] = std::array::from_fn(|lane| lanes[lane] + lanes[lane + 4]);
    let mut total = (four[0] + four[2]) + (four[1] + four[3]);
    for column in n_columns - n_columns % LANES..n_columns {
        total += term(x.get(column), y.get(column));
    }
    total
}

#[cfg(test)]
mod tests {
    use super::Metric;

    #[test]
    fn metrics_are_spelled_as_they_are_parsed() {
        for metric in Metric::ALL {
            assert_eq!(metric.to_string().parse(), Ok(metric));
            assert_eq!(serde_json::to_string(&metric).unwrap(), format!("\"{metric}\""));
        }
        assert_eq!(
            "Hamming".parse::<Metric>().unwrap_err(),
            "\"Hamming\" is no metric; choose euclidean, sqeuclidean, manhattan, cosine, correlation, braycurtis, jaccard, \
             hamming or haversine"
        );
    }
}
