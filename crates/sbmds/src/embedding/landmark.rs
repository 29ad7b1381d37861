//! Landmark multidimensional scaling (de Silva and Tenenbaum 2004), also when some landmark pairs are missing.

use rayon::prelude::*;

use super::classical::coordinates;
use super::triangulate::{Anchor, place_waiting, triangulate};
use crate::Locations;
use crate::dense::{Matrix, sign_convention, symmetric_eigen};

/// Landmark MDS: classical MDS of the landmarks, then every other object by least squares on its squared
/// dissimilarities to them.
///
/// Missing pairs are NaN. A missing landmark pair takes the middle of its triangle bounds over all objects both
/// landmarks know. Objects with fewer than D + 1 known landmarks come last, one at a time, the one with most
/// placed partners next, by all their known pairs and not only those with landmarks. An object without any
/// partner lies at the centre.
pub fn landmark_mds(
    n_objects: usize,
    n_dims: usize,
    landmarks: &[usize],
    dissimilarity: impl Fn(usize, usize) -> f64 + Sync,
) -> Locations {
    by_landmarks(n_objects, n_dims, landmarks, &dissimilarity)
}

/// Gives the dissimilarity of two objects; NaN if it is missing.
pub(super) type Ask<'a> = &'a (dyn Fn(usize, usize) -> f64 + Sync);

/// Compiled once, not for each caller.
fn by_landmarks(n_objects: usize, n_dims: usize, landmarks: &[usize], dissimilarity: Ask) -> Locations {
    if landmarks.is_empty() || n_dims == 0 {
        return Locations::zeros(n_objects, n_dims);
    }
    let squares = landmark_squares(n_objects, landmarks, dissimilarity);
    let mut anchors: Vec<Option<Anchor>> = vec![None; n_objects];
    for (landmark, anchor) in landmarks.iter().zip(landmark_anchors(&squares, n_dims)) {
        anchors[*landmark] = Some(anchor);
    }
    place_by_landmarks(&mut anchors, landmarks, n_dims, dissimilarity);
    place_waiting(&mut anchors, n_dims, |object| known_partners(object, n_objects, dissimilarity));
    let location = |object: usize, dim: usize| anchors[object].as_ref().map_or(0.0, |anchor| anchor.location[dim]);
    Locations::from_fn(n_objects, n_dims, location)
}

/// Squared dissimilarities among the landmarks, gaps filled.
fn landmark_squares(n_objects: usize, landmarks: &[usize], dissimilarity: Ask) -> Matrix {
    let n = landmarks.len();
    let mut distances = Matrix::zeros(n, n);
    for a in 0..n {
        for b in 0..a {
            let observed = dissimilarity(landmarks[a], landmarks[b]);
            let value = if observed.is_nan() {
                middle_of_triangle_bounds(n_objects, landmarks[a], landmarks[b], dissimilarity)
            } else {
                observed
            };
            distances[(a, b)] = value;
            distances[(b, a)] = value;
        }
    }
    let largest = (0..n).flat_map(|a| (0..a).map(move |b| (a, b))).map(|pair| distances[pair]).fold(0.0, f64::max);
    Matrix::from_fn(n, n, |a, b| match distances[(a, b)] {
        // Two landmarks without a common partner: as far as any two known ones.
        unknown if unknown.is_nan() => largest * largest,
        known => known * known,
    })
}

/// Any third object bounds |a - b| between the difference and the sum of its own two dissimilarities.
fn middle_of_triangle_bounds(n_objects: usize, a: usize, b: usize, dissimilarity: Ask) -> f64 {
    let (mut lower, mut upper) = (f64::NAN, f64::NAN);
    for third in (0..n_objects).filter(|&third| third != a && third != b) {
        let (to_a, to_b) = (dissimilarity(a, third), dissimilarity(b, third));
        if !to_a.is_nan() && !to_b.is_nan() {
            lower = lower.max((to_a - to_b).abs());
            upper = upper.min(to_a + to_b);
        }
    }
    0.5 * (lower + upper)
}

/// Classical MDS of the landmarks.
fn landmark_anchors(squares: &Matrix, n_dims: usize) -> Vec<Anchor> {
    let n = squares.n_rows();
    let row_means: Vec<f64> = (0..n).map(|a| (0..n).map(|b| squares[(a, b)]).sum::<f64>() / n as f64).collect();
    let mean = row_means.iter().sum::<f64>() / n as f64;
    let centred = Matrix::from_fn(n, n, |a, b| -0.5 * (squares[(a, b)] - row_means[a] - row_means[b] + mean));
    let mut pairs = symmetric_eigen(&centred);
    for k in 0..n {
        let sign = sign_convention((0..n).map(|row| pairs.vectors[(row, k)]));
        (0..n).for_each(|row| pairs.vectors[(row, k)] *= sign);
    }
    let map = coordinates(&pairs, n, n_dims);
    (0..n).map(|a| Anchor { location: map.object(a), squared_radius: row_means[a] - 0.5 * mean }).collect()
}

/// Places every object that knows at least D + 1 landmarks.
fn place_by_landmarks(anchors: &mut [Option<Anchor>], landmarks: &[usize], n_dims: usize, dissimilarity: Ask) {
    let placed: Vec<(usize, Anchor)> = (0..anchors.len())
        .into_par_iter()
        .filter(|&object| anchors[object].is_none())
        .filter_map(|object| {
            let known: Vec<(&Anchor, f64)> = landmarks
                .iter()
                .filter_map(|&landmark| {
                    let observed = dissimilarity(object, landmark);
                    (!observed.is_nan()).then_some((anchors[landmark].as_ref()?, observed))
                })
                .collect();
            (known.len() > n_dims).then(|| (object, triangulate(&known, n_dims)))
        })
        .collect();
    for (object, anchor) in placed {
        anchors[object] = Some(anchor);
    }
}

/// Every object with a known dissimilarity to `object`.
fn known_partners(object: usize, n_objects: usize, dissimilarity: Ask) -> Vec<(usize, f64)> {
    let others = (0..n_objects).filter(|&other| other != object);
    others.map(|other| (other, dissimilarity(object, other))).filter(|(_, observed)| !observed.is_nan()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::test_maps::{gaussian_map, largest_distance_error};

    #[test]
    fn exact_distances_give_back_the_map() {
        for (n_objects, n_dims, n_landmarks) in [(3, 2, 3), (50, 1, 2), (50, 2, 3), (100, 6, 9)] {
            let truth = gaussian_map(n_objects, n_dims, 1);
            let landmarks: Vec<usize> = (0..n_landmarks).collect();
            let touches_landmark = |i: usize, j: usize| i.min(j) < n_landmarks;
            let found = landmark_mds(n_objects, n_dims, &landmarks, |i, j| {
                if touches_landmark(i, j) { truth.distance(i, j) } else { f64::NAN }
            });
            assert!(largest_distance_error(&found, &truth) < 1e-7, "N = {n_objects}, D = {n_dims}");
        }
    }

    #[test]
    fn objects_with_too_few_landmarks_wait_for_their_neighbours() {
        let truth = gaussian_map(60, 2, 2);
        // Objects 30.. know one landmark, objects 10..30 and one another.
        let known = |i: usize, j: usize| i.max(j) < 30 || i.min(j) == 0 || i.min(j) >= 10;
        let landmarks: Vec<usize> = (0..10).collect();
        let found = landmark_mds(60, 2, &landmarks, |i, j| if known(i, j) { truth.distance(i, j) } else { f64::NAN });
        assert!(largest_distance_error(&found, &truth) < 1e-6);
    }

    #[test]
    fn triangle_bounds_come_from_the_tightest_third_objects() {
        // Objects 0 and 1 are not compared; 2 bounds them by [1, 5], 3 by [2, 8], 4 knows only one of them.
        let to = [[3.0, 2.0], [5.0, 3.0], [9.0, f64::NAN]];
        let middle = middle_of_triangle_bounds(5, 0, 1, &|end, third| to[third - 2][end]);
        assert_eq!(middle, 0.5 * (2.0 + 5.0));
    }

    #[test]
    fn missing_landmark_pairs_are_bounded_by_triangles() {
        let truth = gaussian_map(400, 2, 3);
        let landmarks: Vec<usize> = (0..20).collect();
        let missing = |i: usize, j: usize| i.max(j) < 20 && (i * j) % 7 == 3;
        let found =
            landmark_mds(400, 2, &landmarks, |i, j| if missing(i, j) { f64::NAN } else { truth.distance(i, j) });
        // Bounds from 398 third objects are tight, not exact.
        let error = largest_distance_error(&found, &truth);
        assert!(error < 0.2, "{error}");
    }

    #[test]
    fn degenerate_input_gives_a_finite_map() {
        let all_missing = landmark_mds(7, 2, &[0, 3], |_, _| f64::NAN);
        assert!(all_missing.as_slice().iter().all(|x| x.is_finite()));
        let zero = landmark_mds(7, 2, &[0, 3, 5], |_, _| 0.0);
        assert!(zero.as_slice().iter().all(|&x| x == 0.0));
        // Fewer landmarks than D + 1, and a landmark listed twice.
        let truth = gaussian_map(7, 3, 4);
        let few = landmark_mds(7, 3, &[0, 1, 1], |i, j| truth.distance(i, j));
        assert!(few.as_slice().iter().all(|x| x.is_finite()));
        assert_eq!(landmark_mds(4, 2, &[], |_, _| 1.0), Locations::zeros(4, 2));
    }
}
