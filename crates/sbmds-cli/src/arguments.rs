//! Flags that several commands share, and what they resolve to.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sbmds::coupling::{self, Connections, Coupling, Couplings, LandmarkChoice, LayOptions, Order};
use sbmds::dissimilarity::{self, Dissimilarities, Format, Metric, ReadOptions};
use sbmds::likelihood::{Likelihood, Noise, Storage};

use crate::failure::Failure;

/// What to read.
#[derive(Args)]
pub struct InputArgs {
    /// Dissimilarities: labelled CSV/TSV matrix, PHYLIP, .npy, or edge list `name,name,value`
    pub input: PathBuf,
    /// Format of the input: auto, matrix, phylip, npy or edges
    #[arg(long, default_value = "auto")]
    pub format: Format,
    /// The input holds feature vectors (.npy or labelled CSV), one row per object
    #[arg(long)]
    pub features: bool,
    /// Dissimilarity of feature vectors: euclidean, sqeuclidean, manhattan, cosine or correlation
    #[arg(long, default_value = "euclidean", requires = "features")]
    pub metric: Metric,
    /// Names of the objects of an .npy input, one per line (default: 0, 1, 2, ...)
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
}

impl InputArgs {
    pub fn read(&self) -> Result<Dissimilarities, Failure> {
        let features = self.features.then_some(self.metric);
        let options = ReadOptions { format: self.format, features, names: self.names.clone() };
        Ok(dissimilarity::read(&self.input, &options)?)
    }
}

/// Which pairs speak, and how.
#[derive(Args)]
pub struct CouplingArgs {
    /// Coupled pairs: auto, full, band:B, landmark:L, dispersed:B or graph:FILE
    #[arg(long, default_value = "auto")]
    pub couplings: Couplings,
    /// Order in which objects are laid before coupling
    #[arg(long, value_enum, default_value = "shuffle")]
    pub order: OrderArg,
    /// Which objects become landmarks: the first of the order, or each as far as possible from the others
    #[arg(long, value_enum, default_value = "first")]
    pub landmarks: LandmarkArg,
    /// Noise of a dissimilarity around the distance: truncated-normal or normal
    #[arg(long, default_value = "truncated-normal")]
    pub noise: Noise,
    /// Number type in which dissimilarities are kept
    #[arg(long, value_enum, default_value = "f64")]
    pub storage: StorageArg,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// See [`Order`].
#[derive(Clone, Copy, ValueEnum)]
pub enum OrderArg {
    Shuffle,
    Given,
}

/// See [`LandmarkChoice`].
#[derive(Clone, Copy, ValueEnum)]
pub enum LandmarkArg {
    First,
    Maxmin,
}

/// See [`Storage`].
#[derive(Clone, Copy, ValueEnum)]
pub enum StorageArg {
    F64,
    F32,
}

impl CouplingArgs {
    /// Lays the couplings over the objects.
    pub fn lay(&self, data: &Dissimilarities, n_dims: usize) -> Result<Coupling, Failure> {
        let order = match self.order {
            OrderArg::Shuffle => Order::Shuffle,
            OrderArg::Given => Order::Given,
        };
        let landmarks = match self.landmarks {
            LandmarkArg::First => LandmarkChoice::First,
            LandmarkArg::Maxmin => LandmarkChoice::MaxMin,
        };
        let options = LayOptions { order, landmarks, seed: self.seed };
        Ok(coupling::lay(&self.couplings, data, n_dims, &options)?)
    }

    /// Arranges the coupled dissimilarities for the kernels.
    pub fn likelihood(&self, data: &Dissimilarities, coupling: &Coupling, n_dims: usize) -> Likelihood {
        let storage = match self.storage {
            StorageArg::F64 => Storage::F64,
            StorageArg::F32 => Storage::F32,
        };
        let order = &coupling.order;
        Likelihood::new(data.n_objects(), n_dims, &coupling.pairs, self.noise, storage, |a, b| {
            data.get(order[a], order[b])
        })
    }
}

/// Objects named in a message before it ends in "and so many more".
const NAMED: usize = 8;

/// What is wrong with the coupling graph, in words; empty if nothing is.
pub fn connection_problems(connections: &Connections, coupling: &Coupling, data: &Dissimilarities) -> Vec<String> {
    let list = |places: &[usize]| {
        let shown: Vec<_> = places.iter().take(NAMED).map(|&place| data.names().get(coupling.order[place])).collect();
        let more = places.len().saturating_sub(NAMED);
        if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
    };
    let mut problems = Vec::new();
    if let Some(smaller) = connections.parts.get(1..).filter(|parts| !parts.is_empty()) {
        let apart: Vec<_> = smaller.iter().take(3).map(|part| list(part)).collect();
        problems.push(format!(
            "the coupled pairs fall into {} parts that know nothing of each other; apart from the largest: {}. \
             Remedy: couple more pairs (--couplings dispersed:B with a larger B, or full) or measure pairs that join them",
            connections.parts.len(),
            apart.join("; ")
        ));
    }
    if !connections.underdetermined.is_empty() {
        let places: Vec<_> = connections.underdetermined.iter().map(|object| object.place).collect();
        problems.push(format!(
            "{} of {} objects have too few coupled partners to be placed without doubt (a map needs one more than its \
             dimensions): {}",
            places.len(),
            data.n_objects(),
            list(&places)
        ));
    }
    problems
}
