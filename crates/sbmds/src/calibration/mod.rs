//! Simulation-based calibration: do credible intervals of simulated data have their stated coverage?
//!
//! The truth is drawn from the prior and data from the truth. If everything between data and draws is right, the truth
//! is one more draw from the posterior, and its rank among L independent draws is uniform on 0..=L (Talts, Betancourt,
//! Simpson, Vehtari and Gelman 2018, "Validating Bayesian inference algorithms with simulation-based calibration").

mod histogram;
mod measured;
mod report;
mod uniformity;
mod whole;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

pub use measured::Measured;
pub use report::{Calibration, Judgement, RankedQuantity};
pub use uniformity::UniformityTest;

use crate::Locations;
use crate::coupling::{Couplings, LayOptions, ObjectOrder, lay};
use crate::diagnostics::{Chains, ess_bulk};
use crate::dissimilarity::{Dissimilarities, InputError, Names};
use crate::embedding::{classical_mds, disperse};
use crate::fit::collect;
use crate::likelihood::{Likelihood, Noise, Storage};
use crate::measurement::Family;
use crate::posterior::{NoisePrior, Parameters, Posterior, Priors, Spread, Variance, Workspace};
use crate::random::{Purpose, stream};
use crate::sampler::{Chain, Sampler, SamplerSettings};
use crate::simulate::{self, Simulation};

/// What to simulate and how to fit it.
#[derive(Clone, Debug)]
pub struct CalibrationSettings {
    /// Objects of each simulated data set.
    pub n_objects: usize,
    /// Dimensions of the map.
    pub n_dims: usize,
    /// Data sets.
    pub n_replicates: usize,
    /// Which pairs are observed by the fit.
    pub couplings: Couplings,
    /// How to sample.
    pub sampler: SamplerSettings,
    /// Draws L among which the truth is ranked.
    pub n_draws: usize,
    /// Iterations per draw: enough for draws to be nearly independent.
    pub thin: usize,
    /// What is measured.
    pub measured: Measured,
    /// The family of noise that the fits assume, if it is not that of the data: calibration must notice.
    pub assumed: Option<Family>,
    /// Where the truth comes from; the fit assumes the same.
    pub priors: Priors,
    /// Seed of everything random.
    pub seed: u64,
}

impl CalibrationSettings {
    /// 200 fits of 20 objects in this many dimensions, with 3 random diagonals and the default priors.
    pub fn new(sampler: Sampler, n_dims: usize) -> Self {
        Self {
            n_objects: 20,
            n_dims,
            n_replicates: 200,
            couplings: Couplings::Dispersed(3),
            sampler: SamplerSettings { sampler, n_warmup: 500, jitter: 0.5, ..SamplerSettings::default() },
            n_draws: 99,
            thin: Self::thin_for(sampler),
            measured: Measured::Pairs,
            assumed: None,
            priors: Priors::paper(n_dims),
            seed: 1,
        }
    }

    /// The same for other measurements. Their noise is IG(4, 1): IG(1, 1) knows no mean, and log-normal data with such noise span
    /// more orders of magnitude than numbers have.
    pub fn measuring(self, measured: Measured) -> Self {
        let noise = match measured {
            Measured::Pairs => self.priors.noise,
            _ => NoisePrior::InverseGamma { shape: 4.0, rate: 1.0, floor: 0.0 },
        };
        Self { measured, priors: Priors { noise, ..self.priors }, ..self }
    }

    /// Iterations after which draws of maps of some twenty objects are nearly independent.
    pub fn thin_for(sampler: Sampler) -> usize {
        sampler.independent_after()
    }
}

/// Why nothing can be calibrated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// Settings that make no fits or no ranks.
    #[error("{what} must be at least {least}, not {found}")]
    TooSmall {
        /// The setting.
        what: &'static str,
        /// Its least value.
        least: usize,
        /// What it was.
        found: usize,
    },
    /// Another family of noise for pairs that have none to choose.
    #[error("name the family of the data, too: the fits assume another than theirs")]
    NothingAssumed,
    /// One of two families has degrees of freedom that are learned, and the other none.
    #[error("one of the two families has degrees of freedom: give them with `nu`")]
    UnknownNu,
    /// Anchored fits are calibrated with plain dissimilarities and priors in their unit.
    #[error("anchored couplings are calibrated with the default noise and the paper's priors, sigma unknown")]
    AnchoredPriors,
    /// A fit that failed.
    #[error("{0}")]
    Fit(String),
    /// No fit stands for the posterior of all pairs.
    #[error("no fit of {0} held its own check: nothing is left to be ranked")]
    NothingHolds(usize),
    /// A coupling that cannot be laid.
    #[error(transparent)]
    Coupling(#[from] InputError),
}

/// Pairs of objects whose distances are ranked; objects are exchangeable, so that any will do.
const PAIRS: [(usize, usize); 3] = [(0, 1), (1, 2), (0, 2)];

/// Fits all replicates, in parallel; `on_progress` hears the number of fits done.
///
/// The same settings give the same ranks, whatever the number of threads.
pub fn calibrate(
    settings: &CalibrationSettings,
    on_progress: &(dyn Fn(usize) + Sync),
) -> Result<Calibration, CalibrationError> {
    check(settings)?;
    let n_done = AtomicUsize::new(0);
    let ranked = |replicate| {
        let ranks = rank_truth(settings, replicate)?;
        on_progress(n_done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(ranks)
    };
    let ranks: Vec<Option<Vec<Rank>>> =
        (0..settings.n_replicates).into_par_iter().map(ranked).collect::<Result<_, CalibrationError>>()?;
    let ranks: Vec<Vec<Rank>> = ranks.into_iter().flatten().collect();
    if ranks.is_empty() {
        return Err(CalibrationError::NothingHolds(settings.n_replicates));
    }
    Ok(Calibration::of(settings, &ranks))
}

fn check(settings: &CalibrationSettings) -> Result<(), CalibrationError> {
    for (what, least, found) in [
        ("the number of objects", 4, settings.n_objects),
        ("the number of dimensions", 1, settings.n_dims),
        ("the number of replicates", 10, settings.n_replicates),
        ("the number of draws", 9, settings.n_draws),
        ("thinning", 1, settings.thin),
    ] {
        if found < least {
            return Err(CalibrationError::TooSmall { what, least, found });
        }
    }
    match settings.assumed {
        Some(_) if settings.measured == Measured::Pairs => Err(CalibrationError::NothingAssumed),
        Some(family) if !settings.measured.has_own_of(family) => Err(CalibrationError::UnknownNu),
        _ => Ok(()),
    }
}

/// Where the truth of one quantity lies among the draws of one fit.
#[derive(Clone, Debug)]
struct Rank {
    /// Draws below the truth.
    below: usize,
    /// Effective number of the draws: far below their number, ranks are not uniform although the fit is right.
    ess: f64,
}

/// The names of what is ranked: none changes when the map is rotated.
fn quantity_names(settings: &CalibrationSettings) -> Vec<String> {
    let mut names = vec!["log likelihood".to_owned(), "mean squared distance".to_owned()];
    names.extend(PAIRS.map(|(a, b)| format!("distance {}-{}", a + 1, b + 1)));
    if !settings.priors.noise.is_fixed() {
        names.insert(0, "sigma".to_owned());
    }
    names.extend(settings.measured.own_names().into_iter().map(str::to_owned));
    names
}

/// Where the quantities are looked at.
struct At<'a> {
    x: &'a [f64],
    sigma: f64,
    log_likelihood: f64,
    own: &'a [f64],
    spread: &'a Spread,
}

/// The values of all quantities at one point, in the order of their names.
fn quantities(settings: &CalibrationSettings, posterior: &Posterior, at: &At<'_>) -> Vec<f64> {
    let map = Locations::from_values(posterior.likelihood().n_objects(), at.x.to_vec());
    let mut values = vec![at.log_likelihood, mean_squared_distance(&map)];
    values.extend(PAIRS.map(|(a, b)| map.distance(a, b)));
    if posterior.noise().known().is_none() {
        values.insert(0, at.sigma);
    }
    values.extend(settings.measured.own_values(settings.n_objects, at.own, at.spread));
    values
}

/// Over all pairs: twice the summed variances.
fn mean_squared_distance(map: &Locations) -> f64 {
    let n = map.n_objects() as f64;
    let variance = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / n;
        values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)
    };
    2.0 * (0..map.n_dims()).map(|dim| variance(map.dim(dim))).sum::<f64>()
}

/// Truth, data, fit, ranks: one replicate; `None` if the fit itself says that it is not the posterior.
fn rank_truth(settings: &CalibrationSettings, replicate: usize) -> Result<Option<Vec<Rank>>, CalibrationError> {
    let mut rng = stream(settings.seed, replicate, Purpose::Simulation);
    let replicate = Replicate::simulate(settings, &mut rng)?;
    if matches!(settings.couplings, Couplings::Anchored(_)) {
        return replicate.rank_in_whole_fit(settings, &mut rng);
    }
    let draws = replicate.fit(settings, &mut rng);
    let truth = replicate.truth_quantities(settings);
    let column = |k: usize| draws.iter().map(|draw| draw[k]).collect();
    Ok(Some(truth.iter().enumerate().map(|(k, &truth)| rank(truth, column(k))).collect()))
}

fn rank(truth: f64, draws: Vec<f64>) -> Rank {
    let below = draws.iter().filter(|&&draw| draw < truth).count();
    let ess = Chains::new(&[draws]).map_or(f64::NAN, |chains| ess_bulk(&chains));
    Rank { below, ess }
}

/// One simulated data set, in the order in which it is coupled.
struct Replicate {
    /// The dissimilarities and the order in which they are coupled; `None` of measurements that are more than that.
    coupled: Option<(Dissimilarities, ObjectOrder)>,
    truth: Parameters,
    posterior: Posterior,
    /// Where the chain starts; `None`: at the truth.
    first_map: Option<Locations>,
}

impl Replicate {
    fn simulate(settings: &CalibrationSettings, rng: &mut ChaCha8Rng) -> Result<Self, CalibrationError> {
        match settings.measured {
            Measured::Pairs => Self::of_pairs(settings, rng),
            measured => measured.simulate(settings, rng),
        }
    }

    fn of_pairs(settings: &CalibrationSettings, rng: &mut ChaCha8Rng) -> Result<Self, CalibrationError> {
        let (n_objects, n_dims) = (settings.n_objects, settings.n_dims);
        let mut truth = settings.priors.draw(n_objects, n_dims, rng);
        let locations = Locations::from_values(n_objects, truth.x.clone());
        let noise = simulate::Noise::TruncatedNormal { sd: truth.sigma() };
        let simulation = Simulation::around(locations, noise, rng);
        let data = Dissimilarities::from_fn(Names::numbered(n_objects), |a, b| simulation.delta(a, b));
        let options = LayOptions { seed: rng.next_u64(), ..LayOptions::default() };
        // Anchored fits couple for themselves; their draws are judged by all pairs.
        let couplings = match settings.couplings {
            Couplings::Anchored(_) => &Couplings::Full,
            ref couplings => couplings,
        };
        let coupling = lay(couplings, &data, n_dims, &options)?;
        let dissimilarity = |a: usize, b: usize| data.get(coupling.order[a], coupling.order[b]);
        let (pairs, noise) = (&coupling.pairs, Noise::TruncatedNormal);
        let likelihood = Likelihood::new(n_objects, n_dims, pairs, noise, Storage::F64, dissimilarity);
        truth.x = coupling.order.to_positions(simulation.truth()).as_slice().to_vec();
        let first_map = coupling.order.to_positions(&classical_mds(n_objects, n_dims, |a, b| data.get(a, b)));
        let posterior = Posterior::new(Arc::new(likelihood), settings.priors.clone());
        Ok(Self { truth, posterior, first_map: Some(first_map), coupled: Some((data, coupling.order)) })
    }

    /// Draws of all quantities from one chain.
    fn fit(&self, settings: &CalibrationSettings, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let start = self.first_map.as_ref().map_or_else(|| self.truth.clone(), |map| self.start(map, rng));
        let rng = stream(rng.next_u64(), 0, Purpose::Sampling);
        let mut chain = Chain::start(&self.posterior, &settings.sampler, start, rng, Workspace::serial());
        collect(&mut chain, settings.n_draws, settings.thin, |chain| {
            let (x, sigma, log_likelihood) = (chain.x(), chain.sigma(), chain.log_likelihood());
            let at = At { x, sigma, log_likelihood, own: chain.own(), spread: chain.spread() };
            quantities(settings, &self.posterior, &at)
        })
    }

    /// Classical MDS, jittered, with the noise it leaves: it does not know the truth.
    fn start(&self, first_map: &Locations, rng: &mut ChaCha8Rng) -> Parameters {
        let x = disperse(first_map, 0.1, rng);
        let noise = self.posterior.noise();
        let known = noise.known().is_some().then_some(self.truth.variance);
        let above_floor = 2.0 * noise.floor().powi(2);
        let residual = || Variance::new(self.posterior.likelihood().mean_squared_residual(&x).max(above_floor));
        let variance = known.unwrap_or_else(residual);
        let spread = self.posterior.locations().start_spread(x.as_slice(), rng);
        Parameters { x: x.as_slice().to_vec(), variance, spread, own: Vec::new() }
    }

    fn truth_quantities(&self, settings: &CalibrationSettings) -> Vec<f64> {
        let Parameters { x, spread, own, .. } = &self.truth;
        let density = self.posterior.value(&mut Workspace::serial(), x, self.truth.given());
        let (sigma, log_likelihood) = (self.truth.sigma(), density.log_likelihood);
        quantities(settings, &self.posterior, &At { x, sigma, log_likelihood, own, spread })
    }
}

#[cfg(test)]
mod tests;
