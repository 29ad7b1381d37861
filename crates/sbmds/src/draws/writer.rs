//! The writer of one chain: gathers draws until chunks are full, and can say exactly what it has not yet written.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::tree::{DRAW_AXIS, Tree};
use super::zarr::ZarrArray;
use crate::Locations;
use crate::files::atomic::{sync_directory, sync_file};

/// One kept draw.
#[derive(Clone, Copy, Debug)]
pub struct Draw<'a> {
    /// Locations in input order; ignored by a store that keeps no locations.
    pub x: &'a Locations,
    /// Values of the posterior variables, in the order of the plan, vectors and matrices row by row.
    pub scalars: &'a [f64],
    /// Values of the sample statistics, in the order of the plan.
    pub stats: &'a [f64],
}

/// What a writer holds in memory: the draws whose chunks are not yet full. It goes into the checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Buffered {
    chain: usize,
    n_draws: usize,
    columns: Vec<Vec<f64>>,
}

impl Buffered {
    /// Of a chain all of whose draws are stored.
    pub(crate) fn nothing(chain: usize, n_draws: usize) -> Self {
        Self { chain, n_draws, columns: Vec::new() }
    }

    /// Number of draws the chain had made.
    pub fn n_draws(&self) -> usize {
        self.n_draws
    }
}

/// One array with the draws that wait for its current chunk to fill.
#[derive(Debug)]
struct Column {
    array: Arc<ZarrArray>,
    row_len: usize,
    chunk_draws: usize,
    rows: Vec<f64>,
    /// How many of `rows` are on disk already, in a chunk padded to its end.
    n_flushed: usize,
}

impl Column {
    fn new(array: &Arc<ZarrArray>) -> Self {
        let chunk_draws = array.chunk_len(DRAW_AXIS);
        let row_len = array.chunk_size() / chunk_draws;
        Self { array: Arc::clone(array), row_len, chunk_draws, rows: Vec::new(), n_flushed: 0 }
    }

    fn n_waiting(&self) -> usize {
        self.rows.len() / self.row_len
    }

    fn is_full(&self) -> bool {
        self.n_waiting() == self.chunk_draws
    }

    fn indices(&self, chain: usize, chunk: usize) -> Vec<u64> {
        let mut indices = vec![0; self.array.shape().len()];
        indices[0] = chain as u64;
        indices[DRAW_AXIS] = chunk as u64;
        indices
    }

    /// Writes what waits, padded to a whole chunk; `None` if that is on disk already.
    fn flush(&mut self, chain: usize, n_draws: usize) -> Result<Option<PathBuf>, StoreError> {
        let n_waiting = self.n_waiting();
        if n_waiting == self.n_flushed {
            return Ok(None);
        }
        let indices = self.indices(chain, (n_draws - n_waiting) / self.chunk_draws);
        self.rows.resize(self.array.chunk_size(), f64::NAN);
        let written = self.array.write_numbers(&indices, &self.rows);
        self.rows.truncate(n_waiting * self.row_len);
        let path = written?;
        self.n_flushed = n_waiting;
        Ok(Some(path))
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.n_flushed = 0;
    }

    /// Why `rows` cannot be what waits after `n_draws` draws of `chain`, if so.
    fn misfit(&self, chain: usize, n_draws: usize, rows: &[f64]) -> Option<String> {
        let n_waiting = rows.len() / self.row_len;
        let whole_rows = rows.len().is_multiple_of(self.row_len) && n_waiting <= self.chunk_draws;
        if !whole_rows || n_waiting > n_draws || !(n_draws - n_waiting).is_multiple_of(self.chunk_draws) {
            let name = self.array.directory().display();
            return Some(format!("{} waiting numbers after {n_draws} draws of {name}", rows.len()));
        }
        let n_chunks = (n_draws - n_waiting) / self.chunk_draws;
        let missing = (0..n_chunks)
            .map(|chunk| self.array.chunk_path(&self.indices(chain, chunk)))
            .find(|path| !path.exists())?;
        Some(format!("{} is missing", missing.display()))
    }
}

/// How many written files may wait for a sync before the writer syncs by itself.
const MAX_UNSYNCED: usize = 256;

/// Writes the draws of one chain. It belongs to the thread of that chain.
#[derive(Debug)]
pub struct ChainWriter {
    store: PathBuf,
    chain: usize,
    n_objects_dims: Option<(usize, usize)>,
    n_scalars: usize,
    n_stats: usize,
    /// `x` if it is kept, then the posterior variables, then the sample statistics.
    columns: Vec<Column>,
    progress: Arc<ZarrArray>,
    n_draws: usize,
    /// What `progress` says on disk. After a kill this can be ahead of `n_draws`: those draws are made once more.
    n_readable: usize,
    n_planned: Arc<AtomicUsize>,
    unsynced: BTreeSet<PathBuf>,
}

impl ChainWriter {
    pub(super) fn new(tree: &Tree, chain: usize, n_planned: Arc<AtomicUsize>) -> Result<Self, StoreError> {
        let variables = tree.variables.iter().chain(&tree.stats).map(|stored| &stored.array);
        let width = |stored: &[super::tree::Stored]| stored.iter().map(|s| s.variable.row_len()).sum();
        Ok(Self {
            store: tree.path.clone(),
            chain,
            n_objects_dims: tree.x.as_ref().map(|x| (x.shape()[2] as usize, x.shape()[3] as usize)),
            n_scalars: width(&tree.variables),
            n_stats: width(&tree.stats),
            columns: tree.x.iter().chain(variables).map(Column::new).collect(),
            progress: Arc::clone(&tree.progress),
            n_draws: 0,
            n_readable: tree.n_readable(chain)?,
            n_planned,
            unsynced: BTreeSet::new(),
        })
    }

    /// The chain, counted from 0.
    pub fn chain(&self) -> usize {
        self.chain
    }

    /// Number of draws made so far.
    pub fn n_draws(&self) -> usize {
        self.n_draws
    }

    /// Takes one draw. After an error the draw is not taken and may be pushed again.
    ///
    /// # Errors
    /// If a chunk cannot be written, the draw has the wrong shape, or all planned draws are made.
    pub fn push(&mut self, draw: &Draw) -> Result<(), StoreError> {
        self.check(draw)?;
        self.write_full_chunks()?;
        let mut columns = self.columns.iter_mut();
        if self.n_objects_dims.is_some()
            && let Some(column) = columns.next()
        {
            push_locations(&mut column.rows, draw.x);
        }
        let mut values = draw.scalars.iter().chain(draw.stats);
        for column in columns {
            column.rows.extend(values.by_ref().take(column.row_len));
        }
        self.n_draws += 1;
        Ok(())
    }

    fn check(&self, draw: &Draw) -> Result<(), StoreError> {
        let n_planned = self.n_planned.load(Ordering::Relaxed);
        if self.n_draws >= n_planned {
            return Err(StoreError::Full { chain: self.chain, n_draws: n_planned });
        }
        let (n_objects, n_dims) = self.n_objects_dims.unwrap_or((draw.x.n_objects(), draw.x.n_dims()));
        for (what, found, planned) in [
            ("objects", draw.x.n_objects(), n_objects),
            ("dimensions", draw.x.n_dims(), n_dims),
            ("posterior values", draw.scalars.len(), self.n_scalars),
            ("sample statistics", draw.stats.len(), self.n_stats),
        ] {
            if found != planned {
                return Err(StoreError::DrawShape { what, found, planned });
            }
        }
        Ok(())
    }

    fn write_full_chunks(&mut self) -> Result<(), StoreError> {
        for column in self.columns.iter_mut().filter(|column| column.is_full()) {
            self.unsynced.extend(column.flush(self.chain, self.n_draws)?);
            column.clear();
        }
        let n_on_disk = self.columns.iter().map(|column| self.n_draws - column.n_waiting()).min();
        self.advance(n_on_disk.unwrap_or(self.n_draws))
    }

    /// Makes every draw so far readable: chunks not yet full are written padded with the fill value.
    ///
    /// # Errors
    /// If a chunk cannot be written.
    pub fn flush_partial(&mut self) -> Result<(), StoreError> {
        // Chunks padded after `n_draws` are about to replace fuller ones that a killed run left.
        if self.n_readable > self.n_draws {
            self.record(self.n_draws)?;
        }
        for column in &mut self.columns {
            self.unsynced.extend(column.flush(self.chain, self.n_draws)?);
        }
        self.advance(self.n_draws)
    }

    /// Records that at least the first `n_readable` draws are on disk.
    fn advance(&mut self, n_readable: usize) -> Result<(), StoreError> {
        if n_readable > self.n_readable {
            self.record(n_readable)?;
        }
        if self.unsynced.len() >= MAX_UNSYNCED { self.sync() } else { Ok(()) }
    }

    fn record(&mut self, n_readable: usize) -> Result<(), StoreError> {
        self.unsynced.insert(self.progress.write_chunk(&[self.chain as u64], &[n_readable as i64])?);
        self.n_readable = n_readable;
        Ok(())
    }

    /// Makes everything written so far survive a power cut.
    fn sync(&mut self) -> Result<(), StoreError> {
        let directories: BTreeSet<&Path> = self.unsynced.iter().filter_map(|path| path.parent()).collect();
        self.unsynced.iter().try_for_each(|path| sync_file(path).map_err(StoreError::io("sync", path)))?;
        directories.into_iter().try_for_each(|path| sync_directory(path).map_err(StoreError::io("sync", path)))?;
        self.unsynced.clear();
        Ok(())
    }

    /// The draws that no full chunk holds yet, for the checkpoint; all others are safe on disk when this returns.
    ///
    /// # Errors
    /// If the disk does not confirm what was written.
    pub fn buffered(&mut self) -> Result<Buffered, StoreError> {
        self.sync()?;
        let columns = self.columns.iter().map(|column| column.rows.clone()).collect();
        Ok(Buffered { chain: self.chain, n_draws: self.n_draws, columns })
    }

    /// Goes (back) to where `buffered` was taken. Later draws may be in the store already: pushing them again writes
    /// the same bytes.
    ///
    /// # Errors
    /// If `buffered` is of another run or chain, or chunks written before it are gone.
    pub fn restore(&mut self, buffered: Buffered) -> Result<(), StoreError> {
        if let Some(what) = self.misfit(&buffered) {
            return Err(StoreError::WrongCheckpoint { path: self.store.clone(), what });
        }
        self.n_draws = buffered.n_draws;
        for (column, rows) in self.columns.iter_mut().zip(buffered.columns) {
            column.clear();
            column.rows = rows;
        }
        Ok(())
    }

    fn misfit(&self, buffered: &Buffered) -> Option<String> {
        let (n_draws, n_planned) = (buffered.n_draws, self.n_planned.load(Ordering::Relaxed));
        if buffered.chain != self.chain || buffered.columns.len() != self.columns.len() || n_draws > n_planned {
            return Some(format!("it is of chain {} after {n_draws} of {n_planned} draws", buffered.chain));
        }
        let mut columns = self.columns.iter().zip(&buffered.columns);
        columns.find_map(|(column, rows)| column.misfit(self.chain, n_draws, rows))
    }

    /// Writes all that is left and makes it survive a power cut.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn finish(mut self) -> Result<(), StoreError> {
        self.flush_partial()?;
        self.sync()
    }
}

/// Appends the locations object by object, as the store has them.
fn push_locations(rows: &mut Vec<f64>, x: &Locations) {
    rows.reserve(x.n_objects() * x.n_dims());
    for object in 0..x.n_objects() {
        rows.extend((0..x.n_dims()).map(|dim| x.get(object, dim)));
    }
}
