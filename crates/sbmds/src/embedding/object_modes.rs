//! Single objects whose draws fall into several modes while the rest of the map is common.

use std::convert::Infallible;

use rayon::prelude::*;

use super::alignment::Alignment;
use super::mean_map::generalised_procrustes;
use super::two_modes::{Points, Split, separate};
use crate::Locations;
use crate::align::{rms_difference, weighted_procrustes};

/// Modes of one object at most: more are a cloud.
const MOST_MODES: usize = 4;
/// Objects that jump further than this share of the furthest are left out of the alignment at once; what the others do may
/// be an echo of that.
const ECHO: f64 = 0.5;

/// Where the modes of one object are, the heaviest first.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ModeCentres {
    /// The object.
    pub object: usize,
    /// The mean location of each mode.
    pub centres: Vec<Vec<f64>>,
}

impl ModeCentres {
    /// The modes of an object in draws aligned to one another; `None` if there is one.
    pub fn of(object: usize, aligned: &[Locations]) -> Option<Self> {
        let points = Points::of_object(object, aligned);
        let mut groups = groups(&points);
        if groups.len() < 2 {
            return None;
        }
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        Some(Self { object, centres: groups.iter().map(|group| points.mean(group)).collect() })
    }

    /// The mode nearest to a location.
    pub fn nearest(&self, at: &[f64]) -> usize {
        let squared = |centre: &Vec<f64>| centre.iter().zip(at).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let distances: Vec<f64> = self.centres.iter().map(squared).collect();
        (0..distances.len()).min_by(|&a, &b| distances[a].total_cmp(&distances[b])).unwrap_or(0)
    }
}

/// The draws of each mode: two parts, and parts of these, while they are clearly separate.
fn groups(points: &Points) -> Vec<Vec<usize>> {
    let mut done = Vec::new();
    let mut waiting = vec![(0..points.len()).collect::<Vec<usize>>()];
    while let Some(group) = waiting.pop() {
        match separate(points, &group) {
            Some(Split { parts: [first, second], .. }) if done.len() + waiting.len() + 2 <= MOST_MODES => {
                waiting.extend([first, second]);
            }
            _ => done.push(group),
        }
    }
    done
}

/// The objects that have several modes, in ascending order, from draws that lie anyhow.
///
/// One object that jumps drags the alignment of all others along, so that they seem to jump, too, but less far. The alignment is
/// therefore robust, those that jump furthest are left out of it, and the rest is looked at again until nothing jumps any more. If
/// more than half of the objects jump, it is the map that has several modes, not single objects: none are named.
pub fn find_object_modes(draws: &[Locations]) -> Vec<usize> {
    let Some((n_objects, n_dims)) = draws.first().map(|draw| (draw.n_objects(), draw.n_dims())) else {
        return Vec::new();
    };
    let mut left_out: Vec<usize> = Vec::new();
    loop {
        let aligned = align_robustly(draws, &left_out);
        let jumps: Vec<(usize, f64)> = (0..n_objects)
            .into_par_iter()
            .filter(|object| left_out.binary_search(object).is_err())
            .filter_map(|object| Some((object, jump(object, &aligned)?)))
            .collect();
        let furthest = jumps.iter().map(|jump| jump.1).fold(0.0, f64::max);
        if jumps.is_empty() {
            left_out.retain(|&object| jump(object, &aligned).is_some());
            return left_out;
        }
        left_out.extend(jumps.iter().filter(|jump| jump.1 >= ECHO * furthest).map(|jump| jump.0));
        left_out.sort_unstable();
        if 2 * left_out.len() > n_objects || n_objects - left_out.len() <= n_dims {
            return Vec::new();
        }
    }
}

/// How far apart the two parts of an object's draws are, if they are separate.
fn jump(object: usize, aligned: &[Locations]) -> Option<f64> {
    let points = Points::of_object(object, aligned);
    let all: Vec<usize> = (0..points.len()).collect();
    separate(&points, &all).map(|split| split.gap)
}

/// Rounds of robust alignment, and steps of each: enough for weights to settle on the objects that stay.
const ROUNDS: usize = 3;
const STEPS: usize = 4;

/// Draws aligned to their mean by the objects that are not left out; among those, the sum of distances is made small, not that
/// of squares (iteratively reweighted least squares), so that a few that jump hardly move the others.
fn align_robustly(draws: &[Locations], left_out: &[usize]) -> Vec<Locations> {
    let mut aligned = align(draws, left_out);
    for _ in 0..ROUNDS {
        let mean = mean_of(&aligned);
        aligned = aligned.par_iter().map(|draw| nearer(draw, &mean, left_out)).collect();
    }
    aligned
}

fn mean_of(draws: &[Locations]) -> Locations {
    let mut mean = Locations::zeros(draws[0].n_objects(), draws[0].n_dims());
    for draw in draws {
        let sums = mean.as_mut_slice().iter_mut().zip(draw.as_slice());
        sums.for_each(|(sum, x)| *sum += x / draws.len() as f64);
    }
    mean
}

fn nearer(draw: &Locations, mean: &Locations, left_out: &[usize]) -> Locations {
    let mut x = draw.clone();
    // Weights stay finite where an object fits exactly.
    let smallest = 1e-3 * rms_difference(mean, &Locations::zeros(mean.n_objects(), mean.n_dims()));
    for _ in 0..STEPS {
        let gap = |object: usize| {
            (0..x.n_dims()).map(|dim| (x.get(object, dim) - mean.get(object, dim)).powi(2)).sum::<f64>().sqrt()
        };
        let weight = |object: usize| match left_out.binary_search(&object) {
            Ok(_) => 0.0,
            Err(_) => 1.0 / (gap(object) + smallest).max(f64::MIN_POSITIVE),
        };
        let weights: Vec<f64> = (0..x.n_objects()).map(weight).collect();
        x = weighted_procrustes(&x, mean, &weights).apply(&x);
    }
    x
}

/// Draws aligned to their mean by the objects that are not left out.
fn align(draws: &[Locations], left_out: &[usize]) -> Vec<Locations> {
    let all = |visit: &mut dyn FnMut(&Locations)| {
        draws.iter().for_each(visit);
        Ok::<(), Infallible>(())
    };
    match alignment_to_mean(all, left_out) {
        Ok(Some(alignment)) => draws.par_iter().map(|draw| alignment.apply(draw)).collect(),
        Ok(None) => Vec::new(),
    }
}

/// The alignment to the mean of draws (generalised Procrustes analysis) by the objects that are not left out, whose own
/// locations in its reference mean nothing. `None` without draws.
pub(crate) fn alignment_to_mean<E>(
    draws: impl Fn(&mut dyn FnMut(&Locations)) -> Result<(), E>,
    left_out: &[usize],
) -> Result<Option<Alignment>, E> {
    if left_out.is_empty() {
        return Ok(generalised_procrustes(draws)?.map(|map| Alignment::to(map.mean)));
    }
    let (mut n_objects, mut deciding) = (0, Vec::new());
    draws(&mut |draw| n_objects = draw.n_objects())?;
    deciding.extend((0..n_objects).filter(|object| left_out.binary_search(object).is_err()));
    let deciding_draws = |visit: &mut dyn FnMut(&Locations)| draws(&mut |draw| visit(&draw.reordered(&deciding)));
    let Some(map) = generalised_procrustes(deciding_draws)? else { return Ok(None) };
    let mut reference = Locations::zeros(n_objects, map.mean.n_dims());
    for (index, &object) in deciding.iter().enumerate() {
        (0..map.mean.n_dims()).for_each(|dim| reference.set(object, dim, map.mean.get(index, dim)));
    }
    Ok(Some(Alignment::without(reference, left_out)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::principal_axes;
    use crate::embedding::test_maps::gaussian_map;

    /// Draws of 12 objects about one map, turned; object `jumping` is shifted by (`by`, 0) in every third.
    fn draws(jumping: &[usize], by: f64, noise: f64) -> Vec<Locations> {
        let truth = gaussian_map(12, 2, 1);
        let draw = |k: u64| {
            let error = gaussian_map(12, 2, 100 + k);
            let shift = |object: usize, dim: usize| {
                let jumps = dim == 0 && k.is_multiple_of(3) && jumping.contains(&object);
                if jumps { by } else { 0.0 }
            };
            let x = Locations::from_fn(12, 2, |o, d| truth.get(o, d) + noise * error.get(o, d) + shift(o, d));
            if k.is_multiple_of(2) { principal_axes(&x).apply(&x) } else { x }
        };
        (0..300).map(draw).collect()
    }

    #[test]
    fn the_object_that_jumps_is_found_and_its_echo_in_the_others_is_not() {
        // With little noise the alignment to all objects makes each of them seem to jump.
        let draws = draws(&[4], 3.0, 0.01);
        assert!((0..12).filter(|&object| jump(object, &align(&draws, &[])).is_some()).count() > 3);
        assert_eq!(find_object_modes(&draws), [4]);
        let modes = ModeCentres::of(4, &align(&draws, &[4])).unwrap();
        assert_eq!(modes.centres.len(), 2);
        let apart = modes.centres[0].iter().zip(&modes.centres[1]).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        assert!((apart - 3.0).abs() < 0.02, "{apart}");
        assert_eq!(modes.nearest(&modes.centres[1]), 1);
    }

    #[test]
    fn maps_that_do_not_jump_have_no_multimodal_objects() {
        assert!(find_object_modes(&draws(&[], 0.0, 0.3)).is_empty());
        // A jump within the noise is no second mode.
        assert!(find_object_modes(&draws(&[4], 0.5, 0.3)).is_empty());
        assert!(find_object_modes(&[]).is_empty());
    }

    #[test]
    fn many_objects_that_jump_are_a_mode_of_the_map() {
        assert_eq!(find_object_modes(&draws(&[1, 4, 7], 2.0, 0.1)), [1, 4, 7]);
        assert!(find_object_modes(&draws(&[0, 1, 2, 3, 4, 5, 6], 4.0, 0.1)).is_empty());
    }
}
