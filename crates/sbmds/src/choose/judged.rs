//! How well one candidate predicts pairs it has not seen.

use super::{Candidate, MapFit};
use crate::diagnostics::Diagnosis;
use crate::error::RunError;
use crate::loo::{LeftOut, Score, held_out, leave_one_out, reliable_shape};
use crate::predict::{Asked, PosteriorDraws, asked_pairs};
use crate::quality::{KnownPair, PairFit};
use crate::run::FinishedRun;

/// Draws that answers are made of.
pub(super) const MOST_DRAWS: usize = 1_000;

/// A candidate, judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The candidate.
    pub candidate: Candidate,
    /// What it says of every pair left out, in the same order for all candidates.
    pub left_out: Vec<LeftOut>,
    /// All of it together.
    pub score: Score,
    /// Stress-1 of the map shown over the pairs it was fitted to.
    pub stress1: Option<f64>,
    /// For MDSIC: the map's squared residuals and its axes.
    pub(super) map_fit: MapFit,
    /// MDSIC of Oh and Raftery; `None` if a smaller number of dimensions is missing.
    pub mdsic: Option<f64>,
    /// Whether its chains have converged.
    pub converged: bool,
    /// Whether pairs were really left out, fold by fold.
    pub is_exact: bool,
}

/// The pairs that a run was fitted to, in order.
pub(super) fn coupled_pairs(run: &FinishedRun) -> Result<Vec<KnownPair>, RunError> {
    let measured = run.measured()?;
    let mut pairs = Vec::new();
    asked_pairs(&measured.known(), Asked::Coupled, |piece| {
        pairs.extend(piece.iter().map(|pair| KnownPair { a: pair.a, b: pair.b, delta: pair.observed }));
        Ok::<_, RunError>(())
    })?;
    Ok(pairs)
}

impl Judged {
    /// Judges a fit of a candidate to `pairs` by leaving out one pair at a time, by weights.
    ///
    /// # Errors
    /// If the draws cannot be read.
    pub fn by_leaving_out(candidate: &Candidate, run: &FinishedRun, pairs: &[KnownPair]) -> Result<Self, RunError> {
        let draws = PosteriorDraws::of(run, MOST_DRAWS)?;
        let left_out = leave_one_out(&draws, run.config().model.noise, pairs, relative_efficiency(run)?);
        let score = Score::of(&left_out, &observed(pairs), reliable_shape(draws.len()));
        Ok(judged(candidate, run, pairs, left_out, score, false))
    }
}

/// What a fit says of pairs it was not given.
pub(super) fn held_out_of(run: &FinishedRun, pairs: &[KnownPair]) -> Result<Vec<LeftOut>, RunError> {
    Ok(held_out(&PosteriorDraws::of(run, MOST_DRAWS)?, run.config().model.noise, pairs))
}

/// All folds together; `run` is the fit to all `pairs`.
pub(super) fn by_holding_out(
    candidate: &Candidate,
    run: &FinishedRun,
    pairs: &[KnownPair],
    held_out: Vec<(LeftOut, KnownPair)>,
) -> Result<Judged, RunError> {
    let (left_out, out): (Vec<LeftOut>, Vec<KnownPair>) = held_out.into_iter().unzip();
    let score = Score::of(&left_out, &observed(&out), f64::INFINITY);
    Ok(judged(candidate, run, pairs, left_out, score, true))
}

fn observed(pairs: &[KnownPair]) -> Vec<f64> {
    pairs.iter().map(|pair| pair.delta).collect()
}

fn judged(
    candidate: &Candidate,
    run: &FinishedRun,
    pairs: &[KnownPair],
    left_out: Vec<LeftOut>,
    score: Score,
    is_exact: bool,
) -> Judged {
    let map = &run.embedding().mean;
    let mut fit = PairFit::default();
    pairs.iter().for_each(|pair| fit.add(pair.delta, map.distance(pair.a, pair.b)));
    Judged {
        candidate: *candidate,
        left_out,
        score,
        stress1: fit.stress1(),
        map_fit: MapFit::of(map, pairs),
        mdsic: None,
        converged: run.summary().converged,
        is_exact,
    }
}

/// Effective draws per draw: the mean over what is monitored, at most 1.
fn relative_efficiency(run: &FinishedRun) -> Result<f64, RunError> {
    let monitored = run.monitored()?;
    let n_draws: usize = monitored.first().map_or(1, |first| first.chains().iter().map(<[f64]>::len).sum());
    let sizes: Vec<f64> =
        monitored.iter().map(|quantity| Diagnosis::new(quantity).ess_bulk).filter(|ess| ess.is_finite()).collect();
    if sizes.is_empty() {
        return Ok(1.0);
    }
    let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
    Ok((mean / n_draws as f64).clamp(0.01, 1.0))
}
