//! Pruning as a list of merges: which two estimates are joined, with which weights. It depends on the tree alone.

use crate::tree::Tree;

/// Branches shorter than this part of the mean branch count as zero: their reciprocals could overflow.
const NEGLIGIBLE: f64 = 1e-100;

/// Length given to the branches of tips at distance zero from each other, as a part of the mean branch. Their locations
/// would have to be equal and would have no density; this lets them differ by about 3e-5 of a typical branch's step.
pub const COINCIDENT_TIP_LENGTH: f64 = 1e-9;

/// Joins two estimates: the one kept in place, and another (later) one. The kept one is the surer of the two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Merge {
    pub kept: u32,
    pub other: u32,
    /// Weight of the other estimate in their mean: variance of the kept one / variance of the contrast.
    pub share: f64,
}

/// An inner node, for drawing its location.
#[derive(Clone, Copy, Debug)]
pub(super) struct InnerNode {
    /// The slot that holds its estimate, after this many merges.
    pub slot: usize,
    pub n_merges: usize,
    /// Variance of the estimate from the tips below, in units of Sigma.
    pub variance: f64,
    /// The branch above; the root has none.
    pub length: f64,
    /// Position of the parent among the inner nodes.
    pub parent: Option<usize>,
}

/// Everything about the tree that the passes need. Slot k starts with the location of one tip, at position `positions[k]`.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub merges: Vec<Merge>,
    /// Variance of every contrast in units of Sigma; the last one is the root's about its mean.
    pub variances: Vec<f64>,
    /// Their reciprocals and square roots.
    pub precisions: Vec<f64>,
    pub deviations: Vec<f64>,
    pub positions: Vec<u32>,
    /// In the order of [`Tree::inner_nodes`].
    pub inner: Vec<InnerNode>,
}

/// Branch lengths in units of the scale, and the tips whose branches were lengthened.
pub(super) struct Lengths {
    pub lengths: Vec<f64>,
    pub coincident: Vec<usize>,
}

impl Lengths {
    /// Divides all lengths by `scale`.
    pub fn new(tree: &Tree, scale: f64) -> Self {
        let mean = tree.total_length() / scale / (tree.n_nodes() - 1) as f64;
        let scaled = (0..tree.n_nodes()).map(|node| tree.length(node) / scale);
        let mut lengths: Vec<f64> =
            scaled.map(|length| if length < NEGLIGIBLE * mean { 0.0 } else { length }).collect();
        let coincident = coincident_tips(tree, &lengths);
        for &tip in &coincident {
            lengths[tree.tips()[tip]] = COINCIDENT_TIP_LENGTH * mean;
        }
        Self { lengths, coincident }
    }
}

/// The tips at distance zero from another one.
fn coincident_tips(tree: &Tree, lengths: &[f64]) -> Vec<usize> {
    // The highest node that is joined to each node by branches of length zero.
    let mut top: Vec<usize> = (0..tree.n_nodes()).collect();
    for node in (0..tree.n_nodes()).rev() {
        if let Some(parent) = tree.parent(node).filter(|_| lengths[node] == 0.0) {
            top[node] = top[parent];
        }
    }
    let mut n_tips = vec![0; tree.n_nodes()];
    tree.tips().iter().for_each(|&tip| n_tips[top[tip]] += 1);
    (0..tree.n_tips()).filter(|&tip| n_tips[top[tree.tips()[tip]]] > 1).collect()
}

impl Plan {
    /// The plan for branches of these lengths and a root whose prior variance is `root_variance`.
    pub fn new(tree: &Tree, lengths: &[f64], root_variance: f64, tip_positions: &[usize]) -> Self {
        let (children, below) = sorted_children(tree, lengths);
        let (slots, positions) = slots(tree, &children, tip_positions);
        let (merges, variances, inner) = (Vec::new(), Vec::new(), Vec::new());
        let (precisions, deviations) = (Vec::new(), Vec::new());
        let mut plan = Self { merges, variances, precisions, deviations, positions, inner };
        let mut inner_of = vec![None; tree.n_nodes()];
        for (position, node) in tree.inner_nodes().enumerate() {
            inner_of[node] = Some(position);
            plan.merge(&children[node], &slots);
            plan.inner.push(InnerNode {
                slot: slots[node],
                n_merges: plan.merges.len(),
                variance: below[node],
                length: lengths[node],
                parent: None,
            });
        }
        for (inner, node) in plan.inner.iter_mut().zip(tree.inner_nodes()) {
            inner.parent = tree.parent(node).and_then(|parent| inner_of[parent]);
        }
        plan.variances.push(below[tree.root()] + root_variance);
        plan.precisions = plan.variances.iter().map(|variance| 1.0 / variance).collect();
        plan.deviations = plan.variances.iter().map(|variance| variance.sqrt()).collect();
        plan
    }

    /// Joins the children of one node, one after another.
    fn merge(&mut self, children: &[(usize, f64)], slots: &[usize]) {
        let (first, mut variance) = children[0];
        for &(other, other_variance) in &children[1..] {
            let total = variance + other_variance;
            let share = variance / total;
            self.merges.push(Merge { kept: slots[first] as u32, other: slots[other] as u32, share });
            self.variances.push(total);
            variance = share * other_variance;
        }
    }
}

/// For every node its children, each with the variance of what it tells its parent, the surest first; and the variance of
/// the estimate of the node from all of them.
fn sorted_children(tree: &Tree, lengths: &[f64]) -> (Vec<Vec<(usize, f64)>>, Vec<f64>) {
    let mut below = vec![0.0; tree.n_nodes()];
    let mut sorted = Vec::with_capacity(tree.n_nodes());
    for node in 0..tree.n_nodes() {
        let mut children: Vec<(usize, f64)> =
            tree.children(node).iter().map(|&child| (child, below[child] + lengths[child])).collect();
        children.sort_by(|a, b| a.1.total_cmp(&b.1));
        // The first may be certain (variance 0), the others then are not: coincident tips were told apart.
        let joined = children.iter().map(|child| child.1).reduce(|sure, other| sure / (sure + other) * other);
        below[node] = joined.unwrap_or(0.0);
        sorted.push(children);
    }
    (sorted, below)
}

/// The slot of every node: its surest tip's; tips are numbered so that every merge keeps the lower slot. Also the position
/// of the tip of every slot.
fn slots(tree: &Tree, children: &[Vec<(usize, f64)>], tip_positions: &[usize]) -> (Vec<usize>, Vec<u32>) {
    let mut position_of = vec![0; tree.n_nodes()];
    tree.tips().iter().zip(tip_positions).for_each(|(&node, &position)| position_of[node] = position as u32);
    let (mut slots, mut positions) = (vec![0; tree.n_nodes()], Vec::with_capacity(tree.n_tips()));
    let mut to_do = vec![tree.root()];
    while let Some(node) = to_do.pop() {
        slots[node] = positions.len();
        if tree.is_tip(node) {
            positions.push(position_of[node]);
        }
        to_do.extend(children[node].iter().rev().map(|child| child.0));
    }
    (slots, positions)
}
