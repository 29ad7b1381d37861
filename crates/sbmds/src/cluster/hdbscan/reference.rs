//! The obviously right twin of the fast minimum spanning tree: every pair is looked at. Slow.

use super::distinct::Distinct;
use super::edge::Edge;
use super::kd_tree::squared_distance;
use crate::Locations;

/// Length of the minimum spanning tree of mutual reachability by Prim's algorithm.
///
/// The trees of boxes are tested against what this sums up, and `sbmds bench clusters` reports speed relative to it.
///
/// # Panics
/// If `min_samples` is 0 or more than there are objects.
pub fn spanning_tree_length(x: &Locations, min_samples: usize) -> f64 {
    let points = Distinct::new(x);
    let cores = squared_core_distances(&points, min_samples);
    minimum_spanning_tree(&points, &cores).iter().map(|edge| edge.squared_reach.sqrt()).sum()
}

/// Squared core distances of the distinct points, in their order.
pub(super) fn squared_core_distances(points: &Distinct, min_samples: usize) -> Vec<f64> {
    let mut all = Vec::with_capacity(points.point_of.len());
    (0..points.len())
        .map(|point| {
            all.clear();
            for other in 0..points.len() {
                let squared = squared_distance(points.point(point), points.point(other));
                all.extend(std::iter::repeat_n(squared, points.n_copies[other] as usize));
            }
            *all.select_nth_unstable_by(min_samples - 1, f64::total_cmp).1
        })
        .collect()
}

/// The edges of the minimum spanning tree, in the order of [`Edge`].
pub(super) fn minimum_spanning_tree(points: &Distinct, squared_cores: &[f64]) -> Vec<Edge> {
    let mut outside: Vec<(u32, Edge)> = (1..points.len() as u32).map(|point| (point, Edge::NONE)).collect();
    let mut edges = Vec::with_capacity(outside.len());
    let mut newest = 0;
    while !outside.is_empty() {
        let mut nearest = 0;
        for index in 0..outside.len() {
            let (point, best) = &mut outside[index];
            let squared = squared_distance(points.point(newest as usize), points.point(*point as usize));
            let reach = squared.max(squared_cores[newest as usize]).max(squared_cores[*point as usize]);
            let edge = Edge::new(reach, squared, newest, *point);
            if edge.precedes(best) {
                *best = edge;
            }
            if outside[index].1.precedes(&outside[nearest].1) {
                nearest = index;
            }
        }
        let (point, edge) = outside.swap_remove(nearest);
        edges.push(edge);
        newest = point;
    }
    edges.sort_unstable_by(Edge::order);
    edges
}
