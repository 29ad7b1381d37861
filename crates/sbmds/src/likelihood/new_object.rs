//! An object that is not on the map: the conditional density of its location, given partners that are.

use super::partners::{Derivatives, Map, Partners};
use super::{Conditional, Likelihood, MapPoint, Noise, Storage};
use crate::coupling::{Pairs, Position};

/// A new object with its dissimilarities to objects of a map.
pub struct NewObject {
    /// Stands for the noise, the dimensions and the kernels; its own pair is never looked at.
    kernels: Likelihood,
    n_objects: usize,
    measured: Vec<(usize, f64)>,
    partners: Partners,
}

impl NewObject {
    /// `measured` has partners on a map of `n_objects` in `n_dims` dimensions, with their dissimilarities.
    pub fn new(n_objects: usize, n_dims: usize, noise: Noise, measured: Vec<(usize, f64)>) -> Self {
        let kernels = Likelihood::new(2, n_dims, &Pairs::full(2), noise, Storage::F64, |_, _| 1.0);
        Self { kernels, n_objects, measured, partners: Partners::default() }
    }
}

/// There is one object, so that its position means nothing.
impl Conditional for NewObject {
    fn condition_on(&mut self, at: MapPoint, _position: Position) {
        let map = Map { x: at.x, n_objects: self.n_objects, n_dims: self.kernels.n_dims() };
        self.partners.list(self.measured.iter().copied(), map, at.sigma);
    }

    fn n_partners(&self) -> usize {
        self.measured.len()
    }

    fn energy(&self, location: &[f64]) -> f64 {
        self.kernels.energy_among(&self.partners, location)
    }

    fn derivatives(&self, location: &[f64]) -> Derivatives {
        self.kernels.derivatives_among(&self.partners, location)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Locations;
    use crate::likelihood::LogLikelihood;

    /// A new object among the others is one of the map whose location is not looked at.
    #[test]
    fn its_energy_is_that_of_an_object_on_the_map() {
        let n = 9;
        let delta = |a: usize, b: usize| 0.5 + ((a * 7 + b * 3) % 5) as f64;
        let whole = Likelihood::new(n, 2, &Pairs::full(n), Noise::TruncatedNormal, Storage::F64, delta);
        let map = Locations::from_fn(n, 2, |object, dim| ((object + 1) as f64 * [0.618, 0.414][dim]).fract() * 3.0);
        let mut known = whole.conditional().expect("kernels have one");
        known.condition_on(MapPoint { x: map.as_slice(), sigma: 0.4, own: &[] }, Position::new(n - 1));
        let old = Locations::from_fn(n - 1, 2, |object, dim| map.get(object, dim));
        let measured = (0..n - 1).map(|object| (object, delta(object, n - 1))).collect();
        let mut new = NewObject::new(n - 1, 2, Noise::TruncatedNormal, measured);
        new.condition_on(MapPoint { x: old.as_slice(), sigma: 0.4, own: &[] }, Position::new(0));
        assert_eq!((new.n_partners(), known.n_partners()), (n - 1, n - 1));
        for at in [[0.0, 1.0], [3.0, -2.0]] {
            approx::assert_relative_eq!(new.energy(&at), known.energy(&at), max_relative = 1e-13);
            let (found, expected) = (new.derivatives(&at), known.derivatives(&at));
            approx::assert_relative_eq!(found.gradient[1], expected.gradient[1], max_relative = 1e-12);
            approx::assert_relative_eq!(found.hessian[0], expected.hessian[0], max_relative = 1e-12);
        }
    }
}
