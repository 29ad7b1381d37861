//! Measurements beside one exact number per pair with truncated normal noise: other families, limits, repeats, titres.
//!
//! Chains start at the truth here. It is an exact draw from the posterior, so that moves that leave the posterior invariant give uniform
//! ranks, and a wrong density or gradient does not; what starts do is tested by [`Measured::Pairs`].

use std::sync::Arc;

use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Gamma, StandardNormal, StudentT};

use super::{CalibrationError, CalibrationSettings, Replicate};
use crate::Locations;
use crate::coupling::{Couplings, LayOptions, lay};
use crate::dissimilarity::{Dissimilarities, Names, Observation, Term};
use crate::measurement::{
    Family, KnownErrors, LevelGroup, LevelPrior, Nu, Quantity, SCALE_OF_MEAN, SCALE_OF_SD, Support, TermLikelihood,
    Terms,
};
use crate::posterior::{DriftHyper, DriftPrior, LocationPrior, Parameters, Posterior, Spread};

/// What is measured of a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measured {
    /// One exact number per pair with truncated normal noise, by the kernels of pairs.
    Pairs,
    /// Distances as terms; every third pair is measured twice.
    Distances {
        /// How they scatter.
        family: Family,
        /// Degrees of freedom of Student's t; `None`: unknown, drawn from their prior.
        nu: Option<f64>,
        /// Whether a number shows only between which marks it lies, or beyond which.
        has_limits: bool,
    },
    /// Titres of the first half of the objects, viruses, against the others, sera: intervals and limits, with unknown potencies and
    /// avidities and with drift.
    Titres {
        /// How they scatter.
        family: Family,
        /// Degrees of freedom of Student's t; `None`: unknown, drawn from their prior.
        nu: Option<f64>,
    },
}

/// Mean and standard deviation of avidities, and the expected mean of potencies, in log2 titres.
const AVIDITY: (f64, f64) = (6.0, 1.0);
const POTENCY: f64 = 6.0;
/// Years from the first to the last virus or serum.
const YEARS: f64 = 4.0;
/// Variances and drift of viruses and sera: maps of a few units.
const DRIFT: DriftHyper = DriftHyper { shape: 4.0, rate: 3.0, drift: Some(0.5) };
/// The marks between which distances are told apart, and log2 titres: about half of the numbers lie between the ends.
const DISTANCE_MARKS: Marks = Marks { first: 1.0, last: 3.0, step: 0.5 };
const TITRE_MARKS: Marks = Marks { first: 3.0, last: 9.0, step: 1.0 };

/// What a scale shows of a number.
#[derive(Clone, Copy)]
struct Marks {
    first: f64,
    last: f64,
    step: f64,
}

impl Marks {
    fn read(self, value: f64) -> Observation {
        if value < self.first {
            return Observation::Below(self.first);
        }
        if value >= self.last {
            return Observation::Above(self.last);
        }
        let lower = self.first + ((value - self.first) / self.step).floor() * self.step;
        Observation::Within(lower, lower + self.step)
    }
}

impl Measured {
    fn family(self) -> Family {
        match self {
            Self::Pairs => Family::TruncatedNormal,
            Self::Distances { family, .. } | Self::Titres { family, .. } => family,
        }
    }

    fn nu(self) -> Option<f64> {
        match self {
            Self::Pairs => None,
            Self::Distances { nu, .. } | Self::Titres { nu, .. } => nu,
        }
    }

    /// Whether nu is ranked.
    fn has_unknown_nu(self) -> bool {
        self.family().has_nu() && self.nu().is_none()
    }

    /// Whether fits that assume this family have the unknowns of the data.
    pub(super) fn has_own_of(self, assumed: Family) -> bool {
        self.nu().is_some() || self.family().has_nu() == assumed.has_nu()
    }

    /// Which pairs are measured, and how.
    pub(super) fn pairs_in_words(self, couplings: &Couplings) -> String {
        let (family, nu) = (self.family(), self.nu().filter(|_| self.family().has_nu()));
        let family = nu.map_or_else(|| family.to_string(), |nu| format!("{family} with nu {nu}"));
        match self {
            Self::Pairs => couplings.to_string(),
            Self::Distances { has_limits: true, .. } => format!("{couplings}, {family} with limits"),
            Self::Distances { .. } => format!("{couplings}, {family}"),
            Self::Titres { .. } => format!("titres, {family}"),
        }
    }

    /// Names of what is ranked beside the map and sigma.
    pub(super) fn own_names(self) -> Vec<&'static str> {
        let titres = matches!(self, Self::Titres { .. });
        let levels = [
            "avidity 1",
            "potency 1",
            "potency mean",
            "potency sd",
            "drift",
            "variance of viruses",
            "variance of sera",
        ];
        let nu = self.has_unknown_nu().then_some("nu");
        levels.into_iter().filter(|_| titres).chain(nu).collect()
    }

    /// Their values, given the measurement's own parameters.
    pub(super) fn own_values(self, n_objects: usize, own: &[f64], spread: &Spread) -> Vec<f64> {
        let mut values = Vec::new();
        if matches!(self, Self::Titres { .. }) {
            values.extend([own[0], own[n_viruses(n_objects)], own[n_objects], own[n_objects + 1]]);
            values.extend_from_slice(spread.as_slice());
        }
        values.extend(own.last().filter(|_| self.has_unknown_nu()));
        values
    }

    /// Truth and data.
    pub(super) fn simulate(
        self,
        settings: &CalibrationSettings,
        rng: &mut ChaCha8Rng,
    ) -> Result<Replicate, CalibrationError> {
        // Drawn where it is not needed, too, so that data of several families have one map.
        let drawn = rng.sample(Gamma::new(2.0, 10.0).expect("a proper shape and scale"));
        let nu = self.nu().unwrap_or(drawn);
        match self {
            Self::Titres { .. } => Ok(self.titres(settings, nu, rng)),
            _ => self.distances(settings, nu, rng),
        }
    }

    fn distances(
        self,
        settings: &CalibrationSettings,
        nu: f64,
        rng: &mut ChaCha8Rng,
    ) -> Result<Replicate, CalibrationError> {
        let (n_objects, n_dims, family) = (settings.n_objects, settings.n_dims, self.family());
        let mut truth = settings.priors.draw(n_objects, n_dims, rng);
        truth.own.extend(self.has_unknown_nu().then(|| nu.ln()));
        let map = Locations::from_values(n_objects, truth.x.clone());
        // Couplings are laid over objects that are all measured; positions are as good as objects where all are exchangeable.
        let measured = Dissimilarities::from_fn(Names::numbered(n_objects), |_, _| 1.0);
        let options = LayOptions { seed: rng.next_u64(), ..LayOptions::default() };
        let coupling = lay(&settings.couplings, &measured, n_dims, &options)?;
        let has_limits = matches!(self, Self::Distances { has_limits: true, .. });
        let mut terms = Vec::new();
        for (a, b) in (0..n_objects).flat_map(|b| (0..b).map(move |a| (a, b))) {
            if !coupling.pairs.contains(a, b) {
                continue;
            }
            for _ in 0..if (a + b) % 3 == 0 { 2 } else { 1 } {
                let value = draw(family, map.distance(a, b), truth.sigma(), nu, rng);
                terms.push(Term::new(
                    a,
                    b,
                    if has_limits { DISTANCE_MARKS.read(value) } else { Observation::Exact(value) },
                ));
            }
        }
        let terms = Terms::new(n_objects, &terms, self.assumed(settings), Quantity::Distance, KnownErrors::Add);
        let likelihood = TermLikelihood::of_distances(terms, n_dims, self.nu().map_or(Nu::Learned, Nu::Fixed));
        let posterior = Posterior::new(Arc::new(likelihood), settings.priors.clone());
        Ok(Replicate { truth, posterior, first_map: None, coupled: None })
    }

    /// The family that the fits assume.
    fn assumed(self, settings: &CalibrationSettings) -> Family {
        settings.assumed.unwrap_or(self.family())
    }

    fn titres(self, settings: &CalibrationSettings, nu: f64, rng: &mut ChaCha8Rng) -> Replicate {
        let (n_objects, n_dims) = (settings.n_objects, settings.n_dims);
        let n_viruses = n_viruses(n_objects);
        let locations = drift_prior(n_objects, n_dims);
        let (x, spread) = locations.draw(rng);
        let variance = settings.priors.noise.draw(rng);
        let levels = TrueLevels::draw(n_viruses, n_objects - n_viruses, rng);
        let mut truth = Parameters { x, variance, spread, own: levels.own() };
        truth.own.extend(self.has_unknown_nu().then(|| nu.ln()));
        let map = Locations::from_values(n_objects, truth.x.clone());
        let mut terms = Vec::new();
        for (virus, serum) in (0..n_viruses).flat_map(|v| (n_viruses..n_objects).map(move |s| (v, s))) {
            let level = 0.5 * (levels.avidities[virus] + levels.potencies[serum - n_viruses]);
            let value = draw(self.family(), level - map.distance(virus, serum), truth.sigma(), nu, rng);
            terms.push(Term::new(virus, serum, TITRE_MARKS.read(value)));
        }
        let terms = Terms::new(n_objects, &terms, self.assumed(settings), Quantity::Level, KnownErrors::Add);
        let level_of = |k: usize| Some(if k < n_viruses { (0, k, 0.5) } else { (1, k - n_viruses, 0.5) });
        let nu = self.nu().map_or(Nu::Learned, Nu::Fixed);
        let level_of = (0..n_objects).map(level_of).collect();
        let likelihood = TermLikelihood::of_titres(terms, n_dims, nu, levels.groups(), level_of);
        let posterior = Posterior::new(Arc::new(likelihood), settings.priors.clone());
        Replicate { truth, posterior: posterior.with_locations(Arc::new(locations)), first_map: None, coupled: None }
    }
}

/// The first half of the objects are viruses.
fn n_viruses(n_objects: usize) -> usize {
    n_objects.div_ceil(2)
}

/// Viruses and sera that drift, evenly over the years.
fn drift_prior(n_objects: usize, n_dims: usize) -> DriftPrior {
    let n_viruses = n_viruses(n_objects);
    let evenly = |k: usize, n: usize| YEARS * (k as f64 + 0.5) / n as f64;
    let year = |k: usize| match k.checked_sub(n_viruses) {
        None => evenly(k, n_viruses),
        Some(serum) => evenly(serum, n_objects - n_viruses),
    };
    let kinds = ((0..n_viruses).collect(), (n_viruses..n_objects).collect());
    DriftPrior::new(n_dims, kinds, (0..n_objects).map(year).collect(), None, DRIFT)
}

/// Avidities with a known prior, potencies with a learned one.
struct TrueLevels {
    avidities: Vec<f64>,
    potencies: Vec<f64>,
    mean: f64,
    sd: f64,
}

impl TrueLevels {
    fn draw(n_viruses: usize, n_sera: usize, rng: &mut ChaCha8Rng) -> Self {
        let mut normal = |mean: f64, sd: f64| mean + sd * rng.sample::<f64, _>(StandardNormal);
        let avidities = (0..n_viruses).map(|_| normal(AVIDITY.0, AVIDITY.1)).collect();
        let mean = normal(POTENCY, SCALE_OF_MEAN);
        let sd = normal(0.0, SCALE_OF_SD).abs();
        Self { avidities, potencies: (0..n_sera).map(|_| normal(mean, sd)).collect(), mean, sd }
    }

    /// As the likelihood's own parameters.
    fn own(&self) -> Vec<f64> {
        [self.avidities.as_slice(), &self.potencies, &[self.mean, self.sd.ln()]].concat()
    }

    fn groups(&self) -> Vec<LevelGroup> {
        let group = |name, levels: &[f64], prior| {
            let objects = (1..=levels.len()).map(|k| k.to_string()).collect();
            LevelGroup { name, objects, prior, start: levels.to_vec() }
        };
        let (mean, sd) = AVIDITY;
        vec![
            group("avidity", &self.avidities, LevelPrior::Normal { mean, sd }),
            group("potency", &self.potencies, LevelPrior::Hierarchical { mean: POTENCY, learn_mean: true }),
        ]
    }
}

/// A measurement of the family around m.
fn draw(family: Family, m: f64, sigma: f64, nu: f64, rng: &mut ChaCha8Rng) -> f64 {
    loop {
        let value = match family {
            Family::Normal | Family::TruncatedNormal => m + sigma * rng.sample::<f64, _>(StandardNormal),
            Family::StudentT | Family::TruncatedStudentT => {
                m + sigma * rng.sample(StudentT::new(nu).expect("degrees of freedom are positive"))
            }
            Family::LogNormal => m * (sigma * rng.sample::<f64, _>(StandardNormal)).exp(),
        };
        if family.support() == Support::Line || value > 0.0 {
            return value;
        }
    }
}
