//! Where new objects are: means, covariances and modes over the draws.

use rayon::prelude::*;

use crate::Locations;
use crate::dissimilarity::{Names, NewObjects};
use crate::embedding::{MixedMoments, ModeCentres, Moments, ObjectFit, ObjectModes, object_fits};

/// New objects, placed.
pub struct Placed {
    /// Their names.
    pub names: Names,
    /// Locations in every draw of the old map.
    pub draws: Vec<Locations>,
    /// Mean and covariance; an object that has several modes is in the heaviest.
    pub moments: Moments,
    /// The objects that have several modes.
    pub modes: Vec<ObjectModes>,
    /// How each fits, and how well it was sampled.
    pub objects: Vec<PlacedObject>,
}

/// How a new object fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedObject {
    /// Its dissimilarities against the map.
    pub fit: ObjectFit,
    /// Number of its modes.
    pub n_modes: usize,
    /// Mean effective share of the proposals: near 0 its draws are few different ones.
    pub efficiency: f64,
}

impl Placed {
    /// Looks for modes and summarises; `old` is the map that new objects were placed on.
    pub(super) fn of(new: &NewObjects, old: &Locations, draws: Vec<Locations>, efficiencies: Vec<f64>) -> Self {
        let n_objects = new.names.len();
        let centres: Vec<ModeCentres> =
            (0..n_objects).into_par_iter().filter_map(|object| ModeCentres::of(object, &draws)).collect();
        let mut mixed = MixedMoments::new(n_objects, old.n_dims(), centres);
        draws.iter().for_each(|draw| mixed.add(draw));
        let (moments, modes) = (mixed.shown(None), mixed.modes(None));
        let fits = fits(new, old, moments.mean());
        let n_modes =
            |object: usize| modes.iter().find(|modes| modes.object == object).map_or(1, |modes| modes.modes.len());
        let objects = fits
            .into_iter()
            .zip(efficiencies)
            .enumerate()
            .map(|(object, (fit, efficiency))| PlacedObject { fit, n_modes: n_modes(object), efficiency })
            .collect();
        Self { names: new.names.clone(), draws, moments, modes, objects }
    }
}

/// How new objects fit: on a map of the old ones with all new ones behind them.
fn fits(new: &NewObjects, old: &Locations, placed: &Locations) -> Vec<ObjectFit> {
    let n_old = old.n_objects();
    let all =
        Locations::from_fn(n_old + placed.n_objects(), old.n_dims(), |object, dim| match object.checked_sub(n_old) {
            Some(new) => placed.get(new, dim),
            None => old.get(object, dim),
        });
    let partners = |object: usize| match object.checked_sub(n_old) {
        Some(object) => new.old_partners(object).collect(),
        None => Vec::new(),
    };
    object_fits(&all, partners).split_off(n_old)
}
