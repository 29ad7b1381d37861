//! A whole fit: from dissimilarities in memory to draws, a map, diagnostics and two verdicts.

pub(crate) mod anchor;
mod builder;
pub(crate) mod chain;
pub(crate) mod control;
mod engine;
pub(crate) mod fitted;
pub(crate) mod observer;
pub(crate) mod problem;
pub(crate) mod sample;
pub(crate) mod shown;
pub(crate) mod sink;
pub(crate) mod start;
pub(crate) mod summary;
pub(crate) mod verdicts;

pub use anchor::check::AnchorCheck;
pub use builder::Fit;
pub use chain::drive::{Follower, Step, collect, drive};
pub use chain::{SavedChain, Snapshot};
pub use control::Control;
pub use engine::{Engine, Job};
pub use fitted::{Fitted, Measured};
pub use observer::{ChainProgress, Observer, Silent};
pub use problem::connections::{disconnection, underdetermination};
pub use problem::coupled::CoupledPairs;
pub use problem::known::Known;
pub use problem::memory::check_memory;
pub use problem::tree::RunTree;
pub use shown::central::{Central, SampledPairs};
pub use shown::summary::{CentralDraw, MapSummary, ShownSummary};
pub use shown::{ShownMap, Why};
pub use sink::{ChainSink, DrawSink, MemorySink};
pub use summary::lines::digits;
pub use summary::shepard::Shepard;
pub use summary::titres::{LARGE_DROP, TitreSummary};
pub use summary::{BranchSummary, Diffusion, Extreme, Interval, StressSummary, Summary};
pub use verdicts::ChainsVerdict;
