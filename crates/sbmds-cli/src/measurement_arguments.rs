//! Flags of what was measured: noise families with parameters, titres with their levels.

use std::path::Path;

use clap::{Args, ValueEnum};
use sbmds::measurement::{Family, KnownErrors};
use sbmds::run::{Levels, MeasurementConfig, VirusTree};

use crate::eval_titers::TiterArgs;
use crate::tree_arguments::TreeArgs;

/// What was measured.
#[derive(Args)]
pub struct MeasurementArgs {
    /// Degrees of freedom of Student's t [default: learned]
    #[arg(long, value_name = "NU", help_heading = "Model", allow_negative_numbers = true)]
    pub nu: Option<f64>,
    /// What known standard errors do: add to sigma, or replace it
    #[arg(long, value_enum, default_value = "add", help_heading = "Model")]
    pub known_errors: KnownErrorsArg,
    #[command(flatten)]
    pub titers: TiterArgs,
    /// Potencies of the sera: fixed at their largest titres, estimated with a normal prior of the largest titres' mean and variance,
    /// or hierarchical, with mean and variance learned
    #[arg(long, value_enum, default_value = "hierarchical", requires = "titers", help_heading = "Titres")]
    pub potencies: LevelsArg,
    /// Avidities of the viruses, in the same way: the expected log2 titre is then (avidity + potency)/2 - distance [default: none]
    #[arg(long, value_enum, requires = "titers", help_heading = "Titres")]
    pub avidities: Option<LevelsArg>,
    /// Viruses and sera drift along the first axis with their years (columns virusYear and serumYear)
    #[arg(long, requires = "titers", help_heading = "Titres")]
    pub drift: bool,
}

/// See [`Levels`].
#[derive(Clone, Copy, ValueEnum)]
pub enum LevelsArg {
    Fixed,
    Estimated,
    Hierarchical,
}

impl From<LevelsArg> for Levels {
    fn from(levels: LevelsArg) -> Self {
        match levels {
            LevelsArg::Fixed => Self::Fixed,
            LevelsArg::Estimated => Self::Estimated,
            LevelsArg::Hierarchical => Self::Hierarchical,
        }
    }
}

/// See [`KnownErrors`].
#[derive(Clone, Copy, ValueEnum)]
pub enum KnownErrorsArg {
    Add,
    Replace,
}

impl From<KnownErrorsArg> for KnownErrors {
    fn from(errors: KnownErrorsArg) -> Self {
        match errors {
            KnownErrorsArg::Add => Self::Add,
            KnownErrorsArg::Replace => Self::Replace,
        }
    }
}

impl MeasurementArgs {
    /// The settings; with titres a tree is that of the viruses alone.
    pub fn config(&self, noise: Family, tree: &TreeArgs, path: Option<&Path>) -> MeasurementConfig {
        let tree = path.filter(|_| self.titers.titers).map(|path| VirusTree {
            path: path.to_owned(),
            hash: None,
            index: tree.tree_index,
            prune: tree.prune,
            root_sample_size: tree.root_sample_size,
        });
        MeasurementConfig {
            family: Some(noise).filter(|noise| noise.of_kernels().is_none()),
            nu: self.nu,
            known_errors: self.known_errors.into(),
            reading: self.titers.reading.into(),
            potencies: self.potencies.into(),
            avidities: self.avidities.map(Levels::from),
            drift: self.drift,
            tree,
        }
    }
}
