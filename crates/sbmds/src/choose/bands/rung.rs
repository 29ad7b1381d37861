//! One number of bands, fitted and judged by pairs that the fit did not see, and how far that moved from the number before.

use crate::Locations;
use crate::choose::judged::MOST_DRAWS;
use crate::error::RunError;
use crate::measurement::PairNoise;
use crate::predict::PosteriorDraws;
use crate::quality::{KnownPair, KnownPairs};
use crate::run::FinishedRun;

/// The held-out error has moved if it falls by more than this part of itself, and by more than its standard error.
const ERROR: f64 = 0.01;
/// The width has moved if it changes by more than this part of the held-out error: beside the noise nobody sees less.
const WIDTH: f64 = 0.05;
/// The rate has moved if it changes by more than this part of its posterior standard deviation.
const RATE: f64 = 0.5;

/// One number of bands, fitted and judged.
#[derive(Clone, Debug)]
pub struct Rung {
    /// Bands.
    pub bands: usize,
    /// Coupled pairs.
    pub n_pairs: usize,
    /// Root mean squared error of the predictions of the held-out pairs.
    pub rmse: f64,
    /// Root mean square of the posterior standard deviations of their distances.
    pub width: f64,
    /// Share of them in their 95% predictive intervals.
    pub coverage: f64,
    /// Posterior mean of sigma.
    pub sigma: f64,
    /// Posterior mean and standard deviation of the rate of diffusion, with a tree.
    pub rate: Option<(f64, f64)>,
    /// Whether the chains have converged.
    pub converged: bool,
    /// Seconds of sampling.
    pub seconds: f64,
    /// How far all this is from the number of bands before; `None` for the first.
    pub step: Option<Step>,
    /// The map shown, where the next fit starts.
    pub(super) map: Locations,
    /// Squared errors, pair by pair.
    squares: Vec<f64>,
}

/// From one number of bands to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// By what part of itself the held-out error falls.
    pub error: f64,
    /// The standard error of that.
    pub error_se: f64,
    /// By how much the width changes, in parts of the held-out error.
    pub width: f64,
    /// By how much the rate changes, in its posterior standard deviations.
    pub rate: Option<f64>,
}

impl Step {
    /// What has moved, in words.
    pub fn moved(&self) -> Vec<&'static str> {
        let mut moved = Vec::new();
        if self.error > ERROR && self.error > self.error_se {
            moved.push("held-out error");
        }
        if self.width.abs() > WIDTH {
            moved.push("width");
        }
        if self.rate.is_some_and(|rate| rate.abs() > RATE) {
            moved.push("rate");
        }
        moved
    }
}

impl Rung {
    /// Judges a fit by pairs it did not see.
    ///
    /// # Errors
    /// If its draws cannot be read.
    pub fn of(
        bands: usize,
        run: &FinishedRun,
        held_out: &[KnownPair],
        before: Option<&Self>,
    ) -> Result<Self, RunError> {
        let draws = PosteriorDraws::of(run, MOST_DRAWS)?;
        let pairs = PairsJudged::of(&draws, run.pair_noise()?, held_out);
        let summary = run.summary();
        let rate = summary.diffusion.as_ref().map(|found| &found.diffusion_rate);
        let mut rung = Self {
            bands,
            n_pairs: run.measured()?.known().n_coupled(),
            rmse: root_mean(&pairs.squares),
            width: root_mean(&pairs.variances),
            coverage: pairs.n_inside as f64 / held_out.len() as f64,
            sigma: summary.sigma.mean.unwrap_or(f64::NAN),
            rate: rate.and_then(|rate| rate.mean.zip(rate.sd)),
            converged: summary.converged,
            seconds: summary.seconds,
            step: None,
            map: run.embedding().mean.clone(),
            squares: pairs.squares,
        };
        rung.step = before.map(|before| rung.step_from(before));
        Ok(rung)
    }

    /// Whether nothing moved from the number before to this one.
    pub fn stands_still(&self) -> bool {
        self.step.is_some_and(|step| step.moved().is_empty())
    }

    fn step_from(&self, before: &Self) -> Step {
        let n = self.squares.len() as f64;
        let falls: Vec<f64> = before.squares.iter().zip(&self.squares).map(|(before, now)| before - now).collect();
        let mean = falls.iter().sum::<f64>() / n;
        let se = (falls.iter().map(|fall| (fall - mean).powi(2)).sum::<f64>() / (n * (n - 1.0).max(1.0))).sqrt();
        // A relative change of squares is twice that of their root.
        let scale = 2.0 * before.rmse * before.rmse;
        Step {
            error: 1.0 - self.rmse / before.rmse,
            error_se: se / scale,
            width: (self.width - before.width) / self.rmse,
            rate: self.rate.zip(before.rate).map(|(now, before)| (now.0 - before.0) / now.1),
        }
    }
}

/// What draws say of pairs that were measured.
struct PairsJudged {
    /// Of the predictive means.
    squares: Vec<f64>,
    /// Of the distances.
    variances: Vec<f64>,
    /// Pairs in their 95% predictive intervals.
    n_inside: usize,
}

impl PairsJudged {
    fn of(draws: &PosteriorDraws, noise: impl Into<PairNoise>, pairs: &[KnownPair]) -> Self {
        let family = noise.into().family;
        let mut judged = Self { squares: Vec::new(), variances: Vec::new(), n_inside: 0 };
        let n = draws.len() as f64;
        let mut values = Vec::new();
        for pair in pairs {
            draws.distances(pair.a, pair.b, &mut values);
            let mean = values.iter().map(|value| value.0).sum::<f64>() / n;
            let predicted = values.iter().map(|&(distance, noise)| family.mean(distance, noise)).sum::<f64>() / n;
            let below =
                values.iter().map(|&(distance, noise)| family.cumulative(pair.delta, distance, noise)).sum::<f64>() / n;
            judged.squares.push((pair.delta - predicted).powi(2));
            judged
                .variances
                .push(values.iter().map(|value| (value.0 - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0));
            judged.n_inside += usize::from((0.025..=0.975).contains(&below));
        }
        judged
    }
}

fn root_mean(squares: &[f64]) -> f64 {
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(error: f64, error_se: f64, width: f64, rate: Option<f64>) -> Vec<&'static str> {
        Step { error, error_se, width, rate }.moved()
    }

    #[test]
    fn each_quantity_has_its_limit() {
        assert!(step(0.005, 0.001, -0.03, Some(0.4)).is_empty());
        assert!(step(-0.2, 0.001, 0.0, None).is_empty(), "an error that grows is no reason to go on");
        assert_eq!(step(0.03, 0.01, 0.0, None), ["held-out error"]);
        assert!(step(0.03, 0.04, 0.0, None).is_empty(), "noise");
        assert_eq!(step(0.0, 0.01, -0.06, Some(-0.6)), ["width", "rate"]);
    }

    /// One pair at distances 1 and 3 with sigma 1e-3: mean 2, variance 2, and half of the draws below 2.5.
    #[test]
    fn pairs_are_judged_by_the_mixture_of_draws() {
        let map = |distance: f64| Locations::from_fn(2, 1, |object, _| object as f64 * distance);
        let draws = PosteriorDraws::new(vec![map(1.0), map(3.0)], vec![1e-3; 2]);
        let pair = |delta| KnownPair { a: 0, b: 1, delta };
        let judged = PairsJudged::of(&draws, crate::likelihood::Noise::TruncatedNormal, &[pair(2.5), pair(0.5)]);
        assert!((judged.squares[0] - 0.25).abs() < 1e-9 && (judged.squares[1] - 2.25).abs() < 1e-9);
        assert!((judged.variances[0] - 2.0).abs() < 1e-9);
        assert_eq!(judged.n_inside, 1);
    }
}
