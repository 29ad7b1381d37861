//! The verdict on the map of a run: its pairs and draws, handed to the judge.

use super::coupled::CoupledPairs;
use super::problem::Problem;
use crate::Locations;
use crate::coupling::Coupling;
use crate::draws::{DrawReader, Spaced};
use crate::embedding::Moments;
use crate::error::RunError;
use crate::quality::{KnownPairs, MapVerdict, Shown, judge_map};
use crate::settings::check::CheckedConfig;

/// Draws that predictive intervals are made of: the ends of a 95% interval move by little with more.
const MOST_DRAWS: usize = 200;

/// Judges the map shown, which is the mean of `moments`, by the pairs of the run and the draws of the `chains` it was made of.
pub(crate) fn judge_shown(
    config: &CheckedConfig,
    problem: &Problem,
    moments: &Moments,
    chains: &[usize],
    reader: &DrawReader,
) -> Result<MapVerdict, RunError> {
    let sigmas = sigmas(reader, chains)?;
    let n_sigmas: usize = sigmas.iter().map(Vec::len).sum();
    let judged = Shown {
        map: moments.mean(),
        moments,
        sigma: sigmas.iter().flatten().sum::<f64>() / n_sigmas as f64,
        noise: config.model.noise,
        names: problem.data.names(),
        seed: config.run.seed,
        affordable_pairs: config.effort().affordable_pairs(config.model.n_dims),
    };
    judge_map(&judged, &Known::new(problem), |visit| visit_draws(reader, &sigmas, visit))
}

/// The draws of sigma by chain; none for chains that the map was not made of.
fn sigmas(reader: &DrawReader, chains: &[usize]) -> Result<Vec<Vec<f64>>, RunError> {
    let of_chain = |chain| match chains.contains(&chain) {
        true => Ok(reader.scalar("sigma", chain)?),
        false => Ok(Vec::new()),
    };
    (0..reader.n_chains()).map(of_chain).collect()
}

/// Visits evenly spaced draws of the chains that have sigmas.
fn visit_draws(
    reader: &DrawReader,
    sigmas: &[Vec<f64>],
    visit: &mut dyn FnMut(&Locations, f64),
) -> Result<(), RunError> {
    if !reader.has_x() {
        return Ok(());
    }
    let chosen = Spaced::new(sigmas.iter().map(Vec::len).sum(), MOST_DRAWS);
    let mut indices = 0..;
    reader.for_each_x(|chain, draw, x| {
        if let Some(&sigma) = sigmas[chain].get(draw)
            && indices.next().is_some_and(|index| chosen.contains(index))
        {
            visit(x, sigma);
        }
    })?;
    Ok(())
}

/// What a run knows of its dissimilarities.
struct Known<'a> {
    problem: &'a Problem,
    coupled: CoupledPairs<'a>,
}

impl<'a> Known<'a> {
    fn new(problem: &'a Problem) -> Self {
        Self { problem, coupled: problem.coupled() }
    }
}

impl KnownPairs for Known<'_> {
    fn n_objects(&self) -> usize {
        self.problem.data.n_objects()
    }

    fn n_coupled(&self) -> usize {
        self.coupled.n_pairs()
    }

    fn partners(&self, object: usize) -> Vec<(usize, f64)> {
        self.coupled.partners(object)
    }

    fn is_coupled(&self, a: usize, b: usize) -> bool {
        let Coupling { order, pairs, .. } = &self.problem.coupling;
        let (a, b) = (order.position(a), order.position(b));
        pairs.contains(a.min(b), a.max(b))
    }

    fn get(&self, a: usize, b: usize) -> f64 {
        self.problem.data.get(a, b)
    }

    fn measured(&self) -> Option<&[(u32, u32, f64)]> {
        self.problem.data.measured_pairs()
    }
}
