//! The map that draws are aligned to when they are stored: the first map of the run, on its principal axes.
//!
//! A map of its own would do as well: what matters is that it is fixed before the first draw, and that it resembles the draws,
//! so that the rotation does not hang on noise.

use crate::Locations;
use crate::embedding::principal_axes;
use crate::fit::problem::Problem;
use crate::fit::start::Starts;
use crate::settings::Resolved;
use crate::settings::config::{Keep, Start};

/// The map, in input order and units; `None` if draws are to be stored as the sampler has them, or not at all.
pub(crate) fn reference(starts: &Starts, problem: &Problem, config: &Resolved) -> Option<Locations> {
    if config.run.raw_draws || config.run.keep == Keep::Summary {
        return None;
    }
    let map = match starts.map() {
        Some(map) => map.clone(),
        // Draws from the prior resemble nothing.
        None => {
            let config = config.clone().starting_from(Start::Auto);
            Starts::until(problem, &config, starts.stop()).map()?.clone()
        }
    };
    let map = problem.to_input(map.as_slice());
    // Objects that drift have an axis of their own.
    let map = if config.measurement.drift { map } else { principal_axes(&map).apply(&map) };
    map.as_slice().iter().all(|x| x.is_finite()).then_some(map)
}
