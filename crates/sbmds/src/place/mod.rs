//! New objects on a finished map: the posterior of each location, given every draw of the old map.
//!
//! The old map stays as it is: new dissimilarities do not move it (a "cut"). For every draw of map and sigma, a new object has a conditional
//! density, the likelihood of its dissimilarities times the prior of a location. [`place`] draws one location from each of them, so that what comes out
//! varies as the old map and the noise let it. The modes of the density are searched once, from the partners; in every draw, locations are
//! proposed around the modes and one is chosen by its weight (sampling importance resampling, Rubin 1987).

mod family;
mod joint;
mod old_map;
mod placed;
mod proposals;
#[cfg(test)]
mod tests;
mod write;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

pub use joint::joint_config;
pub use old_map::OldMap;
pub use placed::{Placed, PlacedObject};
pub use write::write_placed;

use crate::Locations;
use crate::coupling::Position;
use crate::dissimilarity::NewObjects;
use crate::error::RunError;
use crate::likelihood::{Conditional, NewObject};
use crate::measurement::{Family, KnownErrors, PairNoise};
use crate::random::{Purpose, stream};
use crate::sampler::mode_jump::{MOST_DIMS, Modes, Surroundings};
use family::FamilyObject;
use old_map::OldDraw;
use proposals::Proposals;

/// Dimensions up to which objects can be placed.
pub const MOST_PLACED_DIMS: usize = MOST_DIMS;

/// Places every new object by itself, in parallel. The answer depends on the seed, not on the number of threads.
///
/// # Errors
/// If an object has no dissimilarity to any old one, or the map has more than [`MOST_PLACED_DIMS`] dimensions.
pub fn place(old: &OldMap, noise: impl Into<PairNoise>, new: &NewObjects, seed: u64) -> Result<Placed, RunError> {
    let PairNoise { family, known_errors } = noise.into();
    check(old, known_errors, new)?;
    let one = |object: usize| {
        let partners: Vec<(usize, f64)> = new.old_partners(object).collect();
        Placing::new(old, family, partners).draws(&mut stream(seed, object, Purpose::Placing))
    };
    let objects: Vec<Drawn> = (0..new.names.len()).into_par_iter().map(one).collect();
    let n_dims = old.n_dims();
    let draws: Vec<Locations> = (0..old.draws().len())
        .map(|draw| Locations::from_fn(objects.len(), n_dims, |object, dim| objects[object].locations[draw][dim]))
        .collect();
    Ok(Placed::of(new, old.mean(), draws, objects.iter().map(|drawn| drawn.efficiency).collect()))
}

fn check(old: &OldMap, known_errors: KnownErrors, new: &NewObjects) -> Result<(), RunError> {
    if known_errors == KnownErrors::Replace {
        let problem =
            "the noise of the old dissimilarities is their known standard errors, and those of new ones are not known";
        return Err(RunError::setting("RUN", problem, "fit old and new objects together, with the errors of all"));
    }
    if old.n_dims() > MOST_PLACED_DIMS {
        let problem =
            format!("the map has {} dimensions, and objects are placed in {MOST_PLACED_DIMS} at most", old.n_dims());
        return Err(RunError::setting("RUN", problem, "fit them together with the others (`joint`)"));
    }
    match (0..new.names.len()).find(|&object| new.old_partners(object).next().is_none()) {
        None => Ok(()),
        Some(object) => {
            let problem = format!("{:?} has no dissimilarity to any object of the map", new.names.get(object));
            Err(RunError::setting("NEW", problem, "give it one, or remove its row"))
        }
    }
}

/// What is drawn for one object.
struct Drawn {
    /// One location for every draw of the old map.
    locations: Vec<Vec<f64>>,
    /// Mean effective share of the proposals.
    efficiency: f64,
}

/// One new object and the old map.
struct Placing<'a> {
    old: &'a OldMap,
    family: Family,
    partners: Vec<(usize, f64)>,
}

impl<'a> Placing<'a> {
    fn new(old: &'a OldMap, family: Family, partners: Vec<(usize, f64)>) -> Self {
        Self { old, family, partners }
    }

    fn draws(&self, rng: &mut ChaCha8Rng) -> Drawn {
        let modes = self.modes(rng);
        let mut surroundings = self.surroundings(self.partners.clone());
        let mut drawn = Drawn { locations: Vec::with_capacity(self.old.draws().len()), efficiency: 0.0 };
        for draw in self.old.draws() {
            let (location, efficiency) = self.draw(draw, &modes, &mut surroundings, rng);
            drawn.locations.push(location);
            drawn.efficiency += efficiency / self.old.draws().len() as f64;
        }
        drawn
    }

    /// The modes in the first draw, where all draws are aligned: in the unit of the map.
    fn modes(&self, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let first = &self.old.draws()[0];
        let mut surroundings = self.surroundings(self.searched(rng));
        surroundings.gather(first.point(), Position::new(0), self.old.prior_variances());
        let starts: Vec<Vec<f64>> = self.starts(first, rng);
        let modes = Modes::find(&surroundings, starts.into_iter());
        modes.centres().map(|centre| first.to_map(centre)).collect()
    }

    /// Partners that modes are searched with: all, or a sample of many, which has the same modes.
    fn searched(&self, rng: &mut ChaCha8Rng) -> Vec<(usize, f64)> {
        const ENOUGH: usize = 400;
        if self.partners.len() <= ENOUGH {
            return self.partners.clone();
        }
        (0..ENOUGH).map(|_| self.partners[rng.random_range(0..self.partners.len())]).collect()
    }

    /// Where the search begins: on the spheres around near and far partners, and at the middle of the map.
    fn starts(&self, draw: &OldDraw, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let n_dims = self.old.n_dims();
        let mut by_delta = self.partners.clone();
        by_delta.sort_by(|a, b| a.1.total_cmp(&b.1));
        let n_starts = 6 + 4 * n_dims;
        let mut starts = vec![vec![0.0; n_dims]];
        for k in 0..n_starts.min(4 * by_delta.len()) {
            // The nearest partners more often: their spheres are small.
            let rank = if k % 2 == 0 { (k / 2) % by_delta.len() } else { rng.random_range(0..by_delta.len()) };
            let (partner, delta) = by_delta[rank];
            starts.push(draw.on_sphere(partner, delta, rng));
        }
        starts
    }

    /// Nothing is known yet of where these partners are.
    fn surroundings(&self, partners: Vec<(usize, f64)>) -> Surroundings<'static> {
        let (n_objects, n_dims) = (self.old.n_objects(), self.old.n_dims());
        let conditional: Box<dyn Conditional> = match self.family.of_kernels() {
            Some(noise) => Box::new(NewObject::new(n_objects, n_dims, noise, partners)),
            None => Box::new(FamilyObject::new(self.family, n_objects, partners)),
        };
        Surroundings::new(conditional)
    }

    /// A location from the conditional density in one draw of the old map, and the effective share of its proposals.
    fn draw(
        &self,
        draw: &OldDraw,
        modes: &[Vec<f64>],
        surroundings: &mut Surroundings,
        rng: &mut ChaCha8Rng,
    ) -> (Vec<f64>, f64) {
        surroundings.gather(draw.point(), Position::new(0), self.old.prior_variances());
        let starts: Vec<Vec<f64>> = modes.iter().map(|mode| draw.of_map(mode)).collect();
        let proposals = Proposals::new(Modes::near(surroundings, &starts), draw, &self.partners);
        let (mut points, mut log_weights) = (Vec::new(), Vec::new());
        for _ in 0..proposals.count() {
            let point = proposals.draw(rng);
            log_weights.push(-surroundings.energy(&point) - proposals.log_density(&point));
            points.push(point);
        }
        let (chosen, efficiency) = resample(&log_weights, rng);
        (draw.to_map(&points[chosen]), efficiency)
    }
}

/// One of some points by its weight, and the effective share of them: (sum w)^2 / (n sum w^2).
fn resample(log_weights: &[f64], rng: &mut ChaCha8Rng) -> (usize, f64) {
    let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = log_weights.iter().map(|log| (log - largest).exp()).collect();
    let (sum, squares) = (weights.iter().sum::<f64>(), weights.iter().map(|weight| weight * weight).sum::<f64>());
    let mut rest = rng.random::<f64>() * sum;
    let chosen = weights.iter().position(|weight| {
        rest -= weight;
        rest < 0.0
    });
    (chosen.unwrap_or(weights.len() - 1), sum * sum / (weights.len() as f64 * squares))
}
