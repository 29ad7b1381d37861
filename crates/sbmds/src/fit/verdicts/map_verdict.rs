//! The verdict on the map of a run: its pairs and draws, handed to the judge.

use crate::Locations;
use crate::draws::{DrawReader, Spaced};
use crate::embedding::Moments;
use crate::error::RunError;
use crate::fit::problem::Problem;
use crate::fit::problem::known::Known;
use crate::quality::{MapVerdict, Shown, judge_map};
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
    judge_map(&judged, &Known::new(&problem.data, &problem.coupling, problem.coupled()), |visit| {
        visit_draws(reader, &sigmas, visit)
    })
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
