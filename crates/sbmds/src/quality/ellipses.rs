//! How large the typical ellipse is beside the map.

use crate::Locations;
use crate::embedding::Moments;

/// The typical 95% ellipse relative to the map: the root of the median over objects of the posterior variance of a location,
/// summed over dimensions, divided by the variance of the locations on the map. It is 1 when a typical ellipse is as large as
/// the one that holds 95% of the map. `None` with fewer than two draws, or if all locations coincide.
pub(super) fn ellipse_over_map(map: &Locations, moments: &Moments) -> Option<f64> {
    if moments.n_draws() < 2 || map.n_objects() == 0 {
        return None;
    }
    let mut variances: Vec<f64> = (0..map.n_objects()).map(|object| total_variance(moments, object)).collect();
    variances.sort_unstable_by(f64::total_cmp);
    let ratio = (variances[variances.len() / 2] / map_variance(map)).sqrt();
    ratio.is_finite().then_some(ratio)
}

fn total_variance(moments: &Moments, object: usize) -> f64 {
    let n_dims = moments.mean().n_dims();
    moments.covariance(object).iter().step_by(n_dims + 1).sum()
}

fn map_variance(map: &Locations) -> f64 {
    let of_dim = |dim: usize| {
        let values = map.dim(dim);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64
    };
    (0..map.n_dims()).map(of_dim).sum()
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    #[test]
    fn a_map_whose_objects_scatter_as_it_does_has_ratio_one() {
        // Corners of a square, variance 1 in each dimension; draws shifted by +-s have variance s^2 n / (n - 1).
        let corner = |object: usize, dim: usize| if object >> dim & 1 == 0 { -1.0 } else { 1.0 };
        let ratio = |shift: f64| {
            let mut moments = Moments::new(4, 2);
            for draw in 0..100 {
                let sign = if draw % 2 == 0 { shift } else { -shift };
                moments.add(&Locations::from_fn(4, 2, |object, dim| corner(object, dim) + sign));
            }
            ellipse_over_map(moments.mean(), &moments).unwrap()
        };
        assert_relative_eq!(ratio(1.0), (100.0_f64 / 99.0).sqrt(), max_relative = 1e-12);
        assert_relative_eq!(ratio(0.1), 0.1 * (100.0_f64 / 99.0).sqrt(), max_relative = 1e-12);
        let none = Moments::new(4, 2);
        assert_eq!(ellipse_over_map(none.mean(), &none), None);
    }
}
