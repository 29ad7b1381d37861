//! The modes of one object's density given all others, as a mixture of normals to propose from (docs/model.md, eq. 25).

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::surroundings::Surroundings;
use crate::cholesky::{cholesky, solve_lower, solve_lower_transposed};

/// Modes nearer than this, in standard deviations, are one.
const SAME: f64 = 4.0;
/// Beyond this many standard deviations an object is not at a mode.
const FAR: f64 = 8.0;
/// Modes with less than this part of the probability are not kept. Partners have adapted to where the object is: in a map of
/// thousands of objects two modes that share the probability can each look 1e-14 times less likely from the other.
const LEAST_WEIGHT: f64 = 1e-15;

/// By how much the energy of a mode that counts as normal rises within two standard deviations: a normal's by 2.
const NORMAL_RISE: std::ops::Range<f64> = 0.5..8.0;

/// One mode: a normal, from the density's height and curvature there (Laplace).
#[derive(Clone)]
struct Mode {
    centre: Vec<f64>,
    /// Cholesky factor of the precision.
    factor: Vec<f64>,
    log_det: f64,
    weight: f64,
}

/// All modes found; in units of sigma.
#[derive(Clone)]
pub(crate) struct Modes(Vec<Mode>);

impl Modes {
    /// Maximises from all `starts`, which must not depend on where the object is.
    pub fn find(surroundings: &Surroundings, starts: impl Iterator<Item = Vec<f64>>) -> Self {
        let mut found: Vec<Mode> = Vec::new();
        for mut at in starts {
            let is_known = |at: &[f64]| found.iter().any(|mode| mode.is_near(at, SAME));
            let is_new = surroundings.maximise(&mut at, is_known);
            let mode = if is_new { Mode::at(surroundings, at) } else { None };
            if let Some(mode) = mode.filter(|mode| !is_known(&mode.centre)) {
                found.push(mode);
            }
        }
        Self::normalised(found)
    }

    /// The modes one Newton step from each of `starts`, which are near them: a third of the cost of [`Modes::find`], for proposals
    /// that are weighted or accepted anyway. Where a start is not near a mode, all are searched.
    pub fn near(surroundings: &Surroundings, starts: &[Vec<f64>]) -> Self {
        let found: Option<Vec<Mode>> = starts.iter().map(|start| Mode::near(surroundings, start)).collect();
        match found {
            Some(found) => Self::normalised(found),
            None => Self::find(surroundings, starts.iter().cloned()),
        }
    }

    /// Turns log weights into probabilities and leaves out the improbable.
    fn normalised(mut modes: Vec<Mode>) -> Self {
        let largest = modes.iter().map(|mode| mode.weight).fold(f64::NEG_INFINITY, f64::max);
        modes.iter_mut().for_each(|mode| mode.weight = (mode.weight - largest).exp());
        modes.retain(|mode| mode.weight >= LEAST_WEIGHT);
        let total: f64 = modes.iter().map(|mode| mode.weight).sum();
        modes.iter_mut().for_each(|mode| mode.weight /= total);
        Self(modes)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the density around each is near enough to a normal that trajectories cross it with ease.
    pub fn are_normal(&self, surroundings: &Surroundings) -> bool {
        self.0.iter().all(|mode| mode.is_normal(surroundings))
    }

    /// A point in one of them.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> Option<Vec<f64>> {
        let mut rest: f64 = rng.random();
        let chosen = self.0.iter().find(|mode| {
            rest -= mode.weight;
            rest < 0.0
        });
        let mode = chosen.or(self.0.last())?;
        let mut point: Vec<f64> = mode.centre.iter().map(|_| rng.sample(StandardNormal)).collect();
        solve_lower_transposed(point.len(), &mode.factor, &mut point);
        point.iter_mut().zip(&mode.centre).for_each(|(x, centre)| *x += centre);
        Some(point)
    }

    /// A point at a mode drawn by weight; `None` if `here` belongs to that mode.
    pub fn draw_if_elsewhere(&self, here: &[f64], rng: &mut ChaCha8Rng) -> Option<Vec<f64>> {
        let there = self.draw(rng)?;
        let mode = self.own(&there)?;
        let is_there = std::ptr::eq(mode, self.own(here)?) && mode.is_near(here, FAR);
        (!is_there).then_some(there)
    }

    /// The modes other than the one that `here` belongs to, with the roots of their weights: partners have adapted to where the
    /// object is, so that other modes look less likely than they are.
    pub fn elsewhere(&self, here: &[f64]) -> Self {
        let own = self.own(here);
        let others = self.0.iter().filter(|mode| !own.is_some_and(|own| std::ptr::eq(*mode, own)));
        Self(others.cloned().collect()).with_roots_of_weights()
    }

    /// All modes, `times` as wide, with the roots of their weights: for modes that are far from normal.
    pub fn widened(&self, times: f64) -> Self {
        self.widened_with_weights(times).with_roots_of_weights()
    }

    /// All modes, `times` as wide, with their weights.
    pub fn widened_with_weights(&self, times: f64) -> Self {
        let mut wide = self.0.clone();
        wide.iter_mut().for_each(|mode| mode.widen(times));
        Self(wide)
    }

    fn with_roots_of_weights(mut self) -> Self {
        self.0.iter_mut().for_each(|mode| mode.weight = mode.weight.sqrt());
        let total: f64 = self.0.iter().map(|mode| mode.weight).sum();
        self.0.iter_mut().for_each(|mode| mode.weight /= total);
        self
    }

    /// Whether two points belong to one mode.
    pub fn are_together(&self, a: &[f64], b: &[f64]) -> bool {
        match (self.own(a), self.own(b)) {
            (Some(a), Some(b)) => std::ptr::eq(a, b),
            _ => true,
        }
    }

    /// The one that a point belongs to.
    fn own(&self, point: &[f64]) -> Option<&Mode> {
        let height = |mode: &Mode| mode.log_density(point) - mode.weight.ln();
        self.0.iter().max_by(|a, b| height(a).total_cmp(&height(b)))
    }

    /// Log density at a point, up to a constant.
    pub fn log_density(&self, at: &[f64]) -> f64 {
        let logs: Vec<f64> = self.0.iter().map(|mode| mode.log_density(at)).collect();
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY {
            return largest;
        }
        largest + logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln()
    }

    /// Where they are.
    pub fn centres(&self) -> impl Iterator<Item = &[f64]> {
        self.0.iter().map(|mode| mode.centre.as_slice())
    }
}

impl Mode {
    /// The mode at `at`; `None` if the energy is not convex there.
    fn at(surroundings: &Surroundings, at: Vec<f64>) -> Option<Self> {
        let n = at.len();
        let derivatives = surroundings.derivatives(&at);
        let mut factor = vec![0.0; n * n];
        let log_det = cholesky(n, &derivatives.hessian[..n * n], &mut factor)?;
        let weight = -surroundings.energy(&at) - 0.5 * log_det;
        weight.is_finite().then_some(Self { centre: at, factor, log_det, weight })
    }

    /// The mode one Newton step from `start`, with the curvature there; `None` if the energy is not convex there.
    fn near(surroundings: &Surroundings, start: &[f64]) -> Option<Self> {
        let n = start.len();
        let derivatives = surroundings.derivatives(start);
        let mut factor = vec![0.0; n * n];
        let log_det = cholesky(n, &derivatives.hessian[..n * n], &mut factor)?;
        let mut step = derivatives.gradient[..n].to_vec();
        solve_lower(n, &factor, &mut step);
        solve_lower_transposed(n, &factor, &mut step);
        let centre: Vec<f64> = start.iter().zip(&step).map(|(x, step)| x - step).collect();
        let weight = -surroundings.energy(&centre) - 0.5 * log_det;
        weight.is_finite().then_some(Self { centre, factor, log_det, weight })
    }

    /// Whether the energy rises by about what a normal's does, two standard deviations away in any direction.
    fn is_normal(&self, surroundings: &Surroundings) -> bool {
        let n = self.centre.len();
        let bottom = surroundings.energy(&self.centre);
        let rise = |dim: usize, by: f64| {
            let mut at = vec![0.0; n];
            at[dim] = by;
            solve_lower_transposed(n, &self.factor, &mut at);
            at.iter_mut().zip(&self.centre).for_each(|(x, centre)| *x += centre);
            surroundings.energy(&at) - bottom
        };
        (0..n).flat_map(|dim| [rise(dim, 2.0), rise(dim, -2.0)]).all(|rise| NORMAL_RISE.contains(&rise))
    }

    /// Whether a point is within this many standard deviations of the mode.
    fn is_near(&self, point: &[f64], widths: f64) -> bool {
        self.squared_widths(point) < widths * widths
    }

    fn widen(&mut self, times: f64) {
        self.factor.iter_mut().for_each(|entry| *entry /= times);
        self.log_det -= 2.0 * self.centre.len() as f64 * times.ln();
    }

    /// Squared distance of a point from the mode, in standard deviations.
    fn squared_widths(&self, point: &[f64]) -> f64 {
        let n = point.len();
        let off = |dim: usize| point[dim] - self.centre[dim];
        // |L' off|^2
        let part = |column: usize| (column..n).map(|row| self.factor[row * n + column] * off(row)).sum::<f64>();
        (0..n).map(|column| part(column).powi(2)).sum()
    }

    fn log_density(&self, at: &[f64]) -> f64 {
        self.weight.ln() + 0.5 * self.log_det - 0.5 * self.squared_widths(at)
    }
}
