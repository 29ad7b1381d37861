//! Whether an anchored posterior is that of all pairs: full log-likelihoods at some draws say how far it is off.
//!
//! With l_k the difference of the log-likelihoods of all pairs and of the anchored ones at draw k, importance sampling to first
//! order moves the mean of a quantity f by Cov(f, l) and its variance by Cov((f - mean)^2, l). Both are averaged over the
//! monitored distances; what the noise of K draws alone would give is taken off the squared shift.

use serde::{Deserialize, Serialize};

use super::all_pairs::AllPairs;
use crate::Locations;
use crate::coupling::Couplings;
use crate::draws::{DrawReader, Spaced};
use crate::error::RunError;
use crate::fit::chain::monitor::MonitoredPairs;
use crate::fit::problem::Problem;
use crate::fit::summary::lines::digits;
use crate::likelihood::{MapPoint, Workspace};
use crate::settings::Resolved;

/// Evaluations of pairs that the check may take: seconds.
const MOST_EVALUATIONS: usize = 2_000_000_000;
/// Draws at least and at most.
const DRAWS: (usize, usize) = (50, 400);
/// A shift of means beyond this, in standard deviations, is no longer the posterior of all pairs.
const LARGEST_SHIFT: f64 = 0.5;
/// Nor is a posterior wider or narrower by this factor.
const LARGEST_RATIO: f64 = 1.15;

/// How an anchored posterior compares with that of all pairs, as estimated from some draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnchorCheck {
    /// Whether it can stand for it.
    pub holds: bool,
    /// Standard deviations of distances, as a part of those under all pairs.
    pub sd_ratio: f64,
    /// Root mean square over distances of the shift of their means, in standard deviations.
    pub shift: f64,
    /// Standard deviation of the difference of log-likelihoods.
    pub log_weight_sd: f64,
    /// Draws looked at.
    pub n_draws: usize,
    /// How many pairs each coupled one stands for.
    pub weight: f64,
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
        let Couplings::Anchored(bands) = problem.coupling.couplings else { return Ok(None) };
        if !reader.has_x() {
            return Ok(None);
        }
        let sample = Sample::read(config, problem, pairs, reader)?;
        let points: Vec<MapPoint> =
            sample.points.iter().map(|(x, sigma)| MapPoint { x, sigma: *sigma, own: &[] }).collect();
        let all = AllPairs::of(problem, config);
        let likelihood = problem.posterior.likelihood();
        let mut workspace = Workspace::parallel();
        let anchored: Vec<f64> = points.iter().map(|&at| likelihood.value(&mut workspace, at)).collect();
        let log_weights: Vec<f64> =
            all.values(&points).iter().zip(&anchored).map(|(all, anchored)| all - anchored).collect();
        let weight = likelihood.n_pairs() as f64 / problem.pairs.n_pairs() as f64;
        Ok(Some(Self::from_weights(&log_weights, &sample.distances, weight, bands, problem.data.n_objects())))
    }

    fn from_weights(log_weights: &[f64], distances: &[Vec<f64>], weight: f64, bands: usize, n_objects: usize) -> Self {
        let n_draws = log_weights.len() as f64;
        let centred = standardised(log_weights).0;
        let variance = centred.iter().map(|l| l * l).sum::<f64>() / n_draws;
        let (mut squared_shift, mut widening) = (0.0, 0.0);
        for draws in distances {
            let (deviations, sd) = standardised(draws);
            let z = deviations.iter().map(|d| d / sd.max(f64::MIN_POSITIVE));
            let (mut shift, mut wider) = (0.0, 0.0);
            for (z, l) in z.zip(&centred) {
                shift += z * l / n_draws;
                wider += z * z * l / n_draws;
            }
            squared_shift += shift * shift / distances.len() as f64;
            widening += wider / distances.len() as f64;
        }
        let shift = (squared_shift - variance / n_draws).max(0.0).sqrt();
        let sd_ratio = (-0.5 * widening).exp();
        let off = (shift / LARGEST_SHIFT).powi(2).max((sd_ratio.ln() / LARGEST_RATIO.ln()).abs());
        let needed = (bands as f64 * off).ceil();
        Self {
            holds: off <= 1.0,
            sd_ratio,
            shift,
            log_weight_sd: variance.sqrt(),
            n_draws: log_weights.len(),
            weight,
            // N / 2 wrapped bands are all pairs.
            bands_needed: (off > 1.0 && 4.0 * needed < n_objects as f64).then_some(needed as usize),
        }
    }

    /// What to know of it, in one sentence.
    pub fn sentence(&self) -> String {
        let (ratio, shift) = (digits(self.sd_ratio), digits(self.shift));
        let estimated = format!(
            "distances have {ratio} times the standard deviation that all pairs give them, and means shifted by {shift} of it \
             (estimated from {} draws)",
            self.n_draws
        );
        match (self.holds, self.bands_needed) {
            (true, _) => format!("The anchored posterior stands for that of all pairs: {estimated}."),
            (false, Some(bands)) => format!(
                "The anchored posterior is not that of all pairs: {estimated}. Remedy: `couplings` anchored:{bands}, or full"
            ),
            (false, None) => {
                format!("The anchored posterior is not that of all pairs: {estimated}. Remedy: `couplings` full")
            }
        }
    }
}

/// Deviations from the mean, and their root mean square.
fn standardised(values: &[f64]) -> (Vec<f64>, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviations: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let sd = (deviations.iter().map(|d| d * d).sum::<f64>() / n).sqrt();
    (deviations, sd)
}

/// Some draws, as the model sees them, and the monitored distances in them.
struct Sample {
    points: Vec<(Vec<f64>, f64)>,
    /// By pair.
    distances: Vec<Vec<f64>>,
}

impl Sample {
    fn read(
        config: &Resolved,
        problem: &Problem,
        pairs: &MonitoredPairs,
        reader: &DrawReader,
    ) -> Result<Self, RunError> {
        let n_pairs = problem.posterior.likelihood().n_pairs();
        let most = (MOST_EVALUATIONS / n_pairs.max(1)).clamp(DRAWS.0, DRAWS.1);
        let n_draws = reader.n_complete_in_all();
        let chosen = Spaced::new(n_draws * reader.n_chains(), most);
        let mut sample = Self { points: Vec::new(), distances: vec![Vec::new(); pairs.len()] };
        for chain in 0..reader.n_chains() {
            let sigmas = reader.scalar("sigma", chain)?;
            for draw in (0..n_draws).filter(|&draw| chosen.contains(chain * n_draws + draw)) {
                let x = reader.x(chain, draw)?;
                sample.distances.iter_mut().zip(pairs.distances(&x)).for_each(|(draws, d)| draws.push(d));
                sample.points.push((in_model(&x, problem), sigmas[draw] / config.model.unit));
            }
        }
        Ok(sample)
    }
}

/// A draw by coupling position, in the model's unit.
fn in_model(x: &Locations, problem: &Problem) -> Vec<f64> {
    problem.coupling.order.to_positions(x).as_slice().iter().map(|x| x / problem.unit.0).collect()
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::random::{Purpose, stream};

    /// A quantity ~ N(0, 1) under the approximation; log weights of N(0.8, 1) and of N(0, 0.8^2) against it.
    #[test]
    fn shifts_and_widths_are_those_of_the_weights() {
        let mut rng = stream(1, 0, Purpose::Simulation);
        let draws: Vec<f64> = (0..2_000).map(|_| StandardNormal.sample(&mut rng)).collect();
        let shifted: Vec<f64> = draws.iter().map(|z| 0.8 * z).collect();
        let check = AnchorCheck::from_weights(&shifted, std::slice::from_ref(&draws), 10.0, 20, 1_000);
        assert!((check.shift - 0.8).abs() < 0.05 && (check.sd_ratio - 1.0).abs() < 0.05, "{check:?}");
        assert!(!check.holds && check.bands_needed.is_some_and(|bands| (40..80).contains(&bands)), "{check:?}");
        let narrower: Vec<f64> = draws.iter().map(|z| -0.5 * z * z * (1.0 / 0.81 - 1.0)).collect();
        let check = AnchorCheck::from_weights(&narrower, &[draws], 10.0, 20, 1_000);
        assert!(check.shift < 0.1 && (1.05..1.2).contains(&check.sd_ratio), "{check:?}");
    }

    #[test]
    fn equal_likelihoods_hold() {
        let draws: Vec<f64> = (0..100).map(|k| (k as f64).sin()).collect();
        let check = AnchorCheck::from_weights(&[3.0; 100], &[draws], 1.0, 20, 100);
        assert!(check.holds && check.shift == 0.0 && check.sd_ratio == 1.0, "{check:?}");
    }
}
