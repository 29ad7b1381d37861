//! Hamiltonian Monte Carlo on everything together, with trajectories of random length and steps of two stages.
//!
//! NUTS follows a trajectory over half a period and draws from all of it; a point a quarter of a period ahead is as
//! independent. Its doubling overshoots by up to a factor of two besides. Maps of many objects are regular enough for
//! trajectories of one length, once the masses are known; until then NUTS moves (docs/model.md, "Trajectories").

use rand_chacha::ChaCha8Rng;

use super::equilibrate::is_large;
use super::hamiltonian::Integrator;
use super::length::Length;
use super::moves::{Conditions, Move};
use super::nuts::{self, Nuts, Trajectory};
use super::settings::{Entry, SamplerSettings};
use super::{Evaluated, StepInfo};
use crate::coupling::Position;
use crate::posterior::{Posterior, Unknowns};

/// In the list of samplers.
pub(super) const ENTRY: Entry = Entry {
    name: "jhmc",
    independent_after: 5,
    target_acceptance: 0.8,
    has_gradients: true,
    start,
    load: |tuning| Ok(Box::new(postcard::from_bytes::<Jhmc>(tuning)?)),
};

/// From so many coordinates on, the masses guessed are good enough for trajectories of one length from the first iteration.
const MANY: usize = 1_000;
/// Trajectories with such masses take at most so many steps: where they would take more, the guess is bad.
const MOST_STEPS: usize = 16;

fn has_many(n_coordinates: usize) -> bool {
    n_coordinates >= MANY
}

fn start(
    settings: &SamplerSettings,
    x: Vec<f64>,
    conditions: &mut Conditions,
    rng: &mut ChaCha8Rng,
) -> (Evaluated, Box<dyn Move>) {
    let n_objects = conditions.posterior.likelihood().n_objects();
    let first = if has_many(x.len()) { Integrator::TwoStage } else { Integrator::Leapfrog };
    let (current, nuts) = nuts::begin(settings, [first, Integrator::TwoStage], x, conditions, rng);
    (current, Box::new(Jhmc { nuts, length: Length::new(n_objects, rng), has_masses: false }))
}

/// Tuning of the sampler.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Jhmc {
    /// Step and masses; makes the moves until the last window of warm-up.
    nuts: Nuts,
    length: Length,
    has_masses: bool,
}

impl Move for Jhmc {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn step(
        &mut self,
        current: &mut Evaluated,
        conditions: &mut Conditions,
        warmup: Option<usize>,
        rng: &mut ChaCha8Rng,
    ) -> StepInfo {
        // Masses from few draws can be far off, and the time then no quarter of a period: NUTS turns back by itself. In maps of many
        // objects the masses guessed are near, and NUTS would spend most of the time before masses are learned.
        let n_coordinates = conditions.posterior.location_unknowns().n_coordinates();
        let time = self.length.draw(rng);
        let is_regular = has_many(n_coordinates) && self.nuts.n_steps(time) <= MOST_STEPS || is_large(n_coordinates);
        let is_tuned = is_regular || self.has_masses && self.nuts.has_good_masses();
        let trajectory = if is_tuned { Trajectory::OfTime(time) } else { Trajectory::UntilTurn };
        let learns_length = is_tuned && warmup.is_some_and(|iteration| self.nuts.is_in_last_window(iteration));
        let info = self.nuts.iterate(trajectory, current, conditions, warmup, rng);
        self.has_masses |= self.nuts.has_new_masses();
        if learns_length {
            let n_objects = conditions.posterior.likelihood().n_objects();
            let x = &current.position()[..n_coordinates];
            let squares = |a: usize, b: usize| x.chunks_exact(n_objects).map(move |x| (x[a] - x[b]).powi(2));
            self.length.learn(|a, b| squares(a, b).sum::<f64>().sqrt());
        }
        info
    }

    fn freeze(&mut self) {
        self.nuts.freeze();
        self.length.freeze();
    }

    fn unknowns(&self, posterior: &Posterior) -> Unknowns {
        self.nuts.unknowns(posterior)
    }

    fn evaluate(&self, position: Vec<f64>, conditions: &mut Conditions) -> Evaluated {
        self.nuts.evaluate(position, conditions)
    }

    fn takes_single_gradients(&self) -> bool {
        true
    }

    fn weighs_by_single_values(&self) -> bool {
        true
    }

    fn is_followed_by_jumps(&self) -> bool {
        true
    }

    fn learn_of_jumps(&mut self, positions: &[Position]) {
        self.nuts.learn_of_jumps(positions);
    }
}
