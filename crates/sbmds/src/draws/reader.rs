//! Reads the draws of a run, chunk by chunk, whether the run is done, going on or was killed.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::error::StoreError;
use super::plan::Variable;
use super::reference;
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

/// The draws of a run, open for reading.
#[derive(Debug)]
pub struct DrawReader {
    tree: Tree,
    names: Names,
    n_dims: usize,
    n_draws: usize,
    n_complete: Vec<usize>,
    cached: Mutex<Option<CachedChunk>>,
}

impl DrawReader {
    /// Opens the store of the run in directory `run` as it is now.
    ///
    /// # Errors
    /// If there is none or it is damaged.
    pub fn open(run: &Path) -> Result<Self, StoreError> {
        // A run at work may have extended its store between two looks at it.
        Self::open_as_it_is(run).or_else(|_| Self::open_as_it_is(run))
    }

    fn open_as_it_is(run: &Path) -> Result<Self, StoreError> {
        let tree = Tree::open(run)?;
        let objects = tree.coordinate("object")?;
        let names = Names::given(objects.read_chunk(&[0])?)
            .map_err(|(_, later)| StoreError::damaged(objects.directory())(format!("name {later} is there twice")))?;
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
        Ok(Self { tree, names, n_dims, n_draws, n_complete, cached: Mutex::new(None) })
    }

    /// Where the store is.
    pub fn path(&self) -> &Path {
        &self.tree.path
    }

    /// Number of chains.
    pub fn n_chains(&self) -> usize {
        self.n_complete.len()
    }

    /// Planned number of draws of each chain.
    pub fn n_draws(&self) -> usize {
        self.n_draws
    }

    /// Number of draws of `chain` that are there; 0 for a chain that is not.
    pub fn n_complete(&self, chain: usize) -> usize {
        self.n_complete.get(chain).copied().unwrap_or(0)
    }

    /// Number of draws that are there in every chain.
    pub fn n_complete_in_all(&self) -> usize {
        self.n_complete.iter().copied().min().unwrap_or(0)
    }

    /// The objects, in input order.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Number of dimensions of the map.
    pub fn n_dims(&self) -> usize {
        self.n_dims
    }

    /// Whether the run kept its locations.
    pub fn has_x(&self) -> bool {
        self.tree.x.is_some()
    }

    /// The map that the stored locations were aligned to; `None` if they are as the sampler had them.
    ///
    /// # Errors
    /// If the store is damaged.
    pub fn reference(&self) -> Result<Option<Locations>, StoreError> {
        reference::read(&self.tree)
    }

    /// Variables of the `posterior` group besides `x`.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.tree.variables.iter().map(|stored| &stored.variable)
    }

    /// Variables of the `sample_stats` group.
    pub fn stats(&self) -> impl Iterator<Item = &Variable> {
        self.tree.stats.iter().map(|stored| &stored.variable)
    }

    /// The locations of one draw, in input order.
    ///
    /// # Errors
    /// If that draw is not there or the store is damaged.
    pub fn x(&self, chain: usize, draw: usize) -> Result<Locations, StoreError> {
        let mut x = Locations::zeros(self.names.len(), self.n_dims);
        self.x_into(chain, draw, &mut x)?;
        Ok(x)
    }

    fn x_into(&self, chain: usize, draw: usize, x: &mut Locations) -> Result<(), StoreError> {
        let row_len = self.names.len() * self.n_dims;
        let (values, index) = self.x_chunk(chain, draw)?;
        let row = &values[index * row_len..(index + 1) * row_len];
        for dim in 0..self.n_dims {
            let coordinates = x.dim_mut(dim).iter_mut();
            coordinates.zip(row[dim..].iter().step_by(self.n_dims)).for_each(|(to, from)| *to = *from);
        }
        Ok(())
    }

    /// The chunk that holds a draw, object by object, and the index of the draw in it.
    pub(super) fn x_chunk(&self, chain: usize, draw: usize) -> Result<(Arc<Vec<f64>>, usize), StoreError> {
        let array = self.tree.x.as_ref().ok_or_else(|| StoreError::NoLocations { path: self.tree.path.clone() })?;
        if draw >= self.n_complete(chain) {
            return Err(self.no_draw(chain, draw));
        }
        let (chunk, index) = (draw / array.chunk_len(DRAW_AXIS), draw % array.chunk_len(DRAW_AXIS));
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = cached.as_ref().filter(|cached| (cached.chain, cached.chunk) == (chain, chunk)) {
            return Ok((Arc::clone(&cached.values), index));
        }
        let values = Arc::new(array.read_numbers(&[chain as u64, chunk as u64, 0, 0])?);
        *cached = Some(CachedChunk { chain, chunk, values: Arc::clone(&values) });
        Ok((values, index))
    }

    /// Visits the locations of every complete draw, chain by chain, with one chunk in memory.
    ///
    /// # Errors
    /// If the run kept no locations or the store is damaged.
    pub fn for_each_x(&self, visit: impl FnMut(usize, usize, &Locations)) -> Result<(), StoreError> {
        self.for_each_x_of(&(0..self.n_chains()).collect::<Vec<_>>(), visit)
    }

    /// The same of some chains only.
    ///
    /// # Errors
    /// If the run kept no locations or the store is damaged.
    pub fn for_each_x_of(
        &self,
        chains: &[usize],
        mut visit: impl FnMut(usize, usize, &Locations),
    ) -> Result<(), StoreError> {
        let mut x = Locations::zeros(self.names.len(), self.n_dims);
        for &chain in chains {
            for draw in 0..self.n_complete(chain) {
                self.x_into(chain, draw, &mut x)?;
                visit(chain, draw, &x);
            }
        }
        Ok(())
    }

    /// The complete draws of a posterior variable; vectors and matrices row by row.
    ///
    /// # Errors
    /// If there is no such variable or chain, or the store is damaged.
    pub fn scalar(&self, name: &str, chain: usize) -> Result<Vec<f64>, StoreError> {
        self.values(self.find(&[&self.tree.variables], name)?, chain)
    }

    /// The complete draws of a sample statistic.
    ///
    /// # Errors
    /// If there is no such statistic or chain, or the store is damaged.
    pub fn stat(&self, name: &str, chain: usize) -> Result<Vec<f64>, StoreError> {
        self.values(self.find(&[&self.tree.stats], name)?, chain)
    }

    /// A variable of either group.
    pub(super) fn find_anywhere(&self, name: &str) -> Result<&Stored, StoreError> {
        self.find(&[&self.tree.variables, &self.tree.stats], name)
    }

    fn find<'a>(&self, groups: &[&'a [Stored]], name: &str) -> Result<&'a Stored, StoreError> {
        let mut stored = groups.iter().copied().flatten();
        stored.clone().find(|stored| stored.variable.name == name).ok_or_else(|| {
            let known: Vec<&str> = stored.by_ref().map(|stored| stored.variable.name.as_str()).collect();
            StoreError::NoVariable { path: self.tree.path.clone(), name: name.into(), known: known.join(", ") }
        })
    }

    /// The complete draws of one stored variable.
    pub(super) fn values(&self, stored: &Stored, chain: usize) -> Result<Vec<f64>, StoreError> {
        if chain >= self.n_chains() {
            return Err(self.no_draw(chain, 0));
        }
        read_draws(&stored.array, chain, self.n_complete(chain))
    }

    fn no_draw(&self, chain: usize, draw: usize) -> StoreError {
        let (path, n_chains, n_draws) = (self.tree.path.clone(), self.n_chains(), self.n_complete(chain));
        StoreError::NoDraw { path, chain, draw, n_chains, n_draws }
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
