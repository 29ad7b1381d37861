//! `sbmds bench`: speed and memory on this machine.

mod clock;
mod clusters;
mod coupled;
mod error;
mod families;
mod kernels;
mod measure;
mod memory;
mod numbers;
mod overhead;
mod passing;
mod problem;
mod report;
mod resident;
mod samplers;
mod scale;
mod tree;

use clap::Subcommand;
pub use error::BenchError;

/// What to measure.
#[derive(Subcommand)]
pub enum Bench {
    /// Time per pair of the likelihood and its gradient, beside a plain loop measured in the same run
    Kernels(kernels::Kernels),
    /// Time per measurement of every noise family, with numbers and limits, beside the kernels of pairs
    Families(families::Families),
    /// Memory and time to build a likelihood from features and evaluate it (Linux)
    Memory(memory::Memory),
    /// Time of one HDBSCAN, beside a plain spanning tree measured in the same run
    Clusters(clusters::Clusters),
    /// Effective draws per second of the samplers on the paper's efficiency study
    Samplers(samplers::Samplers),
    /// Memory, time and network of a fit on one to a thousand machines, by a model with measured constants
    Scale(scale::Scale),
    /// Cost of the prior along a tree beside the likelihood, and of whole iterations beside the published code
    Tree(tree::TreeBench),
}

impl Bench {
    /// Measures and prints.
    ///
    /// # Errors
    /// If the settings cannot be measured, or the system refuses memory or files.
    pub fn run(&self) -> Result<(), BenchError> {
        match self {
            Self::Kernels(command) => command.run(),
            Self::Families(command) => command.run(),
            Self::Memory(command) => command.run(),
            Self::Clusters(command) => command.run(),
            Self::Samplers(command) => command.run(),
            Self::Scale(command) => command.run(),
            Self::Tree(command) => command.run(),
        }
    }
}
