//! The consensus against what is right by inspection, and the variation of information against its definition.

use proptest::prelude::*;
use rand::RngExt;

use super::variation::{Candidate, Entropies};
use super::{DrawLabels, consensus};
use crate::dissimilarity::Names;
use crate::random::{Purpose, stream};

/// Noise as groups of one.
fn alone(labels: &[i32]) -> Vec<i32> {
    labels.iter().zip(1_000..).map(|(&label, own)| if label < 0 { own } else { label }).collect()
}

/// H(a) + H(b) - 2 I(a, b) in bits, from shares of objects.
fn variation(a: &[i32], b: &[i32]) -> f64 {
    let n = a.len() as f64;
    let share = |is_in: &dyn Fn(usize) -> bool| (0..a.len()).filter(|&object| is_in(object)).count() as f64 / n;
    // Every object adds its part of the two conditional entropies.
    let of_object = |object: usize| {
        let own = share(&|other| a[other] == a[object]);
        let theirs = share(&|other| b[other] == b[object]);
        let both = share(&|other| a[other] == a[object] && b[other] == b[object]);
        -((both / own).log2() + (both / theirs).log2()) / n
    };
    (0..a.len()).map(of_object).sum()
}

fn random_draws(n_draws: usize, n_objects: usize, seed: u64) -> Vec<Vec<i32>> {
    let mut rng = stream(seed, 0, Purpose::Simulation);
    (0..n_draws).map(|_| (0..n_objects).map(|_| rng.random_range(-1..3)).collect()).collect()
}

fn labels(draws: &[Vec<i32>]) -> DrawLabels {
    DrawLabels::from_draws(draws[0].len(), draws.iter().map(Vec::as_slice))
}

fn mean_variation(partition: &[i32], draws: &[Vec<i32>]) -> f64 {
    draws.iter().map(|draw| variation(&alone(partition), &alone(draw))).sum::<f64>() / draws.len() as f64
}

proptest! {
    #[test]
    fn expected_variation_is_the_mean_of_its_definition_and_sweeps_never_raise_it(
        n_draws in 1_usize..6, n_objects in 1_usize..30, seed in 0_u64..500
    ) {
        let draws = random_draws(n_draws, n_objects, seed);
        let all = labels(&draws);
        let entropies = Entropies::new(n_objects);
        let mut candidate = Candidate::new(&all, &entropies, draws[0].clone());
        for _ in 0..3 {
            let before = candidate.expected_variation();
            prop_assert!((before - mean_variation(&candidate.labels, &draws)).abs() < 1e-9);
            candidate.sweep();
            prop_assert!(candidate.expected_variation() <= before + 1e-9);
        }
        // The counts kept up to date are those of a new count.
        let again = Candidate::new(&all, &entropies, candidate.labels.clone());
        prop_assert!((again.expected_variation() - candidate.expected_variation()).abs() < 1e-9);
    }
}

/// All partitions of `n` objects, with groups numbered in order of their first object.
fn all_partitions(n: usize) -> Vec<Vec<i32>> {
    let mut partitions = vec![vec![]];
    for _ in 0..n {
        let longer = |labels: &Vec<i32>| {
            let next = labels.iter().max().map_or(0, |label| label + 1);
            (0..=next).map(|label| [&labels[..], &[label]].concat()).collect::<Vec<_>>()
        };
        partitions = partitions.iter().flat_map(longer).collect();
    }
    partitions
}

#[test]
fn the_consensus_of_few_objects_is_the_best_of_all_partitions() {
    let names = Names::numbered(7);
    let mut n_best = 0;
    for seed in 0..20 {
        // Two groups of which some objects stray.
        let mut rng = stream(seed, 0, Purpose::Simulation);
        let mut stray = |label: i32| if rng.random_range(0..4) == 0 { rng.random_range(-1..2) } else { label };
        let draws: Vec<Vec<i32>> = (0..8).map(|_| [0, 0, 0, 1, 1, 1, -1].map(&mut stray).to_vec()).collect();
        let found = consensus(&labels(&draws), &names);
        let best = all_partitions(7).iter().map(|labels| mean_variation(labels, &draws)).fold(f64::INFINITY, f64::min);
        assert!((found.expected_variation - mean_variation(&found.labels, &draws)).abs() < 1e-9);
        assert!(found.expected_variation < best + 0.05, "{} instead of {best}", found.expected_variation);
        n_best += usize::from(found.expected_variation < best + 1e-9);
    }
    assert!(n_best >= 18, "only {n_best} of 20");
}

#[test]
fn the_consensus_of_a_hand_made_example() {
    // Objects 0-3 and 4-6 are groups in most draws; 7 joins the first in one of four draws, else it is noise; 3 strays
    // in one draw. Numbers of clusters differ from draw to draw and mean nothing across draws.
    let draws = vec![
        vec![0, 0, 0, 0, 1, 1, 1, -1],
        vec![1, 1, 1, 1, 0, 0, 0, -1],
        vec![0, 0, 0, 1, 1, 1, 1, -1],
        vec![2, 2, 2, 2, 0, 0, 0, 2],
    ];
    let names = Names::given((0..8).map(|object| format!("o{object}")).collect()).unwrap();
    let found = consensus(&labels(&draws), &names);
    assert_eq!(found.labels, [0, 0, 0, 0, 1, 1, 1, -1]);
    assert_eq!(found.n_clusters, 2);
    // Object 0 is with 1 and 2 always, with 3 in three of four draws; object 3 with each of them in three; 7 is noise in
    // three.
    let expected = [2.75 / 3.0, 2.75 / 3.0, 2.75 / 3.0, 0.75, 1.0, 1.0, 1.0, 0.75];
    for (found, expected) in found.confidence.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
    }
}

#[test]
fn clusters_of_equal_size_are_numbered_by_name_and_noise_alone_gives_none() {
    let names = Names::given(["b", "d", "a", "c"].map(String::from).to_vec()).unwrap();
    let found = consensus(&labels(&[vec![0, 0, 1, 1]]), &names);
    assert_eq!(found.labels, [1, 1, 0, 0]);
    let found = consensus(&labels(&[vec![-1; 4], vec![-1; 4]]), &names);
    assert_eq!((found.n_clusters, found.labels, found.confidence), (0, vec![-1; 4], vec![1.0; 4]));
    assert_eq!(found.expected_variation, 0.0);
}
