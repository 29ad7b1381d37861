//! A new object whose dissimilarities scatter as the kernels' families do not: Student's t, log-normal.

use crate::coupling::Position;
use crate::likelihood::{Conditional, Derivatives, MapPoint};
use crate::measurement::{Family, NoiseScale};

/// Step of the differences that derivatives by a distance are made of, in the unit of the map. They only shape proposals, whose weights are exact.
const STEP: f64 = 1e-3;

/// A new object with its dissimilarities to objects of a map.
pub(super) struct FamilyObject {
    family: Family,
    n_objects: usize,
    measured: Vec<(usize, f64)>,
    /// The unit of locations: sigma, where it has the unit of the data.
    unit: f64,
    noise: NoiseScale,
    /// Where the partners are, in the unit, one after the other.
    partners: Vec<f64>,
}

impl FamilyObject {
    /// `measured` has partners on a map of `n_objects`, with their dissimilarities.
    pub fn new(family: Family, n_objects: usize, measured: Vec<(usize, f64)>) -> Self {
        let (noise, partners) = (NoiseScale::of_sigma(1.0), Vec::new());
        Self { family, n_objects, measured, unit: 1.0, noise, partners }
    }

    /// The partners' dissimilarities and what leads from each of them to a location.
    fn offsets<'a>(&'a self, location: &'a [f64]) -> impl Iterator<Item = (f64, Vec<f64>)> + 'a {
        let off = |place: &[f64]| location.iter().zip(place).map(|(x, other)| x - other).collect();
        self.measured
            .iter()
            .zip(self.partners.chunks_exact(location.len()))
            .map(move |(&(_, delta), place)| (delta, off(place)))
    }

    /// Minus the log density of a dissimilarity at a distance in the unit.
    fn minus_log(&self, delta: f64, distance: f64) -> f64 {
        -self.family.log_density_of_value(delta, distance * self.unit, self.noise)
    }
}

/// There is one object, so that its position means nothing.
impl Conditional for FamilyObject {
    /// The parameters of its own that a point has are sigma and nu; what counts as its sigma is the unit of locations.
    fn condition_on(&mut self, at: MapPoint, _position: Position) {
        self.unit = at.sigma;
        self.noise = NoiseScale { sigma: at.own[0], nu: at.own[1] };
        self.partners.clear();
        for &(other, _) in &self.measured {
            self.partners.extend(at.x.chunks_exact(self.n_objects).map(|values| values[other] / at.sigma));
        }
    }

    fn n_partners(&self) -> usize {
        self.measured.len()
    }

    fn energy(&self, location: &[f64]) -> f64 {
        self.offsets(location).map(|(delta, off)| self.minus_log(delta, length(&off))).sum()
    }

    /// With e(d) the energy of a pair and u the direction from its partner, the gradient is e' u and the Hessian e'' u u' + e'/d (I - u u').
    fn derivatives(&self, location: &[f64]) -> Derivatives {
        let n_dims = location.len();
        let mut derivatives = Derivatives { gradient: [0.0; _], hessian: [0.0; _] };
        for (delta, off) in self.offsets(location) {
            let distance = length(&off).max(2.0 * STEP);
            let at = |steps: f64| self.minus_log(delta, distance + steps * STEP);
            let (below, here, above) = (at(-1.0), at(0.0), at(1.0));
            let first = (above - below) / (2.0 * STEP);
            let second = (above - 2.0 * here + below) / (STEP * STEP);
            for row in 0..n_dims {
                derivatives.gradient[row] += first * off[row] / distance;
                for column in 0..=row {
                    let along = off[row] * off[column] / (distance * distance);
                    let round = if row == column { 1.0 } else { 0.0 };
                    derivatives.hessian[row * n_dims + column] += second * along + first / distance * (round - along);
                }
            }
        }
        derivatives
    }
}

fn length(off: &[f64]) -> f64 {
    off.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::{NewObject, Noise};

    /// With a kernels' family it is what the kernels say, up to a constant.
    #[test]
    fn energies_and_derivatives_are_those_of_the_kernels() {
        let n = 7;
        let measured: Vec<(usize, f64)> = (0..n).map(|other| (other, 0.5 + ((other * 7) % 5) as f64)).collect();
        let x: Vec<f64> = (0..2 * n).map(|k| (k as f64 * 0.618 + 0.2).fract() * 3.0).collect();
        for noise in Noise::ALL {
            let mut kernels = NewObject::new(n, 2, noise, measured.clone());
            let mut plain = FamilyObject::new(noise.into(), n, measured.clone());
            let own = [0.4, f64::INFINITY];
            kernels.condition_on(MapPoint { x: &x, sigma: 0.4, own: &[] }, Position::new(0));
            plain.condition_on(MapPoint { x: &x, sigma: 0.4, own: &own }, Position::new(0));
            let difference = |at: &[f64]| plain.energy(at) - kernels.energy(at);
            let [here, there] = [[0.0, 1.0], [3.0, -2.0]];
            approx::assert_relative_eq!(difference(&here), difference(&there), max_relative = 1e-10);
            for at in [here, there] {
                let (found, expected) = (plain.derivatives(&at), kernels.derivatives(&at));
                for dim in 0..2 {
                    approx::assert_relative_eq!(found.gradient[dim], expected.gradient[dim], epsilon = 1e-4);
                }
                for entry in [0, 2, 3] {
                    approx::assert_relative_eq!(found.hessian[entry], expected.hessian[entry], epsilon = 1e-3);
                }
            }
        }
    }
}
