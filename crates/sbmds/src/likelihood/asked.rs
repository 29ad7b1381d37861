//! Pairs whose dissimilarities are asked for whenever they are needed: what one machine knows of the pairs that others hold.

use rayon::prelude::*;

use super::Storage;
use super::density::Energy;
use super::dispatch::Choice;
use super::layout::{Chunk, ChunkGradient, Kernels, Layout, Scaled};
use crate::coupling::{PairShape, Pairs};

/// Gives the dissimilarity of two coupling positions, the lower first; NaN if it is missing.
pub(super) type Ask = Box<dyn Fn(usize, usize) -> f64 + Send + Sync>;

/// Coupled pairs without their dissimilarities: it knows partners and has no chunks.
pub(super) struct Asked {
    n_objects: usize,
    pairs: Pairs,
    /// (upper end, lower end) of the pairs of a graph, sorted.
    from_above: Vec<(u32, u32)>,
    ask: Ask,
    storage: Storage,
    /// What dissimilarities are divided by, one after another.
    units: Vec<f64>,
    n_pairs: usize,
}

impl Asked {
    pub(super) fn new(n_objects: usize, pairs: Pairs, storage: Storage, ask: Ask) -> Self {
        let mut from_above: Vec<(u32, u32)> = match pairs.shape() {
            PairShape::Graph(edges) => edges.iter().map(|&(lower, upper)| (upper, lower)).collect(),
            _ => Vec::new(),
        };
        from_above.par_sort_unstable();
        let mut asked = Self { n_objects, pairs, from_above, ask, storage, units: Vec::new(), n_pairs: 0 };
        let seen_from_both_ends: usize =
            (0..n_objects).into_par_iter().map(|position| asked.n_partners(position)).sum();
        asked.n_pairs = seen_from_both_ends / 2;
        asked
    }

    fn n_partners(&self, position: usize) -> usize {
        let mut count = 0;
        self.for_each_partner(position, &mut |_, _| {
            count += 1;
            true
        });
        count
    }

    /// The number that a machine holding the pair would have stored.
    fn delta(&self, a: usize, b: usize) -> f64 {
        let measured = self.storage.rounded((self.ask)(a.min(b), a.max(b)));
        self.units.iter().fold(measured, |delta, unit| self.storage.rounded(delta / unit))
    }
}

impl Kernels<f64> for Asked {
    fn chunks(&self) -> &[Chunk] {
        &[]
    }

    fn run_chunk(&self, _: Choice, _: usize, _: Scaled<'_, f64>, _: &mut ChunkGradient) -> Energy {
        unreachable!("there are no chunks")
    }
}

impl Layout for Asked {
    fn n_pairs(&self) -> usize {
        self.n_pairs
    }

    fn divide_by(&mut self, unit: f64) {
        self.units.push(unit);
    }

    fn double(&self) -> &dyn Kernels<f64> {
        self
    }

    /// In the order of the layout that holds such pairs: sums over partners then have the same bits.
    fn for_each_partner(&self, position: usize, visit: &mut dyn FnMut(usize, f64) -> bool) {
        let mut goes_on = |other: usize| {
            let delta = self.delta(position, other);
            delta.is_nan() || visit(other, delta)
        };
        match self.pairs.shape() {
            PairShape::Diagonals(offsets) => {
                let ends = |&offset: &usize| {
                    let after = Some(position + offset).filter(|&other| other < self.n_objects);
                    position.checked_sub(offset).into_iter().chain(after)
                };
                offsets.iter().flat_map(ends).all(&mut goes_on);
            }
            PairShape::Landmarks(count) => {
                let after = if position < count { position + 1..self.n_objects } else { 0..0 };
                (0..position.min(count)).chain(after).all(&mut goes_on);
            }
            PairShape::Graph(edges) => {
                let of = |ends: &'_ [(u32, u32)]| {
                    let start = ends.partition_point(|end| (end.0 as usize) < position);
                    start..start + ends[start..].partition_point(|end| end.0 as usize == position)
                };
                let (before, after) = (&self.from_above[of(&self.from_above)], &edges[of(edges)]);
                before.iter().chain(after).map(|end| end.1 as usize).all(&mut goes_on);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::Position;
    use crate::likelihood::{Likelihood, Noise};

    const N_OBJECTS: usize = 50;

    fn dissimilarity(a: usize, b: usize) -> f64 {
        let k = a * N_OBJECTS + b;
        if k.is_multiple_of(9) { f64::NAN } else { 0.1 + (k as f64 * 0.618_033_988_749_895).fract() }
    }

    #[test]
    fn partners_are_those_of_the_likelihood_that_holds_them() {
        let graph = (0..N_OBJECTS as u32).flat_map(|a| (a + 1..N_OBJECTS as u32).step_by(7).map(move |b| (a, b)));
        let couplings = [
            Pairs::diagonals(N_OBJECTS, vec![1, 7, 43]).unwrap(),
            Pairs::landmarks(N_OBJECTS, 6),
            Pairs::graph(N_OBJECTS, graph.collect()).unwrap(),
        ];
        for (pairs, storage) in couplings.iter().flat_map(|pairs| [(pairs, Storage::F64), (pairs, Storage::F32)]) {
            let held = Likelihood::new(N_OBJECTS, 2, pairs, Noise::default(), storage, dissimilarity).in_unit(0.3);
            let asked =
                Likelihood::asked(N_OBJECTS, 2, pairs, Noise::default(), storage, Box::new(dissimilarity)).in_unit(0.3);
            assert_eq!(asked.n_pairs(), held.n_pairs());
            for position in (0..N_OBJECTS).map(Position::new) {
                let partners = |likelihood: &Likelihood| {
                    let mut partners = Vec::new();
                    likelihood.for_each_partner(position, |other, delta| {
                        partners.push((other, delta));
                        partners.len() < 5
                    });
                    partners
                };
                assert_eq!(partners(&asked), partners(&held), "{storage:?} {position:?}");
            }
        }
    }
}
