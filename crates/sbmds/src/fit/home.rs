//! What a fit in memory keeps beside its draws.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::fitted::{Home, Measured, ModeMap};
use super::problem::tree::RunTree;
use super::shown::ShownMap;
use super::summary::Summary;
use super::summary::results::merged_moments;
use crate::dissimilarity::{Dissimilarities, Names};
use crate::draws::DrawReader;
use crate::embedding::{Embedding, ModeCentres, Moments, ObjectFit, ObjectModes};
use crate::error::RunError;
use crate::settings::FitConfig;

/// What a fit in memory keeps beside its draws.
pub(crate) struct InMemory {
    pub maps: Vec<ModeParts>,
    pub tree: Option<Arc<RunTree>>,
    pub measured: LazyMeasured,
    /// What chains kept instead of their draws.
    pub moments: Vec<Option<Moments>>,
}

/// The map of a mode.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ModeParts {
    pub embedding: Embedding,
    /// Where the modes of objects that have several are, by object.
    pub centres: Vec<ModeCentres>,
}

impl ModeParts {
    pub fn new(map: &ShownMap, fits: &[ObjectFit]) -> Self {
        let embedding =
            Embedding { mean: map.locations().clone(), stress: fits.iter().map(|fit| fit.stress).collect() };
        let mut centres: Vec<_> = map.object_modes.iter().map(ObjectModes::centres).collect();
        centres.sort_by_key(|modes| modes.object);
        Self { embedding, centres }
    }
}

/// Gives the data of a fit again, with its settings.
type ReadAgain = Box<dyn Fn(&FitConfig) -> Result<Dissimilarities, RunError> + Send + Sync>;

/// The data of a fit, at hand or to be had when they are asked for.
pub(crate) struct LazyMeasured {
    known: Mutex<Option<Arc<Measured>>>,
    read: Option<ReadAgain>,
}

impl LazyMeasured {
    pub fn known(measured: Measured) -> Self {
        Self { known: Mutex::new(Some(Arc::new(measured))), read: None }
    }

    pub fn to_be_read(read: impl Fn(&FitConfig) -> Result<Dissimilarities, RunError> + Send + Sync + 'static) -> Self {
        Self { known: Mutex::new(None), read: Some(Box::new(read)) }
    }

    fn get(&self, config: &FitConfig) -> Result<Arc<Measured>, RunError> {
        // A holder that panicked left the whole or nothing.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(measured) = &*known {
            return Ok(Arc::clone(measured));
        }
        let read = self.read.as_ref().expect("data that are not at hand can be read");
        let measured = Measured::again(&config.clone().check()?, read(config)?)?;
        Ok(Arc::clone(known.insert(Arc::new(measured))))
    }
}

impl Home for InMemory {
    fn path(&self) -> &Path {
        Path::new("fit in memory")
    }

    fn map(&self, mode: usize, chains: Vec<usize>, _: &DrawReader, _: &Summary) -> Result<ModeMap, RunError> {
        let map = &self.maps[mode - 1];
        Ok(ModeMap::new(map.embedding.clone(), chains, map.centres.clone()))
    }

    fn tree(&self, _: &FitConfig, _: &Names) -> Result<Option<Arc<RunTree>>, RunError> {
        Ok(self.tree.clone())
    }

    fn kept_moments(&self, chains: &[usize]) -> Result<Option<Moments>, RunError> {
        Ok(merged_moments(chains.iter().filter_map(|&chain| self.moments.get(chain)?.as_ref())))
    }

    fn measured(&self, config: &FitConfig) -> Result<Arc<Measured>, RunError> {
        self.measured.get(config)
    }

    fn in_memory(&self) -> Option<&InMemory> {
        Some(self)
    }
}
