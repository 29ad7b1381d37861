//! A whole fit: from a file of dissimilarities to a directory with draws, a map, diagnostics and a verdict.
//!
//! [`fit`] starts a run and [`resume`] goes on with one; both tell the same story, one call per stage. A run is a
//! directory:
//!
//! ```text
//! RUN/config.toml       every setting, resolved, with seed, version and input hash: the run can be repeated from it
//! RUN/draws.zarr        the draws (see crate::draws)
//! RUN/checkpoints       one per chain, replaced every few seconds
//! RUN/embedding.csv     the map: mean, standard deviation and 95% ellipse of every object
//! RUN/diagnostics.csv   R-hat, effective sample sizes and quantiles of everything monitored
//! RUN/summary.json      the verdict and the numbers a person asks for first; written last of these
//! RUN/report.html       the interactive report (see crate::report), and map.svg, its first figure
//! ```
//!
//! Killed at any moment and resumed, a run ends with the same draws, bit for bit, as one never killed, for any number
//! of threads.

mod chain;
mod chains;
mod check;
mod climb;
mod compare;
mod config;
mod connections;
mod coupled;
mod directory;
mod error;
mod finished;
mod first_map;
mod fit;
pub(crate) mod monitor;
mod observer;
mod prior_check;
mod problem;
mod record;
mod results;
mod starts;
mod summary;
mod summary_lines;
mod tree;
mod unit;

pub use check::CheckedConfig;
pub(crate) use compare::distinct_names;
pub use compare::{ComparedPair, ComparedRun, Comparison, compare};
pub use config::{FitConfig, InputConfig, Keep, ModelConfig, PriorConfig, PriorFamily, RunConfig, Start, TreeConfig};
pub use connections::{disconnection, underdetermination};
pub use coupled::CoupledPairs;
pub use directory::RunDirectory;
pub use error::RunError;
pub use finished::{FinishedRun, Measured};
pub use fit::{Changes, Control, Outcome, fit, resume};
pub use observer::{ChainProgress, Observer, Silent};
pub use summary::{BranchSummary, Diffusion, Extreme, Interval, StressSummary, Summary};
pub use summary_lines::digits;
pub use tree::RunTree;
