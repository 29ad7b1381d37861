//! A first map when only coupled pairs are known, whatever the coupling.

use super::classical::{classical_mds, coordinates};
use super::krylov::largest_eigenpairs;
use super::majorise::{lower_stress, stress};
use super::pair_lists::PairLists;
use super::pivot::from_paths;
use super::triangulate::{Anchor, place_waiting};
use crate::Locations;
use crate::align::principal_axes;

/// Majorisation sweeps after which the candidates are compared.
const FIRST_SWEEPS: usize = 10;
/// Majorisation sweeps for the best of them, at most.
const LAST_SWEEPS: usize = 100;
/// The core of a grown map has at most this many objects.
const LARGEST_CORE: usize = 64;

/// A map from coupled pairs alone. `neighbours(i)` lists every coupled object with its dissimilarity, in both
/// directions (j in the list of i whenever i is in the list of j); entries that are NaN, infinite, negative or i
/// itself are ignored.
///
/// No one method suits every coupling, so three maps are made, scaled to the dissimilarities by regression, improved
/// by 10 sweeps of majorisation, and the one with least stress on the coupled pairs is improved further:
/// - by shortest paths from 32 pivots and pivot MDS: for neighbour graphs, where paths nearly follow straight lines;
/// - by the spectrum of the dissimilarities with zeros in the gaps: for dispersed couplings, which are random with
///   respect to the map, down to a few times D partners per object;
/// - by growth from a dense core, each next object by triangulation: for bands and landmarks.
///
/// Objects that no pair connects with the rest are put somewhere finite. About two seconds of CPU time at N = 10,000
/// with 100 neighbours each, and in proportion to the number of pairs.
pub fn graph_start(
    n_objects: usize,
    n_dims: usize,
    neighbours: &(dyn Fn(usize) -> Vec<(usize, f64)> + Sync),
) -> Locations {
    if n_objects == 0 || n_dims == 0 {
        return Locations::zeros(n_objects, n_dims);
    }
    let pairs = PairLists::collect(n_objects, neighbours);
    let maps = [from_paths(n_dims, &pairs), from_spectrum(n_dims, &pairs), from_growth(n_dims, &pairs)];
    let improved = maps.map(|map| lower_stress(&scale_to_pairs(map, &pairs), &pairs, FIRST_SWEEPS));
    let stresses = improved.each_ref().map(|map| stress(map, &pairs));
    let best = (1..improved.len()).fold(0, |best, k| if stresses[k] < stresses[best] { k } else { best });
    let map = lower_stress(&improved[best], &pairs, LAST_SWEEPS);
    principal_axes(&map).apply(&map)
}

/// The map times the factor f that minimises the sum of (delta - f d)^2 over the coupled pairs.
fn scale_to_pairs(mut map: Locations, pairs: &PairLists) -> Locations {
    let (mut cross, mut square) = (0.0, 0.0);
    for object in 0..pairs.n_objects() {
        for (partner, observed) in pairs.partners(object) {
            let distance = map.distance(object, partner);
            cross += observed * distance;
            square += distance * distance;
        }
    }
    if square > 0.0 {
        map.as_mut_slice().iter_mut().for_each(|x| *x *= cross / square);
    }
    map
}

/// Pairs that are not coupled count as zero in the centred squared dissimilarities, of which the leading
/// eigenvectors are the map (spectral matrix completion, Keshavan, Montanari and Oh 2010). For couplings that are
/// random with respect to the map, the zeros only shrink it and add noise.
///
/// Every row and column is divided by the root of its norm, and the map multiplied back: otherwise a few outlying
/// objects with large entries take the leading eigenvectors for themselves.
fn from_spectrum(n_dims: usize, pairs: &PairLists) -> Locations {
    let n_objects = pairs.n_objects();
    let mean_over = |object: usize, value: &dyn Fn(usize, f64) -> f64| {
        let sum: f64 = pairs.partners(object).map(|(partner, observed)| value(partner, observed)).sum();
        sum / pairs.degree(object).max(1) as f64
    };
    let row_means: Vec<f64> = (0..n_objects).map(|object| mean_over(object, &|_, observed| observed.powi(2))).collect();
    let mean = row_means.iter().sum::<f64>() / n_objects as f64;
    let centred = |object: usize, partner: usize, observed: f64| {
        -0.5 * (observed * observed - row_means[object] - row_means[partner] + mean)
    };
    let norm =
        |object: usize| mean_over(object, &|partner, observed| centred(object, partner, observed).powi(2)).sqrt();
    let roots: Vec<f64> = (0..n_objects).map(|object| norm(object).sqrt().max(f64::MIN_POSITIVE)).collect();
    let found = largest_eigenpairs(n_objects, n_dims, |block| {
        pairs.product(block, |object, partner, observed| {
            centred(object, partner, observed) / (roots[object] * roots[partner])
        })
    });
    let map = coordinates(&found, n_objects, n_dims);
    Locations::from_fn(n_objects, n_dims, |object, dim| map.get(object, dim) * roots[object])
}

/// A map grown by triangulation from a dense core.
fn from_growth(n_dims: usize, pairs: &PairLists) -> Locations {
    let n_objects = pairs.n_objects();
    let core = dense_core(pairs);
    let map = classical_mds(core.len(), n_dims, |a, b| pairs.observed(core[a], core[b]));
    let mut anchors: Vec<Option<Anchor>> = vec![None; n_objects];
    for (index, &object) in core.iter().enumerate() {
        let location = map.object(index);
        anchors[object] = Some(Anchor { squared_radius: location.iter().map(|x| x * x).sum(), location });
    }
    place_waiting(&mut anchors, n_dims, |object| pairs.partners(object).collect());
    let location = |object: usize, dim: usize| anchors[object].as_ref().map_or(0.0, |anchor| anchor.location[dim]);
    Locations::from_fn(n_objects, n_dims, location)
}

/// Objects of which nearly all pairs are coupled: grown from the object with most partners by taking, as long as
/// they know at least half of the core, the partners in order of how much of it they know.
fn dense_core(pairs: &PairLists) -> Vec<usize> {
    let seed = (0..pairs.n_objects()).rev().max_by_key(|&object| pairs.degree(object)).unwrap_or(0);
    let mut core = vec![seed];
    let mut candidates: Vec<usize> = pairs.partners(seed).map(|(partner, _)| partner).collect();
    candidates.sort_unstable();
    while core.len() < LARGEST_CORE {
        let known = |object: usize| core.iter().filter(|&&member| !pairs.observed(object, member).is_nan()).count();
        let best = candidates.iter().enumerate().rev().max_by_key(|(_, object)| known(**object));
        match best {
            Some((index, &object)) if 2 * known(object) >= core.len() => {
                core.push(object);
                candidates.remove(index);
            }
            _ => break,
        }
    }
    core
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::embedding::test_maps::{gaussian_map, rms_after_alignment};
    use crate::simulate::{Noise, Simulation};

    /// A start from wrapped diagonals, and its error after alignment to the truth.
    fn error_on_diagonals(n_objects: usize, n_dims: usize, sd: f64, offsets: &[usize]) -> f64 {
        let noise = Noise::HalfNormal { sd };
        let data = Simulation::new(n_objects, n_dims, noise, &mut ChaCha8Rng::seed_from_u64(1));
        let start = graph_start(n_objects, n_dims, &|i| {
            let both_ways = offsets.iter().flat_map(|o| [(i + o) % n_objects, (i + n_objects - o) % n_objects]);
            both_ways.map(|j| (j, data.delta(i, j))).collect()
        });
        rms_after_alignment(&start, data.truth())
    }

    fn random_offsets(n_objects: usize, n: usize) -> Vec<usize> {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        (0..n).map(|_| rng.random_range(1..n_objects / 2)).collect()
    }

    // Half-normal noise of sd 0.1 stretches distances by 0.08; no fit gets below about half of that in rms, so
    // 0.12 of a map of rms radius 1.4 is the right map. A folded map is off by 1.
    #[test]
    fn dispersed_couplings_give_the_map() {
        assert!(error_on_diagonals(3_000, 2, 0.1, &random_offsets(3_000, 40)) < 0.12);
        assert!(error_on_diagonals(3_000, 2, 0.1, &random_offsets(3_000, 10)) < 0.12);
        assert!(error_on_diagonals(1_000, 3, 0.1, &random_offsets(1_000, 40)) < 0.15);
    }

    #[test]
    fn bands_give_the_map() {
        let band: Vec<usize> = (1..=20).collect();
        assert!(error_on_diagonals(1_000, 2, 0.1, &band) < 0.2);
    }

    #[test]
    fn neighbour_graphs_give_the_map() {
        let truth = gaussian_map(600, 2, 3);
        let nearest = |i: usize| {
            let mut others: Vec<usize> = (0..600).filter(|&j| j != i).collect();
            others.sort_by(|&a, &b| truth.distance(i, a).total_cmp(&truth.distance(i, b)));
            others.truncate(12);
            others
        };
        let lists: Vec<Vec<usize>> = (0..600).map(nearest).collect();
        let coupled = |i: usize, j: usize| lists[i].contains(&j) || lists[j].contains(&i);
        let start =
            graph_start(600, 2, &|i| (0..600).filter(|&j| coupled(i, j)).map(|j| (j, truth.distance(i, j))).collect());
        assert!(rms_after_alignment(&start, &truth) < 0.1, "{}", rms_after_alignment(&start, &truth));
    }

    #[test]
    fn degenerate_graphs_give_a_finite_map() {
        let lists: [&(dyn Fn(usize) -> Vec<(usize, f64)> + Sync); 5] = [
            &|_| Vec::new(),
            &|i| vec![(i ^ 1, 1.0)],
            &|i| (0..8).filter(|&j| j != i).map(|j| (j, 0.0)).collect(),
            &|i| vec![(i ^ 1, f64::NAN), (i, 3.0), (99, 1.0), ((i + 4) % 8, f64::INFINITY)],
            &|i| (0..8).filter(|&j| j != i).map(|j| (j, if i + j == 1 { 50.0 } else { 1.0 })).collect(),
        ];
        for (case, neighbours) in lists.into_iter().enumerate() {
            for n_dims in [1, 2, 6] {
                let start = graph_start(8, n_dims, neighbours);
                assert!(start.as_slice().iter().all(|x| x.is_finite()), "case {case}, D = {n_dims}");
            }
        }
        assert_eq!(graph_start(0, 2, lists[0]).n_objects(), 0);
        assert_eq!(graph_start(1, 2, lists[0]), Locations::zeros(1, 2));
    }

    #[test]
    fn the_thread_count_changes_no_bit() {
        let data = Simulation::new(700, 2, Noise::HalfNormal { sd: 0.2 }, &mut ChaCha8Rng::seed_from_u64(4));
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let offsets = random_offsets(700, 8);
            pool.install(|| {
                graph_start(700, 2, &|i| {
                    let both_ways = offsets.iter().flat_map(|o| [(i + o) % 700, (i + 700 - o) % 700]);
                    both_ways.map(|j| (j, data.delta(i, j))).collect()
                })
            })
        };
        assert_eq!(run(1), run(3));
    }
}
