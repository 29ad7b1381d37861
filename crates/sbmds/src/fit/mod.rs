//! A whole fit: from dissimilarities in memory to draws, a map, diagnostics and two verdicts.

pub(crate) mod central;
pub(crate) mod chain;
pub(crate) mod chains;
mod connections;
pub(crate) mod coupled;
pub(crate) mod instructions;
pub(crate) mod map_verdict;
pub(crate) mod memory;
pub(crate) mod monitor;
pub(crate) mod observer;
pub(crate) mod prior_check;
pub(crate) mod problem;
pub(crate) mod record;
pub(crate) mod reference;
pub(crate) mod results;
pub(crate) mod shown;
pub(crate) mod shown_summary;
#[cfg(test)]
mod shown_tests;
pub(crate) mod summary;
pub(crate) mod summary_lines;
pub(crate) mod tree;
pub(crate) mod unit;
pub(crate) mod verdicts;

pub use central::{Central, SampledPairs};
pub use connections::{disconnection, underdetermination};
pub use coupled::CoupledPairs;
pub(crate) use memory::available_memory;
pub use memory::check_memory;
pub use observer::{ChainProgress, Observer, Silent};
pub(crate) use record::X_SHIFT;
pub use shown::{ShownMap, Why};
pub use shown_summary::{CentralDraw, MapSummary, ShownSummary};
pub use summary::{BranchSummary, Diffusion, Extreme, Interval, StressSummary, Summary};
pub use summary_lines::digits;
pub use tree::RunTree;
pub use verdicts::ChainsVerdict;
