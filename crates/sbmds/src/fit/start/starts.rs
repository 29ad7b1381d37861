//! Where the chains start: one first map, jittered differently for each chain.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use rand_chacha::ChaCha8Rng;

use super::maximise::maximise;
use crate::Locations;
use crate::coupling::Position;
use crate::dissimilarity::spread_landmarks;
use crate::embedding::{classical_mds, disperse, graph_start, landmark_mds};
use crate::fit::anchor::Anchor;
use crate::fit::problem::Problem;
use crate::fit::problem::measured::along_time;
use crate::fit::problem::unit::rms_dissimilarity;
use crate::likelihood::LogLikelihood;
use crate::posterior::{Parameters, Variance};
use crate::random::{Purpose, stream};
use crate::settings::Resolved;
use crate::settings::config::Start;

/// How far chains start from the first map, in parts of its extent.
const SPREAD: f64 = 0.1;
/// The same from a maximised map: jitter much wider than the posterior would undo the optimiser's work. Chains that
/// begin so near each other are less of a test of R-hat.
const SPREAD_AROUND_MODE: f64 = 0.02;
/// Objects up to which classical MDS of a matrix takes seconds.
const CLASSICAL_OBJECTS: usize = 20_000;
/// Objects up to which all pairs of features are computed for classical MDS, which asks for each about ten times.
const CLASSICAL_FEATURE_OBJECTS: usize = 1_000;
/// Missing part of the coupled pairs beyond which a matrix is taken as a list of pairs.
const MANY_MISSING: f64 = 0.3;
/// Landmarks of a first map.
const LANDMARKS: usize = 200;
/// Ends of pairs from which the first sigma is computed.
const RESIDUALS: usize = 20_000;
/// The first sigma is at least this part of the dissimilarities: a perfect start must not get stuck.
const SMALLEST_SIGMA: f64 = 1e-3;

/// The first map, by position and in the model's unit.
pub(crate) struct Starts<'a> {
    problem: &'a Problem,
    config: &'a Resolved,
    /// Ends the optimiser when it becomes true; nothing is to be made of the map then.
    stop: Option<&'a AtomicBool>,
    /// `None` when every chain starts from the prior.
    map: Option<Locations>,
    /// Whether an optimiser has improved it.
    is_maximised: bool,
    /// Whether it is the anchor.
    is_anchor: bool,
    /// The map after maximising, once somebody has asked for it.
    optimised: OnceLock<Locations>,
    spread: f64,
    smallest_sigma: f64,
}

impl<'a> Starts<'a> {
    pub fn new(problem: &'a Problem, config: &'a Resolved) -> Self {
        Self::until(problem, config, None)
    }

    /// The same, of no use once `stop` is true.
    pub fn until(problem: &'a Problem, config: &'a Resolved, stop: Option<&'a AtomicBool>) -> Self {
        let likelihood = problem.posterior.likelihood();
        let (n_objects, n_dims) = (likelihood.n_objects(), likelihood.n_dims());
        let dissimilarity = |a: usize, b: usize| problem.data.get(a, b) / problem.unit.0;
        let start = resolve(&config.run.start, problem);
        let map = match start {
            Start::Prior => None,
            _ if problem.anchor.is_some() => problem.anchor.as_ref().map(Anchor::map),
            Start::Map(_) if problem.start.is_some() => problem.start.clone(),
            Start::Graph => Some(graph_start(n_objects, n_dims, &|position| partners(likelihood, position))),
            Start::Landmark => {
                let landmarks = spread_landmarks(n_objects, LANDMARKS, dissimilarity);
                Some(problem.coupling.order.to_positions(&landmark_mds(n_objects, n_dims, &landmarks, dissimilarity)))
            }
            Start::Classical | Start::Auto | Start::Map(_) => {
                Some(problem.coupling.order.to_positions(&classical_mds(n_objects, n_dims, dissimilarity)))
            }
        };
        let map = match config.measurement.drift {
            true => map.map(|map| along_time(&map, &problem.data, &problem.coupling.order)),
            false => map,
        };
        let smallest_sigma = SMALLEST_SIGMA * rms_dissimilarity(likelihood);
        let starts = Self {
            problem,
            config,
            stop,
            map,
            is_maximised: false,
            is_anchor: false,
            optimised: OnceLock::new(),
            spread: SPREAD,
            smallest_sigma,
        };
        match start {
            Start::Prior => starts,
            // Few pairs stand for all there alone, even if somebody gave the map from which it was found.
            _ if problem.anchor.is_some() => {
                Self { is_maximised: true, is_anchor: true, spread: around_anchor(problem), ..starts }
            }
            Start::Landmark => starts.maximised(),
            // Whoever gives a map means it.
            Start::Map(_) => Self { spread: SPREAD_AROUND_MODE, ..starts },
            _ => starts,
        }
    }

    /// The first map; `None` when every chain starts from the prior.
    pub fn map(&self) -> Option<&Locations> {
        self.map.as_ref()
    }

    /// The map after maximising the posterior density: landmark MDS sees few of the pairs.
    fn maximised(self) -> Self {
        let map = self.map.as_ref().map(|map| self.maximise(map));
        Self { map, is_maximised: true, spread: SPREAD_AROUND_MODE, ..self }
    }

    /// The map where the posterior density is highest, as far as an optimiser finds it; `None` if chains start from the prior.
    pub fn optimised(&self) -> Option<Locations> {
        self.map.as_ref().map(|_| self.mode())
    }

    /// The same, from where the first chain starts if chains start from the prior.
    pub(super) fn mode(&self) -> Locations {
        match &self.map {
            Some(map) if self.is_maximised => map.clone(),
            Some(map) => self.optimised.get_or_init(|| self.maximise(map)).clone(),
            None => self.optimised.get_or_init(|| self.maximise(&self.first_of_prior())).clone(),
        }
    }

    fn maximise(&self, map: &Locations) -> Locations {
        let parameters = self.at(map);
        maximise(&self.problem.posterior, map, parameters.sigma(), &parameters.spread, self.stop)
    }

    fn first_of_prior(&self) -> Locations {
        let mut rng = stream(self.config.run.seed, 0, Purpose::Start);
        self.of_prior(&mut rng)
    }

    fn of_prior(&self, rng: &mut ChaCha8Rng) -> Locations {
        let posterior = &self.problem.posterior;
        Locations::from_values(posterior.likelihood().n_objects(), posterior.locations().draw_start(rng))
    }

    /// Root mean squared residual of some of the coupled pairs.
    pub(super) fn rms_residual(&self, map: &Locations) -> f64 {
        rms_residual(&*self.problem.pairs, map)
    }

    pub(super) fn stop(&self) -> Option<&'a AtomicBool> {
        self.stop
    }

    pub(super) fn problem(&self) -> &Problem {
        self.problem
    }

    /// All unknowns at a map, with the random numbers of the first chain.
    pub fn at(&self, map: &Locations) -> Parameters {
        self.parameters(map, &mut stream(self.config.run.seed, 0, Purpose::Start))
    }

    /// Where a chain starts.
    pub fn chain(&self, chain: usize) -> Parameters {
        let mut rng = stream(self.config.run.seed, chain, Purpose::Start);
        let x = match &self.map {
            Some(map) => disperse(map, self.spread, &mut rng),
            None => self.of_prior(&mut rng),
        };
        self.parameters(&x, &mut rng)
    }

    /// All unknowns at a map: the noise and the scales that suit it.
    fn parameters(&self, x: &Locations, rng: &mut ChaCha8Rng) -> Parameters {
        let posterior = &self.problem.posterior;
        let (likelihood, noise) = (posterior.likelihood(), posterior.noise());
        // Above the floor, where sigma's coordinate is a number.
        let least = || self.smallest_sigma.max(noise.floor() * std::f64::consts::SQRT_2);
        // All pairs know the noise at the anchor better than the few that can be looked at.
        let anchor = self.problem.anchor.as_ref().filter(|_| self.is_anchor);
        let of_pairs = || self.rms_residual(x).max(least());
        let sigma = noise.known().or(anchor.map(Anchor::sigma)).unwrap_or_else(of_pairs);
        let spread = posterior.locations().start_spread(x.as_slice(), rng);
        let own = match anchor {
            Some(anchor) => anchor.own().to_vec(),
            None => likelihood.own().map_or_else(Vec::new, |own| own.start()),
        };
        Parameters { x: x.as_slice().to_vec(), variance: Variance::of_sigma(sigma), spread, own }
    }
}

/// Jitter as wide as the posterior of all pairs, whose variance of a coordinate is about sigma^2 D N / 2 M: farther from the anchor
/// few pairs do not stand for all.
fn around_anchor(problem: &Problem) -> f64 {
    let likelihood = problem.posterior.likelihood();
    let (n, d) = (likelihood.n_objects() as f64, likelihood.n_dims() as f64);
    let sigma = problem.anchor.as_ref().map_or(1.0, Anchor::sigma);
    // The unit is about the map's extent.
    (sigma * (d * n / (2.0 * likelihood.n_pairs() as f64)).sqrt()).min(SPREAD_AROUND_MODE)
}

/// The best start for what is known.
fn resolve(start: &Start, problem: &Problem) -> Start {
    if *start != Start::Auto {
        return start.clone();
    }
    let n_objects = problem.data.n_objects();
    let n_coupled = problem.coupling.pairs.count() as f64;
    let missing = 1.0 - problem.pairs.n_pairs() as f64 / n_coupled;
    match problem.data.is_dense_matrix() {
        _ if problem.data.measured_pairs().is_some() || missing > MANY_MISSING => Start::Graph,
        true if n_objects <= CLASSICAL_OBJECTS => Start::Classical,
        false if n_objects <= CLASSICAL_FEATURE_OBJECTS => Start::Classical,
        _ => Start::Landmark,
    }
}

fn partners(likelihood: &dyn LogLikelihood, position: usize) -> Vec<(usize, f64)> {
    let mut partners = Vec::new();
    likelihood.visit_partners(Position::new(position), &mut |other, delta| {
        partners.push((other.index(), delta));
        true
    });
    partners
}

/// Root mean squared residual over coupled pairs of some of the positions, evenly spread.
fn rms_residual(likelihood: &dyn LogLikelihood, x: &Locations) -> f64 {
    let every = (2 * likelihood.n_pairs()).div_ceil(RESIDUALS).max(1);
    let (mut squares, mut count) = (0.0, 0);
    for position in (0..likelihood.n_objects()).step_by(every) {
        likelihood.visit_partners(Position::new(position), &mut |other, delta| {
            squares += (delta - x.distance(position, other.index())).powi(2);
            count += 1;
            true
        });
    }
    (squares / f64::from(count.max(1))).sqrt()
}
