//! Independent locations x_n ~ N(0, Lambda), with Lambda known or learned.

use std::f64::consts::PI;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::half_cauchy::draw_rotation;
use super::{FreeMotions, LocationPrior, ScalePrior, Spread, draw_inverse_gamma};
use crate::Locations;
use crate::likelihood::Scratch;
use crate::numeric::{add_scaled, dot, sum_of_squares};

/// x_n ~ N(0, Lambda) for each of N objects in D dimensions.
#[derive(Clone, Debug)]
pub struct NormalPrior {
    n_objects: usize,
    n_dims: usize,
    scales: ScalePrior,
}

impl NormalPrior {
    /// Of N objects in D dimensions.
    ///
    /// # Panics
    /// If known variances are not one per dimension.
    pub fn new(n_objects: usize, n_dims: usize, scales: ScalePrior) -> Self {
        if let ScalePrior::Fixed { variances } = &scales {
            assert_eq!(variances.len(), n_dims, "one prior variance per dimension");
        }
        Self { n_objects, n_dims, scales }
    }

    fn locations(&self, standard_deviation: impl Fn(usize) -> f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let coordinate = |_, dim| standard_deviation(dim) * rng.sample::<f64, _>(StandardNormal);
        Locations::from_fn(self.n_objects, self.n_dims, coordinate).as_slice().to_vec()
    }
}

impl LocationPrior for NormalPrior {
    fn log_density(&self, _scratch: &mut Scratch, x: &[f64], spread: &Spread) -> f64 {
        let dims = x.chunks_exact(self.n_objects).zip(variances(spread));
        dims.map(|(values, &variance)| log_normal(values, variance)).sum()
    }

    fn add_gradient(&self, scratch: &mut Scratch, x: &[f64], spread: &Spread, gradient: &mut [f64]) -> f64 {
        let dims = x.chunks_exact(self.n_objects).zip(gradient.chunks_exact_mut(self.n_objects));
        for ((x, gradient), variance) in dims.zip(variances(spread)) {
            add_scaled(gradient, -1.0 / variance, x);
        }
        self.log_density(scratch, x, spread)
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> (Vec<f64>, Spread) {
        let variances = self.scales.draw(self.n_dims, rng);
        (self.locations(|dim| variances[dim].sqrt(), rng), Spread::Scales(variances))
    }

    /// Of the typical extent, not of an extent that a heavy-tailed prior happens to give.
    fn draw_start(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        match &self.scales {
            ScalePrior::Fixed { variances } => self.locations(|dim| variances[dim].sqrt(), rng),
            ScalePrior::Learned { rate, .. } => self.locations(|_| rate.sqrt(), rng),
            ScalePrior::Shrunk(half_cauchy) => self.locations(|_| half_cauchy.scale, rng),
        }
    }

    fn start_spread(&self, x: &[f64], _rng: &mut ChaCha8Rng) -> Spread {
        Spread::Scales(match &self.scales {
            ScalePrior::Fixed { variances } => variances.clone(),
            ScalePrior::Learned { .. } | ScalePrior::Shrunk(_) => {
                x.chunks_exact(self.n_objects).map(mean_square).collect()
            }
        })
    }

    fn log_density_of_spread(&self, spread: &Spread) -> f64 {
        self.scales.log_density(variances(spread))
    }

    /// Lambda_d | x ~ IG(a + N/2, b + sum_n x_nd^2 / 2), if the variances are learned.
    fn draw_spread(&self, _scratch: &mut Scratch, x: &[f64], spread: &mut Spread, rng: &mut ChaCha8Rng) -> bool {
        let (false, Spread::Scales(variances)) = (matches!(self.scales, ScalePrior::Fixed { .. }), spread) else {
            return false;
        };
        for (variance, values) in variances.iter_mut().zip(x.chunks_exact(self.n_objects)) {
            let squares = sum_of_squares(values);
            *variance = match &self.scales {
                ScalePrior::Fixed { .. } => *variance,
                ScalePrior::Learned { shape, rate } => {
                    draw_inverse_gamma(shape + 0.5 * self.n_objects as f64, rate + 0.5 * squares, rng)
                }
                ScalePrior::Shrunk(half_cauchy) => half_cauchy.draw_given(*variance, self.n_objects, squares, rng),
            };
        }
        true
    }

    fn draw_rotation(&self, _scratch: &mut Scratch, x: &mut [f64], spread: &Spread, rng: &mut ChaCha8Rng) -> bool {
        if !matches!(self.scales, ScalePrior::Shrunk(_)) {
            return false;
        }
        let precisions: Vec<f64> = variances(spread).iter().map(|variance| 1.0 / variance).collect();
        let axis = |dim: usize| &x[dim * self.n_objects..(dim + 1) * self.n_objects];
        let (n_dims, square) = (self.n_dims, |at: usize| dot(axis(at / self.n_dims), axis(at % self.n_dims)));
        let mut squares: Vec<f64> = (0..n_dims * n_dims).map(square).collect();
        draw_rotation(self.n_objects, &precisions, &mut squares, x, rng);
        true
    }

    fn rescaled(&self, spread: &Spread, axis: usize, factor: f64) -> Option<(Spread, f64)> {
        let ScalePrior::Shrunk(half_cauchy) = &self.scales else { return None };
        let mut scales = variances(spread).to_vec();
        let before = half_cauchy.log_density_of_log_sd(scales[axis]);
        scales[axis] *= factor * factor;
        let change = half_cauchy.log_density_of_log_sd(scales[axis]) - before;
        Some((Spread::Scales(scales), change))
    }

    fn vanishing_variances(&self, spread: &Spread) -> Option<Vec<f64>> {
        matches!(self.scales, ScalePrior::Shrunk(_)).then(|| variances(spread).to_vec())
    }

    fn independent_variances<'a>(&self, spread: &'a Spread) -> Option<&'a [f64]> {
        Some(variances(spread))
    }

    fn free_motions(&self) -> FreeMotions {
        FreeMotions::RotationsAndShifts
    }

    fn power_of_unit(&self, _spread: &Spread) -> f64 {
        match self.scales {
            ScalePrior::Fixed { .. } => 0.0,
            ScalePrior::Learned { .. } | ScalePrior::Shrunk(_) => 2.0 * self.n_dims as f64,
        }
    }
}

fn variances(spread: &Spread) -> &[f64] {
    spread.scales().expect("the spread of another prior")
}

/// Log density of independent N(0, variance) values.
fn log_normal(values: &[f64], variance: f64) -> f64 {
    -0.5 * values.len() as f64 * (2.0 * PI * variance).ln() - 0.5 * sum_of_squares(values) / variance
}

fn mean_square(values: &[f64]) -> f64 {
    let mean = values.iter().map(|value| value * value).sum::<f64>() / values.len() as f64;
    // A map may be flat; a variance may not.
    mean.max(f64::MIN_POSITIVE.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    /// The standard error of a mean square of 20,000 numbers is 1% of it.
    #[test]
    fn draws_and_starts_have_the_variances_of_the_prior() {
        let fixed = ScalePrior::Fixed { variances: vec![9.0, 0.25] };
        let prior = NormalPrior::new(20_000, 2, fixed);
        let rng = &mut stream(1, 0, Purpose::Start);
        let (x, spread) = prior.draw(rng);
        assert_eq!(spread, prior.start_spread(&x, rng));
        for x in [x, prior.draw_start(rng)] {
            let (first, second) = x.split_at(20_000);
            assert!((mean_square(first) / 9.0 - 1.0).abs() < 0.04 && (mean_square(second) / 0.25 - 1.0).abs() < 0.04);
        }
        let learned = NormalPrior::new(20_000, 1, ScalePrior::Learned { shape: 1.0, rate: 4.0 });
        let start = learned.draw_start(rng);
        assert!((mean_square(&start) / 4.0 - 1.0).abs() < 0.04);
        assert_eq!(learned.start_spread(&start, rng), Spread::Scales(vec![mean_square(&start)]));
    }

    /// log p and its gradient by central differences.
    #[test]
    fn the_gradient_is_that_of_the_log_density() {
        let prior = NormalPrior::new(2, 2, ScalePrior::Fixed { variances: vec![2.0, 0.5] });
        let (x, spread, scratch) = ([0.3, -1.0, 0.7, 0.2], Spread::Scales(vec![2.0, 0.5]), &mut Scratch::default());
        let mut gradient = [1.0; 4];
        assert_eq!(prior.add_gradient(scratch, &x, &spread, &mut gradient), prior.log_density(scratch, &x, &spread));
        for k in 0..4 {
            let mut at = |by: f64| {
                let mut moved = x;
                moved[k] += by;
                prior.log_density(scratch, &moved, &spread)
            };
            assert!(((at(1e-6) - at(-1e-6)) / 2e-6 - (gradient[k] - 1.0)).abs() < 1e-8);
        }
    }
}
