//! A whole fit: from a file of dissimilarities to a directory with draws, a map, diagnostics and a verdict.
//!
//! [`fit`] starts a run, [`fit_anew`] starts one in the place of another, and [`resume`] goes on with one; all tell the same
//! story, one call per stage. A run is a directory:
//!
//! ```text
//! RUN/config.toml       every setting, resolved, with seed, version and input hash: the run can be repeated from it
//! RUN/draws.zarr        the draws (see crate::draws)
//! RUN/checkpoints       one per chain, replaced every few seconds
//! RUN/embedding.csv     the map: location, standard deviation and 95% ellipse of every object
//! RUN/embedding-mode-2.csv  the same of the next mode, if chains are in different ones, and so on
//! RUN/modes.csv         the modes of single objects that have several
//! RUN/diagnostics.csv   R-hat, effective sample sizes and quantiles of everything monitored
//! RUN/summary.json      the verdict and the numbers a person asks for first; written last of these
//! RUN/report.html       the interactive report (see crate::report), and map.svg, its first figure
//! ```
//!
//! Killed at any moment and resumed, a run ends with the same draws, bit for bit, as one never killed, for any number
//! of threads.

mod central;
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
mod export_frames;
mod finished;
mod first_map;
mod fit;
mod instructions;
mod integrity;
mod known;
mod map_files;
mod map_verdict;
pub(crate) mod monitor;
mod observer;
mod open_draws;
mod overwrite;
mod prior_check;
mod problem;
mod record;
mod reference;
mod resources;
mod results;
mod settings;
mod shown;
mod shown_summary;
#[cfg(test)]
mod shown_tests;
mod starts;
mod summary;
mod summary_lines;
mod tree;
mod unit;
mod verdicts;

pub use central::{Central, SampledPairs};
pub use check::CheckedConfig;
pub use check::{MOST_CHAINS, MOST_CHECKPOINT_SECONDS, MOST_THREADS};
pub(crate) use compare::distinct_names;
pub use compare::{ComparedPair, ComparedRun, Comparison, compare};
pub use config::{FitConfig, InputConfig, Keep, ModelConfig, PriorConfig, PriorFamily, RunConfig, Start, TreeConfig};
pub use connections::{disconnection, underdetermination};
pub use coupled::CoupledPairs;
pub use directory::RunDirectory;
pub use error::RunError;
pub use export_frames::ExportFrames;
pub use finished::{FinishedRun, Measured};
pub use fit::{Changes, Control, Outcome, fit, fit_anew, resume};
pub use known::Known;
pub use observer::{ChainProgress, Observer, Silent};
pub use open_draws::{RunDraws, open_draws};
pub(crate) use record::X_SHIFT;
pub(crate) use resources::available_memory;
pub use resources::check_memory;
pub use shown::{ShownMap, Why};
pub use shown_summary::{CentralDraw, MapSummary, ShownSummary};
pub use summary::{BranchSummary, Diffusion, Extreme, Interval, StressSummary, Summary};
pub use summary_lines::digits;
pub use tree::RunTree;
pub use verdicts::ChainsVerdict;
