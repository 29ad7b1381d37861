//! Joining tips to objects by name, and dropping tips that are no object.

use super::builder::TreeBuilder;
use super::{Tree, TreeError};
use crate::dissimilarity::Names;

/// A tree whose tips are the objects.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchedTree {
    tree: Tree,
    objects: Vec<usize>,
    dropped: Vec<String>,
}

impl Tree {
    /// Joins the tips to the objects by name. Every object must be a tip; tips that are no object are an error, or are
    /// dropped if `prune` is set. Then inner nodes left with a single child are removed and the two branch lengths added;
    /// the root becomes the last common ancestor of the tips that are left.
    pub fn match_tips(self, names: &Names, prune: bool) -> Result<MatchedTree, TreeError> {
        let object_of: Vec<Option<usize>> = (0..self.n_tips()).map(|tip| names.find(self.tip_name(tip))).collect();
        let mut is_tip = vec![false; names.len()];
        object_of.iter().flatten().for_each(|&object| is_tip[object] = true);
        let objects = (0..names.len()).filter(|&object| !is_tip[object]).map(|object| names.get(object).into_owned());
        let objects: Vec<String> = objects.collect();
        let tips = (0..self.n_tips()).filter(|&tip| object_of[tip].is_none()).map(|tip| self.tip_name(tip).to_owned());
        let tips: Vec<String> = tips.collect();
        if !objects.is_empty() || (!tips.is_empty() && !prune) {
            return Err(TreeError::Unmatched { file: self.source.file, tips, objects, pruning: prune });
        }
        let keep: Vec<bool> = object_of.iter().map(Option::is_some).collect();
        let tree = if tips.is_empty() { self } else { self.pruned(&keep) };
        Ok(MatchedTree { tree, objects: object_of.into_iter().flatten().collect(), dropped: tips })
    }

    /// The tree of the tips to keep (at least one).
    fn pruned(self, keep: &[bool]) -> Self {
        let mut builder = TreeBuilder::new();
        let mut tips = keep.iter();
        // For every old node what is left of it: a new node, which may be an only child, or nothing.
        let mut left: Vec<Option<usize>> = Vec::with_capacity(self.n_nodes());
        for node in 0..self.n_nodes() {
            let new = if self.is_tip(node) {
                let kept = *tips.next().expect("a decision for every tip");
                kept.then(|| builder.tip(self.label(node).unwrap_or_default(), self.length(node)))
            } else {
                let children: Vec<usize> = self.children(node).iter().filter_map(|&child| left[child]).collect();
                match children[..] {
                    [] => None,
                    [only] if self.children(node).len() > 1 => {
                        *builder.length_mut(only) += self.length(node);
                        left.push(Some(only));
                        continue;
                    }
                    _ => Some(builder.parent(&children, self.length(node))),
                }
            };
            if let Some(new) = new {
                builder.label(new, self.labels[node].clone());
                builder.annotate(new, self.annotations[node].clone());
            }
            left.push(new);
        }
        builder.finish_from(self.source)
    }
}

impl MatchedTree {
    /// The tree, without the tips that were dropped.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The object that every tip is, by position in [`Tree::tips`].
    pub fn objects(&self) -> &[usize] {
        &self.objects
    }

    /// Names of the tips that were dropped.
    pub fn dropped(&self) -> &[String] {
        &self.dropped
    }

    /// The position of every tip, when object `order[k]` is at position k.
    pub fn tip_positions(&self, order: &[usize]) -> Vec<usize> {
        let mut position_of = vec![0; order.len()];
        order.iter().enumerate().for_each(|(position, &object)| position_of[object] = position);
        self.objects.iter().map(|&object| position_of[object]).collect()
    }
}
