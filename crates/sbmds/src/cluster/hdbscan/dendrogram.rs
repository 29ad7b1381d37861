//! Single linkage: the binary tree in which the edges of the spanning tree join the points, shortest first.

use super::edge::Edge;
use super::union_find::UnionFind;

/// Nodes 0..n are the points; node n + k is what edge k joined, so the root is the last.
pub struct Dendrogram {
    pub n_points: usize,
    /// The two nodes each edge joined.
    children: Vec<[u32; 2]>,
    /// Length of each edge.
    heights: Vec<f64>,
    /// Number of objects below each node.
    pub sizes: Vec<u32>,
}

impl Dendrogram {
    /// From the edges of a spanning tree in order, and the number of objects at each point.
    pub fn new(edges: &[Edge], n_copies: &[u32]) -> Self {
        let n_points = n_copies.len();
        let mut sizes = n_copies.to_vec();
        let mut children = Vec::with_capacity(edges.len());
        let mut sets = UnionFind::new(n_points);
        // The node that each set has become, by the point that stands for the set.
        let mut nodes: Vec<u32> = (0..n_points as u32).collect();
        for edge in edges {
            let [a, b] = edge.ends.map(|end| nodes[sets.find(end) as usize]);
            sets.join(edge.ends[0], edge.ends[1]);
            nodes[sets.find(edge.ends[0]) as usize] = sizes.len() as u32;
            sizes.push(sizes[a as usize] + sizes[b as usize]);
            children.push([a, b]);
        }
        let heights = edges.iter().map(|edge| edge.squared_reach.sqrt()).collect();
        Self { n_points, children, heights, sizes }
    }

    pub fn root(&self) -> u32 {
        self.sizes.len() as u32 - 1
    }

    /// The two children of a node and the distance at which they joined; `None` for a point.
    pub fn split(&self, node: u32) -> Option<([u32; 2], f64)> {
        let edge = (node as usize).checked_sub(self.n_points)?;
        Some((self.children[edge], self.heights[edge]))
    }
}
