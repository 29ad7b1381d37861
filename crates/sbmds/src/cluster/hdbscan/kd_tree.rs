//! A balanced tree of boxes around points, for exact searches.

use super::distinct::Distinct;

/// Points sorted into a balanced binary tree; every node knows the smallest box around its points.
///
/// `D` is the number of dimensions, or 0 if it is known only at run time: one code, unrolled where it pays.
pub struct KdTree<const D: usize> {
    n_dims: usize,
    /// Coordinates in tree order, point by point.
    coordinates: Vec<f64>,
    /// Index of each point of the tree in the sorted distinct points.
    pub ranks: Vec<u32>,
    /// Copies of each point, in tree order.
    pub n_copies: Vec<u32>,
    /// Parents before children, the left child right after its parent.
    pub nodes: Vec<Node>,
    /// Lowest, then highest coordinates of each node.
    boxes: Vec<f64>,
}

/// The points `start..end` of the tree.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub start: u32,
    pub end: u32,
    /// The right child; 0 for a leaf.
    pub right: u32,
}

impl Node {
    pub fn is_leaf(&self) -> bool {
        self.right == 0
    }

    pub fn points(&self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Most points of a leaf: few enough to look at each, many enough to make the boxes worth their while.
const LEAF: usize = 10;

impl<const D: usize> KdTree<D> {
    pub fn new(points: &Distinct) -> Self {
        let mut ranks: Vec<u32> = (0..points.len() as u32).collect();
        let mut nodes = Vec::with_capacity(4 * points.len() / LEAF + 1);
        let mut boxes = Vec::new();
        build(points, &mut ranks, 0, &mut nodes, &mut boxes);
        let coordinates = ranks.iter().flat_map(|&rank| points.point(rank as usize)).copied().collect();
        let n_copies = ranks.iter().map(|&rank| points.n_copies[rank as usize]).collect();
        Self { n_dims: points.n_dims, coordinates, ranks, n_copies, nodes, boxes }
    }

    pub fn len(&self) -> usize {
        self.ranks.len()
    }

    #[inline(always)]
    fn n_dims(&self) -> usize {
        if D == 0 { self.n_dims } else { D }
    }

    #[inline(always)]
    pub fn point(&self, point: usize) -> &[f64] {
        &self.coordinates[point * self.n_dims()..][..self.n_dims()]
    }

    /// Squared distance between `from` and a point of the tree.
    #[inline(always)]
    pub fn squared_distance(&self, from: &[f64], point: usize) -> f64 {
        squared_distance(&from[..self.n_dims()], self.point(point))
    }

    /// Squared distance between `from` and the box of a node: rounded as distances to points are, and so never more
    /// than that of any point in the box.
    #[inline(always)]
    pub fn squared_gap(&self, from: &[f64], node: usize) -> f64 {
        let n_dims = self.n_dims();
        let corners = &self.boxes[2 * n_dims * node..][..2 * n_dims];
        let (lowest, highest) = corners.split_at(n_dims);
        let mut sum = 0.0;
        for dim in 0..n_dims {
            let gap = (lowest[dim] - from[dim]).max(from[dim] - highest[dim]).max(0.0);
            sum += gap * gap;
        }
        sum
    }

    /// The children of a node that is no leaf, each with its squared distance from `from`, nearest first.
    #[inline(always)]
    pub fn children(&self, from: &[f64], node: usize) -> [(f64, u32); 2] {
        let (left, right) = (node + 1, self.nodes[node].right as usize);
        let (left, right) =
            ((self.squared_gap(from, left), left as u32), (self.squared_gap(from, right), right as u32));
        if left.0 <= right.0 { [left, right] } else { [right, left] }
    }
}

/// The square of the distance, dimension by dimension in order: the same bits for (a, b) and (b, a).
#[inline(always)]
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Splits at the median of the widest side of the box.
fn build(points: &Distinct, ranks: &mut [u32], start: u32, nodes: &mut Vec<Node>, boxes: &mut Vec<f64>) {
    let node = nodes.len();
    nodes.push(Node { start, end: start + ranks.len() as u32, right: 0 });
    let widest = push_box(points, ranks, boxes);
    if ranks.len() <= LEAF {
        return;
    }
    let coordinate = |rank: u32| points.point(rank as usize)[widest];
    let middle = ranks.len() / 2;
    ranks.select_nth_unstable_by(middle, |&a, &b| coordinate(a).total_cmp(&coordinate(b)));
    let (below, above) = ranks.split_at_mut(middle);
    build(points, below, start, nodes, boxes);
    nodes[node].right = nodes.len() as u32;
    build(points, above, start + middle as u32, nodes, boxes);
}

/// Adds the smallest box around the points; returns the dimension in which it is widest.
fn push_box(points: &Distinct, ranks: &[u32], boxes: &mut Vec<f64>) -> usize {
    let n_dims = points.n_dims;
    let first = boxes.len();
    boxes.extend(std::iter::repeat_n(f64::INFINITY, n_dims));
    boxes.extend(std::iter::repeat_n(f64::NEG_INFINITY, n_dims));
    let (lowest, highest) = boxes[first..].split_at_mut(n_dims);
    for &rank in ranks {
        for (dim, &value) in points.point(rank as usize).iter().enumerate() {
            lowest[dim] = value.min(lowest[dim]);
            highest[dim] = value.max(highest[dim]);
        }
    }
    let width = |dim: &usize| highest[*dim] - lowest[*dim];
    (0..n_dims).max_by(|a, b| width(a).total_cmp(&width(b))).unwrap_or(0)
}
