//! The run directory as a sink of draws: a store on disk, and a checkpoint for every chain.

use super::directory::RunDirectory;
use crate::Locations;
use crate::draws::checkpoint::{self, CheckpointError};
use crate::draws::{Buffered, ChainWriter, Draw, DrawReader, DrawStore, StoreError, StorePlan};
use crate::error::RunError;
use crate::fit::Observer;
use crate::fit::chain::{SavedChain, Snapshot};
use crate::fit::sink::{ChainSink, DrawSink};

/// Stores draws in `draws.zarr` and chains in `checkpoints`.
pub(super) struct DirectorySink<'a> {
    run: &'a RunDirectory,
    store: DrawStore,
    /// Identifies settings and data in the checkpoints.
    run_id: u64,
    observer: &'a dyn Observer,
}

impl<'a> DirectorySink<'a> {
    /// Opens the store of the run, which can have planned at most `most_draws` draws of each chain, or has `make` make it; `None` if
    /// that gives up.
    pub fn open(
        run: &'a RunDirectory,
        run_id: u64,
        most_draws: usize,
        observer: &'a dyn Observer,
        make: impl FnOnce(&dyn Fn(&StorePlan<'_>) -> Result<DrawStore, StoreError>) -> Result<Option<DrawStore>, StoreError>,
    ) -> Result<Option<Self>, RunError> {
        let store = match DrawStore::open_within(run.path(), most_draws) {
            // Never made, or killed before it was.
            Err(StoreError::Missing { .. }) => match make(&|plan| DrawStore::create(run.path(), plan))? {
                Some(made) => made,
                None => return Ok(None),
            },
            opened => opened?,
        };
        run.make_room_for_checkpoints()?;
        Ok(Some(Self { run, store, run_id, observer }))
    }

    /// Whether no chain has begun.
    pub fn is_new(&self) -> Result<bool, RunError> {
        let saved = (0..self.store.n_chains()).map(|chain| self.saved(chain)).collect::<Result<Vec<_>, _>>()?;
        Ok(saved.iter().all(Option::is_none))
    }
}

impl DrawSink for DirectorySink<'_> {
    fn reference(&self) -> Result<Option<Locations>, RunError> {
        Ok(self.store.reference()?)
    }

    fn room(&self) -> usize {
        self.store.n_draws()
    }

    fn extend(&mut self, n_draws: usize) -> Result<(), RunError> {
        Ok(self.store.extend_draws(n_draws)?)
    }

    fn saved(&self, chain: usize) -> Result<Option<SavedChain>, RunError> {
        match checkpoint::load(&self.run.checkpoint(chain), self.run_id) {
            Ok(loaded) => {
                if let Some(error) = loaded.newest_unusable {
                    self.observer.warn(&format!("{error}; going on from the one before it"));
                }
                Ok(Some(loaded.value))
            }
            Err(CheckpointError::Missing(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn chain(&self, chain: usize) -> Result<Box<dyn ChainSink + '_>, RunError> {
        Ok(Box::new(ChainInDirectory { sink: self, writer: self.store.writer(chain)? }))
    }

    fn reader(&self) -> Result<DrawReader, RunError> {
        Ok(DrawReader::open(self.run.path())?)
    }
}

/// One chain of it.
struct ChainInDirectory<'a> {
    sink: &'a DirectorySink<'a>,
    writer: ChainWriter,
}

impl ChainSink for ChainInDirectory<'_> {
    fn n_draws(&self) -> usize {
        self.writer.n_draws()
    }

    fn push(&mut self, draw: &Draw<'_>) -> Result<(), RunError> {
        Ok(self.writer.push(draw)?)
    }

    fn buffered(&mut self) -> Result<Buffered, RunError> {
        Ok(self.writer.buffered()?)
    }

    fn restore(&mut self, buffered: Buffered) -> Result<(), RunError> {
        Ok(self.writer.restore(buffered)?)
    }

    fn save(&mut self, snapshot: &Snapshot<'_>) -> Result<(), RunError> {
        let path = self.sink.run.checkpoint(self.writer.chain());
        Ok(checkpoint::save(&path, self.sink.run_id, snapshot)?)
    }

    fn finish(self: Box<Self>) -> Result<(), RunError> {
        Ok(self.writer.finish()?)
    }
}
