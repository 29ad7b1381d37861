//! Scratch memory of a posterior.

use super::TreePrior;
use crate::brownian::BrownianWorkspace;
use crate::likelihood::{self, Arithmetic};

/// Scratch memory for evaluating one posterior; one per chain.
pub struct Workspace {
    /// Of the likelihood.
    pub likelihood: likelihood::Workspace,
    /// In which gradients, and the values that come with them, are computed; values alone are f64.
    pub arithmetic: Arithmetic,
    /// Of the prior along a tree, made when first needed.
    tree: Option<BrownianWorkspace>,
}

impl Workspace {
    /// Evaluates on the calling thread.
    pub fn serial() -> Self {
        Self::new(likelihood::Workspace::serial())
    }

    /// Spreads the likelihood over rayon's threads; the numbers stay the same to the bit.
    pub fn parallel() -> Self {
        Self::new(likelihood::Workspace::parallel())
    }

    fn new(likelihood: likelihood::Workspace) -> Self {
        Self { likelihood, arithmetic: Arithmetic::F64, tree: None }
    }

    pub(crate) fn tree(&mut self, prior: &TreePrior) -> &mut BrownianWorkspace {
        self.tree.get_or_insert_with(|| prior.brownian.workspace())
    }
}
