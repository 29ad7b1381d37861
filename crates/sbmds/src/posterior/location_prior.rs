//! The prior of the locations: one trait, whatever the map is expected to look like.

use rand_chacha::ChaCha8Rng;

use super::Spread;
use crate::brownian::CloseMerge;
use crate::likelihood::Scratch;

/// A density of all N * D coordinates (dimension by dimension, by coupling position), with what it learns about itself, the
/// [`Spread`]. Immutable and shared by all chains.
pub trait LocationPrior: Send + Sync {
    /// Log density of the locations given the spread, or with the spread integrated out.
    fn log_density(&self, scratch: &mut Scratch, x: &[f64], spread: &Spread) -> f64;

    /// The same; adds its gradient.
    fn add_gradient(&self, scratch: &mut Scratch, x: &[f64], spread: &Spread, gradient: &mut [f64]) -> f64;

    /// Locations and spread from the prior.
    fn draw(&self, rng: &mut ChaCha8Rng) -> (Vec<f64>, Spread);

    /// Locations for a chain to start from when nothing is known of the map: by default a draw.
    fn draw_start(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        self.draw(rng).0
    }

    /// A spread for a chain to start from at the locations `x`.
    fn start_spread(&self, x: &[f64], rng: &mut ChaCha8Rng) -> Spread;

    /// Log prior density of the spread itself; 0 if it is known or integrated out.
    fn log_density_of_spread(&self, _spread: &Spread) -> f64 {
        0.0
    }

    /// Draws the spread from its conditional given the locations (Gibbs); true if their density is another one now.
    fn draw_spread(&self, _scratch: &mut Scratch, _x: &[f64], _spread: &mut Spread, _rng: &mut ChaCha8Rng) -> bool {
        false
    }

    /// Shifts the whole map to a centre drawn given its shape, which no distance notices; false if nothing was moved.
    fn draw_centre(&self, _scratch: &mut Scratch, _x: &mut [f64], _spread: &Spread, _rng: &mut ChaCha8Rng) -> bool {
        false
    }

    /// Turns the whole map by angles drawn given its shape, which no distance notices; false if nothing was moved. Needed where the prior is of single
    /// axes.
    fn draw_rotation(&self, _scratch: &mut Scratch, _x: &mut [f64], _spread: &Spread, _rng: &mut ChaCha8Rng) -> bool {
        false
    }

    /// The spread after an axis (with the map along it) has become `factor` times as wide, and the change of the log prior density of the log of its
    /// standard deviation; `None` if no axis may vanish.
    fn rescaled(&self, _spread: &Spread, _axis: usize, _factor: f64) -> Option<(Spread, f64)> {
        None
    }

    /// Mean prior variance of the locations about their centre, along every axis, where axes may vanish: steps along these must be as small.
    fn vanishing_variances(&self, _spread: &Spread) -> Option<Vec<f64>> {
        None
    }

    /// Lambda, if x_n ~ N(0, Lambda) independently of each other with this diagonal Lambda: then the centre of the map is
    /// independent of its shape, and single objects can jump between the modes of their conditional density.
    fn independent_variances<'a>(&self, _spread: &'a Spread) -> Option<&'a [f64]> {
        None
    }

    /// Which motions of the whole map the U-turn check leaves out, because other moves make them or nothing depends on them.
    fn free_motions(&self) -> FreeMotions {
        FreeMotions::Rotations
    }

    /// Pairs of objects that the prior holds closer together than the variance `known` with which distances know a coordinate.
    fn close_pairs(&self, _spread: &Spread, _known: f64) -> Vec<CloseMerge> {
        Vec::new()
    }

    /// Names of the numbers of the spread that are worth storing, in the order of [`LocationPrior::reported`].
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Those numbers, with locations in a unit of `unit` input units.
    fn reported(&self, _spread: &Spread, _unit: f64) -> Vec<f64> {
        Vec::new()
    }

    /// The power of the unit by which the density of the spread scales: 2 for each variance that is learned.
    fn power_of_unit(&self, _spread: &Spread) -> f64 {
        0.0
    }

    /// What a user should be told of it.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Motions of a map that leave all distances as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FreeMotions {
    /// Rotations about the centre.
    Rotations,
    /// Rotations and shifts: the centre is drawn by itself.
    RotationsAndShifts,
    /// None: the prior ties the map to its coordinates.
    None,
}
