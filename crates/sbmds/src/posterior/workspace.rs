//! Scratch memory of a posterior.

use super::TreePrior;
use crate::brownian::BrownianWorkspace;
use crate::likelihood;

/// Scratch memory for evaluating one posterior; one per chain.
pub struct Workspace {
    /// Of the likelihood.
    pub likelihood: likelihood::Workspace,
    /// Of the prior along a tree, made when first needed.
    tree: Option<BrownianWorkspace>,
}

impl Workspace {
    /// Evaluates on the calling thread.
    pub fn serial() -> Self {
        Self { likelihood: likelihood::Workspace::serial(), tree: None }
    }

    /// Spreads the likelihood over rayon's threads; the numbers stay the same to the bit.
    pub fn parallel() -> Self {
        Self { likelihood: likelihood::Workspace::parallel(), tree: None }
    }

    pub(crate) fn tree(&mut self, prior: &TreePrior) -> &mut BrownianWorkspace {
        self.tree.get_or_insert_with(|| prior.brownian.workspace())
    }
}
