//! The tree of a run: read, its tips joined to the objects by name, and made into the prior of the locations.

use std::path::Path;

use crate::brownian::{BranchScaling, BrownianPrior, BrownianSettings, WishartPrior};
use crate::diffusion::NodeDraws;
use crate::dissimilarity::Names;
use crate::draws::DrawReader;
use crate::embedding::Alignment;
use crate::error::RunError;
use crate::fit::observer::Observer;
use crate::posterior::TreePrior;
use crate::settings::config::TreeConfig;
use crate::tree::{MatchedTree, Tree, TreeChoice};

/// The tree along which locations diffuse.
pub struct RunTree {
    matched: MatchedTree,
    config: TreeConfig,
}

impl RunTree {
    /// Reads the tree that a finished run was fitted with, from its own copy.
    pub(crate) fn reread(path: &Path, config: &TreeConfig, names: &Names) -> Result<Self, RunError> {
        let matched = Tree::read(path, TreeChoice::Last)?.match_tips(names, false)?;
        Ok(Self { matched, config: config.clone() })
    }

    /// Joins the tips of a tree to the objects.
    pub(crate) fn of(tree: Tree, config: TreeConfig, names: &Names) -> Result<Self, RunError> {
        Ok(Self { matched: tree.match_tips(names, config.prune)?, config })
    }

    /// Reads the tree and joins its tips to the objects; tells the observer what was not asked for by name.
    pub(crate) fn read(config: &TreeConfig, names: &Names, observer: &dyn Observer) -> Result<Self, RunError> {
        let tree = Tree::read(&config.path, config.index.into())?;
        if config.index.is_none() && tree.source().n_trees > 1 {
            observer.note(&format!("{} is used; `tree_index` chooses another", tree.source()));
        }
        let matched = tree.match_tips(names, config.prune)?;
        if !matched.dropped().is_empty() {
            observer.note(&format!("{} tips are not among the objects and were dropped", matched.dropped().len()));
        }
        Ok(Self { matched, config: config.clone() })
    }

    /// The settings with what only the file could tell.
    pub(crate) fn resolved(&self) -> TreeConfig {
        let (index, total_length) = (self.matched.tree().source().index, self.matched.tree().total_length());
        TreeConfig { index: Some(index), total_length, ..self.config.clone() }
    }

    /// The prior of the locations when object `order[k]` is at position k.
    pub(crate) fn prior(&self, order: &[usize], n_dims: usize) -> Result<TreePrior, RunError> {
        let brownian = self.brownian(order, n_dims)?;
        Ok(TreePrior { brownian, wishart: WishartPrior::paper(n_dims), update: self.config.precision_update })
    }

    /// The tree, with the objects as its tips.
    pub fn tree(&self) -> &Tree {
        self.matched.tree()
    }

    /// The draws of the run, with a location for every node, aligned; the map shown consists of the chains `shown`.
    pub fn node_draws<'a>(
        &'a self,
        reader: &'a DrawReader,
        alignment: Alignment,
        shown: &[usize],
        seed: u64,
    ) -> Result<NodeDraws<'a>, RunError> {
        let map = alignment.reference();
        let input_order: Vec<usize> = (0..map.n_objects()).collect();
        let brownian = self.brownian(&input_order, map.n_dims())?;
        Ok(NodeDraws::new(self.tree(), brownian, reader, alignment, shown.to_vec(), seed))
    }

    fn brownian(&self, order: &[usize], n_dims: usize) -> Result<BrownianPrior, RunError> {
        let settings = BrownianSettings {
            scaling: self.config.branch_scaling,
            root_sample_size: self.config.root_sample_size,
            ..BrownianSettings::paper(n_dims)
        };
        Ok(BrownianPrior::new(self.matched.tree(), &self.matched.tip_positions(order), settings)?)
    }
}

impl TreeConfig {
    /// The rate of diffusion per unit of the tree's time, trace(Sigma) / T: Sigma is collected over the total length T of the
    /// tree, or over one unit of time if branches are not scaled.
    pub fn diffusion_rate(&self, trait_trace: f64) -> f64 {
        match self.branch_scaling {
            BranchScaling::TotalLength => trait_trace / self.total_length,
            BranchScaling::None => trait_trace,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The prior of a location has nothing to do with the order in which objects are laid.
    #[test]
    fn tips_are_joined_to_objects_by_name_in_any_order() {
        let names = Names::numbered(4);
        let [a, b, c, d] = [2, 0, 3, 1].map(|object| names.get(object).into_owned());
        let tree = Tree::parse(&format!("((({a}:0.1,{b}:0.7):0.2,{c}:0.5):0.3,{d}:1.1);")).unwrap();
        let matched = tree.match_tips(&names, false).unwrap();
        let tree = RunTree { matched, config: TreeConfig::new("tree".into()) };
        let by_object = [0.3, -1.0, 2.0, 0.1];
        let density = |order: [usize; 4]| {
            let TreePrior { brownian, wishart, .. } = tree.prior(&order, 1).unwrap();
            let x = order.map(|object| by_object[object]);
            brownian.collapsed_log_density(&mut brownian.workspace(), &x, &wishart)
        };
        let expected = density([0, 1, 2, 3]);
        for order in [[3, 2, 1, 0], [1, 3, 0, 2]] {
            assert!((density(order) - expected).abs() < 1e-12);
        }
        let moved = [0.3, 2.0, -1.0, 0.1];
        let TreePrior { brownian, wishart, .. } = tree.prior(&[0, 1, 2, 3], 1).unwrap();
        let of_moved = brownian.collapsed_log_density(&mut brownian.workspace(), &moved, &wishart);
        assert!((of_moved - expected).abs() > 1e-3, "it matters which location is whose");
    }
}
