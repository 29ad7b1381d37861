//! Draws in a Zarr store, read chunk by chunk, whether the run is done, going on or was killed.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::error::StoreError;
use super::plan::Variable;
use super::reader::{DrawReader, Shape};
use super::reference;
use super::source::DrawSource;
use super::tree::{DRAW_AXIS, Stored, Tree};
use super::zarr::ZarrArray;
use crate::Locations;
use crate::dissimilarity::Names;

/// The chunk of locations read last; the next draw asked for is mostly in it too.
#[derive(Debug)]
struct CachedChunk {
    chain: usize,
    chunk: usize,
    values: Arc<Vec<f64>>,
}

/// The arrays of a store, open for reading.
#[derive(Debug)]
struct ZarrSource {
    tree: Tree,
    cached: Mutex<Option<CachedChunk>>,
}

impl DrawReader {
    /// Opens the store of the run in directory `run` as it is now.
    ///
    /// # Errors
    /// If there is none or it is damaged.
    pub fn open(run: &Path) -> Result<Self, StoreError> {
        // A run at work may have extended its store between two looks at it.
        open_as_it_is(run).or_else(|_| open_as_it_is(run))
    }
}

fn open_as_it_is(run: &Path) -> Result<DrawReader, StoreError> {
    let tree = Tree::open(run)?;
    let objects = tree.coordinate("object")?;
    let names = Names::given(objects.read_chunk(&[0])?)
        .map_err(|twice| StoreError::damaged(objects.directory())(format!("name {} is there twice", twice.later)))?;
    let n_dims = tree.coordinate("dim")?.shape()[0] as usize;
    let n_draws = tree.room()?.0 as usize;
    let n_complete = (0..tree.progress.shape()[0] as usize)
        .map(|chain| match tree.n_readable(chain)? {
            n_complete if n_complete <= n_draws => Ok(n_complete),
            n_complete => Err(StoreError::damaged(&tree.path)(format!(
                "chain {chain} has {n_complete} draws, but an array has room for {n_draws}"
            ))),
        })
        .collect::<Result<_, StoreError>>()?;
    let (variables, stats) = (listed(&tree.variables), listed(&tree.stats));
    let shape = Shape { path: tree.path.clone(), names, n_dims, n_draws, n_complete, variables, stats };
    Ok(DrawReader::new(shape, Box::new(ZarrSource { tree, cached: Mutex::new(None) })))
}

fn listed(stored: &[Stored]) -> Vec<Variable> {
    stored.iter().map(|stored| stored.variable.clone()).collect()
}

impl DrawSource for ZarrSource {
    fn has_x(&self) -> bool {
        self.tree.x.is_some()
    }

    fn reference(&self) -> Result<Option<Locations>, StoreError> {
        reference::read(&self.tree)
    }

    fn x_block(&self, chain: usize, draw: usize) -> Result<(Arc<Vec<f64>>, usize), StoreError> {
        let array = self.tree.x.as_ref().ok_or_else(|| StoreError::NoLocations { path: self.tree.path.clone() })?;
        let (chunk, within) = (draw / array.chunk_len(DRAW_AXIS), draw % array.chunk_len(DRAW_AXIS));
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = cached.as_ref().filter(|cached| (cached.chain, cached.chunk) == (chain, chunk)) {
            return Ok((Arc::clone(&cached.values), within));
        }
        let values = Arc::new(array.read_numbers(&[chain as u64, chunk as u64, 0, 0])?);
        *cached = Some(CachedChunk { chain, chunk, values: Arc::clone(&values) });
        Ok((values, within))
    }

    fn column(&self, column: usize, chain: usize, n_draws: usize) -> Result<Vec<f64>, StoreError> {
        let n_variables = self.tree.variables.len();
        let stored = match column.checked_sub(n_variables) {
            None => &self.tree.variables[column],
            Some(stat) => &self.tree.stats[stat],
        };
        read_draws(&stored.array, chain, n_draws)
    }
}

fn read_draws(array: &ZarrArray, chain: usize, n_draws: usize) -> Result<Vec<f64>, StoreError> {
    let chunk_draws = array.chunk_len(DRAW_AXIS);
    let row_len = array.chunk_size() / chunk_draws;
    let mut values = Vec::with_capacity(n_draws * row_len);
    let mut indices = vec![0; array.shape().len()];
    indices[0] = chain as u64;
    for chunk in 0..n_draws.div_ceil(chunk_draws) {
        indices[DRAW_AXIS] = chunk as u64;
        values.extend(array.read_numbers(&indices)?);
    }
    values.truncate(n_draws * row_len);
    Ok(values)
}
