//! Leaps of single objects between the places that the others leave open.
//!
//! Given all other objects, the density of one object can have several tops: an article that lies between two fields
//! fits on either side of the map. Trajectories cross the valley between once in thousands of draws or never. A leap
//! finds the tops by climbing from the places of certain others, proposes a point near a top where the object is not,
//! and accepts it by Metropolis and Hastings (docs/model.md, eq. 25), so that the posterior is left as it is. It costs
//! about as much as a few looks at the object's partners.

mod surroundings;
#[cfg(test)]
mod tests;
mod tops;

use std::borrow::Borrow;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::likelihood::Likelihood;
use crate::posterior::{Posterior, Spread};
use surroundings::{MOST_DIMS, Surroundings};
use tops::Tops;

/// Climbs in a search: this many and two more for every dimension.
const STARTS: usize = 4;
/// The first search is after this many iterations; then the intervals double.
const FIRST_SEARCH: usize = 10;

/// A place is looked for from the middle of so many others that were around it: one alone may wander out of its reach.
const ANCHORS: usize = 3;

/// Rounds of proposals when an object leaps: elsewhere, then near all its places, so many times as wide as the normals there.
const ROUNDS: usize = 3;
const WIDTHS: [f64; 2] = [1.5, 4.0];

/// Which objects leap, and from where they look for places.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Leaps {
    objects: Vec<Restless>,
}

/// An object that has several places, or one that is no normal.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Restless {
    object: usize,
    /// For each of its places, others that were around it.
    anchors: Vec<Vec<usize>>,
    /// Whether the last search saw one normal place only.
    is_doubtful: bool,
}

/// Whether all objects look for places after this iteration of the warm-up.
pub(super) fn is_time_to_search(iteration: usize, n_warmup: usize) -> bool {
    let done = iteration + 1;
    let last = n_warmup - n_warmup / 10;
    let is_doubled = done.is_multiple_of(FIRST_SEARCH) && (done / FIRST_SEARCH).is_power_of_two();
    done == last || (is_doubled && done < last)
}

/// The map on which objects leap.
pub(super) struct Leaper<'a> {
    likelihood: &'a Likelihood,
    sigma: f64,
    scales: &'a [f64],
    x: &'a mut [f64],
    has_moved: bool,
    gone_elsewhere: Vec<usize>,
    surroundings: Surroundings<'a>,
}

impl Leaps {
    /// Lets every object look for places: it goes to one as likely as that is, if it is not there already, and is remembered
    /// if it has several or if its place is no normal; it is forgotten when two searches in a row see neither. For the warm-up only.
    pub fn search(&mut self, leaper: &mut Leaper, rng: &mut ChaCha8Rng) {
        let mut found: Vec<(usize, Vec<Vec<f64>>)> = Vec::new();
        let mut known = vec![&[][..]; leaper.n_objects()];
        self.objects.iter().for_each(|restless| known[restless.object] = &restless.anchors);
        for object in 0..leaper.n_objects() {
            let tops = leaper.search_tops(object, known[object], rng);
            if tops.len() > 1 || !tops.are_normal(&leaper.surroundings) {
                found.push((object, tops.centres().map(<[f64]>::to_vec).collect()));
            }
            leaper.settle(object, &tops, rng);
        }
        let mut is_restless = vec![false; leaper.n_objects()];
        found.iter().for_each(|&(object, _)| is_restless[object] = true);
        self.objects.retain(|restless| !restless.is_doubtful && !is_restless[restless.object]);
        for doubtful in &mut self.objects {
            doubtful.is_doubtful = true;
            is_restless[doubtful.object] = true;
        }
        if is_restless.iter().all(|&is| is) {
            // Then every other is as good an anchor as any.
            is_restless.fill(false);
        }
        for (object, tops) in found {
            let anchors = tops.iter().map(|top| leaper.nearest(object, top, &is_restless)).collect();
            self.objects.push(Restless { object, anchors, is_doubtful: false });
        }
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Lets the objects remembered leap.
    pub fn leap(&self, leaper: &mut Leaper, rng: &mut ChaCha8Rng) {
        self.objects.iter().for_each(|restless| leaper.leap(restless, rng));
    }
}

impl<'a> Leaper<'a> {
    /// At the locations `x`; nothing where objects do not leap: with more than [`MOST_DIMS`] dimensions, or along a tree, whose
    /// tips lie close to each other for another reason than their distances.
    pub fn new(posterior: &'a Posterior, x: &'a mut [f64], sigma: f64, spread: &'a Spread) -> Option<Self> {
        let likelihood = posterior.likelihood();
        let scales = spread.scales().filter(|scales| scales.len() <= MOST_DIMS && likelihood.n_objects() > 2)?;
        let surroundings = Surroundings::new(likelihood);
        Some(Self { likelihood, sigma, scales, x, has_moved: false, gone_elsewhere: Vec::new(), surroundings })
    }

    /// Whether any object is not where it was.
    pub fn has_moved(&self) -> bool {
        self.has_moved
    }

    /// Objects that are now in another place.
    pub fn gone_elsewhere(&self) -> &[usize] {
        &self.gone_elsewhere
    }

    fn n_objects(&self) -> usize {
        self.likelihood.n_objects()
    }

    /// The tops of an object, found from where it is, from among the others `known` to be around its places and from random ones, or all
    /// if there are few. A place may have a narrow foot: one found once is not left to chance again.
    fn search_tops(&mut self, object: usize, known: &[Vec<usize>], rng: &mut ChaCha8Rng) -> Tops {
        let n_others = self.n_objects() - 1;
        let n_starts = STARTS + 2 * self.likelihood.n_dims();
        let other = |k: usize| k + usize::from(k >= object);
        let random: Vec<usize> = if n_others <= n_starts {
            (0..n_others).map(other).collect()
        } else {
            (0..n_starts).map(|_| other(rng.random_range(0..n_others))).collect()
        };
        let here = std::iter::once(self.location(object));
        let known = known.iter().map(|anchors| self.middle(anchors));
        let starts: Vec<Vec<f64>> = here.chain(known).chain(random.iter().map(|&other| self.location(other))).collect();
        self.tops_from(object, starts)
    }

    fn tops_from(&mut self, object: usize, starts: Vec<Vec<f64>>) -> Tops {
        self.surroundings.gather(self.x, self.sigma, object, self.scales);
        Tops::find(&self.surroundings, starts.into_iter())
    }

    /// The other objects nearest to `location` of those that are not `excluded`.
    fn nearest(&self, object: usize, location: &[f64], excluded: &[bool]) -> Vec<usize> {
        let n_objects = self.n_objects();
        let coordinate = |other: usize, dim: usize| self.x[dim * n_objects + other] / self.sigma;
        let off = |other: usize| -> f64 {
            location.iter().enumerate().map(|(dim, x)| (x - coordinate(other, dim)).powi(2)).sum()
        };
        let others = (0..n_objects).filter(|&other| other != object && !excluded[other]);
        let mut others: Vec<(f64, usize)> = others.map(|other| (off(other), other)).collect();
        let n_anchors = ANCHORS.min(others.len());
        others.select_nth_unstable_by(n_anchors.saturating_sub(1), |a, b| a.0.total_cmp(&b.0));
        others[..n_anchors].iter().map(|&(_, other)| other).collect()
    }

    /// The middle of some objects, in units of sigma.
    fn middle(&self, objects: &[usize]) -> Vec<f64> {
        let mean = |values: &[f64]| objects.iter().map(|&object| values[object]).sum::<f64>() / objects.len() as f64;
        self.x.chunks_exact(self.n_objects()).map(|values| mean(values) / self.sigma).collect()
    }

    /// Goes to a place as likely as that is, if the object is not there already; where the place turns out worse than its top
    /// promised, by Metropolis.
    fn settle(&mut self, object: usize, tops: &Tops, rng: &mut ChaCha8Rng) {
        let here = self.location(object);
        let Some(there) = tops.draw_if_elsewhere(&here, rng) else { return };
        let log_ratio = self.surroundings.energy(&here) - self.surroundings.energy(&there);
        if rng.random::<f64>().ln() < log_ratio {
            self.put(object, &there, false);
        }
    }

    /// Proposes points elsewhere and in all places, and accepts or rejects each. Neither surroundings nor tops depend on where the
    /// object is, so that one look at them serves all.
    fn leap(&mut self, restless: &Restless, rng: &mut ChaCha8Rng) {
        let starts = restless.anchors.iter().map(|anchors| self.middle(anchors)).collect();
        let tops = self.tops_from(restless.object, starts);
        let wide = WIDTHS.map(|times| tops.widened(times));
        let from = self.location(restless.object);
        let mut walk = Walk { energy: self.surroundings.energy(&from), here: from.clone() };
        for _ in 0..ROUNDS {
            walk.propose(&self.surroundings, |here| tops.elsewhere(here), rng);
            wide.iter().for_each(|wide| walk.propose(&self.surroundings, |_| wide, rng));
        }
        if walk.here != from {
            let same_place = tops.are_together(&from, &walk.here);
            self.put(restless.object, &walk.here, same_place);
        }
    }

    /// Where an object is, in units of sigma.
    fn location(&self, object: usize) -> Vec<f64> {
        self.x.chunks_exact(self.n_objects()).map(|values| values[object] / self.sigma).collect()
    }

    /// Moves an object; within a place, that is no news to who learns how wide places are.
    fn put(&mut self, object: usize, to: &[f64], same_place: bool) {
        let n_objects = self.n_objects();
        for (dim, to) in to.iter().enumerate() {
            self.x[dim * n_objects + object] = to * self.sigma;
        }
        self.has_moved = true;
        if !same_place {
            self.gone_elsewhere.push(object);
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
    fn propose<T: Borrow<Tops>>(
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
