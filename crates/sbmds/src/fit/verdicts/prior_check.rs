//! After the fit: whether the priors rather than the data decided how wide the map or how large the noise is.

use crate::Locations;
use crate::embedding::Moments;
use crate::fit::problem::coupled::CoupledPairs;
use crate::fit::summary::lines::digits;
use crate::posterior::{NoisePrior, ScalePrior};
use crate::settings::Resolved;

/// Beyond this many times the prior's standard deviation, the prior holds the locations together.
const CRUSHED: f64 = 1.3;
/// Scatter of that ratio for locations that do follow the prior: this many standard errors 1 / sqrt(2 N D) are allowed.
const STANDARD_ERRORS: f64 = 4.0;
/// How much wider than the map a prior should be that says little.
const WIDE: f64 = 8.0;
/// sigma within this factor of its floor is at the floor.
const AT_FLOOR: f64 = 1.2;

/// Distances on the map may be this many times as large as the dissimilarities before the prior counts as stretching it. Noise
/// alone makes dissimilarities larger, never distances.
const STRETCHED: f64 = 1.5;

/// What a finished fit says of the coupled pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FitOfPairs {
    /// Posterior mean of sigma.
    pub sigma: f64,
    /// Sum of squared residuals of the map shown.
    pub residuals: f64,
    /// Sum of its squared distances.
    pub distances: f64,
    /// Sum of squared dissimilarities.
    pub dissimilarities: f64,
}

impl FitOfPairs {
    /// The sums over the coupled pairs, each seen from both its ends.
    pub fn new(sigma: f64, map: &Locations, coupled: &CoupledPairs) -> Self {
        let mut fitted = Self { sigma, residuals: 0.0, distances: 0.0, dissimilarities: 0.0 };
        for object in 0..map.n_objects() {
            for (partner, delta) in coupled.partners(object) {
                let distance = map.distance(object, partner);
                fitted.residuals += 0.5 * (delta - distance).powi(2);
                fitted.distances += 0.5 * distance * distance;
                fitted.dissimilarities += 0.5 * delta * delta;
            }
        }
        fitted
    }
}

/// Warnings in sentences.
pub(crate) fn warnings(config: &Resolved, moments: &Moments, fitted: FitOfPairs) -> impl Iterator<Item = String> {
    crushed(config, moments).into_iter().chain(stretched(fitted)).chain(limited_noise(config, fitted))
}

/// The map is wider than its pairs say.
fn stretched(fitted: FitOfPairs) -> Option<String> {
    let ratio = (fitted.distances / fitted.dissimilarities).sqrt();
    (ratio > STRETCHED).then(|| {
        format!(
            "the prior stretches the map: its distances are {} times as large as the dissimilarities. Remedy: the default priors,              or a smaller `prior_scale` and `noise_rate`",
            digits(ratio)
        )
    })
}

/// The spread of the locations is far from what the prior says.
fn crushed(config: &Resolved, moments: &Moments) -> Option<String> {
    let priors = config.priors();
    let (ScalePrior::Fixed { variances }, None) = (&priors.scales, &config.tree) else { return None };
    let prior = variances[0].sqrt() * config.model.unit;
    let n_numbers = (moments.mean().n_objects() * moments.mean().n_dims()) as f64;
    let spread = spread(moments);
    let allowed = CRUSHED.max(1.0 + STANDARD_ERRORS / (2.0 * n_numbers).sqrt());
    (spread > allowed * prior).then(|| {
        format!(
            "the prior crushes the map: the locations have a standard deviation of {}, where the prior says {}. Remedy: a wider \
             prior, such as `prior_scale` {}",
            digits(spread),
            digits(prior),
            digits(WIDE * spread)
        )
    })
}

/// Root mean square of the coordinates about their centre, over objects, dimensions and draws.
fn spread(moments: &Moments) -> f64 {
    let mean = moments.mean();
    let (n_objects, n_dims) = (mean.n_objects(), mean.n_dims());
    let mut squares = 0.0;
    for dim in 0..n_dims {
        let centre = mean.dim(dim).iter().sum::<f64>() / n_objects as f64;
        for (object, x) in mean.dim(dim).iter().enumerate() {
            let sd = moments.sd(object, dim);
            squares += (x - centre).powi(2) + if sd.is_nan() { 0.0 } else { sd * sd };
        }
    }
    (squares / (n_objects * n_dims) as f64).sqrt()
}

/// sigma is where it is because it cannot be smaller, or because its prior says more than the residuals do.
fn limited_noise(config: &Resolved, fitted: FitOfPairs) -> Option<String> {
    let sigma = fitted.sigma;
    let NoisePrior::InverseGamma { rate, .. } = config.priors().noise else { return None };
    let floor = config.priors.sigma_floor;
    if sigma < AT_FLOOR * floor {
        let why = match config.priors.rounded_to {
            Some(step) if step / 12.0_f64.sqrt() >= floor => {
                format!("the input is rounded to {}, so that nothing smaller can be known", digits(step))
            }
            _ => "1 in 10,000 of the data's scale".to_owned(),
        };
        let (sigma, floor) = (digits(sigma), digits(floor));
        return Some(format!(
            "the dissimilarities fit a map almost exactly: sigma ({sigma}) is at its lower limit {floor} ({why})"
        ));
    }
    // The posterior of sigma^2 has the rate b + sum of squares / 2.
    let rate = rate * config.model.unit.powi(2);
    (rate > 0.5 * fitted.residuals).then(|| {
        format!(
            "sigma ({}) is set by its prior more than by the data, whose residuals are smaller. Error bars are at least as wide \
             as they should be. A smaller `noise_rate` than {} lets sigma shrink",
            digits(sigma),
            digits(rate)
        )
    })
}
