//! Scratch memory of a posterior.

use crate::likelihood::{self, Scratch};

/// Scratch memory for evaluating one posterior; one per chain.
pub struct Workspace {
    /// Of the likelihood.
    pub likelihood: likelihood::Workspace,
    /// Of the prior of the locations.
    pub prior: Scratch,
}

impl Workspace {
    /// Evaluates on the calling thread.
    pub fn serial() -> Self {
        Self { likelihood: likelihood::Workspace::serial(), prior: Scratch::default() }
    }

    /// Spreads the likelihood over rayon's threads; the numbers stay the same to the bit.
    pub fn parallel() -> Self {
        Self { likelihood: likelihood::Workspace::parallel(), prior: Scratch::default() }
    }
}
