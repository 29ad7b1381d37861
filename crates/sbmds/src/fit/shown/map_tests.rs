//! Maps of made-up draws: objects that jump, chains in different folds, draws on a bow.

use std::path::Path;

use super::central::SampledPairs;
use super::{ShownMap, Why, shown_map};
use crate::Locations;
use crate::dissimilarity::Names;
use crate::draws::{Draw, DrawReader, DrawStore, StorePlan, Variable};
use crate::embedding::test_maps::gaussian_map;
use crate::embedding::{principal_axes, procrustes, rms_difference};

const N: usize = 10;
const DRAWS: usize = 120;

/// A store with `DRAWS` draws of each chain.
fn store(directory: &Path, n_chains: usize, draw: impl Fn(usize, usize) -> Locations) -> DrawReader {
    let first = draw(0, 0);
    let names = Names::numbered(first.n_objects());
    let plan = StorePlan {
        n_chains,
        n_draws: DRAWS,
        names: &names,
        n_dims: first.n_dims(),
        keep_x: true,
        reference: None,
        variables: vec![Variable::float("sigma")],
        stats: vec![Variable::float("lp")],
    };
    let store = DrawStore::create(directory, &plan).unwrap();
    for chain in 0..n_chains {
        let mut writer = store.writer(chain).unwrap();
        for number in 0..DRAWS {
            writer.push(&Draw { x: &draw(chain, number), scalars: &[1.0], stats: &[0.0] }).unwrap();
        }
        writer.finish().unwrap();
    }
    DrawReader::open(directory).unwrap()
}

/// A map with small errors, turned another way in every draw.
fn noisy(map: &Locations, chain: usize, draw: usize) -> Locations {
    let seed = (1000 * chain + draw) as u64;
    let error = gaussian_map(map.n_objects(), map.n_dims(), 50 + seed);
    let x = Locations::from_fn(map.n_objects(), map.n_dims(), |o, d| map.get(o, d) + 0.05 * error.get(o, d));
    let other = gaussian_map(map.n_objects(), map.n_dims(), 9_000 + seed);
    procrustes(&x, &other).apply(&x)
}

/// All distances of a map.
fn pairs_of(map: &Locations) -> SampledPairs {
    let n = map.n_objects();
    SampledPairs::of(
        (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).map(|(a, b)| (a, b, map.distance(a, b))).collect(),
    )
}

/// The map with one object elsewhere.
fn with(map: &Locations, object: usize, by: f64) -> Locations {
    let mut moved = map.clone();
    moved.set(object, 0, map.get(object, 0) + by);
    moved
}

fn aligned_difference(a: &Locations, b: &Locations) -> f64 {
    rms_difference(&procrustes(a, b).apply(a), b)
}

#[test]
fn an_object_with_two_modes_is_shown_in_the_heavier() {
    let directory = tempfile::tempdir().unwrap();
    let (here, there) = (gaussian_map(N, 2, 1), with(&gaussian_map(N, 2, 1), 4, 3.0));
    let is_there = |draw: usize| draw % 10 < 3;
    let reader =
        store(directory.path(), 2, |chain, draw| noisy(if is_there(draw) { &there } else { &here }, chain, draw));
    let map = shown_map(&reader, vec![0, 1], &pairs_of(&here), None).unwrap();
    assert_eq!((&map.why, map.chains.as_slice()), (&Why::Mean, &[0, 1][..]));
    assert!(aligned_difference(map.locations(), &here) < 0.02, "{}", aligned_difference(map.locations(), &here));
    let [modes] = &map.object_modes[..] else { panic!("{:?}", map.object_modes) };
    assert_eq!((modes.object, modes.shown, modes.modes.len()), (4, 0, 2));
    assert!((modes.share(0) - 0.7).abs() < 1e-12 && (modes.share(1) - 0.3).abs() < 1e-12);
    // With the spread of that mode, not of the way between both.
    assert!((0..2).all(|dim| map.moments.sd(4, dim) < 0.08), "{}", map.moments.sd(4, 0));
    let other = modes.modes[1].mean().object(0);
    let shown = map.locations().object(4);
    let apart = shown.iter().zip(&other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    assert!((apart - 3.0).abs() < 0.05, "{apart}");
    averages_to_the_map(&map, &reader, is_there);
}

/// The mean of the aligned draws is the map; of the object that jumps, the mean of those in the mode shown.
fn averages_to_the_map(map: &ShownMap, reader: &DrawReader, is_there: impl Fn(usize) -> bool) {
    let (alignment, mut sums, mut n) = (map.alignment(), Locations::zeros(N, 2), [0.0; N]);
    reader
        .for_each_x(|_, draw, x| {
            let aligned = alignment.apply(x);
            for object in (0..N).filter(|&object| object != 4 || !is_there(draw)) {
                n[object] += 1.0;
                (0..2).for_each(|dim| sums.set(object, dim, sums.get(object, dim) + aligned.get(object, dim)));
            }
        })
        .unwrap();
    let mean = Locations::from_fn(N, 2, |object, dim| sums.get(object, dim) / n[object]);
    assert!(rms_difference(&mean, map.locations()) < 1e-6, "{}", rms_difference(&mean, map.locations()));
}

#[test]
fn maps_of_chains_in_different_folds_are_never_averaged() {
    let directory = tempfile::tempdir().unwrap();
    let (one, other) = (gaussian_map(N, 2, 1), gaussian_map(N, 2, 2));
    let reader = store(directory.path(), 3, |chain, draw| noisy(if chain == 1 { &other } else { &one }, chain, draw));
    let pairs = pairs_of(&one);
    let shown = shown_map(&reader, vec![0, 2], &pairs, None).unwrap();
    assert!(aligned_difference(shown.locations(), &one) < 0.02);
    let axes = principal_axes(shown.locations()).apply(shown.locations());
    assert!(rms_difference(&axes, shown.locations()) < 1e-9, "it lies on its principal axes");
    let next = shown_map(&reader, vec![1], &pairs, Some(shown.locations())).unwrap();
    assert!(aligned_difference(next.locations(), &other) < 0.03);
    // It lies so that it can be compared with the first.
    let lies = rms_difference(next.locations(), shown.locations());
    assert!((lies - aligned_difference(next.locations(), shown.locations())).abs() < 1e-9);
    // All together would be neither.
    let both = shown_map(&reader, vec![0, 1, 2], &pairs, None).unwrap();
    assert!(aligned_difference(both.locations(), &one) > 0.02 || both.why != Why::Mean);
}

#[test]
fn draws_on_a_bow_are_shown_by_one_of_them() {
    let directory = tempfile::tempdir().unwrap();
    // Eight unit steps, bent in every draw by another angle between joints: their mean is shorter than each.
    let bow = |chain: usize, draw: usize| {
        let turn = |k: usize| ((k * 7 + chain * 13 + draw) as f64 * 0.618_033_988_75).fract() - 0.5;
        let (mut x, mut direction) = (Locations::zeros(9, 2), 0.0);
        for k in 1..9 {
            direction += 1.6 * turn(k);
            x.set(k, 0, x.get(k - 1, 0) + f64::cos(direction));
            x.set(k, 1, x.get(k - 1, 1) + f64::sin(direction));
        }
        x
    };
    let reader = store(directory.path(), 2, bow);
    let pairs = SampledPairs::of((1..9).map(|k| (k - 1, k, 1.0)).collect());
    let map = shown_map(&reader, vec![0, 1], &pairs, None).unwrap();
    let Why::CentralDraw(central) = &map.why else { panic!("{:?}", map.why) };
    assert!(central.mean_stress > central.typical_stress);
    assert!(pairs.stress(map.locations()) <= central.typical_stress + 1e-9);
    let draw = reader.x(central.chain, central.draw).unwrap();
    assert!(aligned_difference(map.locations(), &draw) < 1e-9, "it is that draw");
    // Spreads are about the map shown: twice the sd reaches most draws.
    let alignment = map.alignment();
    let (mut within, mut n) = (0, 0);
    reader
        .for_each_x(|_, _, x| {
            let x = alignment.apply(x);
            for object in 0..9 {
                n += 1;
                let gap = (x.get(object, 0) - map.locations().get(object, 0)).abs();
                within += usize::from(gap < 2.0 * map.moments.sd(object, 0));
            }
        })
        .unwrap();
    assert!(within * 10 > n * 9, "{within} of {n}");
}
