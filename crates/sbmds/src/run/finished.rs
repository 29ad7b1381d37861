//! A finished run, open to be looked at: its settings, its map, its draws laid over the map, and what it was fitted to.

use std::path::{Path, PathBuf};

use super::check::CheckedConfig;
use super::config::{FitConfig, Keep};
use super::coupled::CoupledPairs;
use super::directory::RunDirectory;
use super::error::RunError;
use super::fit::run_id;
use super::monitor::{DISTANCES, MonitoredPairs, monitored};
use super::problem::{Hashes, lay, likelihood};
use super::results::merged;
use super::summary::Summary;
use super::tree::RunTree;
use super::unit::Unit;
use crate::Locations;
use crate::coupling::Coupling;
use crate::diagnostics::Monitored;
use crate::diffusion::NodeDraws;
use crate::dissimilarity::{Input, Names};
use crate::draws::{DrawReader, Variable, checkpoint};
use crate::embedding::{Embedding, Moments, procrustes, read_embedding_csv};
use crate::likelihood::Likelihood;

/// A finished run, open to be looked at.
pub struct FinishedRun {
    directory: RunDirectory,
    config: FitConfig,
    summary: Summary,
    reader: DrawReader,
    embedding: Embedding,
}

impl FinishedRun {
    /// Opens the run in `directory`.
    ///
    /// # Errors
    /// If there is no run, it has not ended, or its files cannot be read.
    pub fn open(directory: &Path) -> Result<Self, RunError> {
        let (directory, config) = RunDirectory::open(directory)?;
        let summary = directory.summary()?;
        let reader = DrawReader::open(directory.path())?;
        let path = directory.embedding();
        let embedding = read_embedding_csv(&path, reader.names(), reader.n_dims())
            .map_err(|what| RunError::Damaged { path, what })?;
        Ok(Self { directory, config, summary, reader, embedding })
    }

    /// Where the run is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The name of its directory.
    pub fn name(&self) -> String {
        // "." and ".." have no name of their own.
        let path = self.path().canonicalize().unwrap_or_else(|_| self.path().to_owned());
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    }

    /// Its settings.
    pub fn config(&self) -> &FitConfig {
        &self.config
    }

    /// Its verdict and first numbers.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The objects, in input order.
    pub fn names(&self) -> &Names {
        self.reader.names()
    }

    /// The draws as stored.
    pub fn reader(&self) -> &DrawReader {
        &self.reader
    }

    /// The mean map on its principal axes and the stress of every object.
    pub fn embedding(&self) -> &Embedding {
        &self.embedding
    }

    /// Number of stored draws of the locations, in all chains.
    pub fn n_locations(&self) -> usize {
        let stored = |chain| self.reader.n_complete(chain);
        if self.reader.has_x() { (0..self.reader.n_chains()).map(stored).sum() } else { 0 }
    }

    /// The tree that the run was fitted along, if it was.
    ///
    /// # Errors
    /// If the run's copy of the tree cannot be read.
    pub fn tree(&self) -> Result<Option<RunTree>, RunError> {
        let read = |config| RunTree::reread(&self.directory.tree(), config, self.names());
        self.config.tree.as_ref().map(read).transpose()
    }

    /// The stored draws with a location for every node of its tree.
    ///
    /// # Errors
    /// If there is no diffusion along the tree.
    pub fn node_draws<'a>(&'a self, tree: &'a RunTree) -> Result<NodeDraws<'a>, RunError> {
        tree.node_draws(&self.reader, &self.embedding.mean, self.config.run.seed)
    }

    /// Visits the stored draws whose place `is_wanted`, each laid over the mean map, with its place among all draws
    /// (chain after chain); memory holds one of them. A run that kept none has nothing to visit.
    ///
    /// # Errors
    /// If the store is damaged.
    pub fn for_each_aligned(
        &self,
        is_wanted: impl Fn(usize) -> bool,
        mut visit: impl FnMut(usize, &Locations),
    ) -> Result<(), RunError> {
        if self.n_locations() == 0 {
            return Ok(());
        }
        let mut places = 0..;
        self.reader.for_each_x(|_, _, x| {
            if let Some(place) = places.next().filter(|&place| is_wanted(place)) {
                visit(place, &procrustes(x, &self.embedding.mean).apply(x));
            }
        })?;
        Ok(())
    }

    /// One stored draw of a chain, laid over the mean map.
    ///
    /// # Errors
    /// If there is no such draw or the store is damaged.
    pub fn aligned(&self, chain: usize, draw: usize) -> Result<Locations, RunError> {
        let x = self.reader.x(chain, draw)?;
        Ok(procrustes(&x, &self.embedding.mean).apply(&x))
    }

    /// Where `sbmds cluster` leaves the clusters of the run by default.
    pub fn clusters(&self) -> PathBuf {
        self.path().join("clusters")
    }

    /// Mean and covariance of every object: from the draws, or from what the chains kept of them.
    ///
    /// # Errors
    /// If the store is damaged, or the checkpoints that hold the moments of a run without draws are.
    pub fn moments(&self) -> Result<Moments, RunError> {
        let mut moments = Moments::new(self.names().len(), self.reader.n_dims());
        if self.config.run.keep == Keep::Summary {
            return Ok(self.kept_moments()?.unwrap_or(moments));
        }
        self.for_each_aligned(|_| true, |_, aligned| moments.add(aligned))?;
        Ok(moments)
    }

    fn kept_moments(&self) -> Result<Option<Moments>, RunError> {
        let run_id = run_id(&self.checked_config()?);
        let load = |chain| Ok(checkpoint::load(&self.directory.checkpoint(chain), run_id)?.value);
        let chains = (0..self.config.run.chains).map(load).collect::<Result<Vec<_>, RunError>>()?;
        Ok(merged(&chains))
    }

    fn checked_config(&self) -> Result<CheckedConfig, RunError> {
        self.config.clone().check()
    }

    /// Everything that the verdict looks at: the log density, sigma, then distances.
    ///
    /// # Errors
    /// If the store is damaged.
    pub fn monitored(&self) -> Result<Vec<Monitored>, RunError> {
        monitored(&self.reader, &MonitoredPairs::choose(self.names().len(), self.config.run.seed))
    }

    /// One quantity by name: a monitored one, or `NAME` or `NAME[k]` of the store (k from 1).
    ///
    /// # Errors
    /// If there is none of that name (the message lists some that are there), or the store is damaged.
    pub fn quantity(&self, name: &str) -> Result<Monitored, RunError> {
        if let Some(stored) = self.stored_quantity(name)? {
            return Ok(stored);
        }
        // As flags are written: diffusion-rate.
        if let Some(stored) = self.stored_quantity(&name.replace('-', "_"))? {
            return Ok(stored);
        }
        let mut monitored = self.monitored()?;
        if let Some(found) = monitored.iter().position(|quantity| quantity.name() == name) {
            return Ok(monitored.swap_remove(found));
        }
        let stored = self.variables().flat_map(entries);
        let some: Vec<String> = stored.chain(monitored.iter().map(|quantity| quantity.name().into())).take(8).collect();
        let problem = format!("{} has no quantity {name:?}", self.path().display());
        let remedy =
            format!("give one of the first column of diagnostics.csv or of the store: {}, ...", some.join(", "));
        Err(RunError::setting("--quantity", problem, remedy))
    }

    /// What the store holds, but for distances: those have readable names of their own.
    fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.reader.variables().filter(|variable| variable.name != DISTANCES).chain(self.reader.stats())
    }

    fn stored_quantity(&self, name: &str) -> Result<Option<Monitored>, RunError> {
        let found = self.variables().find_map(|variable| Some((variable, entries(variable).position(|e| e == name)?)));
        let Some((variable, entry)) = found else { return Ok(None) };
        let is_stat = self.reader.stats().any(|stat| stat.name == variable.name);
        let draws_of = |chain| {
            let values = match is_stat {
                true => self.reader.stat(&variable.name, chain)?,
                false => self.reader.scalar(&variable.name, chain)?,
            };
            let of_entry = values.iter().skip(entry).step_by(variable.row_len().max(1));
            Ok(of_entry.take(self.reader.n_complete_in_all()).copied().collect())
        };
        let draws = (0..self.reader.n_chains()).map(draws_of).collect::<Result<Vec<Vec<f64>>, RunError>>()?;
        Ok(Some(Monitored::new(name, draws)?))
    }

    /// Reads the input again and couples it as the run did.
    ///
    /// # Errors
    /// If the input is gone, has changed or cannot be read.
    pub fn measured(&self) -> Result<Measured, RunError> {
        let config = self.checked_config()?;
        let input = Input::open(&config.input.path)?;
        Hashes::of(&config, &input)?.check(&config)?;
        let data = input.read(&config.input.read_options())?;
        let coupling = lay(&config, &data)?;
        let unit = Unit(config.model.unit);
        let likelihood = likelihood(&config, &data, &coupling).in_unit(unit.0);
        Ok(Measured { coupling, likelihood, unit })
    }
}

/// The names of a variable's numbers: its own, or with the entry in brackets, counted from 1.
fn entries(variable: &Variable) -> impl Iterator<Item = String> + '_ {
    let is_scalar = variable.axes.is_empty();
    (1..=variable.row_len())
        .map(move |k| if is_scalar { variable.name.clone() } else { format!("{}[{k}]", variable.name) })
}

/// The dissimilarities a run was fitted to.
pub struct Measured {
    coupling: Coupling,
    likelihood: Likelihood,
    unit: Unit,
}

impl Measured {
    /// The coupled pairs, in input order and units.
    pub fn coupled(&self) -> CoupledPairs<'_> {
        CoupledPairs::new(&self.coupling.order, &self.likelihood, self.unit)
    }
}
