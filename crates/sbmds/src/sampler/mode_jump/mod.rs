//! Mode jumps: Metropolis moves of single objects between the modes of their conditional density.
//!
//! Given all other objects, the density of one object can have several modes: an article that lies between two fields
//! fits on either side of the map. Trajectories cross the valley between once in thousands of draws or never. A mode jump
//! finds the modes by maximising from the locations of certain others, proposes a point near another mode,
//! and accepts it by Metropolis and Hastings (docs/model.md, eq. 25), so that the posterior is left as it is. It costs
//! about as much as a few passes over the object's partners.

mod modes;
mod surroundings;
#[cfg(test)]
mod tests;

use std::borrow::Borrow;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::coupling::Position;
use crate::likelihood::MapPoint;
use crate::posterior::{Given, Posterior};
pub(crate) use modes::Modes;
pub(crate) use surroundings::{MOST_DIMS, Surroundings};

/// Starting points of the optimiser in a search: this many and two more for every dimension.
const STARTS: usize = 4;
/// The first search is after this many iterations; then the intervals double.
const FIRST_SEARCH: usize = 10;

/// A mode is searched for from the mean of this many others that were near it: a single one may move out of its basin.
const ANCHORS: usize = 3;

/// Rounds of proposals in a mode jump: at other modes, then at all modes, this many times as wide as the normals there.
const ROUNDS: usize = 3;
const WIDTHS: [f64; 2] = [1.5, 4.0];

/// Which objects jump, and from where their modes are searched.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct ModeJumps {
    objects: Vec<MultimodalObject>,
}

/// An object whose conditional density has several modes, or one that is far from normal.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct MultimodalObject {
    position: Position,
    /// For each of its modes, others that were near it.
    anchors: Vec<Vec<Position>>,
    /// Whether the last search saw one normal mode only.
    is_doubtful: bool,
}

/// Whether all objects search for modes after this iteration of the warm-up.
pub(super) fn is_time_to_search(iteration: usize, n_warmup: usize) -> bool {
    let done = iteration + 1;
    let last = n_warmup - n_warmup / 10;
    let is_doubled = done.is_multiple_of(FIRST_SEARCH) && (done / FIRST_SEARCH).is_power_of_two();
    done == last || (is_doubled && done < last)
}

/// The map on which objects jump.
pub(super) struct Jumper<'a> {
    n_objects: usize,
    sigma: f64,
    own: &'a [f64],
    scales: &'a [f64],
    x: &'a mut [f64],
    has_moved: bool,
    gone_elsewhere: Vec<Position>,
    surroundings: Surroundings<'a>,
}

impl ModeJumps {
    /// Searches the modes of every object and moves it to one drawn by weight, if it is not there already. An object with several
    /// modes, or with one that is far from normal, is remembered; two searches in a row that see neither forget it. For the warm-up only.
    pub fn search(&mut self, jumper: &mut Jumper, rng: &mut ChaCha8Rng) {
        let mut found: Vec<(Position, Vec<Vec<f64>>)> = Vec::new();
        let mut known = vec![&[][..]; jumper.n_objects()];
        self.objects.iter().for_each(|multimodal| known[multimodal.position.index()] = &multimodal.anchors);
        for position in (0..jumper.n_objects()).map(Position::new) {
            let modes = jumper.search_modes(position, known[position.index()], rng);
            if modes.len() > 1 || !modes.are_normal(&jumper.surroundings) {
                found.push((position, modes.centres().map(<[f64]>::to_vec).collect()));
            }
            jumper.settle(position, &modes, rng);
        }
        let mut is_multimodal = vec![false; jumper.n_objects()];
        found.iter().for_each(|&(position, _)| is_multimodal[position.index()] = true);
        self.objects.retain(|multimodal| !multimodal.is_doubtful && !is_multimodal[multimodal.position.index()]);
        for doubtful in &mut self.objects {
            doubtful.is_doubtful = true;
            is_multimodal[doubtful.position.index()] = true;
        }
        if is_multimodal.iter().all(|&is| is) {
            // Then every other is as good an anchor as any.
            is_multimodal.fill(false);
        }
        for (position, modes) in found {
            let anchors = modes.iter().map(|mode| jumper.nearest(position, mode, &is_multimodal)).collect();
            self.objects.push(MultimodalObject { position, anchors, is_doubtful: false });
        }
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Of an object with two modes, to be saved.
    #[cfg(test)]
    pub fn filled() -> Self {
        let anchors = vec![vec![Position::new(0), Position::new(1)], vec![Position::new(3)]];
        Self { objects: vec![MultimodalObject { position: Position::new(2), anchors, is_doubtful: true }] }
    }

    /// One mode jump of every remembered object.
    pub fn jump(&self, jumper: &mut Jumper, rng: &mut ChaCha8Rng) {
        self.objects.iter().for_each(|multimodal| jumper.jump(multimodal, rng));
    }
}

impl<'a> Jumper<'a> {
    /// At the locations `x`; `None` where objects do not jump: with more than [`MOST_DIMS`] dimensions, or where the prior ties
    /// objects to each other: along a tree, tips lie close to each other for another reason than their distances.
    pub fn new(posterior: &'a Posterior, x: &'a mut [f64], given: Given<'a>) -> Option<Self> {
        let n_objects = posterior.likelihood().n_objects();
        let scales = posterior.locations().independent_variances(given.spread)?;
        if scales.len() > MOST_DIMS || n_objects <= 2 {
            return None;
        }
        let surroundings = Surroundings::new(posterior.likelihood().conditional()?);
        let Given { sigma, own, .. } = given;
        Some(Self { n_objects, sigma, own, scales, x, has_moved: false, gone_elsewhere: Vec::new(), surroundings })
    }

    /// Whether any object is not where it was.
    pub fn has_moved(&self) -> bool {
        self.has_moved
    }

    /// Positions of the objects that are now at another mode.
    pub fn gone_elsewhere(&self) -> &[Position] {
        &self.gone_elsewhere
    }

    fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// The modes of an object, searched from its own location, from the others `known` to be near its modes and from random ones, or all
    /// if there are few. A mode can have a small basin of attraction: one found once is not left to chance again.
    fn search_modes(&mut self, position: Position, known: &[Vec<Position>], rng: &mut ChaCha8Rng) -> Modes {
        let n_others = self.n_objects() - 1;
        let n_starts = STARTS + 2 * self.scales.len();
        let other = |k: usize| Position::new(k + usize::from(k >= position.index()));
        let random: Vec<Position> = if n_others <= n_starts {
            (0..n_others).map(other).collect()
        } else {
            (0..n_starts).map(|_| other(rng.random_range(0..n_others))).collect()
        };
        let here = std::iter::once(self.location(position));
        let known = known.iter().map(|anchors| self.middle(anchors));
        let starts: Vec<Vec<f64>> = here.chain(known).chain(random.iter().map(|&other| self.location(other))).collect();
        self.modes_from(position, starts)
    }

    fn modes_from(&mut self, position: Position, starts: Vec<Vec<f64>>) -> Modes {
        let at = MapPoint { x: self.x, sigma: self.sigma, own: self.own };
        self.surroundings.gather(at, position, self.scales);
        Modes::find(&self.surroundings, starts.into_iter())
    }

    /// The other objects nearest to `location` of those that are not `excluded`.
    fn nearest(&self, position: Position, location: &[f64], excluded: &[bool]) -> Vec<Position> {
        let n_objects = self.n_objects();
        let coordinate = |other: usize, dim: usize| self.x[dim * n_objects + other] / self.sigma;
        let off = |other: usize| -> f64 {
            location.iter().enumerate().map(|(dim, x)| (x - coordinate(other, dim)).powi(2)).sum()
        };
        let others = (0..n_objects).filter(|&other| other != position.index() && !excluded[other]);
        let mut others: Vec<(f64, usize)> = others.map(|other| (off(other), other)).collect();
        let n_anchors = ANCHORS.min(others.len());
        others.select_nth_unstable_by(n_anchors.saturating_sub(1), |a, b| a.0.total_cmp(&b.0));
        others[..n_anchors].iter().map(|&(_, other)| Position::new(other)).collect()
    }

    /// The middle of the objects at some positions, in units of sigma.
    fn middle(&self, positions: &[Position]) -> Vec<f64> {
        let mean = |values: &[f64]| positions.iter().map(|at| values[at.index()]).sum::<f64>() / positions.len() as f64;
        self.x.chunks_exact(self.n_objects()).map(|values| mean(values) / self.sigma).collect()
    }

    /// Moves the object to a mode drawn by weight, if it is not there already; accepted by Metropolis, because the density there may be
    /// lower than the normal approximation says.
    fn settle(&mut self, position: Position, modes: &Modes, rng: &mut ChaCha8Rng) {
        let here = self.location(position);
        let Some(there) = modes.draw_if_elsewhere(&here, rng) else { return };
        let log_ratio = self.surroundings.energy(&here) - self.surroundings.energy(&there);
        if rng.random::<f64>().ln() < log_ratio {
            self.put(position, &there, false);
        }
    }

    /// Proposes points at other modes and at all modes, and accepts or rejects each. Neither surroundings nor modes depend on where the
    /// object is, so that they are computed once.
    fn jump(&mut self, multimodal: &MultimodalObject, rng: &mut ChaCha8Rng) {
        let starts = multimodal.anchors.iter().map(|anchors| self.middle(anchors)).collect();
        let modes = self.modes_from(multimodal.position, starts);
        let wide = WIDTHS.map(|times| modes.widened(times));
        let from = self.location(multimodal.position);
        let mut walk = Walk { energy: self.surroundings.energy(&from), here: from.clone() };
        for _ in 0..ROUNDS {
            walk.propose(&self.surroundings, |here| modes.elsewhere(here), rng);
            wide.iter().for_each(|wide| walk.propose(&self.surroundings, |_| wide, rng));
        }
        if walk.here != from {
            let same_mode = modes.are_together(&from, &walk.here);
            self.put(multimodal.position, &walk.here, same_mode);
        }
    }

    /// Where the object at a position is, in units of sigma.
    fn location(&self, position: Position) -> Vec<f64> {
        self.x.chunks_exact(self.n_objects()).map(|values| values[position.index()] / self.sigma).collect()
    }

    /// Moves the object at a position; `same_mode` keeps its variance estimate.
    fn put(&mut self, position: Position, to: &[f64], same_mode: bool) {
        let n_objects = self.n_objects();
        for (dim, to) in to.iter().enumerate() {
            self.x[dim * n_objects + position.index()] = to * self.sigma;
        }
        self.has_moved = true;
        if !same_mode {
            self.gone_elsewhere.push(position);
        }
    }
}

/// An object on its way, in units of sigma.
struct Walk {
    here: Vec<f64>,
    energy: f64,
}

impl Walk {
    /// Metropolis and Hastings with the proposals that `proposals` makes for a point.
    fn propose<T: Borrow<Modes>>(
        &mut self,
        surroundings: &Surroundings,
        proposals: impl Fn(&[f64]) -> T,
        rng: &mut ChaCha8Rng,
    ) {
        let forth = proposals(&self.here);
        let Some(there) = forth.borrow().draw(rng) else { return };
        let back = proposals(&there);
        let energy = surroundings.energy(&there);
        let correction = back.borrow().log_density(&self.here) - forth.borrow().log_density(&there);
        if rng.random::<f64>().ln() < self.energy - energy + correction {
            *self = Self { here: there, energy };
        }
    }
}
