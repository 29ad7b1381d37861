//! How well one candidate predicts pairs it has not seen.

use super::{Candidate, MapFit};
use crate::diagnostics::Diagnosis;
use crate::dissimilarity::Term;
use crate::error::RunError;
use crate::loo::{LeftOut, Score, held_out, leave_one_out, reliable_shape};
use crate::predict::PosteriorDraws;
use crate::quality::{KnownPair, KnownPairs, PairFit};
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

/// The pairs that candidates are compared on, each once and in order.
#[derive(Clone, Debug)]
pub struct JudgedPairs {
    /// With the mean of what was measured.
    pairs: Vec<KnownPair>,
    /// All that was measured of each, where that is more than one exact number.
    terms: Option<Vec<Vec<Term>>>,
}

impl From<Vec<KnownPair>> for JudgedPairs {
    fn from(pairs: Vec<KnownPair>) -> Self {
        Self { pairs, terms: None }
    }
}

impl JudgedPairs {
    /// The pairs that a run was fitted to.
    ///
    /// # Errors
    /// If the input cannot be read again.
    pub fn of(run: &FinishedRun) -> Result<Self, RunError> {
        let measured = run.measured()?;
        let known = measured.known();
        let mut pairs = Vec::new();
        for a in 0..known.n_objects() {
            let later = known.partners(a).into_iter().filter(|&(b, _)| a < b);
            pairs.extend(later.map(|(b, _)| KnownPair { a, b, delta: known.get(a, b) }));
        }
        pairs.sort_by_key(|pair| (pair.a, pair.b));
        let terms = known.measurements().map(|terms| of_pairs(terms, &pairs));
        Ok(Self { pairs, terms })
    }

    /// The pairs, with the mean of what was measured.
    pub fn pairs(&self) -> &[KnownPair] {
        &self.pairs
    }

    /// Some of them, by number.
    pub(super) fn some(&self, numbers: &[usize]) -> Self {
        let terms = self.terms.as_ref().map(|terms| numbers.iter().map(|&k| terms[k].clone()).collect());
        Self { pairs: numbers.iter().map(|&k| self.pairs[k]).collect(), terms }
    }

    /// For every pair the number that its prediction is compared with: the mean of its measurements; NaN if one of them is a limit.
    fn observed(&self) -> Vec<f64> {
        let has_limit =
            |k: usize| self.terms.as_ref().is_some_and(|terms| terms[k].iter().any(|term| term.seen.exact().is_none()));
        let value = |(k, pair): (usize, &KnownPair)| if has_limit(k) { f64::NAN } else { pair.delta };
        self.pairs.iter().enumerate().map(value).collect()
    }

    fn left_out(&self, run: &FinishedRun, draws: &PosteriorDraws) -> Result<Vec<LeftOut>, RunError> {
        let (noise, efficiency) = (run.pair_noise()?, relative_efficiency(run)?);
        Ok(match &self.terms {
            None => leave_one_out(draws, noise, &self.pairs, efficiency),
            Some(terms) => leave_one_out(draws, noise, &slices(terms), efficiency),
        })
    }

    /// What a fit says of these pairs, which it was not given.
    pub(super) fn held_out(&self, run: &FinishedRun) -> Result<Vec<LeftOut>, RunError> {
        let (noise, draws) = (run.pair_noise()?, PosteriorDraws::of(run, MOST_DRAWS)?);
        Ok(match &self.terms {
            None => held_out(&draws, noise, &self.pairs),
            Some(terms) => held_out(&draws, noise, &slices(terms)),
        })
    }
}

fn slices(terms: &[Vec<Term>]) -> Vec<&[Term]> {
    terms.iter().map(Vec::as_slice).collect()
}

/// The measurements of each pair; `pairs` are sorted and have some each.
fn of_pairs(terms: &[Term], pairs: &[KnownPair]) -> Vec<Vec<Term>> {
    let mut of_pairs = vec![Vec::new(); pairs.len()];
    for term in terms {
        let (near, far) = (term.near as usize, term.far as usize);
        let pair = (near.min(far), near.max(far));
        if let Ok(k) = pairs.binary_search_by_key(&pair, |pair| (pair.a, pair.b)) {
            of_pairs[k].push(*term);
        }
    }
    of_pairs
}

impl Judged {
    /// Judges a fit of a candidate to `pairs` by leaving out one pair at a time, by weights.
    ///
    /// # Errors
    /// If the draws cannot be read.
    pub fn by_leaving_out(candidate: &Candidate, run: &FinishedRun, pairs: &JudgedPairs) -> Result<Self, RunError> {
        let draws = PosteriorDraws::of(run, MOST_DRAWS)?;
        let left_out = pairs.left_out(run, &draws)?;
        let score = Score::of(&left_out, &pairs.observed(), reliable_shape(draws.len()));
        Ok(judged(candidate, run, pairs.pairs(), left_out, score, false))
    }
}

/// All folds together; `run` is the fit to all `pairs`, and what was held out comes with the number of its pair.
pub(super) fn by_holding_out(
    candidate: &Candidate,
    run: &FinishedRun,
    pairs: &JudgedPairs,
    mut held_out: Vec<(usize, LeftOut)>,
) -> Judged {
    held_out.sort_by_key(|&(pair, _)| pair);
    let (numbers, left_out): (Vec<usize>, Vec<LeftOut>) = held_out.into_iter().unzip();
    let score = Score::of(&left_out, &pairs.some(&numbers).observed(), f64::INFINITY);
    judged(candidate, run, pairs.pairs(), left_out, score, true)
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
