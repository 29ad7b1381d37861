//! The minimum spanning tree of mutual reachability, by Borůvka's rounds with searches in a tree of boxes.
//!
//! In every round each component finds its first outgoing edge in the order of [`Edge`], and all of these join the tree
//! (March, Ram and Gray 2010 call it the Euclidean minimum spanning tree by dual trees; here one tree is searched point
//! by point). The order is total, so the tree is unique and no cycle can arise.

use super::edge::Edge;
use super::kd_tree::KdTree;
use super::union_find::UnionFind;

/// Points of several components lie in the node.
const MIXED: u32 = u32::MAX;
/// No partner is known.
const NOBODY: u32 = u32::MAX;

/// The edges of the minimum spanning tree, in the order of [`Edge`].
pub fn minimum_spanning_tree<const D: usize>(tree: &KdTree<D>, squared_cores: &[f64]) -> Vec<Edge> {
    let mut rounds = Rounds::new(tree, squared_cores);
    while rounds.edges.len() + 1 < tree.len() {
        rounds.round();
    }
    let mut edges = rounds.edges;
    edges.sort_unstable_by(Edge::order);
    edges
}

struct Rounds<'t, const D: usize> {
    tree: &'t KdTree<D>,
    squared_cores: &'t [f64],
    /// Smallest core distance within each node.
    node_cores: Vec<f64>,
    sets: UnionFind,
    /// Component of each point, and of each node if it has but one.
    components: Vec<u32>,
    node_components: Vec<u32>,
    /// What is known of the first outgoing edge of each point: it is `first` if that has a partner and still leads out,
    /// and otherwise no earlier than `first`. Components only grow, so what is known stays true.
    firsts: Vec<Known>,
    /// First outgoing edge found so far in this round, and its ends in the tree, by component.
    best: Vec<(Edge, [u32; 2])>,
    edges: Vec<Edge>,
    stack: Vec<(f64, u32)>,
}

#[derive(Clone, Copy)]
struct Known {
    squared_reach: f64,
    squared_distance: f64,
    partner: u32,
}

impl<'t, const D: usize> Rounds<'t, D> {
    fn new(tree: &'t KdTree<D>, squared_cores: &'t [f64]) -> Self {
        let n = tree.len();
        let mut node_cores = vec![f64::INFINITY; tree.nodes.len()];
        for (node, core) in node_cores.iter_mut().enumerate() {
            *core = squared_cores[tree.nodes[node].points()].iter().copied().fold(f64::INFINITY, f64::min);
        }
        let nothing = |&core: &f64| Known { squared_reach: core, squared_distance: 0.0, partner: NOBODY };
        Self {
            tree,
            squared_cores,
            node_cores,
            sets: UnionFind::new(n),
            components: vec![0; n],
            node_components: vec![MIXED; tree.nodes.len()],
            firsts: squared_cores.iter().map(nothing).collect(),
            best: vec![(Edge::NONE, [NOBODY; 2]); n],
            edges: Vec::with_capacity(n.saturating_sub(1)),
            stack: Vec::new(),
        }
    }

    fn round(&mut self) {
        self.find_components();
        self.best.fill((Edge::NONE, [NOBODY; 2]));
        for point in 0..self.tree.len() {
            self.offer_known(point);
        }
        for point in 0..self.tree.len() {
            if self.firsts[point].partner == NOBODY {
                self.look_around(point);
            }
        }
        for component in 0..self.best.len() {
            let (edge, [a, b]) = self.best[component];
            // Two components may have chosen the same edge.
            if a != NOBODY && self.sets.join(a, b) {
                self.edges.push(edge);
            }
        }
    }

    fn find_components(&mut self) {
        for point in 0..self.components.len() {
            self.components[point] = self.sets.find(point as u32);
        }
        // Children come after their parents.
        for node in (0..self.tree.nodes.len()).rev() {
            let own = self.tree.nodes[node];
            self.node_components[node] = if own.is_leaf() {
                common(self.components[own.points()].iter().copied())
            } else {
                common([self.node_components[node + 1], self.node_components[own.right as usize]].into_iter())
            };
        }
    }

    /// Offers the point's first edge to its component if it is known and still leads out of it.
    fn offer_known(&mut self, point: usize) {
        let Known { squared_reach, squared_distance, partner } = self.firsts[point];
        if partner == NOBODY {
            return;
        }
        if self.components[partner as usize] == self.components[point] {
            self.firsts[point].partner = NOBODY;
            return;
        }
        let edge = self.edge(squared_reach, squared_distance, point, partner as usize);
        self.offer(edge, point, partner as usize);
    }

    fn edge(&self, squared_reach: f64, squared_distance: f64, a: usize, b: usize) -> Edge {
        Edge::new(squared_reach, squared_distance, self.tree.ranks[a], self.tree.ranks[b])
    }

    fn offer(&mut self, edge: Edge, point: usize, partner: usize) {
        let best = &mut self.best[self.components[point] as usize];
        if edge.precedes(&best.0) {
            *best = (edge, [point as u32, partner as u32]);
        }
    }

    /// Searches the point's first outgoing edge, if it may precede the best of its component.
    fn look_around(&mut self, point: usize) {
        let mut first = self.best[self.components[point] as usize].0;
        let known = self.firsts[point];
        if is_after(known.squared_reach, known.squared_distance, &first) {
            return;
        }
        let partner = self.search(point, &mut first);
        self.firsts[point] = Known {
            squared_reach: first.squared_reach,
            squared_distance: first.squared_distance,
            partner: partner.map_or(NOBODY, |partner| partner as u32),
        };
        if let Some(partner) = partner {
            self.offer(first, point, partner);
        }
    }

    /// Replaces `first` by the first edge of `point` that leads out of its component, if that precedes it.
    fn search(&mut self, point: usize, first: &mut Edge) -> Option<usize> {
        let (from, component, core) = (self.tree.point(point), self.components[point], self.squared_cores[point]);
        let mut partner = None;
        self.stack.push((0.0, 0));
        while let Some((gap, node)) = self.stack.pop() {
            let node = node as usize;
            let reach = gap.max(core).max(self.node_cores[node]);
            if self.node_components[node] == component || is_after(reach, gap, first) {
                continue;
            }
            if !self.tree.nodes[node].is_leaf() {
                let [near, far] = self.tree.children(from, node);
                self.stack.extend([far, near]);
                continue;
            }
            for other in self.tree.nodes[node].points() {
                let squared = self.tree.squared_distance(from, other);
                let reach = squared.max(core).max(self.squared_cores[other]);
                if self.components[other] != component && !is_after(reach, squared, first) {
                    let edge = self.edge(reach, squared, point, other);
                    if edge.precedes(first) {
                        (*first, partner) = (edge, Some(other));
                    }
                }
            }
        }
        partner
    }
}

/// Whether an edge with at least this reach and distance must come after `edge`.
#[inline(always)]
fn is_after(squared_reach: f64, squared_distance: f64, edge: &Edge) -> bool {
    squared_reach > edge.squared_reach
        || (squared_reach == edge.squared_reach && squared_distance > edge.squared_distance)
}

/// The component all have, or [`MIXED`].
fn common(mut components: impl Iterator<Item = u32>) -> u32 {
    let first = components.next().unwrap_or(MIXED);
    if components.all(|other| other == first) { first } else { MIXED }
}
