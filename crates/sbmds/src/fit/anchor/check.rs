//! Whether an anchored posterior is that of all pairs: gradients of all pairs at some of its draws say how far it is off.
//!
//! With d = grad l - grad l_A at a draw and e the draw less the mean (both aligned to the anchor), and S the covariance of the
//! anchored posterior, integration by parts gives E[e d'] = I - S H, H the mean curvature of the posterior of all pairs: its trace
//! says how many times too wide or narrow the anchored posterior is. The mean of d tilts it to where all pairs want it: the mode
//! of the tilted posterior says how far means are off. Both come from one pass over all pairs.

use serde::{Deserialize, Serialize};

use super::Anchor;
use crate::Locations;
use crate::coupling::Couplings;
use crate::draws::{DrawReader, Spaced};
use crate::error::RunError;
use crate::fit::chain::monitor::MonitoredPairs;
use crate::fit::problem::Problem;
use crate::fit::start::{Maximum, Starts, maximise_to};
use crate::fit::summary::lines::digits;
use crate::likelihood::{AnchorValue, LogLikelihood, MapPoint, Workspace};
use crate::numeric::{add_scaled, dot};
use crate::settings::Resolved;

/// Evaluations of pairs that the check may take: seconds.
const MOST_EVALUATIONS: usize = 2_000_000_000;
/// Draws at least and at most.
const DRAWS: (usize, usize) = (20, 100);
/// A shift of means beyond this, in standard deviations, is no longer the posterior of all pairs.
const LARGEST_SHIFT: f64 = 0.5;
/// Nor is a posterior wider or narrower by this factor.
const LARGEST_RATIO: f64 = 1.15;
/// Where residuals take away or add more than this factor of the curvature, more bands do not help: springs have no residuals. And
/// residuals so large are not noise: the map does not fit, its posterior has many modes, and gradients at the draws of one say
/// nothing of the others. Four dimensions on a map of two give 1.5; noise of a fifth of the distances gives 1.1.
const LARGEST_STRETCH: f64 = 1.3;
/// A step of the search for the tilted mode that gains less than this per coordinate ends it.
const GAIN: f64 = 1e-6;

/// How an anchored posterior compares with that of all pairs, as estimated from some draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnchorCheck {
    /// Whether it can stand for it.
    pub holds: bool,
    /// Standard deviations of locations, as a multiple of those under all pairs.
    pub sd_ratio: f64,
    /// Root mean square over distances of the shift of their means, in standard deviations.
    pub shift: f64,
    /// Shift of the mean of sigma, in standard deviations.
    pub sigma_shift: f64,
    /// Draws looked at.
    pub n_draws: usize,
    /// How many pairs each coupled one stands for.
    pub weight: f64,
    /// Information about a location under all pairs, as a multiple of that of as many pairs without residuals; none where moves are
    /// not stretched (other noise than normal, more than eight dimensions) and on a line.
    pub curvature: Option<f64>,
    /// How far the log-likelihoods of all pairs and of the anchored ones differ from draw to draw: standard deviation, in nats.
    #[serde(default)]
    pub log_likelihood_sd: Option<f64>,
    /// Bands with which the approximation may hold, if it does not; none if all pairs are needed.
    pub bands_needed: Option<usize>,
}

impl AnchorCheck {
    /// Looks at draws of an anchored fit; `None` for other couplings, or if no draws of the locations were kept.
    pub(crate) fn of(
        config: &Resolved,
        problem: &Problem,
        pairs: &MonitoredPairs,
        reader: &DrawReader,
    ) -> Result<Option<Self>, RunError> {
        let (Some(anchor), true) = (&problem.anchor, reader.has_x()) else { return Ok(None) };
        let Couplings::Anchored(bands) = problem.coupling.couplings else { return Ok(None) };
        let sample = Sample::read(problem, reader)?;
        let found = Found::in_draws(config, problem, anchor, pairs, &sample)?;
        let curvature = curvature(anchor);
        let sizes = (bands, problem.data.n_objects());
        Ok(Some(Self::judged(&found, (anchor.likelihood.weight(), curvature), sizes, sample.points.len())))
    }

    fn judged(
        found: &Found,
        (weight, curvature): (f64, Option<f64>),
        (bands, n_objects): (usize, usize),
        n_draws: usize,
    ) -> Self {
        let Found { sd_ratio, shift, sigma_shift, log_likelihood_sd } = *found;
        let off = times_too_far(sd_ratio, shift.max(sigma_shift.abs()));
        // What is sampled of the curvature is off by a part that falls as 1 / sqrt(B), and its effect on the mode and on widths
        // as 1 / B. N / 2 wrapped bands are all pairs.
        let needed = (1.5 * bands as f64 * off).ceil();
        let map_fits = map_fits(curvature);
        let may_do = map_fits && 4.0 * needed < n_objects as f64;
        Self {
            holds: off <= 1.0 && map_fits,
            sd_ratio,
            shift,
            sigma_shift,
            n_draws,
            weight,
            curvature,
            log_likelihood_sd: Some(log_likelihood_sd),
            bands_needed: (off > 1.0 && may_do).then_some(needed as usize),
        }
    }

    /// What the check could not look at.
    fn not_seen(&self) -> &'static str {
        match self.curvature {
            Some(_) => "",
            None => {
                " Whether residuals are noise is not seen under this noise or in so many dimensions: compare with a fit of all pairs \
                 before relying on it."
            }
        }
    }

    fn nats(&self) -> String {
        let of_nats = |sd| format!(", log-likelihoods differ by a constant and {} nats", digits(sd));
        self.log_likelihood_sd.map(of_nats).unwrap_or_default()
    }

    /// What to know of it, in one sentence.
    pub fn sentence(&self) -> String {
        let (ratio, shift, sigma) = (digits(self.sd_ratio), digits(self.shift), digits(self.sigma_shift.abs()));
        let estimated = format!(
            "standard deviations are {ratio} times those that all pairs give, means of distances are shifted by {shift} and sigma \
             by {sigma} standard deviations{} (estimated from {} draws)",
            self.nats(),
            self.n_draws
        );
        let misfit = self.curvature.filter(|&curvature| !map_fits(Some(curvature)));
        match (self.holds, self.bands_needed, misfit) {
            (true, ..) => {
                format!("The anchored posterior stands for that of all pairs: {estimated}.{}", self.not_seen())
            }
            (false, Some(bands), _) => format!(
                "The anchored posterior is not that of all pairs: {estimated}. Remedy: `couplings` anchored:{bands}, or full."
            ),
            (false, None, Some(curvature)) => {
                let is_far = times_too_far(self.sd_ratio, self.shift.max(self.sigma_shift.abs())) > 1.0;
                let is_not = if is_far { "is not" } else { "may not be" };
                format!(
                    "The anchored posterior {is_not} that of all pairs: the map leaves residuals that are not noise (they change the \
                     information of all pairs to {} times what it would be), so that there may be other maps that fit as well, \
                     which its chains do not visit; around this one {estimated}. Remedy: more `dims`, or `couplings` full.",
                    digits(curvature)
                )
            }
            (false, None, None) => {
                format!("The anchored posterior is not that of all pairs: {estimated}. Remedy: `couplings` full.")
            }
        }
    }
}

/// What residuals make of the information about a location. On a line no pair has a direction across it, and stretches show nothing.
fn curvature(anchor: &Anchor) -> Option<f64> {
    let anchored = &anchor.likelihood;
    match anchored.mean_squared_stretch() {
        // The posterior of all pairs itself.
        _ if anchored.weight() == 1.0 => Some(1.0),
        stretch if anchored.n_dims() > 1 => stretch,
        _ => None,
    }
}

/// What more bands would have to make smaller, as a multiple of what is good enough: the square of the largest shift, or the
/// difference of widths.
fn times_too_far(sd_ratio: f64, shift: f64) -> f64 {
    (shift / LARGEST_SHIFT).powi(2).max((sd_ratio.ln() / LARGEST_RATIO.ln()).abs())
}

/// Whether residuals are so small that they may be noise, as far as that is known.
fn map_fits(curvature: Option<f64>) -> bool {
    curvature.is_none_or(|curvature| curvature.ln().abs() < LARGEST_STRETCH.ln())
}

/// How far an anchored posterior is off.
#[derive(Clone, Copy, Debug)]
struct Found {
    sd_ratio: f64,
    shift: f64,
    sigma_shift: f64,
    log_likelihood_sd: f64,
}

impl Found {
    fn in_draws(
        config: &Resolved,
        problem: &Problem,
        anchor: &Anchor,
        pairs: &MonitoredPairs,
        sample: &Sample,
    ) -> Result<Self, RunError> {
        let anchored = &anchor.likelihood;
        // The correction is linear in them: what is seen of locations and sigma hardly depends on where they are.
        let own = anchor.own();
        let points: Vec<MapPoint> = sample.points.iter().map(|(x, sigma)| MapPoint { x, sigma: *sigma, own }).collect();
        let of_all = anchor.all.gradients(&points)?;
        let mut workspace = Workspace::parallel();
        let mut differences = Vec::with_capacity(points.len());
        let (mut by_log_sigma, mut log_likelihoods) = (0.0, Vec::with_capacity(points.len()));
        for (&at, all) in points.iter().zip(&of_all) {
            let here = AnchorValue::of(&**anchored, &mut workspace, at);
            let difference: Vec<f64> = all.by_x.iter().zip(&here.by_x).map(|(all, here)| all - here).collect();
            differences.push(anchored.turned(at.x, &difference));
            by_log_sigma += (all.by_log_sigma - here.by_log_sigma) / points.len() as f64;
            log_likelihoods.push(all.log_likelihood - here.log_likelihood);
        }
        let moves: Vec<Vec<f64>> = points.iter().map(|at| anchored.moves(at.x)).collect();
        let tilts = halves(&differences).map(mean);
        Ok(Self {
            sd_ratio: sd_ratio(&moves, &differences),
            shift: shift(config, problem, anchor, tilts, pairs, sample),
            // The information about log sigma is twice the number of pairs.
            sigma_shift: by_log_sigma / (2.0 * of_all.first().map_or(1.0, |all| all.n_densities)).sqrt(),
            log_likelihood_sd: standard_deviation(&log_likelihoods),
        })
    }
}

fn halves(arrays: &[Vec<f64>]) -> [Vec<&Vec<f64>>; 2] {
    [0, 1].map(|odd| arrays.iter().skip(odd).step_by(2).collect())
}

fn mean(arrays: Vec<&Vec<f64>>) -> Vec<f64> {
    let mut mean = vec![0.0; arrays.first().map_or(0, |array| array.len())];
    arrays.iter().for_each(|array| add_scaled(&mut mean, 1.0 / arrays.len() as f64, array));
    mean
}

fn standard_deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0)).sqrt()
}

/// sqrt(tr(S H) / N D) with tr(S H) = N D - sum of covariances of moves and differences.
fn sd_ratio(moves: &[Vec<f64>], differences: &[Vec<f64>]) -> f64 {
    let n_draws = moves.len() as f64;
    let mean_move = mean(moves.iter().collect());
    let mean_difference = mean(differences.iter().collect());
    let products: f64 = moves.iter().zip(differences).map(|(moves, differences)| dot(moves, differences)).sum();
    let covariance = (products - n_draws * dot(&mean_move, &mean_difference)) / (n_draws - 1.0).max(1.0);
    // A posterior that all pairs hold nowhere is as bad as one a hundred times too narrow.
    (1.0 - covariance / mean_move.len() as f64).max(1e-4).sqrt()
}

/// Root mean square over distances of how far the modes of the tilted posteriors are from its own, in standard deviations; the
/// product of two halves of the draws has no part from their own noise.
fn shift(
    config: &Resolved,
    problem: &Problem,
    anchor: &Anchor,
    tilts: [Vec<f64>; 2],
    pairs: &MonitoredPairs,
    sample: &Sample,
) -> f64 {
    let from = &anchor.found.at;
    let start = Starts::new(problem, config).at(&from.x);
    let least = GAIN * from.x.as_slice().len() as f64;
    let mode = maximise_to(&problem.posterior, from, &start.spread, least);
    let distances_at =
        |maximum: &Maximum| -> Vec<f64> { pairs.distances(&problem.to_input(maximum.x.as_slice())).collect() };
    let own_distances = distances_at(&mode);
    let [first, second] = tilts.map(|tilt| {
        let tilted = problem.posterior.clone().with_likelihood(std::sync::Arc::new(anchor.likelihood.tilted(&tilt)));
        distances_at(&maximise_to(&tilted, &mode, &start.spread, least))
    });
    let sds = sample.sds(pairs);
    let products = (0..sds.len()).map(|k| {
        let by = |other: &[f64]| (other[k] - own_distances[k]) / sds[k].max(f64::MIN_POSITIVE);
        by(&first) * by(&second)
    });
    (products.sum::<f64>() / sds.len() as f64).max(0.0).sqrt()
}

/// Some draws, as the model sees them and as they are reported.
struct Sample {
    points: Vec<(Vec<f64>, f64)>,
    maps: Vec<Locations>,
}

impl Sample {
    fn read(problem: &Problem, reader: &DrawReader) -> Result<Self, RunError> {
        let n_pairs = problem.posterior.likelihood().n_pairs();
        let most = (MOST_EVALUATIONS / n_pairs.max(1)).clamp(DRAWS.0, DRAWS.1);
        let n_draws = reader.n_complete_in_all();
        let chosen = Spaced::new(n_draws * reader.n_chains(), most);
        let mut sample = Self { points: Vec::new(), maps: Vec::new() };
        let unit_of_sigma = if problem.sigma_has_unit { problem.unit.0 } else { 1.0 };
        for chain in 0..reader.n_chains() {
            let sigmas = reader.scalar("sigma", chain)?;
            for draw in (0..n_draws).filter(|&draw| chosen.contains(chain * n_draws + draw)) {
                let x = reader.x(chain, draw)?;
                sample.points.push((in_model(&x, problem), sigmas[draw] / unit_of_sigma));
                sample.maps.push(x);
            }
        }
        Ok(sample)
    }

    /// Standard deviations of the monitored distances.
    fn sds(&self, pairs: &MonitoredPairs) -> Vec<f64> {
        let (n, mut sums, mut squares) = (self.maps.len() as f64, vec![0.0; pairs.len()], vec![0.0; pairs.len()]);
        for map in &self.maps {
            for (k, distance) in pairs.distances(map).enumerate() {
                sums[k] += distance / n;
                squares[k] += distance * distance / n;
            }
        }
        sums.iter().zip(squares).map(|(mean, square)| (square - mean * mean).max(0.0).sqrt()).collect()
    }
}

/// A draw by coupling position, in the model's unit.
fn in_model(x: &Locations, problem: &Problem) -> Vec<f64> {
    problem.coupling.order.to_positions(x).as_slice().iter().map(|x| x / problem.unit.0).collect()
}
