//! Putting a tree together, children before parents.

use super::{Annotations, Source, Tree};

/// A tree under construction. Nodes are numbered in the order in which they are added; the last one is the root.
#[derive(Clone, Debug, Default)]
pub struct TreeBuilder {
    parents: Vec<Option<usize>>,
    child_starts: Vec<usize>,
    children: Vec<usize>,
    lengths: Vec<f64>,
    labels: Vec<Option<String>>,
    annotations: Vec<Annotations>,
    tips: Vec<usize>,
}

impl TreeBuilder {
    /// No nodes yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tip at the end of a branch of this length.
    pub fn tip(&mut self, name: impl Into<String>, length: f64) -> usize {
        let node = self.add(&[], length, Some(name.into()));
        self.tips.push(node);
        node
    }

    /// Adds the parent of `children`, which must have been added and have no parent yet.
    ///
    /// # Panics
    /// If there are no children, or one of them has a parent.
    pub fn parent(&mut self, children: &[usize], length: f64) -> usize {
        assert!(!children.is_empty(), "a parent has children");
        let node = self.add(children, length, None);
        for &child in children {
            assert!(child < node && self.parents[child].is_none(), "node {child} is without a parent so far");
            self.parents[child] = Some(node);
        }
        node
    }

    /// Names an inner node.
    pub(super) fn label(&mut self, node: usize, label: Option<String>) {
        self.labels[node] = label;
    }

    /// What is noted at a node.
    pub(super) fn annotate(&mut self, node: usize, annotations: Annotations) {
        self.annotations[node] = annotations;
    }

    pub(super) fn length_mut(&mut self, node: usize) -> &mut f64 {
        &mut self.lengths[node]
    }

    pub(super) fn is_inner(&self, node: usize) -> bool {
        let end = self.child_starts.get(node + 1).copied().unwrap_or(self.children.len());
        end > self.child_starts[node]
    }

    /// Sum of all branch lengths but the last node's.
    pub(super) fn length_below_root(&self) -> f64 {
        self.lengths.iter().rev().skip(1).sum()
    }

    fn add(&mut self, children: &[usize], length: f64, label: Option<String>) -> usize {
        self.child_starts.push(self.children.len());
        self.children.extend_from_slice(children);
        self.parents.push(None);
        self.lengths.push(length);
        self.labels.push(label);
        self.annotations.push(Annotations::new());
        self.parents.len() - 1
    }

    /// The tree, whose root is the node added last.
    ///
    /// # Panics
    /// If there is no node, or one other than the last has no parent.
    pub fn finish(self) -> Tree {
        self.finish_from(Source { file: "tree".into(), name: None, index: 1, n_trees: 1 })
    }

    pub(super) fn finish_from(mut self, source: Source) -> Tree {
        let root = self.parents.len().checked_sub(1).expect("a tree has nodes");
        assert!(self.parents[..root].iter().all(Option::is_some), "all nodes but the last have parents");
        self.child_starts.push(self.children.len());
        // What comes before the root is no part of the tree.
        self.lengths[root] = 0.0;
        Tree {
            parents: self.parents,
            child_starts: self.child_starts,
            children: self.children,
            lengths: self.lengths,
            labels: self.labels,
            annotations: self.annotations,
            tips: self.tips,
            source,
        }
    }
}
