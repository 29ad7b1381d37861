//! Convex outlines of clusters: what a cluster of a draw looks like on the map.

use std::cmp::Ordering;

/// The corners of the convex hull of points in the plane, counter-clockwise from the leftmost; points on its edges are no
/// corners. Andrew's monotone chain (1979).
pub(crate) fn convex_hull(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let mut hull = half(points.iter());
    let upper = half(points.iter().rev());
    // Each half ends where the other begins.
    hull.pop();
    hull.extend(&upper[..upper.len() - 1]);
    hull
}

/// The corners below (or, from right to left, above) all points.
fn half<'a>(points: impl Iterator<Item = &'a (f64, f64)>) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for &point in points {
        while let [.., before, last] = corners[..] {
            if turn(before, last, point) == Ordering::Greater {
                break;
            }
            corners.pop();
        }
        corners.push(point);
    }
    corners
}

/// Whether the way from a over b to c turns left.
fn turn(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> Ordering {
    let cross = (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
    cross.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By looking at every pair of points: those with all others to the left of the line from one to the other, or on it
    /// between them, are an edge.
    fn edges(points: &[(f64, f64)]) -> Vec<((f64, f64), (f64, f64))> {
        let mut found = Vec::new();
        for &a in points {
            for &b in points.iter().filter(|&&b| b != a) {
                let is_left = |&c: &(f64, f64)| match turn(a, b, c) {
                    Ordering::Greater => true,
                    Ordering::Less => false,
                    Ordering::Equal => (c.0 - a.0) * (c.0 - b.0) + (c.1 - a.1) * (c.1 - b.1) <= 0.0,
                };
                if points.iter().all(is_left) {
                    found.push((a, b));
                }
            }
        }
        found.sort_by(|a, b| a.partial_cmp(b).unwrap());
        found.dedup();
        found
    }

    proptest! {
        #[test]
        fn hulls_have_the_edges_that_a_look_at_all_pairs_finds(
            // Whole numbers: many points on edges, many alike, and no rounding.
            points in prop::collection::vec((-6_i8..6, -6_i8..6), 1..40)
        ) {
            let points: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).collect();
            let hull = convex_hull(points.clone());
            let mut own: Vec<_> = (0..hull.len()).map(|k| (hull[k], hull[(k + 1) % hull.len()])).collect();
            own.retain(|(a, b)| a != b);
            own.sort_by(|a, b| a.partial_cmp(b).unwrap());
            prop_assert_eq!(own, edges(&points));
        }
    }

    #[test]
    fn lines_and_single_points_have_their_ends() {
        assert_eq!(convex_hull(vec![(1.0, 1.0); 4]), [(1.0, 1.0)]);
        assert_eq!(convex_hull(vec![(2.0, 2.0), (0.0, 0.0), (1.0, 1.0)]), [(0.0, 0.0), (2.0, 2.0)]);
        assert!(convex_hull(Vec::new()).is_empty());
    }
}
