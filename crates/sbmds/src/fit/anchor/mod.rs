//! Anchored couplings: finding the anchor, near the mode of the posterior of all pairs, in few passes over them.
//!
//! Each round takes the gradient of all pairs at the present map and maximises the posterior of few pairs that it corrects; what
//! is left of the distance to the mode is the part by which the curvatures of the two differ.

mod all_pairs;
pub(crate) mod check;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::all_pairs::AllPairs;
use crate::Locations;
use crate::coupling::Coupling;
use crate::error::RunError;
use crate::fit::control::Control;
use crate::fit::problem::Problem;
use crate::fit::start::{Maximum, Starts, maximise_while};
use crate::fit::summary::lines::digits;
use crate::likelihood::{AnchorValue, Anchored, Information, Likelihood, LogLikelihood, MapPoint, Pull};
use crate::numeric::dot;
use crate::posterior::{Posterior, Spread, Workspace};
use crate::settings::{Resolved, Start};

/// Rounds at most, each a pass over all pairs.
const MOST_ROUNDS: usize = 20;
/// Passes of an optimiser at most, where rounds do not get nearer.
const MOST_STEPS: usize = 60;
/// The anchor has settled when the mode is nearer than this part of the posterior's width. The correction puts the mode where all
/// pairs have it from wherever it is taken, up to the part of this distance by which the curvatures differ.
const SETTLED: f64 = 0.1;
/// A round that leaves more than this part of the distance is slow: curvatures of all pairs are then asked for, then an optimiser.
const SLOW: f64 = 0.6;
/// A maximisation ends when a step gains less than this per coordinate: a move by one standard deviation gains 1/2.
const GAIN: f64 = 1e-5;

/// Where few pairs stand for all.
pub(crate) struct Anchor {
    /// What the search found.
    pub found: FoundAnchor,
    /// The likelihood that it makes of the coupled pairs.
    pub likelihood: Arc<Anchored>,
    all: Arc<AllPairs>,
}

/// What the search for an anchor finds: enough to make the same likelihood of the coupled pairs again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FoundAnchor {
    /// Near the mode of all pairs.
    at: Maximum,
    /// What all pairs say there.
    all: AnchorValue,
    /// Their information about each object, if they tell.
    information: Option<Information>,
}

impl Anchor {
    /// The map, by coupling position, in the model's unit.
    pub fn map(&self) -> Locations {
        self.found.at.x.clone()
    }

    /// Noise standard deviation, in the model's unit.
    pub fn sigma(&self) -> f64 {
        self.found.at.sigma
    }

    /// The measurement's own parameters.
    pub fn own(&self) -> &[f64] {
        &self.found.at.own
    }
}

impl FoundAnchor {
    /// Whether two searches ended so near each other that chains about both sample one posterior: nearer than the search goes to the
    /// mode. Other instruction sets round differently.
    pub fn agrees_with(&self, other: &Self) -> bool {
        let (here, there) = (&self.at, &other.at);
        let off: f64 = here.x.as_slice().iter().zip(there.x.as_slice()).map(|(a, b)| (a - b).powi(2)).sum();
        let n = here.x.as_slice().len();
        let width = width(here, &self.all);
        there.x.as_slice().len() == n && (off / n as f64).sqrt() < SETTLED * width
    }
}

/// The problem with the posterior of all pairs, as the coupled ones and an anchor tell it; chains start at the anchor. It is searched
/// for unless it was `found` before; without an anchor if the search was stopped.
pub(crate) fn anchor(
    problem: Problem,
    config: &Resolved,
    found: Option<FoundAnchor>,
    control: &Control,
) -> Result<Problem, RunError> {
    let all = Arc::new(AllPairs::of(&problem, config));
    let found = match found {
        Some(found) => Some(found),
        None => search(&problem, &all, config, control)?,
    };
    let Some(found) = found else { return Ok(problem) };
    let likelihood = Arc::new(anchored(&problem, config, &found.at, &found.all, found.information.as_ref()));
    let posterior = problem.posterior.clone().with_likelihood(Arc::clone(&likelihood) as Arc<dyn LogLikelihood>);
    Ok(Problem { posterior, anchor: Some(Anchor { found, likelihood, all }), ..problem })
}

/// Searches for the anchor; `None` if somebody stopped it or the time was up.
fn search(
    problem: &Problem,
    all: &Arc<AllPairs>,
    config: &Resolved,
    control: &Control,
) -> Result<Option<FoundAnchor>, RunError> {
    // Chains from the prior have no map; the data do.
    let is_drawn = config.run.start == Start::Prior;
    let config = if is_drawn { &config.clone().starting_from(Start::Auto) } else { config };
    let starts = Starts::new(problem, config);
    let Some(map) = starts.map().cloned() else { return Ok(None) };
    let first = starts.at(&map);
    let (sigma, own, spread) = (first.sigma(), first.own.clone(), first.spread.clone());
    let search = Search { problem, all: Arc::clone(all), config, control, spread };
    let first = search.maximised(&problem.posterior, &Maximum { x: map, sigma, own });
    search.run(first)
}

struct Search<'a> {
    problem: &'a Problem,
    all: Arc<AllPairs>,
    config: &'a Resolved,
    control: &'a Control<'a>,
    spread: Spread,
}

impl Search<'_> {
    /// From a first map to the anchor. What a stopped search has found is not used: a run that goes on would have other draws.
    fn run(&self, mut at: Maximum) -> Result<Option<FoundAnchor>, RunError> {
        if self.control.should_stop() {
            return Ok(None);
        }
        let mut all = self.all.gradient(point(&at))?;
        let mut off = self.distance_to_mode(&at, &all);
        let mut information = None;
        for round in 1.. {
            self.tell(round, off, all.n_pairs);
            if off < SETTLED || round == MOST_ROUNDS {
                break;
            }
            let surrogate = anchored(self.problem, self.config, &at, &all, information.as_ref());
            let posterior = self.problem.posterior.clone().with_likelihood(Arc::new(surrogate));
            let next = self.maximised(&posterior, &at);
            if self.control.should_stop() {
                return Ok(None);
            }
            let all_there = self.all.gradient(point(&next))?;
            let off_there = self.distance_to_mode(&next, &all_there);
            let is_slow = off_there.is_nan() || off_there > SLOW * off;
            if is_slow && information.is_some() {
                if off_there < off {
                    (at, off) = (next, off_there);
                }
                at = self.optimised(&at, off);
                if self.control.should_stop() {
                    return Ok(None);
                }
                all = self.all.gradient(point(&at))?;
                break;
            }
            if off_there < off {
                (at, all, off) = (next, all_there, off_there);
            }
            if is_slow {
                information = self.all.information(point(&at))?;
                if information.is_none() && off_there.is_nan() {
                    break;
                }
            }
        }
        // The curvature is that of the anchor itself.
        let information = self.all.information(point(&at))?;
        Ok(Some(FoundAnchor { at, all, information }))
    }

    fn tell(&self, round: usize, off: f64, n_pairs: usize) {
        let what = if round == 1 { format!("all {n_pairs} pairs") } else { "them".into() };
        let off = digits(off);
        self.control
            .observer
            .note(&format!("anchor: pass {round} over {what}, {off} posterior standard deviations from their mode"));
    }

    /// The posterior of all pairs, maximised pass by pass.
    fn optimised(&self, at: &Maximum, off: f64) -> Maximum {
        let off = digits(off);
        self.control.observer.note(&format!(
            "anchor: {off} posterior standard deviations from the mode, on to an optimiser of all pairs ({MOST_STEPS} passes at most)"
        ));
        let posterior = self.problem.posterior.clone().with_likelihood(Arc::clone(&self.all) as Arc<dyn LogLikelihood>);
        let mut n_left = MOST_STEPS;
        maximise_while(&posterior, at, &self.spread, self.gain(), || {
            n_left -= 1;
            n_left > 0 && !self.control.should_stop()
        })
    }

    fn maximised(&self, posterior: &Posterior, from: &Maximum) -> Maximum {
        maximise_while(posterior, from, &self.spread, self.gain(), || !self.control.should_stop())
    }

    fn gain(&self) -> f64 {
        let likelihood = self.problem.posterior.likelihood();
        GAIN * (likelihood.n_objects() * likelihood.n_dims()) as f64
    }

    /// How far the mode of all pairs is, in posterior standard deviations.
    fn distance_to_mode(&self, at: &Maximum, all: &AnchorValue) -> f64 {
        let mut gradient = all.by_x.clone();
        let workspace = &mut Workspace::parallel();
        self.problem.posterior.add_prior_gradient(workspace, at.x.as_slice(), &self.spread, &mut gradient);
        width(at, all) * (dot(&gradient, &gradient) / gradient.len() as f64).sqrt()
    }
}

/// Few pairs, corrected by all at a point.
fn anchored(
    problem: &Problem,
    config: &Resolved,
    at: &Maximum,
    all: &AnchorValue,
    information: Option<&Information>,
) -> Anchored {
    let coupled = Arc::clone(&problem.pairs);
    // Nothing is to be replaced where all pairs are coupled; other families have other curvatures than springs.
    let is_measured = coupled.n_pairs() == all.n_pairs || coupled.conditional().is_none();
    let (pull, information) = match is_measured {
        true => (Pull::Measured, None),
        false => (Pull::Anchor(springs(problem, config, at)), information),
    };
    Anchored::new(coupled, pull, point(at), all, information)
}

/// The coupled pairs with the distances of a map as dissimilarities.
fn springs(problem: &Problem, config: &Resolved, at: &Maximum) -> Arc<dyn LogLikelihood> {
    let Problem { data, coupling: Coupling { order, pairs, .. }, .. } = problem;
    let model = &config.model;
    let at_rest = |a: usize, b: usize| match data.get(order[a], order[b]).is_nan() {
        true => f64::NAN,
        false => at.x.distance(a, b),
    };
    Arc::new(Likelihood::new(order.len(), model.n_dims, pairs, model.noise, model.storage, at_rest))
}

/// The width of the posterior of all pairs: the variance of a coordinate that M / N pairs on either side determine is
/// sigma^2 D N / 2 M.
fn width(at: &Maximum, all: &AnchorValue) -> f64 {
    let (n, d) = (at.x.n_objects() as f64, at.x.n_dims() as f64);
    at.sigma * (d * n / (2.0 * all.n_pairs as f64)).sqrt()
}

fn point(at: &Maximum) -> MapPoint<'_> {
    MapPoint { x: at.x.as_slice(), sigma: at.sigma, own: &at.own }
}

#[cfg(test)]
mod tests;
