//! Finding the anchor of an anchored coupling: the mode of the posterior of all pairs, in few passes over them.
//!
//! Each round takes the gradient of all pairs at the present map and maximises the sparse posterior that it corrects; near the
//! mode the two differ by the curvature of the sampled pairs alone, so that the distance to the mode falls by a factor of
//! about sqrt(B) from round to round.

use std::sync::Arc;

use super::all_pairs::AllPairs;
use super::control::Control;
use super::problem::Problem;
use crate::Locations;
use crate::embedding::{procrustes, rms_difference};
use crate::fit::start::{Maximum, Starts, maximise_to};
use crate::likelihood::{Anchored, LogLikelihood, MapPoint};
use crate::posterior::Posterior;
use crate::settings::{Resolved, Start};

/// Rounds at most.
const MOST_ROUNDS: usize = 20;
/// The anchor has settled when a round moves it by less than this part of the posterior's width.
const SETTLED: f64 = 0.02;
/// A maximisation ends when a step gains less than this per coordinate: a move by one standard deviation gains 1/2.
const GAIN: f64 = 1e-5;

/// The problem with the posterior of all pairs, as the coupled ones and an anchor tell it; chains start at the anchor.
pub(crate) fn anchor(problem: Problem, config: &Resolved, control: &Control) -> Problem {
    let all = AllPairs::of(&problem, config);
    // Chains from the prior have no map; the data do.
    let is_drawn = config.run.start == Start::Prior;
    let config = if is_drawn { &config.clone().starting_from(Start::Auto) } else { config };
    let starts = Starts::new(&problem, config);
    let Some(map) = starts.map().cloned() else { return problem };
    let first = starts.at(&map);
    let spread = first.spread.clone();
    let mut at = Maximum { x: map, sigma: first.sigma() };
    let n_coordinates = at.x.as_slice().len() as f64;
    let mut posterior = problem.posterior.clone();
    let mut n_rounds = 0;
    let mut moved = f64::INFINITY;
    while n_rounds < MOST_ROUNDS && moved > SETTLED {
        n_rounds += 1;
        posterior = corrected(&problem, &all, &at);
        let next = maximise_to(&posterior, &at.x, at.sigma, &spread, GAIN * n_coordinates);
        moved = in_widths(&at, &next, posterior.likelihood());
        at = next;
    }
    control.observer.note(&format!(
        "the mode of all {} pairs, found in {n_rounds} passes over them, is the anchor",
        posterior.likelihood().n_pairs()
    ));
    let posterior = corrected(&problem, &all, &at);
    drop(starts);
    Problem { posterior, anchor: Some(at.x), ..problem }
}

/// The posterior of the coupled pairs, corrected by all pairs at a point.
fn corrected(problem: &Problem, all: &AllPairs, at: &Maximum) -> Posterior {
    let point = MapPoint { x: at.x.as_slice(), sigma: at.sigma, own: &[] };
    let full = all.gradient(point);
    let anchored = Anchored::new(Arc::clone(&problem.pairs), point, &full);
    problem.posterior.clone().with_likelihood(Arc::new(anchored))
}

/// How far the map moved, after alignment: the root mean square over coordinates, in posterior standard deviations of a location
/// that M / N pairs on either side determine (sigma sqrt(D N / 2 M)).
fn in_widths(from: &Maximum, to: &Maximum, likelihood: &dyn LogLikelihood) -> f64 {
    let (n, d) = (likelihood.n_objects() as f64, likelihood.n_dims() as f64);
    let width = to.sigma * (d * n / (2.0 * likelihood.n_pairs() as f64)).sqrt();
    rms_move(&from.x, &to.x) / width
}

fn rms_move(from: &Locations, to: &Locations) -> f64 {
    let aligned = procrustes(to, from).apply(to);
    rms_difference(&aligned, from) / (from.n_dims() as f64).sqrt()
}
