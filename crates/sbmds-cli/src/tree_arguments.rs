//! Flags of a tree, and what they resolve to.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sbmds::brownian::{BranchScaling, BrownianPrior, BrownianSettings};
use sbmds::dissimilarity::Names;
use sbmds::tree::{MatchedTree, Tree};

use crate::failure::Failure;
use crate::say::{say, warn};

/// Which tree, and how locations move along it.
#[derive(Args)]
#[command(next_help_heading = "Tree")]
pub struct TreeArgs {
    /// Phylogeny whose tips are the objects (Newick or NEXUS): locations diffuse along its branches
    #[arg(long, value_name = "FILE")]
    pub tree: Option<PathBuf>,
    /// Which tree of the file, counted from 1 (default: the last)
    #[arg(long, value_name = "I", requires = "tree")]
    pub tree_index: Option<usize>,
    /// Drop tips that are not among the objects
    #[arg(long, requires = "tree")]
    pub prune: bool,
    /// Prior sample size of the root's location: its variance is that of the diffusion divided by this
    #[arg(long, value_name = "K", default_value_t = 0.001, requires = "tree", allow_negative_numbers = true)]
    pub root_sample_size: f64,
    /// Unit of branch lengths
    #[arg(long, value_enum, default_value = "total-length", requires = "tree")]
    pub branch_scaling: ScalingArg,
}

/// See [`BranchScaling`].
#[derive(Clone, Copy, ValueEnum)]
pub enum ScalingArg {
    TotalLength,
    None,
}

impl From<ScalingArg> for BranchScaling {
    fn from(scaling: ScalingArg) -> Self {
        match scaling {
            ScalingArg::TotalLength => Self::TotalLength,
            ScalingArg::None => Self::None,
        }
    }
}

impl TreeArgs {
    /// Reads the tree, if one is given, and joins its tips to the objects. Says on stderr what was not asked for by name.
    pub fn read(&self, names: &Names) -> Result<Option<MatchedTree>, Failure> {
        let Some(path) = &self.tree else { return Ok(None) };
        let tree = Tree::read(path, self.tree_index.into()).map_err(Failure::bad_input)?;
        if self.tree_index.is_none() && tree.source().n_trees > 1 {
            say(format_args!("note: {} is used; --tree-index chooses another", tree.source()));
        }
        tree.match_tips(names, self.prune).map(Some).map_err(Failure::bad_input)
    }

    /// The prior of the locations when tip t is at position `tip_positions[t]`. Warns on stderr of tips at distance zero.
    pub fn prior(&self, tree: &Tree, tip_positions: &[usize], n_dims: usize) -> Result<BrownianPrior, Failure> {
        let settings = BrownianSettings {
            scaling: self.branch_scaling.into(),
            root_sample_size: self.root_sample_size,
            ..BrownianSettings::paper(n_dims)
        };
        let prior = BrownianPrior::new(tree, tip_positions, settings).map_err(Failure::bad_input)?;
        if let Some(coincident) = prior.coincident_tips() {
            warn(coincident);
        }
        Ok(prior)
    }
}
