//! The finished map that new objects are placed on: draws aligned to it, with sigma and the prior of a location.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use crate::Locations;
use crate::draws::{Spaced, X_SHIFT};
use crate::likelihood::MapPoint;
use crate::measurement::{Family, NoiseScale};
use crate::run::{FinishedRun, RunError};

/// Draws of a finished map.
pub struct OldMap {
    mean: Locations,
    draws: Vec<OldDraw>,
    /// Of a location, one per dimension.
    prior_variances: Vec<f64>,
}

/// One draw, with the centre of the prior as its origin.
pub(super) struct OldDraw {
    /// Dimension by dimension.
    x: Locations,
    /// The unit in which locations are proposed: about the scatter of a dissimilarity.
    unit: f64,
    /// sigma and nu.
    noise: [f64; 2],
    /// Where the origin is on the map.
    centre: Vec<f64>,
}

impl OldMap {
    /// At most `most` draws of the map that a run shows, aligned to it.
    ///
    /// # Errors
    /// If the run kept no draws of the locations, or its files are damaged.
    pub fn of(run: &FinishedRun, most: usize) -> Result<Self, RunError> {
        if run.n_locations() == 0 {
            let problem = format!("{} kept no draws of the locations", run.path().display());
            return Err(RunError::setting("RUN", problem, "fit again without `keep` summary"));
        }
        let (chosen, n_dims) = (Spaced::new(run.n_locations(), most), run.reader().n_dims());
        let (family, noise) = (run.pair_noise()?.family, run.noise_draws()?);
        let shifts = shifts(run)?;
        let mut draws = Vec::new();
        let mut index = 0;
        run.reader().for_each_x_of(run.shown_chains(), |_, _, stored| {
            if chosen.contains(index) {
                // The origin of the prior has moved with the draw, twice: when it was stored, and to the map.
                let origin =
                    shifts.as_ref().map_or(vec![0.0; n_dims], |shifts| shifts[index * n_dims..][..n_dims].to_vec());
                let motion = run.alignment().motion(stored);
                let centre = motion.apply(&Locations::from_fn(1, n_dims, |_, dim| origin[dim])).object(0);
                draws.push(OldDraw::new(family, &motion.apply(stored), noise[index], centre));
            }
            index += 1;
        })?;
        Ok(Self {
            mean: run.embedding().mean.clone(),
            draws,
            prior_variances: vec![run.prior_scale()?.powi(2); n_dims],
        })
    }

    /// Maps in memory, with sigma, under a normal prior about the origin.
    pub fn new(maps: &[(Locations, f64)], prior_variances: Vec<f64>) -> Self {
        let with_noise = |(map, sigma): &(Locations, f64)| (map.clone(), NoiseScale::of_sigma(*sigma));
        Self::of_family(Family::default(), &maps.iter().map(with_noise).collect::<Vec<_>>(), prior_variances)
    }

    /// The same with noise of any family.
    pub fn of_family(family: Family, maps: &[(Locations, NoiseScale)], prior_variances: Vec<f64>) -> Self {
        let draw = |(map, noise): &(Locations, NoiseScale)| OldDraw::new(family, map, *noise, vec![0.0; map.n_dims()]);
        Self { mean: maps[0].0.clone(), draws: maps.iter().map(draw).collect(), prior_variances }
    }

    /// The map that is shown.
    pub fn mean(&self) -> &Locations {
        &self.mean
    }

    /// Objects on it.
    pub fn n_objects(&self) -> usize {
        self.mean.n_objects()
    }

    /// Its dimensions.
    pub fn n_dims(&self) -> usize {
        self.mean.n_dims()
    }

    pub(super) fn draws(&self) -> &[OldDraw] {
        &self.draws
    }

    pub(super) fn prior_variances(&self) -> &[f64] {
        &self.prior_variances
    }
}

/// Where the origin of the prior is in every stored draw; `None` if draws are stored as the sampler had them.
fn shifts(run: &FinishedRun) -> Result<Option<Vec<f64>>, RunError> {
    if !run.reader().stats().any(|stat| stat.name == X_SHIFT) {
        return Ok(None);
    }
    let values = run.shown_chains().iter().map(|&chain| run.reader().stat(X_SHIFT, chain));
    Ok(Some(values.collect::<Result<Vec<_>, _>>()?.concat()))
}

/// Root mean squared distance of two objects.
fn spread(map: &Locations) -> f64 {
    let variance = |x: &[f64]| {
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64
    };
    (2.0 * (0..map.n_dims()).map(|dim| variance(map.dim(dim))).sum::<f64>()).sqrt()
}

impl OldDraw {
    fn new(family: Family, map: &Locations, NoiseScale { sigma, nu }: NoiseScale, centre: Vec<f64>) -> Self {
        let unit = if family.sigma_has_unit() { sigma } else { sigma * spread(map) };
        let x = Locations::from_fn(map.n_objects(), map.n_dims(), |object, dim| map.get(object, dim) - centre[dim]);
        Self { x, unit, noise: [sigma, nu], centre }
    }

    /// The old objects, about the origin.
    pub fn point(&self) -> MapPoint<'_> {
        MapPoint { x: self.x.as_slice(), sigma: self.unit, own: &self.noise }
    }

    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// A location in the unit about the origin, as one on the map.
    pub fn to_map(&self, at: &[f64]) -> Vec<f64> {
        at.iter().zip(&self.centre).map(|(x, centre)| x * self.unit + centre).collect()
    }

    /// The other way round.
    pub fn of_map(&self, at: &[f64]) -> Vec<f64> {
        at.iter().zip(&self.centre).map(|(x, centre)| (x - centre) / self.unit).collect()
    }

    /// An old object, in the unit.
    pub fn location(&self, object: usize) -> impl Iterator<Item = f64> {
        (0..self.x.n_dims()).map(move |dim| self.x.get(object, dim) / self.unit)
    }

    /// A random point at distance `delta` from an old object, in the unit.
    pub fn on_sphere(&self, object: usize, delta: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let direction: Vec<f64> = (0..self.x.n_dims()).map(|_| rng.sample(StandardNormal)).collect();
        let length = direction.iter().map(|x: &f64| x * x).sum::<f64>().sqrt();
        self.location(object).zip(&direction).map(|(x, step)| x + delta / self.unit * step / length).collect()
    }
}
