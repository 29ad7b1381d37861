//! Every setting of a fit: as asked for, checked, and resolved by the data.

mod by_key;
pub(crate) mod check;
pub(crate) mod config;
pub mod measurement;
pub(crate) mod resolved;

pub use check::CheckedConfig;
pub use check::{MOST_CHAINS, MOST_CHECKPOINT_SECONDS, MOST_THREADS};
pub use config::{
    FitConfig, InputConfig, Keep, ModelConfig, PriorConfig, PriorFamily, RunConfig, Shrinkage, Start, TreeConfig,
};
pub use measurement::{Levels, MeasurementConfig, VirusTree};
pub use resolved::Resolved;
