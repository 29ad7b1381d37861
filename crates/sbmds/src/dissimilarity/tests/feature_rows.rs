//! Distances of features against their definitions, in every form the rows can be stored in.

use approx::assert_relative_eq;
use proptest::prelude::*;

use super::super::{Dissimilarities, Metric};
use super::writers::npy;
use super::{Format, Names, read_as};

const METRICS: [Metric; 5] =
    [Metric::Euclidean, Metric::SqEuclidean, Metric::Manhattan, Metric::Cosine, Metric::Correlation];

/// The definition, term by term.
fn defined(metric: Metric, x: &[f64], y: &[f64]) -> f64 {
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let cosine = |x: &[f64], y: &[f64]| 1.0 - dot(x, y) / (dot(x, x) * dot(y, y)).sqrt();
    let centred = |x: &[f64]| x.iter().map(|value| value - x.iter().sum::<f64>() / x.len() as f64).collect::<Vec<_>>();
    let squared = x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
    match metric {
        Metric::Euclidean => squared.sqrt(),
        Metric::SqEuclidean => squared,
        Metric::Manhattan => x.iter().zip(y).map(|(x, y)| (x - y).abs()).sum(),
        Metric::Cosine => cosine(x, y),
        Metric::Correlation => cosine(&centred(x), &centred(y)),
    }
}

fn in_memory(rows: &[Vec<f64>], metric: Metric) -> Dissimilarities {
    Dissimilarities::from_features(Names::numbered(rows.len()), rows.concat(), rows[0].len(), metric).unwrap()
}

proptest! {
    #![proptest_config(super::cases(128))]

    #[test]
    fn every_form_gives_the_defined_distance_and_the_same_bits(
        rows in (2_usize..40).prop_flat_map(|n_columns| {
            prop::collection::vec(prop::collection::vec(-100.0_f32..100.0, n_columns), 3..7)
        })
    ) {
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|&value| f64::from(value)).collect()).collect();
        for metric in METRICS {
            let reference = in_memory(&rows, metric);
            let mut forms = vec![];
            for code in ["<f4", ">f4", "<f8", ">f8"] {
                for column_major in [false, true] {
                    forms.push(read_as("x.npy", &npy(code, column_major, &rows), Format::Auto, Some(metric)).unwrap());
                }
            }
            for a in 0..rows.len() {
                for b in 0..rows.len() {
                    let value = reference.get(a, b);
                    assert_relative_eq!(value, defined(metric, &rows[a], &rows[b]), epsilon = 1e-7, max_relative = 1e-12);
                    prop_assert!(value >= 0.0);
                    prop_assert_eq!(value.to_bits(), reference.get(b, a).to_bits());
                    for form in &forms {
                        prop_assert_eq!(value.to_bits(), form.get(a, b).to_bits());
                    }
                }
            }
        }
    }
}

#[test]
fn equal_rows_are_at_distance_zero() {
    let row: Vec<f64> = (0..37).map(|k| f64::from(k).sin() / 3.0).collect();
    let other: Vec<f64> = (0..37).map(|k| f64::from(k).cos()).collect();
    for metric in METRICS {
        let input = in_memory(&[row.clone(), row.clone(), other.clone()], metric);
        assert_eq!((input.get(0, 1), input.get(2, 2)), (0.0, 0.0), "{metric}");
        assert!(input.get(0, 2) > 0.1);
    }
}

#[test]
fn angles_survive_extreme_scales_and_small_differences() {
    let rows = [vec![1e-140, 0.0], vec![0.0, 1e140], vec![-3.0, 0.0], vec![1.0, 1e-8]];
    let input = in_memory(&rows, Metric::Cosine);
    assert_relative_eq!(input.get(0, 1), 1.0, max_relative = 1e-15);
    assert_relative_eq!(input.get(0, 2), 2.0, max_relative = 1e-15);
    // 1 - cos(t) = t^2 / 2 for small t; 1 - <u, v> would give 0.
    assert_relative_eq!(input.get(0, 3), 0.5e-16, max_relative = 1e-8);
}
