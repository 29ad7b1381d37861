//! The log-likelihood of a map, whatever was measured: what posteriors, samplers and starts ask of it.
//!
//! [`Likelihood`] answers with the kernels of this module. Another measurement, or another engine that adds up the same pairs,
//! implements [`LogLikelihood`] and is used in the same way.

use super::partners::{Derivatives, Partners};
use super::{Connections, Likelihood, LikelihoodValue, Workspace};
use crate::Locations;
use crate::coupling::Position;

/// Where a log-likelihood is asked for.
#[derive(Clone, Copy, Debug)]
pub struct MapPoint<'a> {
    /// Locations: N * D numbers, dimension by dimension, by coupling position.
    pub x: &'a [f64],
    /// Noise standard deviation.
    pub sigma: f64,
    /// The measurement's own parameters (see [`LogLikelihood::own`]); empty if it has none.
    pub own: &'a [f64],
}

/// Where the derivatives at a [`MapPoint`] go; both arrays are overwritten.
#[derive(Debug)]
pub struct MapGradient<'a> {
    /// By the locations.
    pub x: &'a mut [f64],
    /// By the measurement's own parameters.
    pub own: &'a mut [f64],
}

/// The log-likelihood of maps of N objects in D dimensions; immutable and shared by all chains.
pub trait LogLikelihood: Send + Sync {
    /// Number of objects N.
    fn n_objects(&self) -> usize;

    /// Number of dimensions D.
    fn n_dims(&self) -> usize;

    /// Number of measurements used: coupled pairs that are not missing.
    fn n_pairs(&self) -> usize;

    /// How many densities of numbers in the unit of the data are multiplied: measurements that are no limits, by their weights.
    fn n_densities(&self) -> f64 {
        self.n_pairs() as f64
    }

    /// Log-likelihood.
    fn value(&self, workspace: &mut Workspace, at: MapPoint) -> f64;

    /// Log-likelihood, its derivative by log sigma and its gradient.
    fn both(&self, workspace: &mut Workspace, at: MapPoint, gradient: MapGradient) -> LikelihoodValue;

    /// The gradient alone, where that is cheaper.
    fn gradient(&self, workspace: &mut Workspace, at: MapPoint, gradient: MapGradient) {
        self.both(workspace, at, gradient);
    }

    /// Whether gradients, and values that come with them, heed the workspace's arithmetic.
    fn has_single_precision(&self) -> bool {
        false
    }

    /// Calls back with the partners of the object at a coupling position and their dissimilarities, until told `false`.
    fn visit_partners(&self, position: Position, visit: &mut dyn FnMut(Position, f64) -> bool);

    /// log L(`at` with the object at `position` moved to `to`) - log L(`at`), at the cost of its partners alone if possible.
    fn change_when_moved(&self, workspace: &mut Workspace, at: MapPoint, position: Position, to: &[f64]) -> f64 {
        let before = self.value(workspace, at);
        let mut x = at.x.to_vec();
        to.iter().enumerate().for_each(|(dim, &to)| x[dim * self.n_objects() + position.index()] = to);
        self.value(workspace, MapPoint { x: &x, ..at }) - before
    }

    /// The density of one object's location given all others, for mode jumps; `None` if it is not to be had: nothing jumps then.
    fn conditional(&self) -> Option<Box<dyn Conditional + '_>> {
        None
    }

    /// Parameters of the measurement beside sigma, if it has any.
    fn own(&self) -> Option<&dyn OwnParameters> {
        None
    }

    /// Whether the pairs used can determine a map.
    fn connections(&self) -> Connections {
        Connections::of(self.n_objects(), self.n_dims(), &|position, visit| {
            self.visit_partners(position, &mut |other, _| visit(other));
        })
    }

    /// Mean squared difference of dissimilarities and distances; never zero, so that it can start a variance.
    fn mean_squared_residual(&self, x: &Locations) -> f64 {
        let (mut sum, mut count) = (0.0, 0_u64);
        for near in 0..self.n_objects() {
            self.visit_partners(Position::new(near), &mut |far, delta| {
                sum += (delta - x.distance(near, far.index())).powi(2);
                count += 1;
                true
            });
        }
        (sum / count.max(1) as f64).max(1e-12)
    }
}

/// Parameters that a measurement has beside sigma, each on an unbounded scale; they are sampled together with the locations.
pub trait OwnParameters {
    /// How many there are.
    fn count(&self) -> usize;

    /// Their names, in the order in which they are passed.
    fn names(&self) -> Vec<String>;

    /// Where a chain starts.
    fn start(&self) -> Vec<f64>;

    /// Log prior density; adds its derivatives to `gradient`.
    fn add_log_prior(&self, own: &[f64], gradient: &mut [f64]) -> f64;

    /// The numbers to report, one per name.
    fn reported(&self, own: &[f64]) -> Vec<f64>;
}

/// The density of one object's location while all others stay, in units of sigma.
pub trait Conditional {
    /// Makes it that of the object at a coupling position.
    fn condition_on(&mut self, at: MapPoint, position: Position);

    /// How many partners the object has.
    fn n_partners(&self) -> usize;

    /// Minus the log density at `location` (in units of sigma), up to a constant.
    fn energy(&self, location: &[f64]) -> f64;

    /// Gradient and Hessian of the energy.
    fn derivatives(&self, location: &[f64]) -> Derivatives;
}

impl LogLikelihood for Likelihood {
    fn n_objects(&self) -> usize {
        self.n_objects()
    }

    fn n_dims(&self) -> usize {
        self.n_dims()
    }

    fn n_pairs(&self) -> usize {
        self.n_pairs()
    }

    fn value(&self, workspace: &mut Workspace, at: MapPoint) -> f64 {
        self.value_at(workspace, at.x, at.sigma)
    }

    fn both(&self, workspace: &mut Workspace, at: MapPoint, gradient: MapGradient) -> LikelihoodValue {
        self.evaluate_in(workspace.arithmetic, workspace, at.x, at.sigma, gradient.x)
    }

    fn gradient(&self, workspace: &mut Workspace, at: MapPoint, gradient: MapGradient) {
        self.gradient_in(workspace.arithmetic, workspace, at.x, at.sigma, gradient.x);
    }

    fn has_single_precision(&self) -> bool {
        self.layout.single().is_some()
    }

    fn visit_partners(&self, position: Position, visit: &mut dyn FnMut(Position, f64) -> bool) {
        self.for_each_partner(position, visit);
    }

    fn change_when_moved(&self, workspace: &mut Workspace, at: MapPoint, position: Position, to: &[f64]) -> f64 {
        self.change_when_moved_at(workspace, at.x, at.sigma, position, to)
    }

    fn conditional(&self) -> Option<Box<dyn Conditional + '_>> {
        Some(Box::new(AmongPartners { likelihood: self, partners: Partners::default() }))
    }
}

/// One object among its partners; memory is reused from object to object.
struct AmongPartners<'a> {
    likelihood: &'a Likelihood,
    partners: Partners,
}

impl Conditional for AmongPartners<'_> {
    fn condition_on(&mut self, at: MapPoint, position: Position) {
        self.likelihood.gather_partners(&mut self.partners, at.x, at.sigma, position);
    }

    fn n_partners(&self) -> usize {
        self.partners.len()
    }

    fn energy(&self, location: &[f64]) -> f64 {
        self.likelihood.energy_among(&self.partners, location)
    }

    fn derivatives(&self, location: &[f64]) -> Derivatives {
        self.likelihood.derivatives_among(&self.partners, location)
    }
}
