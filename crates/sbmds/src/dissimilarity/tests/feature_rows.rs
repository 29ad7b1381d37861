//! Distances of features against their definitions, in every form the rows can be stored in.

use approx::assert_relative_eq;
use proptest::prelude::*;

use super::super::{Dissimilarities, Metric};
use super::writers::npy;
use super::{Format, Names, read_as};

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
        Metric::BrayCurtis => {
            x.iter().zip(y).map(|(x, y)| (x - y).abs()).sum::<f64>() / (x.iter().sum::<f64>() + y.iter().sum::<f64>())
        }
        Metric::Jaccard => {
            let either = x.iter().zip(y).filter(|&(&x, &y)| x + y > 0.0).count();
            x.iter().zip(y).filter(|(x, y)| x != y).count() as f64 / (either.max(1) as f64)
        }
        Metric::Hamming => x.iter().zip(y).filter(|(x, y)| x != y).count() as f64 / x.len() as f64,
        Metric::Haversine => {
            // The angle between unit vectors, which is another way to the same distance.
            let unit = |point: &[f64]| {
                let (latitude, longitude) = (point[0].to_radians(), point[1].to_radians());
                [latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin()]
            };
            let (x, y) = (unit(x), unit(y));
            let chord = x.iter().zip(&y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
            2.0 * 6371.0088 * (0.5 * chord).min(1.0).asin()
        }
    }
}

/// Rows that the metric can compare, made of any rows.
fn suited(metric: Metric, rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let of_row = |row: &Vec<f64>| match metric {
        Metric::BrayCurtis => row.iter().map(|value| value.abs() + 0.5).collect(),
        Metric::Jaccard => row.iter().map(|&value| f64::from(u8::from(value > 0.0))).collect(),
        Metric::Hamming => row.iter().map(|value| value.signum()).collect(),
        Metric::Haversine => vec![row[0] * 0.75, row[1] * 1.5],
        _ => row.clone(),
    };
    // Numbers that single precision holds as well.
    rows.iter().map(|row| of_row(row).into_iter().map(|value| f64::from(value as f32)).collect()).collect()
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
        for metric in Metric::ALL {
            let rows = suited(metric, &rows);
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
                    let expected = defined(metric, &rows[a], &rows[b]);
                    // Near the other side of the Earth rounding is magnified.
                    let (small, relative) = if metric == Metric::Haversine { (1e-4, 1e-9) } else { (1e-7, 1e-12) };
                    assert_relative_eq!(value, expected, epsilon = small, max_relative = relative);
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
    for metric in Metric::ALL {
        let input = in_memory(&suited(metric, &[row.clone(), row.clone(), other.clone()]), metric);
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

/// Values of scipy 1.17.1 (`pdist` with metrics braycurtis, hamming and, for booleans, jaccard) and scikit-learn 1.9.1
/// (`haversine_distances` of radians, times 6371.0088).
#[test]
fn metrics_agree_with_scipy_and_scikit_learn() {
    let counts: [[f64; 6]; 4] = [
        [1.0, 0.0, 4.0, 0.0, 7.0, 2.5],
        [3.0, 0.0, 0.0, 2.0, 5.0, 0.0],
        [0.0, 1.0, 0.0, 0.0, 0.5, 8.0],
        [2.0, 2.0, 2.0, 2.0, 2.0, 2.0],
    ];
    let sets: [[f64; 6]; 4] = [
        [1.0, 0.0, 1.0, 0.0, 1.0, 1.0],
        [1.0, 0.0, 0.0, 1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0, 0.0, 1.0, 1.0],
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    ];
    let cities = [[52.52, 13.405], [51.5074, -0.1278], [-33.8688, 151.2093], [35.6762, 139.6503]];
    let rows = |table: &[[f64; 6]; 4]| table.map(|row| row.to_vec()).to_vec();
    for (metric, rows, expected) in [
        (
            Metric::BrayCurtis,
            rows(&counts),
            [0.5102040816326531, 0.75, 0.4716981132075472, 0.9487179487179487, 0.45454545454545453, 0.6744186046511628],
        ),
        (
            Metric::Hamming,
            rows(&counts),
            [0.8333333333333334, 0.8333333333333334, 1.0, 0.8333333333333334, 0.8333333333333334, 1.0],
        ),
        (Metric::Jaccard, rows(&sets), [0.6, 0.6, 0.3333333333333333, 0.8, 0.5, 0.5]),
        (
            Metric::Haversine,
            cities.map(|city| city.to_vec()).to_vec(),
            [
                931.5707072073391,
                16094.522180747987,
                8915.538859822807,
                16993.956932816534,
                9558.574573653923,
                7825.829425997216,
            ],
        ),
    ] {
        let input = in_memory(&rows, metric);
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        for ((a, b), expected) in pairs.into_iter().zip(expected) {
            assert_relative_eq!(input.get(a, b), expected, max_relative = 1e-13);
        }
    }
}

#[test]
fn two_empty_sets_are_alike() {
    let input = in_memory(&[vec![0.0, 0.0], vec![0.0, 0.0], vec![1.0, 0.0]], Metric::Jaccard);
    assert_eq!((input.get(0, 1), input.get(0, 2)), (0.0, 1.0));
}

/// Images and counts come as whole numbers, embeddings as halves: all are the same features.
#[test]
fn numbers_of_every_type_are_features() {
    let rows = [vec![0.0, 1.0, 7.0], vec![3.0, 0.0, 100.0], vec![2.0, 2.0, 2.0]];
    let expected = in_memory(&rows, Metric::Euclidean);
    for code in ["|i1", "|u1", "<i2", ">u2", "<i4", ">u4", ">i8", "<u8", "<f2", ">f2", "<f4"] {
        for column_major in [false, true] {
            let content = npy(code, column_major, &rows);
            let found = read_as("x.npy", &content, Format::Auto, Some(Metric::Euclidean)).unwrap();
            assert_eq!((found.get(0, 1), found.get(1, 2)), (expected.get(0, 1), expected.get(1, 2)), "{code}");
            assert!(found.notes().is_empty() && found.warnings().is_empty());
        }
    }
    let truths = npy("|b1", false, &[vec![1.0, 0.0], vec![0.0, 1.0], vec![1.0, 1.0]]);
    let found = read_as("x.npy", &truths, Format::Auto, Some(Metric::Jaccard)).unwrap();
    assert_eq!((found.get(0, 1), found.get(0, 2)), (1.0, 0.5));
}
