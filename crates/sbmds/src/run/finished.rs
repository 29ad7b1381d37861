//! A finished run, opened from its directory.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::directory::RunDirectory;
use super::hashes::{check_hashes, hashes_of};
use super::integrity::TREE;
use super::map_files::{embedding_path, modes_path, read_modes};
use super::open_draws::open_finished;
use crate::dissimilarity::{Input, Names};
use crate::draws::{DrawReader, checkpoint};
use crate::embedding::{Moments, read_embedding_csv};
use crate::error::RunError;
use crate::fit::chain::SavedChain;
use crate::fit::fitted::{Fitted, Home, Measured, ModeMap};
use crate::fit::summary::results::merged;
use crate::fit::{RunTree, Summary};
use crate::settings::{FitConfig, Resolved};

impl Fitted {
    /// Opens the finished run in `directory`.
    ///
    /// # Errors
    /// If there is no run, it has not ended, or its files cannot be read.
    pub fn open(directory: &Path) -> Result<Self, RunError> {
        Self::open_mode(directory, 1)
    }

    /// Opens the run to look at another of the modes that its chains are in, counted from 1, the one shown by default.
    ///
    /// # Errors
    /// As [`Fitted::open`], and if there are fewer modes.
    pub fn open_mode(directory: &Path, mode: usize) -> Result<Self, RunError> {
        Self::open_with(directory, mode, None)
    }

    /// Opens a run whose data are still at hand, so that they need not be read again.
    pub(crate) fn open_measured(directory: &Path, measured: Arc<Measured>) -> Result<Self, RunError> {
        Self::open_with(directory, 1, Some(measured))
    }

    fn open_with(directory: &Path, mode: usize, measured: Option<Arc<Measured>>) -> Result<Self, RunError> {
        let (directory, config) = RunDirectory::open(directory)?;
        let summary = directory.summary()?;
        let reader = open_finished(&directory, &config, &summary)?;
        let run_id = Resolved::of_run(config.clone().check()?).run_id()?;
        let home = InDirectory { directory, run_id, measured: Mutex::new(measured) };
        Self::new(config, summary, reader, Box::new(home), mode)
    }
}

/// The directory of a finished run.
struct InDirectory {
    directory: RunDirectory,
    run_id: u64,
    /// What was measured, once it was read.
    measured: Mutex<Option<Arc<Measured>>>,
}

impl Home for InDirectory {
    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn map(
        &self,
        mode: usize,
        chains: Vec<usize>,
        reader: &DrawReader,
        summary: &Summary,
    ) -> Result<ModeMap, RunError> {
        let path = embedding_path(&self.directory, mode);
        for file in [path.clone(), modes_path(&self.directory), self.path().join(TREE)] {
            self.directory.check_file(summary, &file.file_name().unwrap_or_default().to_string_lossy())?;
        }
        let embedding = read_embedding_csv(&path, reader.names(), reader.n_dims())
            .map_err(|what| RunError::Damaged { path, what })?;
        let centres = read_modes(&self.directory, reader.names(), reader.n_dims(), mode)?;
        Ok(ModeMap::new(embedding, chains, centres))
    }

    fn tree(&self, config: &FitConfig, names: &Names) -> Result<Option<Arc<RunTree>>, RunError> {
        let read = |tree| Ok(Arc::new(RunTree::reread(&self.directory.tree(), tree, names)?));
        config.tree.as_ref().map(read).transpose()
    }

    fn kept_moments(&self, chains: &[usize]) -> Result<Option<Moments>, RunError> {
        let load = |&chain: &usize| Ok(checkpoint::load(&self.directory.checkpoint(chain), self.run_id)?.value);
        let chains = chains.iter().map(load).collect::<Result<Vec<SavedChain>, RunError>>()?;
        Ok(merged(chains.iter()))
    }

    fn measured(&self, config: &FitConfig) -> Result<Arc<Measured>, RunError> {
        let mut known = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(measured) = &*known {
            return Ok(Arc::clone(measured));
        }
        let measured = Arc::new(read_again(config)?);
        Ok(Arc::clone(known.insert(measured)))
    }
}

/// Reads the input again and couples it as the run did.
fn read_again(config: &FitConfig) -> Result<Measured, RunError> {
    let config = config.clone().check()?;
    let input = Input::open(&config.input.path)?;
    check_hashes(hashes_of(&config, &input)?, &config)?;
    let data = input.read(&config.input.read_options())?;
    Measured::again(&config, data)
}
