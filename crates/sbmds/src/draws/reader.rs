//! Reads the draws of a fit, from a store on disk or from memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::StoreError;
use super::plan::Variable;
use super::source::DrawSource;
use crate::Locations;
use crate::dissimilarity::Names;

/// The draws of a fit, open for reading.
#[derive(Debug)]
pub struct DrawReader {
    shape: Shape,
    source: Box<dyn DrawSource>,
}

/// What a reader knows of its draws before it reads one.
#[derive(Debug)]
pub(super) struct Shape {
    /// Where they are, for messages.
    pub path: PathBuf,
    pub names: Names,
    pub n_dims: usize,
    /// Planned draws of each chain.
    pub n_draws: usize,
    /// Complete draws of each chain.
    pub n_complete: Vec<usize>,
    pub variables: Vec<Variable>,
    pub stats: Vec<Variable>,
}

/// A stored variable and which column of the store it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column<'a> {
    pub variable: &'a Variable,
    index: usize,
}

impl DrawReader {
    pub(super) fn new(shape: Shape, source: Box<dyn DrawSource>) -> Self {
        Self { shape, source }
    }

    /// Where the store is.
    pub fn path(&self) -> &Path {
        &self.shape.path
    }

    /// Number of chains.
    pub fn n_chains(&self) -> usize {
        self.shape.n_complete.len()
    }

    /// Planned number of draws of each chain.
    pub fn n_draws(&self) -> usize {
        self.shape.n_draws
    }

    /// Number of draws of `chain` that are there; 0 for a chain that is not.
    pub fn n_complete(&self, chain: usize) -> usize {
        self.shape.n_complete.get(chain).copied().unwrap_or(0)
    }

    /// Number of draws that are there in every chain.
    pub fn n_complete_in_all(&self) -> usize {
        self.shape.n_complete.iter().copied().min().unwrap_or(0)
    }

    /// The objects, in input order.
    pub fn names(&self) -> &Names {
        &self.shape.names
    }

    /// Number of dimensions of the map.
    pub fn n_dims(&self) -> usize {
        self.shape.n_dims
    }

    /// Whether the locations were kept.
    pub fn has_x(&self) -> bool {
        self.source.has_x()
    }

    /// The map that the stored locations were aligned to; `None` if they are as the sampler had them.
    ///
    /// # Errors
    /// If the store is damaged.
    pub fn reference(&self) -> Result<Option<Locations>, StoreError> {
        self.source.reference()
    }

    /// Variables of the `posterior` group besides `x`.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.shape.variables.iter()
    }

    /// Variables of the `sample_stats` group.
    pub fn stats(&self) -> impl Iterator<Item = &Variable> {
        self.shape.stats.iter()
    }

    /// The locations of one draw, in input order.
    ///
    /// # Errors
    /// If that draw is not there or the store is damaged.
    pub fn x(&self, chain: usize, draw: usize) -> Result<Locations, StoreError> {
        let mut x = Locations::zeros(self.names().len(), self.n_dims());
        self.x_into(chain, draw, &mut x)?;
        Ok(x)
    }

    fn x_into(&self, chain: usize, draw: usize, x: &mut Locations) -> Result<(), StoreError> {
        let n_dims = self.n_dims();
        let row_len = self.names().len() * n_dims;
        let (values, within) = self.x_block(chain, draw)?;
        let row = &values[within * row_len..(within + 1) * row_len];
        for dim in 0..n_dims {
            let coordinates = x.dim_mut(dim).iter_mut();
            coordinates.zip(row[dim..].iter().step_by(n_dims)).for_each(|(to, from)| *to = *from);
        }
        Ok(())
    }

    /// A block that holds a draw, object by object, and which draw of the block it is.
    pub(super) fn x_block(&self, chain: usize, draw: usize) -> Result<(Arc<Vec<f64>>, usize), StoreError> {
        if !self.has_x() {
            return Err(StoreError::NoLocations { path: self.path().to_owned() });
        }
        if draw >= self.n_complete(chain) {
            return Err(self.no_draw(chain, draw));
        }
        self.source.x_block(chain, draw)
    }

    /// Visits the locations of every complete draw, chain by chain, with one block in memory.
    ///
    /// # Errors
    /// If no locations were kept or the store is damaged.
    pub fn for_each_x(&self, visit: impl FnMut(usize, usize, &Locations)) -> Result<(), StoreError> {
        self.for_each_x_of(&(0..self.n_chains()).collect::<Vec<_>>(), visit)
    }

    /// The same of some chains only.
    ///
    /// # Errors
    /// If no locations were kept or the store is damaged.
    pub fn for_each_x_of(
        &self,
        chains: &[usize],
        mut visit: impl FnMut(usize, usize, &Locations),
    ) -> Result<(), StoreError> {
        let mut x = Locations::zeros(self.names().len(), self.n_dims());
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
        let n_variables = self.shape.variables.len();
        self.values(self.find(|column| column.index < n_variables, name)?, chain)
    }

    /// The complete draws of a sample statistic.
    ///
    /// # Errors
    /// If there is no such statistic or chain, or the store is damaged.
    pub fn stat(&self, name: &str, chain: usize) -> Result<Vec<f64>, StoreError> {
        let n_variables = self.shape.variables.len();
        self.values(self.find(|column| column.index >= n_variables, name)?, chain)
    }

    /// A variable of either group.
    pub(super) fn find_anywhere(&self, name: &str) -> Result<Column<'_>, StoreError> {
        self.find(|_| true, name)
    }

    fn find(&self, is_eligible: impl Fn(&Column) -> bool, name: &str) -> Result<Column<'_>, StoreError> {
        let variables = self.shape.variables.iter().chain(&self.shape.stats);
        let columns = variables.enumerate().map(|(index, variable)| Column { variable, index }).filter(is_eligible);
        let columns: Vec<Column> = columns.collect();
        columns.iter().find(|column| column.variable.name == name).copied().ok_or_else(|| {
            let known: Vec<&str> = columns.iter().map(|column| column.variable.name.as_str()).collect();
            StoreError::NoVariable { path: self.path().to_owned(), name: name.into(), known: known.join(", ") }
        })
    }

    /// The complete draws of one stored variable.
    pub(super) fn values(&self, column: Column, chain: usize) -> Result<Vec<f64>, StoreError> {
        if chain >= self.n_chains() {
            return Err(self.no_draw(chain, 0));
        }
        self.source.column(column.index, chain, self.n_complete(chain))
    }

    fn no_draw(&self, chain: usize, draw: usize) -> StoreError {
        let (path, n_chains, n_draws) = (self.path().to_owned(), self.n_chains(), self.n_complete(chain));
        StoreError::NoDraw { path, chain, draw, n_chains, n_draws }
    }
}
