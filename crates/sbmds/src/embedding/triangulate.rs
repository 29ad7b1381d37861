//! Placing one object by its dissimilarities to objects already placed, and growing a map that way.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::dense::{Eigenpairs, Matrix, symmetric_eigen};

/// A location already known: where it is, and its squared distance from the origin.
///
/// For a landmark the squared distance is computed from its dissimilarities to the other landmarks, which also
/// counts the dimensions the map does not show, as de Silva and Tenenbaum (2004) do; for others it is |x|^2.
#[derive(Clone)]
pub(super) struct Anchor {
    pub location: Vec<f64>,
    pub squared_radius: f64,
}

/// Partners used to place one object, at most: more would cost time and add little.
const MOST_PARTNERS: usize = 64;
/// Steps of [`settle`]: each shrinks the error by about half.
const SETTLING_STEPS: usize = 20;

/// The location x that fits |x - y_k|^2 = delta_k^2 best in the linear sense: the equations minus their mean,
/// which is free of |x|^2. With all landmarks known this is the triangulation formula of landmark MDS.
/// Under-determined objects stay in the span of their anchors.
pub(super) fn triangulate(known: &[(&Anchor, f64)], n_dims: usize) -> Anchor {
    let n = known.len() as f64;
    let centre: Vec<f64> = (0..n_dims).map(|d| known.iter().map(|(a, _)| a.location[d]).sum::<f64>() / n).collect();
    let half_difference = |(anchor, observed): &(&Anchor, f64)| 0.5 * (anchor.squared_radius - observed * observed);
    let mean = known.iter().map(half_difference).sum::<f64>() / n;
    let mut normal = Matrix::zeros(n_dims, n_dims);
    let mut rhs = vec![0.0; n_dims];
    for pair in known {
        let offset: Vec<f64> = (0..n_dims).map(|d| pair.0.location[d] - centre[d]).collect();
        let along_centre: f64 = offset.iter().zip(&centre).map(|(a, b)| a * b).sum();
        let target = half_difference(pair) - mean - along_centre;
        for row in 0..n_dims {
            rhs[row] += offset[row] * target;
            for column in 0..n_dims {
                normal[(row, column)] += offset[row] * offset[column];
            }
        }
    }
    let step = solve_semidefinite(&normal, &rhs);
    anchor_at(centre.iter().zip(&step).map(|(a, b)| a + b).collect())
}

/// Solves the symmetric positive semi-definite system `matrix x = rhs` by least squares of least norm:
/// directions whose eigenvalue is below 1e-9 of the largest carry no information and get no component.
fn solve_semidefinite(matrix: &Matrix, rhs: &[f64]) -> Vec<f64> {
    let n = rhs.len();
    let Eigenpairs { values, vectors } = symmetric_eigen(matrix);
    let floor = values.first().copied().unwrap_or(0.0) * 1e-9;
    let mut solution = vec![0.0; n];
    for k in (0..n).filter(|&k| values[k] > floor && values[k] > 0.0) {
        let component = (0..n).map(|row| vectors[(row, k)] * rhs[row]).sum::<f64>() / values[k];
        for row in 0..n {
            solution[row] += component * vectors[(row, k)];
        }
    }
    solution
}

/// Moves a triangulated location towards least squares on the dissimilarities themselves (majorisation with
/// the anchors held): squares let the noise of far anchors dominate, and errors would grow along a chain.
fn settle(mut location: Vec<f64>, known: &[(&Anchor, f64)]) -> Vec<f64> {
    for _ in 0..SETTLING_STEPS {
        let mut next = vec![0.0; location.len()];
        for (anchor, observed) in known {
            let offset: Vec<f64> = location.iter().zip(&anchor.location).map(|(x, y)| x - y).collect();
            let length = offset.iter().map(|x| x * x).sum::<f64>().sqrt();
            let stretch = if length > 0.0 { observed / length } else { 0.0 };
            for (d, value) in next.iter_mut().enumerate() {
                *value += (anchor.location[d] + stretch * offset[d]) / known.len() as f64;
            }
        }
        location = next;
    }
    location
}

fn anchor_at(location: Vec<f64>) -> Anchor {
    let squared_radius = location.iter().map(|x| x * x).sum();
    Anchor { location, squared_radius }
}

/// Places every object that is still `None` and connected to a placed one, the one with most placed partners
/// next (lowest index among equals). `partners` must be symmetric.
pub(super) fn place_waiting(
    anchors: &mut [Option<Anchor>],
    n_dims: usize,
    partners: impl Fn(usize) -> Vec<(usize, f64)>,
) {
    let n_objects = anchors.len();
    let waiting: Vec<usize> = (0..n_objects).filter(|&object| anchors[object].is_none()).collect();
    let mut n_placed = vec![0_usize; n_objects];
    let mut queue = BinaryHeap::new();
    for &object in &waiting {
        n_placed[object] = partners(object).iter().filter(|(partner, _)| anchors[*partner].is_some()).count();
        if n_placed[object] > 0 {
            queue.push((n_placed[object], Reverse(object)));
        }
    }
    while let Some((count, Reverse(object))) = queue.pop() {
        if anchors[object].is_some() || count < n_placed[object] {
            continue; // an older entry of an object that has gained partners since
        }
        let all = partners(object);
        let placed = all.iter().filter_map(|&(partner, observed)| Some((anchors[partner].as_ref()?, observed)));
        let known: Vec<(&Anchor, f64)> = placed.take(MOST_PARTNERS).collect();
        let location = settle(triangulate(&known, n_dims).location, &known);
        anchors[object] = Some(anchor_at(location));
        for (partner, _) in all {
            if anchors[partner].is_none() {
                n_placed[partner] += 1;
                queue.push((n_placed[partner], Reverse(partner)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn a_point_is_found_from_exact_distances_off_centre() {
        let anchors = [[3.0, 1.0], [4.0, 5.0], [-2.0, 7.0]].map(|location| anchor_at(location.to_vec()));
        let point = [10.0, -4.0];
        let distance = |a: &Anchor| ((a.location[0] - point[0]).powi(2) + (a.location[1] - point[1]).powi(2)).sqrt();
        let known: Vec<(&Anchor, f64)> = anchors.iter().map(|a| (a, distance(a))).collect();
        let found = triangulate(&known, 2);
        let settled = settle(found.location.clone(), &known);
        for d in 0..2 {
            assert_relative_eq!(found.location[d], point[d], epsilon = 1e-9);
            assert_relative_eq!(settled[d], point[d], epsilon = 1e-9);
        }
        assert_relative_eq!(found.squared_radius, 116.0, epsilon = 1e-9);
    }

    #[test]
    fn one_or_coincident_anchors_give_a_finite_location() {
        let anchor = anchor_at(vec![1.0, 2.0]);
        for known in [vec![(&anchor, 3.0)], vec![(&anchor, 3.0), (&anchor, 1.0), (&anchor, 0.0)]] {
            let found = settle(triangulate(&known, 2).location, &known);
            assert_eq!(found, [1.0, 2.0]);
        }
    }

    #[test]
    fn singular_systems_get_the_shortest_solution() {
        let solution =
            solve_semidefinite(&Matrix::from_fn(2, 2, |a, b| if a + b == 0 { 4.0 } else { 0.0 }), &[2.0, 5.0]);
        assert_eq!(solution, [0.5, 0.0]);
    }
}
