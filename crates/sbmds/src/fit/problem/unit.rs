//! The scale of the data: the unit in which the model sees them, and how exactly noise can be known from them.

use crate::coupling::{Coupling, Position};
use crate::dissimilarity::Dissimilarities;
use crate::error::RunError;
use crate::likelihood::{Likelihood, LogLikelihood};
use crate::posterior::Priors;
use crate::settings::check::CheckedConfig;
use crate::settings::config::PriorFamily;

/// What dissimilarities are divided by before the model sees them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit(pub f64);

impl Unit {
    /// The log density of numbers in input units is that in the model's less log(unit) for each of them, where a number that
    /// scales with the k-th power of the unit counts k times.
    pub fn log_jacobian(self, n_numbers: f64) -> f64 {
        -n_numbers * self.0.ln()
    }
}

/// What the size of the dissimilarities says before anything is fitted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scale {
    pub unit: Unit,
    /// The smallest sigma, in input units; 0 for no limit.
    pub sigma_floor: f64,
    /// The step to which the input is rounded, if it is.
    pub rounded_to: Option<f64>,
    /// What does not fit the prior.
    pub warning: Option<String>,
}

impl Scale {
    /// Of the coupled dissimilarities, in input units.
    ///
    /// # Errors
    /// If all are zero: where everything is one point, there is no unit.
    pub fn of(
        config: &CheckedConfig,
        data: &Dissimilarities,
        coupling: &Coupling,
        likelihood: &Likelihood,
    ) -> Result<Self, RunError> {
        let measured = Measured::of(data, coupling, likelihood);
        let rms = measured.rms();
        if rms == 0.0 {
            return Err(RunError::AllZero(config.input.path.clone()));
        }
        if !rms.is_finite() {
            return Err(RunError::TooLarge {
                problem: format!("{}: the squares of the dissimilarities overflow", config.input.path.display()),
                remedy: "divide the input by a common number, or choose another `metric`".into(),
            });
        }
        // E |x - y|^2 = 2 D S^2 for x, y ~ N(0, S^2 I): the unit is the S that would make distances as large as these.
        let of_data = rms / (2.0 * config.model.n_dims as f64).sqrt();
        let is_weak = config.priors.family == PriorFamily::Weak;
        // A twofold dilution is the unit of titres.
        let has_own_unit = (is_weak || config.model.standardize) && !config.input.titers;
        let unit = Unit(if has_own_unit { of_data } else { 1.0 });
        let rounded_to = measured.common_step(rms).filter(|_| !config.input.titers);
        // The standard deviation of a uniform distribution over one step.
        let of_rounding = rounded_to.map_or(0.0, |step| step / 12.0_f64.sqrt());
        let sigma_floor = if is_weak { of_rounding.max(Priors::RELATIVE_FLOOR * of_data) } else { 0.0 };
        let sigma_floor = match config.measurement.sigma_has_unit() {
            true => sigma_floor,
            false => sigma_floor.min(Priors::RELATIVE_FLOOR),
        };
        Ok(Self { unit, sigma_floor, rounded_to, warning: misfit(config, unit, rms) })
    }
}

/// Root mean squared dissimilarity of the coupled pairs.
pub(crate) fn rms_dissimilarity(likelihood: &dyn LogLikelihood) -> f64 {
    let (mut squares, mut count) = (0.0, 0);
    for position in 0..likelihood.n_objects() {
        likelihood.visit_partners(Position::new(position), &mut |_, delta| {
            squares += delta * delta;
            count += 1;
            true
        });
    }
    (squares / f64::from(count)).sqrt()
}

/// A step below this part of the dissimilarities is no rounding worth a word.
const FINEST_STEP: f64 = 1e-5;
/// A step beyond this part of them is a count, not a rounding: hops in a network, ratings.
const COARSEST_STEP: f64 = 0.05;
/// How far from a multiple of the step numbers may be, as a part of the dissimilarities: far above what decimals lose in
/// binary, far below the finest step.
const OFF_STEP: f64 = 1e-7;

/// The numbers that were measured of the coupled pairs, in input units.
enum Measured<'a> {
    /// One for each pair.
    Pairs(&'a Likelihood),
    /// Repeats, limits and weights: numbers with the weights they count by. Means of repeats are not rounded as the repeats are.
    Terms(Vec<(f64, f64)>),
}

impl<'a> Measured<'a> {
    fn of(data: &Dissimilarities, coupling: &Coupling, likelihood: &'a Likelihood) -> Self {
        let Some(terms) = data.measurements() else { return Self::Pairs(likelihood) };
        let coupled = terms.iter().filter(|term| coupling.coupled(term.near as usize, term.far as usize).is_some());
        Self::Terms(coupled.map(|term| (term.seen.representative(), term.weight)).collect())
    }

    /// Root mean square.
    fn rms(&self) -> f64 {
        match self {
            Self::Pairs(likelihood) => rms_dissimilarity(*likelihood),
            Self::Terms(numbers) => {
                let squares: f64 = numbers.iter().map(|(number, weight)| weight * number * number).sum();
                (squares / numbers.iter().map(|(_, weight)| weight).sum::<f64>()).sqrt()
            }
        }
    }

    /// The step of which all are multiples, as numbers rounded to this many digits are: their greatest common divisor.
    fn common_step(&self, rms: f64) -> Option<f64> {
        let mut step = 0.0;
        let mut narrow = |number: f64| {
            step = common_divisor(number.abs(), step, OFF_STEP * rms);
            step == 0.0 || step >= FINEST_STEP * rms
        };
        let is_wide = match self {
            Self::Pairs(likelihood) => (0..likelihood.n_objects()).map(Position::new).all(|position| {
                let mut is_wide = true;
                likelihood.for_each_partner(position, |_, delta| {
                    is_wide = narrow(delta);
                    is_wide
                });
                is_wide
            }),
            Self::Terms(numbers) => numbers.iter().all(|&(number, _)| narrow(number)),
        };
        (is_wide && step > 0.0 && step <= COARSEST_STEP * rms).then_some(step)
    }
}

/// Euclid's algorithm for numbers that are not quite multiples.
fn common_divisor(mut a: f64, mut b: f64, tolerance: f64) -> f64 {
    while b > tolerance {
        // The remainder of least magnitude: just below a multiple is as good as just above.
        let remainder = (a - (a / b).round() * b).abs();
        (a, b) = (b, remainder);
    }
    a
}

/// Beyond this many times the distance the prior expects, dissimilarities do not fit it.
const TOO_LARGE: f64 = 5.0;
/// Below this part of the distance the prior expects, dissimilarities do not fit it.
const TOO_SMALL: f64 = 0.05;

/// A warning when dissimilarities do not fit a prior that is given in units.
fn misfit(config: &CheckedConfig, unit: Unit, rms: f64) -> Option<String> {
    let priors = &config.priors;
    let is_weak = priors.family == PriorFamily::Weak;
    if config.model.standardize || (is_weak && priors.scale.is_none()) {
        return None;
    }
    if config.tree.is_some() {
        // Sigma is learned, but its prior is no help where everything is tiny.
        let expected = (2.0 * config.model.n_dims as f64).sqrt();
        return (rms < TOO_SMALL * expected).then(|| {
            format!(
                "the dissimilarities are small (root mean square {rms:.3e}) for the Wishart(D, I) prior of the diffusion's \
                 precision and the prior of the noise: they will count as more diffuse than they are. Remedy: leave out \
                 `priors` paper; the default priors follow the data's unit"
            )
        });
    }
    let scale = priors.scale.unwrap_or(config.default_scale() * unit.0);
    let expected = scale * (2.0 * config.model.n_dims as f64).sqrt();
    let ratio = rms / expected;
    // A wide prior is no misfit where the noise has a prior of its own unit.
    let is_too_small = ratio < TOO_SMALL && !is_weak;
    if priors.learn_scale || !priors.shrinkage.is_none() || !(is_too_small || ratio > TOO_LARGE) {
        return None;
    }
    let size = if is_too_small { "smaller" } else { "larger" };
    Some(format!(
        "the dissimilarities are much {size} (root mean square {rms:.3e}) than the prior expects distances to be \
         ({expected:.3e} for locations with standard deviation {scale}): it will distort the map. Remedy: leave out \
         `priors` paper and `prior_scale` (the default priors follow the data's unit), or give `prior_scale` {:.3e}",
        ratio * scale
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::Pairs;
    use crate::likelihood::{Noise, Storage};

    /// The pairs of five objects, the k-th with the dissimilarity `values[k]`.
    fn step_of(values: [f64; 10]) -> Option<f64> {
        let pairs = Pairs::full(5);
        let value = |a: usize, b: usize| values[b * (b - 1) / 2 + a];
        let likelihood = Likelihood::new(5, 2, &pairs, Noise::default(), Storage::F64, value);
        let measured = Measured::Pairs(&likelihood);
        measured.common_step(measured.rms())
    }

    #[test]
    fn rounded_numbers_have_a_step_in_any_unit() {
        let miles = [587.0, 1212.0, 701.0, 1936.0, 604.0, 748.0, 2139.0, 2182.0, 543.0, 920.0];
        for unit in [1.0, 1e-6, 0.37, 1e6, std::f64::consts::PI] {
            let step = step_of(miles.map(|x| x * unit)).unwrap();
            assert!((step / unit - 1.0).abs() < 1e-9, "{step} for a unit of {unit}");
        }
        let hundredths = [0.93, 1.87, 0.88, 1.18, 1.26, 0.34, 1.43, 1.05, 0.0, 1.11];
        assert!((step_of(hundredths).unwrap() - 0.01).abs() < 1e-12);
    }

    /// 1.7, 1.5 and 1.5 have a mean of 1.5667: a step of a thirtieth, if means were looked at.
    #[test]
    fn repeats_are_rounded_as_they_are_written() {
        let numbers = [2.3, 1.7, 1.5, 1.5, 3.1, 4.2].map(|number| (number, 1.0));
        let measured = Measured::Terms(numbers.to_vec());
        assert!((measured.common_step(measured.rms()).unwrap() - 0.1).abs() < 1e-9);
    }

    /// A number that counts twice is as good as the same number measured twice.
    #[test]
    fn the_scale_follows_weights() {
        let twice = Measured::Terms(vec![(3.0, 1.0), (3.0, 1.0), (1.0, 1.0)]);
        assert_eq!(Measured::Terms(vec![(3.0, 2.0), (1.0, 1.0)]).rms(), twice.rms());
    }

    #[test]
    fn neither_counts_nor_numbers_of_many_digits_are_rounded() {
        assert_eq!(step_of([1.0, 2.0, 3.0, 2.0, 1.0, 4.0, 2.0, 1.0, 3.0, 2.0]), None);
        assert_eq!(step_of([1.0; 10]), None);
        assert_eq!(step_of(std::array::from_fn(|k| (k as f64 + 2.0).sqrt())), None);
        assert_eq!(step_of(std::array::from_fn(|k| f64::from((k as f32 + 2.0).sqrt()))), None);
    }
}
