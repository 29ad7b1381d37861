//! What a run tells whoever watches it.

use crate::Locations;
use crate::dissimilarity::Names;

/// How far one chain is.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct ChainProgress {
    /// The chain, from 0.
    pub chain: usize,
    /// Iterations done.
    pub iteration: usize,
    /// Iterations there will be.
    pub n_iterations: usize,
    /// Iterations of warm-up among them.
    pub n_warmup: usize,
    /// Mean acceptance rate: of the warm-up while it lasts, then of the iterations after it.
    pub acceptance: f64,
    /// Present step size.
    pub step_size: f64,
    /// Divergences after warm-up.
    pub divergences: usize,
    /// Seconds spent on this chain.
    pub seconds: f64,
}

impl ChainProgress {
    /// Whether the chain has made all its iterations.
    pub fn is_done(&self) -> bool {
        self.iteration >= self.n_iterations
    }
}

/// Watches a run. Called from the threads of the chains, several times a second each.
pub trait Observer: Sync {
    /// A stage of the run, in a few words.
    fn note(&self, text: &str);
    /// Something the user should know though the run goes on.
    fn warn(&self, text: &str);
    /// The optimised map, in input order and units, before sampling begins.
    fn first_map(&self, _names: &Names, _map: &Locations) {}
    /// How far a chain is.
    fn progress(&self, progress: &ChainProgress);
}

/// Watches without a word.
pub struct Silent;

impl Observer for Silent {
    fn note(&self, _: &str) {}
    fn warn(&self, _: &str) {}
    fn progress(&self, _: &ChainProgress) {}
}
