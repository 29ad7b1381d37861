//! Core distances: how far each point must reach to have this many points around it, itself among them.

use super::kd_tree::KdTree;

/// Squared core distances in tree order: the square of the distance to the `min_samples`-th nearest object, counted
/// from the point itself (docs/clustering.md, eq. 1).
///
/// The points are visited in tree order, so that the one before is mostly near; a ball around it holds enough objects,
/// hence so does the ball around this one that contains it.
pub fn squared_core_distances<const D: usize>(tree: &KdTree<D>, min_samples: usize) -> Vec<f64> {
    let mut search = Search { min_samples, found: Vec::new(), stack: Vec::new() };
    let mut squared: Vec<f64> = Vec::with_capacity(tree.len());
    for point in 0..tree.len() {
        let from = tree.point(point);
        let bound = match squared.last() {
            Some(before) => enclosing(*before, tree.squared_distance(from, point - 1)),
            None => f64::INFINITY,
        };
        let core = search.nth_nearest(tree, from, bound);
        // Rounding of the smallest numbers may have made the ball too small.
        squared.push(core.or_else(|| search.nth_nearest(tree, from, f64::INFINITY)).unwrap_or(f64::INFINITY));
    }
    squared
}

/// Square of the radius of a ball around a point that contains a ball of another point, a little widened for rounding.
fn enclosing(squared_radius: f64, squared_distance: f64) -> f64 {
    (squared_radius.sqrt() + squared_distance.sqrt()).powi(2) * (1.0 + 1e-12)
}

/// Memory of the searches.
struct Search {
    min_samples: usize,
    /// Squared distances found so far, none beyond the bound.
    found: Vec<f64>,
    stack: Vec<(f64, u32)>,
}

impl Search {
    /// The squared distance of the `min_samples`-th nearest object if it is within the bound.
    fn nth_nearest<const D: usize>(&mut self, tree: &KdTree<D>, from: &[f64], mut bound: f64) -> Option<f64> {
        self.found.clear();
        self.stack.push((0.0, 0));
        while let Some((gap, node)) = self.stack.pop() {
            if gap > bound {
                continue;
            }
            let node = node as usize;
            if !tree.nodes[node].is_leaf() {
                let [near, far] = tree.children(from, node);
                self.stack.extend([far, near]);
                continue;
            }
            for point in tree.nodes[node].points() {
                let squared = tree.squared_distance(from, point);
                if squared <= bound {
                    for _ in 0..(tree.n_copies[point] as usize).min(self.min_samples) {
                        self.found.push(squared);
                    }
                }
            }
            // Far more than needed: keep the nearest, and look no further than they are.
            if self.found.len() > 4 * self.min_samples + 64 {
                bound = self.select()?;
                self.found.truncate(self.min_samples);
            }
        }
        self.select()
    }

    fn select(&mut self) -> Option<f64> {
        let last = self.min_samples - 1;
        (last < self.found.len()).then(|| *self.found.select_nth_unstable_by(last, f64::total_cmp).1)
    }
}
