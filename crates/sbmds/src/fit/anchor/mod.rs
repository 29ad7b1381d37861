//! Finding the anchor of an anchored coupling: the mode of the posterior of all pairs, in few passes over them.
//!
//! Each round takes the gradient of all pairs at the present map and maximises the sparse posterior that it corrects; near the
//! mode the two differ by the curvature of the sampled pairs alone, so that the distance to the mode falls by a factor of
//! about sqrt(B) from round to round.

mod all_pairs;
pub(crate) mod check;

use std::sync::Arc;

use self::all_pairs::AllPairs;
use crate::fit::control::Control;
use crate::fit::problem::Problem;
use crate::fit::start::{Maximum, Starts, maximise_to};
use crate::likelihood::{Anchored, MapGradient, MapPoint};
use crate::numeric::dot;
use crate::posterior::{Given, Posterior, Spread, Workspace};
use crate::settings::{Resolved, Start};

/// Passes over all pairs at most.
const MOST_PASSES: usize = 30;
/// The anchor has settled when the mode is nearer than this part of the posterior's width.
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
    let mut posterior = corrected(&problem, &all, &at);
    let mut n_passes = 1;
    while n_passes < MOST_PASSES && distance_to_mode(&posterior, &at, &spread) > SETTLED {
        at = maximise_to(&posterior, &at.x, at.sigma, &spread, GAIN * n_coordinates);
        posterior = corrected(&problem, &all, &at);
        n_passes += 1;
    }
    control.observer.note(&format!(
        "the mode of all {} pairs, found in {n_passes} passes over them, is the anchor",
        posterior.likelihood().n_pairs()
    ));
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

/// How far the mode of all pairs still is, in posterior standard deviations: where the corrected posterior is anchored its gradient
/// is that of all pairs, and the variance of a coordinate that M / N pairs on either side determine is sigma^2 D N / 2 M.
fn distance_to_mode(posterior: &Posterior, at: &Maximum, spread: &Spread) -> f64 {
    let likelihood = posterior.likelihood();
    let (n, d) = (likelihood.n_objects() as f64, likelihood.n_dims() as f64);
    let width = at.sigma * (d * n / (2.0 * likelihood.n_pairs() as f64)).sqrt();
    let mut gradient = vec![0.0; at.x.as_slice().len()];
    let given = Given { sigma: at.sigma, spread, own: &[] };
    posterior.gradient(
        &mut Workspace::parallel(),
        at.x.as_slice(),
        given,
        MapGradient { x: &mut gradient, own: &mut [] },
    );
    width * (dot(&gradient, &gradient) / gradient.len() as f64).sqrt()
}
