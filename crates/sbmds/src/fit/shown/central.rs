//! A draw in the middle of the others, for when their mean fits worse than they do.

use rayon::prelude::*;

use super::Sample;
use crate::Locations;
use crate::diagnostics::{quantile_of_sorted, sorted};
use crate::draws::Spaced;
use crate::embedding::{ObjectModes, procrustes, rms_difference};
use crate::fit::problem::coupled::CoupledPairs;

/// Pairs whose residuals say how well a map fits: enough for three digits.
const MOST_PAIRS: usize = 200_000;
/// Draws that say how well a typical one fits, and among which a central one is sought.
const MOST_DRAWS: usize = 200;
/// Of very large maps at least this many.
const LEAST_DRAWS: usize = 20;
/// Multiplications that the comparison of all these draws with each other may take: seconds.
const MOST_WORK: f64 = 4e9;
/// Draws with every object in its heaviest mode that are enough to choose from.
const ENOUGH: usize = 10;

/// The draw that is shown, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Central {
    /// Its chain, from 0.
    pub chain: usize,
    /// Its number in the chain, from 0.
    pub draw: usize,
    /// Root mean squared residual of the mean of the draws, in input units.
    pub mean_stress: f64,
    /// The median of that of the draws.
    pub typical_stress: f64,
    /// Where it is in the sample it was chosen from.
    pub(crate) index: usize,
}

/// Coupled pairs that say how well a map fits: all, or those of evenly spaced objects.
pub struct SampledPairs(Vec<(usize, usize, f64)>);

impl SampledPairs {
    /// Of the coupled pairs of this many objects.
    pub fn new(coupled: &CoupledPairs<'_>, n_objects: usize) -> Self {
        let every = (2 * coupled.n_pairs()).div_ceil(MOST_PAIRS).max(1);
        let of_object = |a: usize| {
            coupled.partners(a).into_iter().filter(move |&(b, _)| every > 1 || a < b).map(move |(b, d)| (a, b, d))
        };
        Self((0..n_objects).step_by(every).flat_map(of_object).collect())
    }

    /// These pairs with these dissimilarities.
    #[cfg(test)]
    pub(crate) fn of(pairs: Vec<(usize, usize, f64)>) -> Self {
        Self(pairs)
    }

    /// Root mean squared residual of a map; NaN without pairs.
    pub fn stress(&self, map: &Locations) -> f64 {
        let squares: f64 = self.0.iter().map(|&(a, b, delta)| (delta - map.distance(a, b)).powi(2)).sum();
        (squares / self.0.len() as f64).sqrt()
    }
}

/// A central draw, if `mean` fits worse than the median draw: of the draws that fit at least as well as that (and, if there are
/// enough, have every object in its heaviest mode) the one whose mean distance to all others, each aligned to it, is smallest.
pub(crate) fn central_draw(
    sample: &Sample,
    pairs: &SampledPairs,
    mean: &Locations,
    object_modes: &[ObjectModes],
) -> Option<Central> {
    let chosen = Spaced::new(sample.draws.len(), most_draws(mean));
    let others: Vec<usize> = (0..sample.draws.len()).filter(|&index| chosen.contains(index)).collect();
    let stresses: Vec<f64> = others.par_iter().map(|&index| pairs.stress(&sample.draws[index])).collect();
    let typical_stress = quantile_of_sorted(&sorted(stresses.clone()), 0.5);
    let mean_stress = pairs.stress(mean);
    if others.len() < LEAST_DRAWS || mean_stress.is_nan() || mean_stress <= typical_stress {
        return None;
    }
    let good = |index: &usize| stresses[*index] <= typical_stress;
    let good: Vec<usize> = (0..others.len()).filter(good).map(|index| others[index]).collect();
    let heaviest: Vec<usize> =
        good.iter().copied().filter(|&index| is_in_heaviest(&sample.draws[index], object_modes)).collect();
    let candidates = if heaviest.len() >= ENOUGH { heaviest } else { good };
    let index = most_central(&sample.draws, &candidates, &others)?;
    let (chain, draw) = sample.ids[index];
    Some(Central { chain, draw, mean_stress, typical_stress, index })
}

fn most_draws(map: &Locations) -> usize {
    let one = (map.n_objects() * map.n_dims() * map.n_dims()) as f64;
    ((MOST_WORK / one.max(1.0)).sqrt() as usize).clamp(LEAST_DRAWS, MOST_DRAWS)
}

fn is_in_heaviest(draw: &Locations, object_modes: &[ObjectModes]) -> bool {
    object_modes.iter().all(|modes| modes.centres().nearest(&draw.object(modes.object)) == 0)
}

/// The candidate with the smallest mean Procrustes distance to the others.
fn most_central(draws: &[Locations], candidates: &[usize], others: &[usize]) -> Option<usize> {
    let distance = |a: usize, b: usize| rms_difference(&procrustes(&draws[b], &draws[a]).apply(&draws[b]), &draws[a]);
    let total = |&candidate: &usize| others.iter().map(|&other| distance(candidate, other)).sum::<f64>();
    let totals: Vec<f64> = candidates.par_iter().map(total).collect();
    let least = (0..totals.len()).min_by(|&a, &b| totals[a].total_cmp(&totals[b]))?;
    Some(candidates[least])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of five unit steps bent to a part of a circle; draws bend it one way or the other.
    fn bow(turn: f64) -> Locations {
        let angle = |k: usize| turn * (k as f64 - 2.5) / 5.0;
        let mut x = Locations::zeros(6, 2);
        for k in 1..6 {
            let direction = (angle(k - 1) + angle(k)) / 2.0;
            x.set(k, 0, x.get(k - 1, 0) + direction.cos());
            x.set(k, 1, x.get(k - 1, 1) + direction.sin());
        }
        x
    }

    fn steps() -> SampledPairs {
        SampledPairs((0..5).map(|k| (k, k + 1, 1.0)).collect())
    }

    fn sample(turns: impl Iterator<Item = f64>) -> Sample {
        let draws: Vec<Locations> = turns.map(bow).collect();
        let ids = (0..draws.len()).map(|draw| (3, draw)).collect();
        Sample { draws, ids }
    }

    fn mean(draws: &[Locations]) -> Locations {
        Locations::from_fn(6, 2, |o, d| draws.iter().map(|x| x.get(o, d)).sum::<f64>() / draws.len() as f64)
    }

    #[test]
    fn the_chord_of_a_bow_is_replaced_by_the_draw_in_the_middle() {
        // Every draw keeps the steps at one; their mean is shorter.
        let sample = sample((0..41).map(|k| -3.0 + 0.15 * k as f64));
        let mean = mean(&sample.draws);
        assert!(steps().stress(&mean) > 0.1 && steps().stress(&sample.draws[7]) < 1e-12);
        let central = central_draw(&sample, &steps(), &mean, &[]).unwrap();
        assert_eq!((central.chain, central.draw), (3, central.index));
        // A bow and its mirror image are one map: the middle of the sweep from straight to 3 is nearest to all others.
        let turn = (-3.0 + 0.15 * central.index as f64).abs();
        assert!((1.0..2.0).contains(&turn), "{central:?}");
        let by_hand = |a: usize| {
            let distance = |b: &Locations| {
                let x = &sample.draws[a];
                rms_difference(&procrustes(b, x).apply(b), x)
            };
            sample.draws.iter().map(distance).sum::<f64>()
        };
        let good = |index: &usize| steps().stress(&sample.draws[*index]) <= central.typical_stress;
        assert!((0..41).filter(good).all(|index| by_hand(central.index) <= by_hand(index) + 1e-12));
    }

    #[test]
    fn a_mean_that_fits_is_kept() {
        // Errors of single draws cancel in the mean.
        let noisy = |k: usize| {
            let straight = bow(0.0);
            Locations::from_fn(6, 2, |o, d| straight.get(o, d) + 0.1 * ((7 * k + 3 * o + d) as f64).sin())
        };
        let draws: Vec<Locations> = (0..50).map(noisy).collect();
        let sample = Sample { ids: vec![(0, 0); 50], draws };
        assert_eq!(central_draw(&sample, &steps(), &mean(&sample.draws), &[]), None);
    }
}
