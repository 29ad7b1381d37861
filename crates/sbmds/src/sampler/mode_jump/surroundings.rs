//! What the location of one object depends on: its partners, their dissimilarities and the prior, in units of sigma.

use crate::cholesky::{cholesky, solve_lower, solve_lower_transposed};
use crate::coupling::Position;
use crate::likelihood::{Conditional, Derivatives, MOST_HESSIAN_DIMS, MapPoint};

/// Dimensions up to which there are mode jumps: with more, there is a way around every hill.
pub(crate) const MOST_DIMS: usize = MOST_HESSIAN_DIMS;
/// Newton steps at most.
const MOST_STEPS: usize = 25;
/// Steps shorter than this part of the object's posterior width end the search.
const SETTLED: f64 = 0.02;

/// The surroundings of one object; memory is reused from object to object.
pub(crate) struct Surroundings<'a> {
    likelihood: Box<dyn Conditional + 'a>,
    /// sigma^2 / Lambda.
    prior: Vec<f64>,
}

impl<'a> Surroundings<'a> {
    /// No surroundings yet.
    pub fn new(likelihood: Box<dyn Conditional + 'a>) -> Self {
        Self { likelihood, prior: Vec::new() }
    }

    /// Those of the object at a coupling position.
    pub fn gather(&mut self, at: MapPoint, position: Position, scales: &[f64]) {
        self.likelihood.condition_on(at, position);
        self.prior.clear();
        self.prior.extend(scales.iter().map(|scale| at.sigma * at.sigma / scale));
    }

    /// Minus the log density of the object at `at`, up to a constant.
    pub fn energy(&self, at: &[f64]) -> f64 {
        let prior: f64 = at.iter().zip(&self.prior).map(|(x, precision)| 0.5 * x * x * precision).sum();
        prior + self.likelihood.energy(at)
    }

    /// Maximises from `at`, to a mode or until `is_known` recognises the basin; true if it does not.
    pub fn maximise(&self, at: &mut [f64], is_known: impl Fn(&[f64]) -> bool) -> bool {
        for _ in 0..MOST_STEPS {
            let is_short = self.step(at);
            if is_known(at) {
                return false;
            }
            if is_short {
                break;
            }
        }
        true
    }

    /// One Newton step, or where the energy is not convex, one to the minimum of a parabola that lies above it but
    /// for the truncation at zero (de Leeuw 1977). True if it is short.
    fn step(&self, at: &mut [f64]) -> bool {
        let Derivatives { gradient, hessian } = self.derivatives(at);
        let n = at.len();
        let weight = self.likelihood.n_partners() as f64 + self.prior.iter().fold(0.0, |a: f64, b| a.max(*b));
        let mut step = gradient;
        let mut factor = [0.0; MOST_DIMS * MOST_DIMS];
        let is_bowl = cholesky(n, &hessian[..n * n], &mut factor[..n * n]).is_some();
        if is_bowl {
            solve_lower(n, &factor[..n * n], &mut step[..n]);
            solve_lower_transposed(n, &factor[..n * n], &mut step[..n]);
        }
        let squared = |step: &[f64]| step.iter().map(|x| x * x).sum::<f64>();
        // A Newton step of many parabola steps is out of its depth.
        let most = 10.0 * squared(&gradient[..n]).sqrt() / weight;
        let length = squared(&step[..n]).sqrt();
        let factor = match is_bowl {
            true if length <= most => 1.0,
            true => most / length,
            false => 1.0 / weight,
        };
        at.iter_mut().zip(step).for_each(|(x, step)| *x -= factor * step);
        squared(&step[..n]) * factor * factor * weight < SETTLED * SETTLED
    }

    /// Gradient and Hessian of the energy at a point.
    pub fn derivatives(&self, at: &[f64]) -> Derivatives {
        let n = at.len();
        let mut derivatives = self.likelihood.derivatives(at);
        for dim in 0..n {
            derivatives.gradient[dim] += self.prior[dim] * at[dim];
            derivatives.hessian[dim * n + dim] += self.prior[dim];
        }
        derivatives
    }
}
