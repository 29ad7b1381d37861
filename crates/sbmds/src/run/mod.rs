//! A whole fit: from a file of dissimilarities to a directory with draws, a map, diagnostics and a verdict.
//!
//! [`fit`] starts a run, [`fit_anew`] starts one in the place of another, and [`resume`] goes on with one; all tell the same
//! story, one call per stage. [`combine`] makes one run of chains that ran one by one. A run is a directory:
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

mod combine;
mod compare;
pub(crate) mod directory;
mod disk;
mod export_frames;
mod finished;
mod first_map;
mod fit;
mod hashes;
mod integrity;
mod map_files;
mod open_draws;
mod overwrite;
mod share;
mod sink;
#[cfg(test)]
pub(crate) mod test_run;
mod titre_files;
mod write;

pub use combine::combine;
pub(crate) use compare::distinct_names;
pub use compare::{ComparedPair, ComparedRun, Comparison, compare};
pub use directory::RunDirectory;
pub use export_frames::ExportFrames;
pub use fit::{Changes, Outcome, fit, fit_anew, fit_input, resume};
pub use open_draws::{RunDraws, open_draws};
pub use share::share_of;

pub use crate::error::RunError;
pub(crate) use crate::fit::chain::monitor;
pub use crate::fit::{
    BranchSummary, Central, CentralDraw, ChainProgress, ChainsVerdict, Control, CoupledPairs, Diffusion, Extreme,
    Fitted as FinishedRun, Interval, MapSummary, Measured, Observer, RunTree, SampledPairs, ShownMap, ShownSummary,
    Silent, StressSummary, Summary, Why, check_memory, digits, disconnection, underdetermination,
};
pub use crate::settings::{
    CheckedConfig, FitConfig, InputConfig, Keep, Levels, MOST_CHAINS, MOST_CHECKPOINT_SECONDS, MOST_THREADS,
    MeasurementConfig, ModelConfig, PriorConfig, PriorFamily, RunConfig, Shrinkage, Start, TreeConfig, VirusTree,
};
