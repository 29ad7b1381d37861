//! HDBSCAN against slow twins, and what must not change its answer.

use proptest::prelude::*;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_distr::StandardNormal;

use super::distinct::Distinct;
use super::{HdbscanError, HdbscanSettings, Selection, hdbscan, reference, spanning_tree};
use crate::Locations;
use crate::cluster::adjusted_rand_index;
use crate::random::{Purpose, stream};

/// Groups of normal points on a row of centres, `gap` apart.
fn groups(sizes: &[usize], n_dims: usize, gap: f64, seed: u64) -> Locations {
    let mut rng = stream(seed, 0, Purpose::Simulation);
    let group: Vec<usize> = sizes.iter().enumerate().flat_map(|(group, &size)| vec![group; size]).collect();
    Locations::from_fn(group.len(), n_dims, |object, dim| {
        let centre = if dim == 0 { group[object] as f64 * gap } else { 0.0 };
        centre + rng.sample::<f64, _>(StandardNormal)
    })
}

/// On a lattice: equal distances everywhere, and several points at one location.
fn rounded(mut x: Locations, step: f64) -> Locations {
    x.as_mut_slice().iter_mut().for_each(|value| *value = (*value / step).round() * step);
    x
}

fn settings(min_cluster_size: usize, min_samples: usize, selection: Selection) -> HdbscanSettings {
    HdbscanSettings { min_cluster_size, min_samples, selection }
}

fn shuffled(n_objects: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n_objects).collect();
    order.shuffle(&mut stream(seed, 0, Purpose::Order));
    order
}

proptest! {
    #[test]
    fn spanning_tree_and_cores_are_those_of_a_look_at_every_pair(
        n_objects in 1_usize..150, n_dims in 1_usize..6, step in 0_usize..3, min_samples in 1_usize..12,
        seed in 0_u64..1000
    ) {
        let x = groups(&[n_objects.div_ceil(2), n_objects / 2], n_dims, 3.0, seed);
        let x = if step == 0 { x } else { rounded(x, step as f64 * 0.5) };
        let min_samples = min_samples.min(n_objects);
        let points = Distinct::new(&x);
        let squared = reference::squared_core_distances(&points, min_samples);
        let (cores, edges) = spanning_tree(&points, min_samples);
        prop_assert_eq!(edges, reference::minimum_spanning_tree(&points, &squared));
        prop_assert_eq!(cores, squared.iter().map(|squared| squared.sqrt()).collect::<Vec<_>>());
    }

    #[test]
    fn the_order_of_the_rows_changes_nothing(
        n_objects in 30_usize..120, n_dims in 1_usize..4, step in 0_usize..4, min_samples in 1_usize..8,
        leaf in any::<bool>(), seed in 0_u64..1000
    ) {
        let x = groups(&[n_objects / 2, n_objects / 3, n_objects / 6], n_dims, 4.0, seed);
        let x = if step == 0 { x } else { rounded(x, step as f64 * 0.4) };
        let order = shuffled(x.n_objects(), seed);
        let settings = settings(5, min_samples, if leaf { Selection::Leaf } else { Selection::Eom });
        let (found, other) = (hdbscan(&x, &settings).unwrap(), hdbscan(&x.reordered(&order), &settings).unwrap());
        for (index, &object) in order.iter().enumerate() {
            prop_assert_eq!(found.labels[object], other.labels[index]);
            prop_assert_eq!(found.probabilities[object], other.probabilities[index]);
            prop_assert_eq!(found.outlier_scores[object], other.outlier_scores[index]);
        }
    }

    #[test]
    fn rotation_scale_and_shift_change_no_cluster(angle in 0.0..6.0, scale in 1e-6..1e6, seed in 0_u64..200) {
        let x = groups(&[60, 40, 30], 2, 5.0, seed);
        let (sin, cos) = f64::sin_cos(angle);
        let moved = Locations::from_fn(x.n_objects(), 2, |object, dim| {
            let [a, b] = [x.get(object, 0), x.get(object, 1)];
            scale * (if dim == 0 { cos * a - sin * b } else { sin * a + cos * b } + 3.0)
        });
        let settings = HdbscanSettings::new(10);
        let (found, other) = (hdbscan(&x, &settings).unwrap(), hdbscan(&moved, &settings).unwrap());
        // Clusters of equal size are numbered by coordinates.
        prop_assert_eq!(adjusted_rand_index(&found.labels, &other.labels), 1.0);
        for (a, b) in found.probabilities.iter().zip(&other.probabilities) {
            prop_assert!((a - b).abs() < 1e-6);
        }
    }
}

#[test]
fn labels_count_from_the_largest_cluster() {
    let x = groups(&[40, 90, 60], 2, 30.0, 1);
    let found = hdbscan(&x, &HdbscanSettings::new(10)).unwrap();
    let size = |label: i32| found.labels.iter().filter(|&&other| other == label).count();
    assert_eq!(found.n_clusters, 3);
    assert!(size(0) > size(1) && size(1) > size(2) && size(2) > 30);
    let inside = found.labels[40..130].iter().filter(|&&label| label >= 0).all(|&label| label == 0);
    assert!(inside, "the largest group is cluster 0: {:?}", found.labels);
}

#[test]
fn clusters_of_equal_size_count_in_order_of_their_coordinates() {
    // Two mirror images; the left one has the smaller coordinates wherever it stands in the file.
    let coordinate = |object: usize| (object % 10) as f64 * 0.1 + if object < 10 { 100.0 } else { 0.0 };
    let x = Locations::from_fn(20, 1, |object, _| coordinate(object));
    let found = hdbscan(&x, &HdbscanSettings::new(5)).unwrap();
    assert_eq!(found.labels, [vec![1; 10], vec![0; 10]].concat());
}

#[test]
fn coincident_points_are_noise_as_in_scikit_learn() {
    let found = hdbscan(&Locations::zeros(30, 2), &HdbscanSettings::new(5)).unwrap();
    assert_eq!((found.n_clusters, found.n_noise()), (0, 30));
    assert!(found.outlier_scores.iter().all(|&score| score == 0.0));
}

#[test]
fn points_with_enough_copies_are_clusters_as_in_scikit_learn() {
    // Five points on a line, eight copies each, in turns; -0 is 0.
    let x = Locations::from_fn(40, 1, |object, _| if object == 0 { -0.0 } else { (object % 5) as f64 });
    for selection in [Selection::Eom, Selection::Leaf] {
        let found = hdbscan(&x, &settings(5, 5, selection)).unwrap();
        assert_eq!(found.labels, (0..40).map(|object| object % 5).collect::<Vec<i32>>());
        assert!(found.probabilities.iter().all(|&probability| probability == 1.0));
    }
}

#[test]
fn copies_share_their_cluster_and_weigh_as_many() {
    let mut x = groups(&[30, 30], 2, 20.0, 3);
    // Nine more of object 0: ten samples at one location.
    for object in 1..10 {
        (0..2).for_each(|dim| x.set(object, dim, x.get(0, dim)));
    }
    let found = hdbscan(&x, &HdbscanSettings::new(10)).unwrap();
    assert!(found.labels[0] >= 0 && found.labels[..10].iter().all(|&label| label == found.labels[0]));
    assert!(found.probabilities[..10].iter().all(|&probability| probability == 1.0));
    assert!(found.outlier_scores.iter().all(|score| (0.0..=1.0).contains(score)));
}

#[test]
fn few_points_are_noise() {
    for n_objects in 0..5 {
        let x = groups(&[n_objects], 2, 1.0, 1);
        let found = hdbscan(&x, &HdbscanSettings::new(5)).unwrap();
        assert_eq!((found.n_clusters, found.labels), (0, vec![-1; n_objects]));
        let found = hdbscan(&x, &settings(5, 1, Selection::Leaf)).unwrap();
        assert_eq!(found.n_noise(), n_objects);
    }
}

#[test]
fn what_cannot_be_clustered_is_refused() {
    let mut x = groups(&[20], 2, 1.0, 1);
    let refused = |x: &Locations, size, samples| hdbscan(x, &settings(size, samples, Selection::Eom)).unwrap_err();
    assert_eq!(refused(&x, 1, 1), HdbscanError::MinClusterSize(1));
    assert_eq!(refused(&x, 5, 0), HdbscanError::MinSamples);
    assert_eq!(refused(&x, 5, 21), HdbscanError::TooManySamples { min_samples: 21, n_objects: 20 });
    for wrong in [f64::NAN, f64::INFINITY, -1e200] {
        x.set(7, 1, wrong);
        assert!(matches!(refused(&x, 5, 5), HdbscanError::Coordinate { object: 7, dim: 1, .. }));
    }
}

#[test]
fn extreme_coordinates_do_not_overflow() {
    let x = groups(&[20, 20], 2, 20.0, 5);
    let usual = hdbscan(&x, &HdbscanSettings::new(5)).unwrap();
    for factor in [2f64.powi(450), 2f64.powi(-450)] {
        let scaled = Locations::from_fn(40, 2, |object, dim| x.get(object, dim) * factor);
        assert_eq!(hdbscan(&scaled, &HdbscanSettings::new(5)).unwrap().labels, usual.labels);
    }
}
