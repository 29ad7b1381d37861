//! Flags that several commands share, and what they resolve to.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sbmds::coupling::{self, Coupling, Couplings, Effort, LandmarkChoice, LayOptions, Order};
use sbmds::dissimilarity::{self, Dissimilarities, Format, Metric, ReadOptions};
use sbmds::likelihood::{Likelihood, Noise, Storage};
use sbmds::measurement::{Family, Support};
use sbmds::run::{MOST_THREADS, check_memory};

use crate::failure::Failure;
use crate::say::{say, warn};

/// Threads asked for with `--threads`, or as many as there are cores.
pub fn n_threads(asked_for: Option<usize>) -> Result<usize, Failure> {
    match asked_for {
        Some(0) => Err(Failure::bad_input("--threads: 0 is too few. Remedy: give a whole number of 1 or more")),
        Some(threads) if threads > MOST_THREADS => Err(Failure::bad_input(format!(
            "--threads: {threads} is more than {MOST_THREADS}. Remedy: give fewer: more than there are cores make a run slower"
        ))),
        Some(threads) => Ok(threads),
        None => Ok(std::thread::available_parallelism().map_or(1, Into::into)),
    }
}

/// What to read.
#[derive(Args)]
pub struct InputArgs {
    /// Dissimilarities: matrix (CSV, TSV, PHYLIP, .npy; with or without names) or edge list `name,name,value`; `-` is
    /// standard input, and gzip is unpacked
    pub input: PathBuf,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How to read it.
#[derive(Args)]
#[command(next_help_heading = "Input")]
pub struct ReadingArgs {
    /// Format of the input: auto, matrix, phylip, npy or edges
    #[arg(long, default_value = "auto")]
    pub format: Format,
    /// The input holds feature vectors (.npy or CSV), one row per object
    #[arg(long)]
    pub features: bool,
    /// Dissimilarity of feature vectors: euclidean, sqeuclidean, manhattan, cosine, correlation, braycurtis, jaccard, hamming
    /// or haversine (latitude and longitude in degrees, to kilometres)
    #[arg(long, default_value = "euclidean", requires = "features")]
    pub metric: Metric,
    /// Names of the objects of an input without names, one per line (default: 0, 1, 2, ...)
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
    /// The first column of the features is a feature too, not the names
    #[arg(long, requires = "features")]
    pub no_names: bool,
    /// Column of an edge list with more than three columns that holds the dissimilarity: its name, or its number from 1
    #[arg(long, value_name = "COLUMN")]
    pub value: Option<String>,
    /// Column of an edge list with the weight of each line, which multiplies its log density
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,
    /// Column of an edge list with the known standard error of each line
    #[arg(long, value_name = "COLUMN")]
    pub error: Option<String>,
    /// Weights of the pairs: a matrix or an edge list with the names of the input
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Known standard errors of the pairs: a matrix or an edge list with the names of the input
    #[arg(long, value_name = "FILE")]
    pub errors: Option<PathBuf>,
}

impl InputArgs {
    /// Reads the input, whose dissimilarities may be `negative`, and says on stderr how where there was a choice.
    pub fn read(&self, negative: bool) -> Result<Dissimilarities, Failure> {
        let ReadingArgs { format, names, no_names, value, weight, error, weights, errors, .. } = &self.reading;
        let options = ReadOptions {
            format: *format,
            features: self.reading.metric(),
            names: names.clone(),
            value: value.clone(),
            no_names: *no_names,
            titers: false,
            negative,
            weight: weight.clone(),
            error: error.clone(),
            weights: weights.clone(),
            errors: errors.clone(),
        };
        let data = dissimilarity::read(&self.input, &options)?;
        data.notes().iter().for_each(|note| say(format_args!("note: {note}")));
        data.warnings().iter().for_each(warn);
        Ok(data)
    }
}

impl ReadingArgs {
    /// The metric, if the input holds features.
    pub fn metric(&self) -> Option<Metric> {
        self.features.then_some(self.metric)
    }
}

/// Which pairs enter the likelihood, and how.
#[derive(Args)]
#[command(next_help_heading = "Model")]
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
    /// Noise of a dissimilarity around the distance: truncated-normal, normal, truncated-student-t, student-t or log-normal
    #[arg(long, default_value = "truncated-normal")]
    pub noise: Family,
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

impl From<OrderArg> for Order {
    fn from(order: OrderArg) -> Self {
        match order {
            OrderArg::Shuffle => Self::Shuffle,
            OrderArg::Given => Self::Given,
        }
    }
}

impl From<LandmarkArg> for LandmarkChoice {
    fn from(landmarks: LandmarkArg) -> Self {
        match landmarks {
            LandmarkArg::First => Self::First,
            LandmarkArg::Maxmin => Self::MaxMin,
        }
    }
}

impl From<StorageArg> for Storage {
    fn from(storage: StorageArg) -> Self {
        match storage {
            StorageArg::F64 => Self::F64,
            StorageArg::F32 => Self::F32,
        }
    }
}

impl CouplingArgs {
    /// Lays the couplings over the objects.
    pub fn lay(&self, data: &Dissimilarities, n_dims: usize) -> Result<Coupling, Failure> {
        let (order, landmarks) = (self.order.into(), self.landmarks.into());
        // One evaluation.
        let effort = Effort { n_iterations: 1 };
        let options = LayOptions { order, landmarks, seed: self.seed, effort };
        let coupling = coupling::lay(&self.couplings, data, n_dims, &options)?;
        check_memory(&coupling.pairs, self.storage.into())?;
        Ok(coupling)
    }

    /// Whether the noise admits negative dissimilarities.
    pub fn admits_negative(&self) -> bool {
        self.noise.support() == Support::Line
    }

    /// The noise of the kernels: that asked for, or a stand-in where terms are evaluated instead.
    pub fn kernel_noise(&self) -> Noise {
        self.noise.of_kernels().unwrap_or(Noise::Normal)
    }

    /// Arranges the coupled dissimilarities for the kernels.
    pub fn likelihood(&self, data: &Dissimilarities, coupling: &Coupling, n_dims: usize) -> Likelihood {
        let (storage, order) = (self.storage.into(), &coupling.order);
        Likelihood::new(data.n_objects(), n_dims, &coupling.pairs, self.kernel_noise(), storage, |a, b| {
            data.get(order[a], order[b])
        })
    }
}
