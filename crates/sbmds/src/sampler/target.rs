//! Densities as the Hamiltonian samplers see them: a vector of numbers, a log density and its gradient.

use super::rigid::RigidMotions;
use crate::likelihood::Likelihood;
use crate::numeric::{add_scaled, add_scaled_product, sum_of_squares};
use crate::posterior::{Density, Posterior, Spread, Workspace};

/// A log density over R^n.
pub trait Target {
    /// Log density at `position` and, with it, what is worth recording; overwrites `gradient`.
    fn evaluate(&mut self, position: &[f64], gradient: &mut [f64]) -> Density;

    /// Gradient alone, where no value is needed.
    fn gradient(&mut self, position: &[f64], gradient: &mut [f64]);

    /// Moves `position` for a time `step` with the velocity that belongs to `momentum`.
    fn drift(&mut self, position: &mut [f64], step: f64, momentum: &[f64], inverse_mass: &[f64]) {
        add_scaled_product(position, step, momentum, inverse_mass);
    }

    /// Adds what the gradient does to `momentum` in a time `step`.
    fn kick(&mut self, momentum: &mut [f64], step: f64, gradient: &[f64]) {
        add_scaled(momentum, step, gradient);
    }

    /// The coordinates whose masses are diagonal: the position itself, unless momenta are of something else.
    fn coordinates(&mut self, position: &[f64]) -> Vec<f64> {
        position.to_vec()
    }

    /// Rotations (and shifts) that leave all distances unchanged; `None` when there are too few to affect the U-turn check.
    fn rigid_motions(&mut self, _position: &[f64]) -> Option<RigidMotions> {
        None
    }
}

/// The locations given the noise and the spread.
pub struct LocationsTarget<'a> {
    /// What is sampled.
    pub posterior: &'a Posterior,
    /// Scratch memory.
    pub workspace: &'a mut Workspace,
    /// Noise standard deviation, given.
    pub sigma: f64,
    /// Spread of the locations, given.
    pub spread: &'a Spread,
}

impl Target for LocationsTarget<'_> {
    fn evaluate(&mut self, position: &[f64], gradient: &mut [f64]) -> Density {
        self.posterior.evaluate(self.workspace, position, self.sigma, self.spread, gradient)
    }

    fn gradient(&mut self, position: &[f64], gradient: &mut [f64]) {
        self.posterior.gradient(self.workspace, position, self.sigma, self.spread, gradient);
    }

    fn rigid_motions(&mut self, position: &[f64]) -> Option<RigidMotions> {
        rigid_motions(self.posterior, position)
    }
}

/// Locations and noise together, given the spread: N * D numbers, then the noise's coordinate ([`NoisePrior::coordinate`]),
/// which is log sigma where sigma has no floor.
///
/// [`NoisePrior::coordinate`]: crate::posterior::NoisePrior::coordinate
pub struct JointTarget<'a> {
    /// What is sampled.
    pub posterior: &'a Posterior,
    /// Scratch memory.
    pub workspace: &'a mut Workspace,
    /// Spread of the locations, given.
    pub spread: &'a Spread,
}

impl Target for JointTarget<'_> {
    fn evaluate(&mut self, position: &[f64], gradient: &mut [f64]) -> Density {
        let (&w, x) = position.split_last().expect("the noise is the last parameter");
        let (by_w, gradient) = gradient.split_last_mut().expect("as long as the position");
        let prior = &self.posterior.priors().noise;
        // Without a floor w is log sigma, and sigma need not go through its square.
        let sigma = if prior.floor() == 0.0 { w.exp() } else { prior.variance_at(w).sqrt() };
        let mut density = self.posterior.evaluate(self.workspace, x, sigma, self.spread, gradient);
        *by_w = density.by_log_sigma * prior.log_sigma_by_coordinate(w) + prior.derivative_at(w);
        density.log_density += prior.log_density_at(w);
        density
    }

    fn gradient(&mut self, position: &[f64], gradient: &mut [f64]) {
        // The derivative by log sigma needs the value's sums.
        self.evaluate(position, gradient);
    }

    fn rigid_motions(&mut self, position: &[f64]) -> Option<RigidMotions> {
        rigid_motions(self.posterior, position)
    }
}

/// Rotations of the map about its centre, and shifts: no distance notices them, and the centre is drawn by itself.
fn rigid_motions(posterior: &Posterior, position: &[f64]) -> Option<RigidMotions> {
    let (n_objects, n_dims) = (posterior.likelihood().n_objects(), posterior.likelihood().n_dims());
    let mut x = position[..n_objects * n_dims].to_vec();
    // Far from the origin rotations would look like shifts.
    for x in x.chunks_exact_mut(n_objects) {
        let centre = x.iter().sum::<f64>() / n_objects as f64;
        x.iter_mut().for_each(|x| *x -= centre);
    }
    RigidMotions::new(&x, n_dims, Some(vec![1.0; n_objects]))
}

/// The locations under the full likelihood, with the gradient of a sparse one: trajectories follow the cheap gradient,
/// acceptance is decided by the true density, which stays exact.
pub struct SurrogateTarget<'a> {
    /// What is sampled.
    pub posterior: &'a Posterior,
    /// The likelihood whose gradient the trajectories follow.
    pub sparse: &'a Likelihood,
    /// Scratch memory.
    pub workspace: &'a mut Workspace,
    /// Noise standard deviation, given.
    pub sigma: f64,
    /// Spread of the locations, given.
    pub spread: &'a Spread,
}

impl<'a> SurrogateTarget<'a> {
    /// Values in f64, gradients of the same likelihood in single precision.
    pub(super) fn single(
        posterior: &'a Posterior,
        workspace: &'a mut Workspace,
        sigma: f64,
        spread: &'a Spread,
    ) -> Self {
        Self { posterior, sparse: posterior.likelihood(), workspace, sigma, spread }
    }
}

impl Target for SurrogateTarget<'_> {
    fn evaluate(&mut self, position: &[f64], gradient: &mut [f64]) -> Density {
        self.gradient(position, gradient);
        self.posterior.value(self.workspace, position, self.sigma, self.spread)
    }

    fn gradient(&mut self, position: &[f64], gradient: &mut [f64]) {
        let arithmetic = self.workspace.arithmetic;
        self.sparse.gradient_in(arithmetic, &mut self.workspace.likelihood, position, self.sigma, gradient);
        // The coupled pairs stand for all.
        let ratio = self.posterior.likelihood().n_pairs() as f64 / self.sparse.n_pairs() as f64;
        for derivative in gradient.iter_mut() {
            *derivative *= ratio;
        }
        self.posterior.add_prior_gradient(self.workspace, position, self.spread, gradient);
    }
}

/// A density with the point it was computed at: they only travel together, so a value can never be stale.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Evaluated {
    pub(super) position: Vec<f64>,
    pub(super) gradient: Vec<f64>,
    pub(super) density: Density,
}

impl Evaluated {
    /// Evaluates the target at `position`.
    pub fn at(target: &mut impl Target, position: Vec<f64>) -> Self {
        let mut gradient = vec![0.0; position.len()];
        let density = target.evaluate(&position, &mut gradient);
        Self { position, gradient, density }
    }

    /// A value without gradient, for samplers that need none.
    pub(super) fn without_gradient(position: Vec<f64>, density: Density) -> Self {
        Self { position, gradient: Vec::new(), density }
    }

    /// The same after a shift of the whole map by `shifts`, one per dimension, under the prior N(0, Lambda): no distance
    /// notices it, so that only the prior and its gradient change.
    pub(super) fn shift(&mut self, n_objects: usize, shifts: &[f64], scales: &[f64]) {
        let dims = self.position.chunks_exact_mut(n_objects).zip(self.gradient.chunks_exact_mut(n_objects));
        for ((x, gradient), (shift, scale)) in dims.zip(shifts.iter().zip(scales)) {
            let before: f64 = sum_of_squares(x);
            x.iter_mut().for_each(|x| *x += shift);
            gradient.iter_mut().for_each(|derivative| *derivative -= shift / scale);
            let change = -0.5 * (sum_of_squares(x) - before) / scale;
            self.density.log_prior_x += change;
            self.density.log_density += change;
        }
    }

    /// Where.
    pub fn position(&self) -> &[f64] {
        &self.position
    }

    /// The log density there.
    pub fn log_density(&self) -> f64 {
        self.density.log_density
    }

    /// Its gradient.
    pub fn gradient(&self) -> &[f64] {
        &self.gradient
    }

    /// Value, likelihood and derivative by the noise.
    pub fn density(&self) -> Density {
        self.density
    }
}
