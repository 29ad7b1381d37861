//! How probable it is that one object is among the nearest of another, over draws.

use rayon::prelude::*;
use serde::Serialize;

use super::kd_tree::KdTree;
use super::pack;
use crate::Locations;
use crate::draws::Spaced;

/// For each object its most probable neighbours, the most probable first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Neighbours {
    /// Among how many nearest a neighbour is looked for.
    pub k: usize,
    /// The neighbours of every object, `candidates` each; [`NO_NEIGHBOUR`] where there are fewer.
    #[serde(serialize_with = "pack::u32s")]
    pub index: Vec<u32>,
    /// Probability that each is the nearest.
    #[serde(serialize_with = "pack::f32s")]
    pub nearest: Vec<f64>,
    /// Probability that each is among the `k` nearest.
    #[serde(serialize_with = "pack::f32s")]
    pub among: Vec<f64>,
    /// Neighbours listed for every object.
    pub candidates: usize,
}

/// Stands for no object.
pub const NO_NEIGHBOUR: u32 = u32::MAX;

/// Among how many nearest a neighbour is looked for.
const K: usize = 5;
/// Neighbours listed for every object.
const CANDIDATES: usize = 10;
/// Above this many objects the page shows no neighbours.
const MOST_OBJECTS: usize = 20_000;
/// Draws to count in: probabilities to half a percent.
const MOST_DRAWS: usize = 200;
/// Fewer draws keep the search for all neighbours of many objects to some seconds.
const MOST_SEARCHES: usize = 2_000_000;

/// In which of `n_draws` draws neighbours are counted.
pub(super) fn choose(n_draws: usize, n_objects: usize) -> Spaced {
    let most = if !(2..=MOST_OBJECTS).contains(&n_objects) { 0 } else { MOST_DRAWS.min(MOST_SEARCHES / n_objects) };
    Spaced::new(n_draws, most)
}

/// How often one object was the nearest of another, and among its nearest.
struct Count {
    object: u32,
    nearest: u32,
    among: u32,
}

/// Counts neighbours draw by draw.
pub(super) struct Counter {
    chosen: Spaced,
    k: usize,
    counts: Vec<Vec<Count>>,
}

impl Counter {
    pub fn new(chosen: Spaced, n_objects: usize) -> Self {
        let counts = (0..n_objects).map(|_| Vec::new()).collect();
        Self { chosen, k: K.min(n_objects.saturating_sub(1)), counts }
    }

    pub fn visit(&mut self, index: usize, draw: &Locations) {
        if !self.chosen.contains(index) {
            return;
        }
        let (tree, k) = (KdTree::new(draw), self.k);
        self.counts.par_iter_mut().enumerate().for_each(|(object, counts)| {
            let found = tree.nearest(&draw.object(object), k, object as u32);
            for (rank, neighbour) in found.into_iter().enumerate() {
                add(counts, neighbour, rank == 0);
            }
        });
    }

    /// The probabilities; `None` if no draw was counted.
    pub fn finish(self) -> Option<Neighbours> {
        if self.chosen.count == 0 {
            return None;
        }
        let (k, candidates) = (self.k, CANDIDATES.min(self.counts.len() - 1));
        let n_draws = self.chosen.count as f64;
        let (mut index, mut nearest, mut among) = (Vec::new(), Vec::new(), Vec::new());
        for mut counts in self.counts {
            counts.sort_by_key(|count| (std::cmp::Reverse((count.among, count.nearest)), count.object));
            for rank in 0..candidates {
                let count = counts.get(rank);
                index.push(count.map_or(NO_NEIGHBOUR, |count| count.object));
                nearest.push(count.map_or(0.0, |count| f64::from(count.nearest) / n_draws));
                among.push(count.map_or(0.0, |count| f64::from(count.among) / n_draws));
            }
        }
        Some(Neighbours { k, index, nearest, among, candidates })
    }
}

fn add(counts: &mut Vec<Count>, object: u32, is_nearest: bool) {
    let nearest = u32::from(is_nearest);
    match counts.iter_mut().find(|count| count.object == object) {
        Some(count) => {
            count.among += 1;
            count.nearest += nearest;
        }
        None => counts.push(Count { object, nearest, among: 1 }),
    }
}
