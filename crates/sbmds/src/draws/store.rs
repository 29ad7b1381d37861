//! The store of one run, as the run sees it: made once, opened again to resume, extended when more draws are wanted.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::error::StoreError;
use super::plan::{StorePlan, Variable};
use super::reference;
use super::tree::{Tree, store_path};
use super::writer::ChainWriter;
use crate::Locations;
use crate::files::atomic::{sweep, sync_parent};

/// Draws of a chain beyond which no run goes: each thousand of them takes a file.
const MOST_DRAWS: usize = 1_000_000_000;

/// The store of draws of one run, open for writing.
#[derive(Debug)]
pub struct DrawStore {
    tree: Tree,
    n_chains: usize,
    /// Shared with the writers, which refuse draws beyond it.
    n_draws: Arc<AtomicUsize>,
}

impl DrawStore {
    /// Makes the empty store `RUN/draws.zarr`; it appears complete or not at all.
    ///
    /// # Errors
    /// If the plan cannot be stored, the directory holds draws already or cannot be written.
    pub fn create(run: &Path, plan: &StorePlan) -> Result<Self, StoreError> {
        plan.check()?;
        let path = store_path(run);
        if path.exists() {
            return Err(StoreError::Exists { path });
        }
        let unfinished = path.with_extension("zarr.unfinished");
        remove_unfinished(&unfinished)?;
        let made = Tree::create(&unfinished, plan)
            .and_then(|()| fs::rename(&unfinished, &path).map_err(StoreError::io("create", &path)));
        if let Err(error) = made {
            // The first error is the one to report; the next attempt tries to remove the rest again.
            let _ = fs::remove_dir_all(&unfinished);
            return Err(error);
        }
        sync_parent(&path).map_err(StoreError::io("sync", run))?;
        Self::open(run)
    }

    /// Opens the store of a run to continue it, finishing what a kill interrupted.
    ///
    /// # Errors
    /// If there is no store, it is damaged or cannot be written.
    pub fn open(run: &Path) -> Result<Self, StoreError> {
        Self::open_within(run, MOST_DRAWS)
    }

    /// The same, for a run that can have planned at most `most_draws` draws of each chain, or made more before.
    ///
    /// # Errors
    /// If there is no store, it is damaged (it has room for more draws) or cannot be written.
    pub fn open_within(run: &Path, most_draws: usize) -> Result<Self, StoreError> {
        let tree = Tree::open(run)?;
        let (smallest, largest) = tree.room()?;
        let made = (0..tree.progress.shape()[0] as usize).map(|chain| tree.n_readable(chain));
        let made = made.collect::<Result<Vec<_>, _>>()?.into_iter().max().unwrap_or(0);
        if largest > most_draws.max(made).min(MOST_DRAWS) as u64 {
            let what = format!("it has room for {largest} draws, and at most {most_draws} were planned");
            return Err(StoreError::damaged(&tree.path)(what));
        }
        sweep(&tree.path).map_err(StoreError::io("clean", &tree.path))?;
        if smallest < largest {
            tree.enlarge(largest)?;
        }
        let n_chains = tree.progress.shape()[0] as usize;
        Ok(Self { tree, n_chains, n_draws: Arc::new(AtomicUsize::new(largest as usize)) })
    }

    /// Number of chains.
    pub fn n_chains(&self) -> usize {
        self.n_chains
    }

    /// Planned number of draws of each chain.
    pub fn n_draws(&self) -> usize {
        self.n_draws.load(Ordering::Relaxed)
    }

    /// Variables of the `posterior` group besides `x`, in the order they are pushed.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.tree.variables.iter().map(|stored| &stored.variable)
    }

    /// Variables of the `sample_stats` group, in the order they are pushed.
    pub fn stats(&self) -> impl Iterator<Item = &Variable> {
        self.tree.stats.iter().map(|stored| &stored.variable)
    }

    /// The map that locations are to be aligned to before they are pushed; `None`: they are pushed as they are.
    ///
    /// # Errors
    /// If the store is damaged.
    pub fn reference(&self) -> Result<Option<Locations>, StoreError> {
        reference::read(&self.tree)
    }

    /// Makes room for `n_draws` draws of each chain; the writers already handed out may use it at once.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn extend_draws(&mut self, n_draws: usize) -> Result<(), StoreError> {
        if n_draws > self.n_draws() {
            self.tree.enlarge(n_draws as u64)?;
            self.n_draws.store(n_draws, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The writer of one chain, at its first draw; [`ChainWriter::restore`] takes it to where a checkpoint was.
    ///
    /// # Errors
    /// If there is no such chain or the store is damaged.
    pub fn writer(&self, chain: usize) -> Result<ChainWriter, StoreError> {
        if chain >= self.n_chains {
            let (path, n_chains) = (self.tree.path.clone(), self.n_chains);
            return Err(StoreError::NoDraw { path, chain, draw: 0, n_chains, n_draws: 0 });
        }
        ChainWriter::new(&self.tree, chain, Arc::clone(&self.n_draws))
    }
}

fn remove_unfinished(path: &PathBuf) -> Result<(), StoreError> {
    if path.exists() { fs::remove_dir_all(path).map_err(StoreError::io("remove", path)) } else { Ok(()) }
}
