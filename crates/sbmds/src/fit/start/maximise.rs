//! From a first map uphill to where the posterior is high: L-BFGS (Nocedal 1980) on the log density.
//!
//! A map from few landmarks can be far from where the coupled pairs want the objects, and a warm-up of some hundred iterations
//! then ends before chains are at the same height. Maximising costs less; it does not make chains mix.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;

use crate::Locations;
use crate::numeric::{add_scaled, dot};
use crate::posterior::{Given, Posterior, Spread, Variance, Workspace};
use crate::sampler::{Interruptible, JointTarget, Target};

/// Steps at most: each costs about one gradient.
const MOST_STEPS: usize = 200;
/// Steps whose curvature is remembered; Liu and Nocedal (1989) find 3 to 20 alike.
const MEMORY: usize = 10;
/// A step that gains less than this part of the log density ends the search: the sampler does the rest.
const SETTLED: f64 = 1e-6;
/// The first step moves coordinates by this part of the map's extent on average.
const FIRST_MOVE: f64 = 0.01;
/// The part of the predicted gain that a step must reach (Armijo), and how often a step may be halved.
const KEPT: f64 = 1e-4;
const MOST_HALVINGS: usize = 20;

/// Maximises the log density from `map` (by position, in the model's unit), with sigma from `sigma` unless it is known.
///
/// When `stop` becomes true it ends wherever it is: that map is not to be used.
pub(crate) fn maximise(
    posterior: &Posterior,
    map: &Locations,
    sigma: f64,
    spread: &Spread,
    stop: Option<&AtomicBool>,
) -> Locations {
    let own = posterior.likelihood().own().map_or_else(Vec::new, |own| own.start());
    let from = Maximum { x: map.clone(), sigma, own };
    maximise_until(posterior, &from, spread, stop, |gain, value| gain < SETTLED * value.abs()).x
}

/// Where a search ended.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Maximum {
    /// The map, by position, in the model's unit.
    pub x: Locations,
    /// Noise standard deviation.
    pub sigma: f64,
    /// The measurement's own parameters.
    pub own: Vec<f64>,
}

/// The same until a step gains less than `least` in log density.
pub(crate) fn maximise_to(posterior: &Posterior, from: &Maximum, spread: &Spread, least: f64) -> Maximum {
    maximise_while(posterior, from, spread, least, || true)
}

/// The same as long as each step is allowed.
pub(crate) fn maximise_while(
    posterior: &Posterior,
    from: &Maximum,
    spread: &Spread,
    least: f64,
    mut may_go_on: impl FnMut() -> bool,
) -> Maximum {
    let mut n_small = 0;
    maximise_until(posterior, from, spread, None, |gain, _| {
        // One short step, such as the first, says nothing yet.
        n_small = if gain < least { n_small + 1 } else { 0 };
        n_small == SMALL_STEPS || !may_go_on()
    })
}

/// Steps in a row that gain little before a search ends.
const SMALL_STEPS: usize = 4;

fn maximise_until(
    posterior: &Posterior,
    from: &Maximum,
    spread: &Spread,
    stop: Option<&AtomicBool>,
    is_settled: impl FnMut(f64, f64) -> bool,
) -> Maximum {
    let Maximum { x: map, sigma, own } = from;
    let workspace = &mut Workspace::parallel();
    let target = JointTarget::new(posterior, workspace, Given { sigma: *sigma, spread, own });
    let mut target = Interruptible::new(target, stop);
    let noise = || posterior.noise().coordinate(Variance::of_sigma(*sigma));
    let unknowns = posterior.joint_unknowns();
    let x = ascend(&mut target, unknowns.join(map.as_slice().to_vec(), noise, own), is_settled);
    let (x, noise, own) = unknowns.split(&x);
    let x = Locations::from_values(map.n_objects(), x.to_vec());
    let sigma = noise.map_or(*sigma, |coordinate| posterior.noise().sigma_at(coordinate));
    Maximum { x, sigma, own: own.to_vec() }
}

/// A step, and how much it changed the gradient.
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    /// 1 / (step . change)
    weight: f64,
}

/// Maximises until little is gained; a density that is not a number anywhere nearby ends the search where it is.
fn ascend(target: &mut impl Target, mut position: Vec<f64>, mut is_settled: impl FnMut(f64, f64) -> bool) -> Vec<f64> {
    let mut gradient = vec![0.0; position.len()];
    let mut value = target.evaluate(&position, &mut gradient).log_density;
    let mut pairs: VecDeque<Pair> = VecDeque::new();
    for _ in 0..MOST_STEPS {
        let direction = direction(&gradient, &pairs, &position);
        let Some((next, next_gradient, next_value)) = step_along(target, &position, &direction, value, &gradient)
        else {
            break;
        };
        remember(&mut pairs, &position, &next, &gradient, &next_gradient);
        let gain = next_value - value;
        (position, gradient, value) = (next, next_gradient, next_value);
        if is_settled(gain, value) {
            break;
        }
    }
    position
}

/// The gradient times the curvature that the last steps have shown; the gradient alone, made short, before any.
fn direction(gradient: &[f64], pairs: &VecDeque<Pair>, position: &[f64]) -> Vec<f64> {
    let mut direction = gradient.to_vec();
    let Some(last) = pairs.back() else {
        let [length, extent] = [dot(gradient, gradient).sqrt(), dot(position, position).sqrt()];
        let factor = if length > 0.0 { FIRST_MOVE * extent / length } else { 0.0 };
        direction.iter_mut().for_each(|x| *x *= factor);
        return direction;
    };
    let mut shares = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let share = pair.weight * dot(&pair.step, &direction);
        add_scaled(&mut direction, -share, &pair.change);
        shares.push(share);
    }
    let scale = 1.0 / (last.weight * dot(&last.change, &last.change));
    direction.iter_mut().for_each(|x| *x *= scale);
    for (pair, share) in pairs.iter().zip(shares.into_iter().rev()) {
        let back = pair.weight * dot(&pair.change, &direction);
        add_scaled(&mut direction, share - back, &pair.step);
    }
    direction
}

/// The first point that gains enough, on the way along `direction` and back by halves.
fn step_along(
    target: &mut impl Target,
    position: &[f64],
    direction: &[f64],
    value: f64,
    gradient: &[f64],
) -> Option<(Vec<f64>, Vec<f64>, f64)> {
    let directional = dot(gradient, direction);
    let mut next_gradient = vec![0.0; position.len()];
    let mut length = 1.0;
    for _ in 0..MOST_HALVINGS {
        let mut next = position.to_vec();
        add_scaled(&mut next, length, direction);
        let next_value = target.evaluate(&next, &mut next_gradient).log_density;
        if next_value.is_finite() && directional > 0.0 && next_value >= value + KEPT * length * directional {
            return Some((next, next_gradient, next_value));
        }
        length /= 2.0;
    }
    None
}

/// Keeps the last steps along which the density curves downwards, as near a maximum.
fn remember(pairs: &mut VecDeque<Pair>, from: &[f64], to: &[f64], gradient_from: &[f64], gradient_to: &[f64]) {
    let step: Vec<f64> = to.iter().zip(from).map(|(to, from)| to - from).collect();
    let change: Vec<f64> = gradient_from.iter().zip(gradient_to).map(|(from, to)| from - to).collect();
    let curvature = dot(&step, &change);
    if curvature > 0.0 {
        pairs.push_back(Pair { step, change, weight: 1.0 / curvature });
    }
    if pairs.len() > MEMORY {
        pairs.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posterior::Density;
    use crate::sampler::Value;

    /// A long ridge: -sum k (x_k - k)^2.
    struct Ridge;

    impl Target for Ridge {
        fn evaluate(&mut self, position: &[f64], gradient: &mut [f64]) -> Value {
            self.gradient(position, gradient);
            let off = position.iter().zip(1..).map(|(x, k)| f64::from(k) * (x - f64::from(k)).powi(2));
            let log_density = -off.sum::<f64>() - 1.0;
            Value { log_density, density: Density { log_likelihood: log_density, log_prior_x: 0.0 } }
        }

        fn gradient(&mut self, position: &[f64], gradient: &mut [f64]) {
            for ((by_x, x), k) in gradient.iter_mut().zip(position).zip(1..) {
                *by_x = -2.0 * f64::from(k) * (x - f64::from(k));
            }
        }
    }

    #[test]
    fn the_mode_of_a_long_ridge_is_reached() {
        let mode = ascend(&mut Ridge, vec![0.5; 60], |gain, value| gain < SETTLED * value.abs());
        for (x, k) in mode.iter().zip(1..) {
            assert!((x - f64::from(k)).abs() < 0.01, "{x} instead of {k}");
        }
    }

    /// No number anywhere but at the start.
    struct Cliff;

    impl Target for Cliff {
        fn evaluate(&mut self, position: &[f64], gradient: &mut [f64]) -> Value {
            gradient.fill(1.0);
            let log_density = if position[0] == 1.0 { 0.0 } else { f64::NAN };
            Value { log_density, density: Density { log_likelihood: log_density, log_prior_x: 0.0 } }
        }

        fn gradient(&mut self, _position: &[f64], gradient: &mut [f64]) {
            gradient.fill(1.0);
        }
    }

    #[test]
    fn a_density_that_is_no_number_nearby_ends_the_search() {
        assert_eq!(ascend(&mut Cliff, vec![1.0, 2.0], |_, _| false), [1.0, 2.0]);
    }
}
