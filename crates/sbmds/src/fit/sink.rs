//! Where the draws of a fit go: memory, a run directory, or wherever somebody wants them.

use super::chain::{SavedChain, Snapshot};
use crate::Locations;
use crate::draws::{Buffered, Draw, DrawReader, MemoryStore, StoreError, StorePlan};
use crate::error::RunError;

/// Where the draws of a fit go. One loop drives the chains and pushes what they draw; a sink stores it, and may save the chains so
/// that they can go on later.
pub trait DrawSink: Sync {
    /// The map that draws are aligned to before they are pushed; `None`: they are pushed as the sampler has them.
    ///
    /// # Errors
    /// If the sink cannot be read.
    fn reference(&self) -> Result<Option<Locations>, RunError>;

    /// Draws of each chain that there is room for already; by default none.
    fn room(&self) -> usize {
        0
    }

    /// Makes room for `n_draws` draws of each chain; by default nothing is to be done.
    ///
    /// # Errors
    /// If there is none.
    fn extend(&mut self, _n_draws: usize) -> Result<(), RunError> {
        Ok(())
    }

    /// A chain as it was saved last; `None` if it never was, as by default.
    ///
    /// # Errors
    /// If what was saved cannot be read.
    fn saved(&self, _chain: usize) -> Result<Option<SavedChain>, RunError> {
        Ok(None)
    }

    /// The sink of one chain, before its first draw.
    ///
    /// # Errors
    /// If it cannot be opened.
    fn chain(&self, chain: usize) -> Result<Box<dyn ChainSink + '_>, RunError>;

    /// The draws so far, to read.
    ///
    /// # Errors
    /// If they cannot be read.
    fn reader(&self) -> Result<DrawReader, RunError>;
}

/// Where the draws of one chain go. It belongs to the thread of that chain.
pub trait ChainSink {
    /// Draws taken so far.
    fn n_draws(&self) -> usize;

    /// Takes one draw.
    ///
    /// # Errors
    /// If it cannot be stored.
    fn push(&mut self, draw: &Draw<'_>) -> Result<(), RunError>;

    /// What is taken, but not stored yet.
    ///
    /// # Errors
    /// If what is to be stored cannot be.
    fn buffered(&mut self) -> Result<Buffered, RunError>;

    /// Goes on after what was taken when `buffered` was asked for; a sink that saves no chains need not.
    ///
    /// # Errors
    /// If what was stored by then is not there.
    fn restore(&mut self, _buffered: Buffered) -> Result<(), RunError> {
        Ok(())
    }

    /// Saves the chain: everything so far is safe when this returns. By default nothing is saved.
    ///
    /// # Errors
    /// If it cannot be saved.
    fn save(&mut self, _snapshot: &Snapshot<'_>) -> Result<(), RunError> {
        Ok(())
    }

    /// No more draws will come.
    ///
    /// # Errors
    /// If what is left cannot be stored.
    fn finish(self: Box<Self>) -> Result<(), RunError> {
        Ok(())
    }
}

/// Keeps the draws in memory; nothing outlives the process.
pub struct MemorySink(MemoryStore);

impl MemorySink {
    /// For what is planned.
    ///
    /// # Errors
    /// If that cannot be stored.
    pub fn new(plan: &StorePlan) -> Result<Self, StoreError> {
        Ok(Self(MemoryStore::new(plan)?))
    }
}

impl DrawSink for MemorySink {
    fn reference(&self) -> Result<Option<Locations>, RunError> {
        Ok(self.0.reference().cloned())
    }

    fn chain(&self, chain: usize) -> Result<Box<dyn ChainSink + '_>, RunError> {
        Ok(Box::new(ChainInMemory { store: &self.0, chain }))
    }

    fn reader(&self) -> Result<DrawReader, RunError> {
        Ok(self.0.reader())
    }
}

/// One chain of it.
struct ChainInMemory<'a> {
    store: &'a MemoryStore,
    chain: usize,
}

impl ChainSink for ChainInMemory<'_> {
    fn n_draws(&self) -> usize {
        self.store.n_draws(self.chain)
    }

    fn push(&mut self, draw: &Draw<'_>) -> Result<(), RunError> {
        self.store.push(self.chain, draw);
        Ok(())
    }

    fn buffered(&mut self) -> Result<Buffered, RunError> {
        Ok(Buffered::nothing(self.chain, self.n_draws()))
    }
}
