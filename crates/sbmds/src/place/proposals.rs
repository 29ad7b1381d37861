//! Where the location of a new object may be: around the modes of its density, and on the spheres around its partners.

use std::f64::consts::PI;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::old_map::OldDraw;
use crate::loo::log_sum_exp;
use crate::sampler::mode_jump::Modes;

/// Proposals for each draw: as many as look at this many partners, within these bounds. With thousands of partners the density is a
/// normal and the first proposal is as good as any; with few it may be anything.
const PARTNERS_SEEN: usize = 20_000;
const COUNTS: (usize, usize) = (4, 400);
/// Partners up to which proposals are wide and on spheres, too.
const FEW: usize = 200;
/// Widths of the normals around modes for few partners, in those that curvature gives, with the share of the proposals.
const WIDTHS: [(f64, f64); 3] = [(1.0, 0.4), (2.0, 0.3), (5.0, 0.1)];
/// Share of proposals on spheres: where an object has too few partners to be held in one place, it is somewhere on these.
const ON_SPHERES: f64 = 0.2;
/// Partners whose spheres are proposed on: the nearest ones.
const SPHERES: usize = 6;

/// A mixture to propose from, in the unit of the draw.
pub(super) struct Proposals<'a> {
    /// Normals around the modes with their share.
    normals: Vec<(Modes, f64)>,
    draw: &'a OldDraw,
    /// Partners with dissimilarities in the unit of the draw.
    spheres: Vec<(usize, f64)>,
    share_on_spheres: f64,
    count: usize,
}

impl<'a> Proposals<'a> {
    pub fn new(modes: Modes, draw: &'a OldDraw, partners: &[(usize, f64)]) -> Self {
        let count = (PARTNERS_SEEN / partners.len().max(1)).clamp(COUNTS.0, COUNTS.1);
        if partners.len() > FEW && modes.len() > 0 {
            // A little wider than the density, so that its tails are covered.
            let normals = vec![(modes.widened_with_weights(1.1), 1.0)];
            return Self { normals, draw, spheres: Vec::new(), share_on_spheres: 0.0, count };
        }
        let mut nearest = partners.to_vec();
        nearest.sort_by(|a, b| a.1.total_cmp(&b.1));
        let spheres: Vec<(usize, f64)> =
            nearest.iter().take(SPHERES).map(|&(partner, delta)| (partner, delta / draw.unit())).collect();
        let share_on_spheres = if modes.len() == 0 { 1.0 } else { ON_SPHERES };
        let normals = WIDTHS.map(|(times, share)| (modes.widened_with_weights(times), share));
        let normals = if modes.len() == 0 { Vec::new() } else { normals.to_vec() };
        Self { normals, draw, spheres, share_on_spheres, count }
    }

    /// How many to make.
    pub fn count(&self) -> usize {
        self.count
    }

    /// One proposal.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let mut rest: f64 = rng.random();
        for (modes, share) in &self.normals {
            rest -= share;
            if rest < 0.0
                && let Some(point) = modes.draw(rng)
            {
                return point;
            }
        }
        self.on_a_sphere(rng)
    }

    /// A normal distance (with variance 1, as the noise has) from one of the partners, in any direction.
    fn on_a_sphere(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let (partner, delta) = self.spheres[rng.random_range(0..self.spheres.len())];
        let radius = (delta + rng.sample::<f64, _>(StandardNormal)).abs();
        self.draw.on_sphere(partner, radius * self.draw.unit(), rng)
    }

    /// Log density of the proposals at a point.
    pub fn log_density(&self, at: &[f64]) -> f64 {
        let constant = -0.5 * at.len() as f64 * (2.0 * PI).ln();
        let normal = |(modes, share): &(Modes, f64)| share.ln() + constant + modes.log_density(at);
        let mut logs: Vec<f64> = self.normals.iter().map(normal).collect();
        for &(partner, delta) in &self.spheres {
            let off = self.draw.location(partner).zip(at).map(|(x, at)| (x - at).powi(2)).sum::<f64>().sqrt();
            let share = self.share_on_spheres / self.spheres.len() as f64;
            logs.push(share.ln() + log_radial(off, delta, at.len()));
        }
        log_sum_exp(&logs)
    }
}

/// Log density of a point at distance `off` whose distance is |delta + a standard normal|, in `n_dims` dimensions: that of the distance
/// over the surface of the sphere.
fn log_radial(off: f64, delta: f64, n_dims: usize) -> f64 {
    let half = 0.5 * n_dims as f64;
    let log_surface =
        std::f64::consts::LN_2 + half * PI.ln() - libm::lgamma(half) + (n_dims as f64 - 1.0) * off.max(1e-300).ln();
    let log_normal = |z: f64| -0.5 * z * z - 0.5 * (2.0 * PI).ln();
    log_sum_exp(&[log_normal(off - delta), log_normal(off + delta)]) - log_surface
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_density_on_a_sphere_integrates_to_one() {
        // In two and three dimensions, over the radius: density times circumference or surface.
        for (n_dims, delta) in [(1, 2.0), (2, 0.0), (2, 3.0), (3, 1.0)] {
            let (n, end) = (40_000, 12.0);
            let step = end / f64::from(n);
            let mut total = 0.0;
            for k in 0..n {
                let radius = (f64::from(k) + 0.5) * step;
                let surface = [2.0, 2.0 * PI * radius, 4.0 * PI * radius * radius][n_dims - 1];
                total += log_radial(radius, delta, n_dims).exp() * surface * step;
            }
            assert!((total - 1.0).abs() < 1e-6, "{n_dims} {delta}: {total}");
        }
    }
}
