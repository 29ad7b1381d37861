//! Draws kept in memory: a store without files.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::StoreError;
use super::plan::{StorePlan, Variable};
use super::reader::{DrawReader, Shape};
use super::source::DrawSource;
use super::writer::Draw;
use crate::Locations;
use crate::dissimilarity::Names;

/// The draws of a fit, in memory.
#[derive(Debug)]
pub struct MemoryStore {
    names: Names,
    n_dims: usize,
    keep_x: bool,
    reference: Option<Locations>,
    variables: Vec<Variable>,
    stats: Vec<Variable>,
    chains: Vec<Mutex<ChainDraws>>,
}

/// The draws of one chain.
#[derive(Clone, Debug, Default)]
struct ChainDraws {
    n_draws: usize,
    /// Locations, draw by draw and object by object. Shared with readers; copied only if draws are added under their eyes.
    x: Arc<Vec<f64>>,
    /// Posterior variables and sample statistics, draw by draw.
    rows: Arc<Vec<f64>>,
}

impl MemoryStore {
    /// An empty store for what the plan lists.
    ///
    /// # Errors
    /// If the plan cannot be stored.
    pub fn new(plan: &StorePlan) -> Result<Self, StoreError> {
        plan.check()?;
        Ok(Self {
            names: plan.names.clone(),
            n_dims: plan.n_dims,
            keep_x: plan.keep_x,
            reference: plan.reference.cloned(),
            variables: plan.variables.clone(),
            stats: plan.stats.clone(),
            chains: (0..plan.n_chains).map(|_| Mutex::default()).collect(),
        })
    }

    /// The map that locations are to be aligned to before they are pushed, if they are.
    pub fn reference(&self) -> Option<&Locations> {
        self.reference.as_ref()
    }

    /// Number of draws of a chain.
    pub fn n_draws(&self, chain: usize) -> usize {
        self.lock(chain).n_draws
    }

    /// Adds a draw to a chain.
    pub fn push(&self, chain: usize, draw: &Draw) {
        let mut draws = self.lock(chain);
        if self.keep_x {
            let x = Arc::make_mut(&mut draws.x);
            (0..draw.x.n_objects()).for_each(|object| x.extend(draw.x.object(object)));
        }
        let rows = Arc::make_mut(&mut draws.rows);
        rows.extend_from_slice(draw.scalars);
        rows.extend_from_slice(draw.stats);
        draws.n_draws += 1;
    }

    /// The draws as they are now, to read.
    pub fn reader(&self) -> DrawReader {
        let chains: Vec<ChainDraws> = (0..self.chains.len()).map(|chain| self.lock(chain).clone()).collect();
        let shape = Shape {
            path: PathBuf::from("draws in memory"),
            names: self.names.clone(),
            n_dims: self.n_dims,
            n_draws: chains.iter().map(|chain| chain.n_draws).max().unwrap_or(0),
            n_complete: chains.iter().map(|chain| chain.n_draws).collect(),
            variables: self.variables.clone(),
            stats: self.stats.clone(),
        };
        let source = MemorySource {
            has_x: self.keep_x,
            reference: self.reference.clone(),
            widths: self.variables.iter().chain(&self.stats).map(Variable::row_len).collect(),
            chains,
        };
        DrawReader::new(shape, Box::new(source))
    }

    /// A lock whose holder panicked still guards whole draws; the panic itself ends the fit.
    fn lock(&self, chain: usize) -> MutexGuard<'_, ChainDraws> {
        self.chains[chain].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Draws in memory, as a reader sees them.
#[derive(Debug)]
struct MemorySource {
    has_x: bool,
    reference: Option<Locations>,
    /// Numbers per draw of every column.
    widths: Vec<usize>,
    chains: Vec<ChainDraws>,
}

impl DrawSource for MemorySource {
    fn has_x(&self) -> bool {
        self.has_x
    }

    fn reference(&self) -> Result<Option<Locations>, StoreError> {
        Ok(self.reference.clone())
    }

    fn x_block(&self, chain: usize, draw: usize) -> Result<(Arc<Vec<f64>>, usize), StoreError> {
        Ok((Arc::clone(&self.chains[chain].x), draw))
    }

    fn column(&self, column: usize, chain: usize, n_draws: usize) -> Result<Vec<f64>, StoreError> {
        let (first, width) = (self.widths[..column].iter().sum::<usize>(), self.widths[column]);
        let rows = self.chains[chain].rows.chunks_exact(self.widths.iter().sum());
        Ok(rows.take(n_draws).flat_map(|row| &row[first..first + width]).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_come_back_as_they_were_pushed() {
        let names = Names::numbered(3);
        let plan = StorePlan {
            n_chains: 2,
            n_draws: 4,
            names: &names,
            n_dims: 2,
            keep_x: true,
            reference: None,
            variables: vec![Variable::float("sigma"), Variable::float("lambda").with_axis("dim", 2)],
            stats: vec![Variable::float("lp")],
        };
        let store = MemoryStore::new(&plan).unwrap();
        let x = |draw: usize| Locations::from_fn(3, 2, |object, dim| (100 * draw + 10 * object + dim) as f64);
        for draw in 0..2 {
            let (sigma, lp) = (draw as f64, -(draw as f64));
            store.push(1, &Draw { x: &x(draw), scalars: &[sigma, 5.0, 6.0], stats: &[lp] });
        }
        let reader = store.reader();
        assert_eq!((reader.n_complete(0), reader.n_complete(1), reader.n_complete_in_all()), (0, 2, 0));
        assert_eq!(reader.x(1, 1).unwrap(), x(1));
        assert_eq!(reader.scalar("sigma", 1).unwrap(), [0.0, 1.0]);
        assert_eq!(reader.scalar("lambda", 1).unwrap(), [5.0, 6.0, 5.0, 6.0]);
        assert_eq!(reader.stat("lp", 1).unwrap(), [0.0, -1.0]);
        assert!(reader.scalar("lp", 1).is_err() && reader.x(1, 2).is_err() && reader.x(0, 0).is_err());
        // A reader keeps what it has seen.
        store.push(1, &Draw { x: &x(2), scalars: &[2.0, 5.0, 6.0], stats: &[-2.0] });
        assert_eq!((reader.n_complete(1), store.reader().n_complete(1)), (2, 3));
        assert_eq!(store.reader().x(1, 2).unwrap(), x(2));
    }
}
