//! The tops of one object's density given all others, as a mixture of normals to propose from (docs/model.md, eq. 25).

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::surroundings::Surroundings;
use crate::cholesky::{cholesky, solve_lower_transposed};

/// Tops nearer than this, in standard deviations, are one.
const SAME: f64 = 4.0;
/// Beyond so many standard deviations an object is not at a top.
const FAR: f64 = 8.0;
/// Tops with less than this part of the probability are not kept. Partners lean towards where the object is: in a map of
/// thousands of objects two places that share the probability can each look 1e-14 times less likely from the other.
const LEAST_WEIGHT: f64 = 1e-15;

/// By how much the energy of a place that counts as normal rises within two standard deviations: a normal's by 2.
const NORMAL_RISE: std::ops::Range<f64> = 0.5..8.0;

/// One top: a normal, from the density's height and curvature there (Laplace).
#[derive(Clone)]
struct Top {
    centre: Vec<f64>,
    /// Cholesky factor of the precision.
    factor: Vec<f64>,
    log_det: f64,
    weight: f64,
}

/// All tops found; in units of sigma.
pub(super) struct Tops(Vec<Top>);

impl Tops {
    /// Climbs from all `starts`, which must not depend on where the object is.
    pub fn find(surroundings: &Surroundings, starts: impl Iterator<Item = Vec<f64>>) -> Self {
        let mut found: Vec<Top> = Vec::new();
        for mut at in starts {
            let is_known = |at: &[f64]| found.iter().any(|top| top.is_near(at, SAME));
            let is_new = surroundings.climb(&mut at, is_known);
            let top = if is_new { Top::at(surroundings, at) } else { None };
            if let Some(top) = top.filter(|top| !is_known(&top.centre)) {
                found.push(top);
            }
        }
        Self::normalised(found)
    }

    /// Turns log weights into probabilities and leaves out the improbable.
    fn normalised(mut tops: Vec<Top>) -> Self {
        let largest = tops.iter().map(|top| top.weight).fold(f64::NEG_INFINITY, f64::max);
        tops.iter_mut().for_each(|top| top.weight = (top.weight - largest).exp());
        tops.retain(|top| top.weight >= LEAST_WEIGHT);
        let total: f64 = tops.iter().map(|top| top.weight).sum();
        tops.iter_mut().for_each(|top| top.weight /= total);
        Self(tops)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the density around each is near enough to a normal that trajectories cross it with ease.
    pub fn are_normal(&self, surroundings: &Surroundings) -> bool {
        self.0.iter().all(|top| top.is_normal(surroundings))
    }

    /// A point in one of them.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> Option<Vec<f64>> {
        let mut rest: f64 = rng.random();
        let chosen = self.0.iter().find(|top| {
            rest -= top.weight;
            rest < 0.0
        });
        let top = chosen.or(self.0.last())?;
        let mut point: Vec<f64> = top.centre.iter().map(|_| rng.sample(StandardNormal)).collect();
        solve_lower_transposed(point.len(), &top.factor, &mut point);
        point.iter_mut().zip(&top.centre).for_each(|(x, centre)| *x += centre);
        Some(point)
    }

    /// A point in one of them, as likely as that is; nothing if `here` belongs to it.
    pub fn draw_if_elsewhere(&self, here: &[f64], rng: &mut ChaCha8Rng) -> Option<Vec<f64>> {
        let there = self.draw(rng)?;
        let top = self.own(&there)?;
        let is_there = std::ptr::eq(top, self.own(here)?) && top.is_near(here, FAR);
        (!is_there).then_some(there)
    }

    /// The other tops than the one that `here` belongs to, with the roots of their weights: partners lean towards where the object
    /// is, so that other tops look less likely than they are.
    pub fn elsewhere(&self, here: &[f64]) -> Self {
        let own = self.own(here);
        let others = self.0.iter().filter(|top| !own.is_some_and(|own| std::ptr::eq(*top, own)));
        Self(others.cloned().collect()).with_roots_of_weights()
    }

    /// All tops, `times` as wide, with the roots of their weights: for places that are no normals.
    pub fn widened(&self, times: f64) -> Self {
        let mut wide = self.0.clone();
        wide.iter_mut().for_each(|top| top.widen(times));
        Self(wide).with_roots_of_weights()
    }

    fn with_roots_of_weights(mut self) -> Self {
        self.0.iter_mut().for_each(|top| top.weight = top.weight.sqrt());
        let total: f64 = self.0.iter().map(|top| top.weight).sum();
        self.0.iter_mut().for_each(|top| top.weight /= total);
        self
    }

    /// Whether two points belong to one top.
    pub fn are_together(&self, a: &[f64], b: &[f64]) -> bool {
        match (self.own(a), self.own(b)) {
            (Some(a), Some(b)) => std::ptr::eq(a, b),
            _ => true,
        }
    }

    /// The one that a point belongs to.
    fn own(&self, point: &[f64]) -> Option<&Top> {
        let height = |top: &Top| top.log_density(point) - top.weight.ln();
        self.0.iter().max_by(|a, b| height(a).total_cmp(&height(b)))
    }

    /// Log density at a point, up to a constant.
    pub fn log_density(&self, at: &[f64]) -> f64 {
        let logs: Vec<f64> = self.0.iter().map(|top| top.log_density(at)).collect();
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY {
            return largest;
        }
        largest + logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln()
    }

    /// Where they are.
    pub fn centres(&self) -> impl Iterator<Item = &[f64]> {
        self.0.iter().map(|top| top.centre.as_slice())
    }
}

impl Top {
    /// The top at `at`; nothing if the energy does not bend upwards there.
    fn at(surroundings: &Surroundings, at: Vec<f64>) -> Option<Self> {
        let n = at.len();
        let bend = surroundings.bend(&at);
        let mut factor = vec![0.0; n * n];
        let log_det = cholesky(n, &bend.curvature[..n * n], &mut factor)?;
        let weight = -surroundings.energy(&at) - 0.5 * log_det;
        weight.is_finite().then_some(Self { centre: at, factor, log_det, weight })
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

    /// Whether a point is within so many standard deviations of the top.
    fn is_near(&self, point: &[f64], widths: f64) -> bool {
        self.squared_widths(point) < widths * widths
    }

    fn widen(&mut self, times: f64) {
        self.factor.iter_mut().for_each(|entry| *entry /= times);
        self.log_det -= 2.0 * self.centre.len() as f64 * times.ln();
    }

    /// Squared distance of a point from the top, in standard deviations.
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
