//! Independent locations x_n ~ N(0, Lambda), with Lambda known or learned.

use std::f64::consts::PI;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::{FreeMotions, LocationPrior, ScalePrior, Spread, draw_inverse_gamma};
use crate::Locations;
use crate::likelihood::Scratch;
use crate::numeric::{add_scaled, sum_of_squares};

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
        }
    }

    fn start_spread(&self, x: &[f64], _rng: &mut ChaCha8Rng) -> Spread {
        Spread::Scales(match &self.scales {
            ScalePrior::Fixed { variances } => variances.clone(),
            ScalePrior::Learned { .. } => x.chunks_exact(self.n_objects).map(mean_square).collect(),
        })
    }

    fn log_density_of_spread(&self, spread: &Spread) -> f64 {
        self.scales.log_density(variances(spread))
    }

    /// Lambda_d | x ~ IG(a + N/2, b + sum_n x_nd^2 / 2), if the variances are learned.
    fn draw_spread(&self, _scratch: &mut Scratch, x: &[f64], spread: &mut Spread, rng: &mut ChaCha8Rng) -> bool {
        let (ScalePrior::Learned { shape, rate }, Spread::Scales(variances)) = (&self.scales, spread) else {
            return false;
        };
        let half = 0.5 * self.n_objects as f64;
        for (variance, values) in variances.iter_mut().zip(x.chunks_exact(self.n_objects)) {
            *variance = draw_inverse_gamma(shape + half, rate + 0.5 * sum_of_squares(values), rng);
        }
        true
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
            ScalePrior::Learned { .. } => 2.0 * self.n_dims as f64,
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
