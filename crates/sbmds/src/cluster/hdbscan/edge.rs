//! Edges between points, and the order in which they join clusters.

use std::cmp::Ordering;

/// An edge of the mutual reachability graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Square of the mutual reachability distance max(core(a), core(b), |a - b|).
    pub squared_reach: f64,
    /// Square of the distance |a - b|.
    pub squared_distance: f64,
    /// The ends, lower first, as indices into the sorted distinct points.
    pub ends: [u32; 2],
}

impl Edge {
    /// Longer than every edge between points.
    pub const NONE: Self = Self { squared_reach: f64::INFINITY, squared_distance: f64::INFINITY, ends: [u32::MAX; 2] };

    pub fn new(squared_reach: f64, squared_distance: f64, a: u32, b: u32) -> Self {
        Self { squared_reach, squared_distance, ends: [a.min(b), a.max(b)] }
    }

    /// The fixed order of edges (docs/clustering.md, eq. 3): by mutual reachability, by distance, by the ends.
    ///
    /// Equal mutual reachabilities are the rule, not the exception: every edge inside the core distance of its outer
    /// end has that core distance. The distance breaks such ties in a way that rotation keeps; the ends, which are in
    /// order of coordinates, break what is left.
    pub fn order(&self, other: &Self) -> Ordering {
        (self.squared_reach.total_cmp(&other.squared_reach))
            .then_with(|| self.squared_distance.total_cmp(&other.squared_distance))
            .then_with(|| self.ends.cmp(&other.ends))
    }

    pub fn precedes(&self, other: &Self) -> bool {
        self.order(other).is_lt()
    }
}
