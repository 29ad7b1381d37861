//! `sbmds export`: the draws of a fit as plain files.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sbmds::draws::export_npy;
use sbmds::run::RunDirectory;

use crate::failure::Failure;

/// Flags of `sbmds export`.
#[derive(Args)]
pub struct Export {
    /// Directory of the run
    run: PathBuf,
    /// Format of the files
    #[arg(long, value_enum, default_value = "npy")]
    format: ExportFormat,
    /// Where to write them
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// What can be written.
#[derive(Clone, Copy, ValueEnum)]
enum ExportFormat {
    /// NumPy arrays: draws.npy (chains, draws, objects, dims), sigma.npy, log_likelihood.npy, and names.txt; with a tree also
    /// trace_sigma.npy and logdet_sigma.npy
    Npy,
}

impl Export {
    pub fn run(&self) -> Result<(), Failure> {
        let (_, config) = RunDirectory::open(&self.run)?;
        let ExportFormat::Npy = self.format;
        let mut learned = Vec::new();
        if config.priors.learn_scale {
            learned.push(("lambda", "lambda.npy"));
        }
        if config.tree.is_some() {
            learned.extend([("trait_trace", "trace_sigma.npy"), ("trait_logdet", "logdet_sigma.npy")]);
        }
        for path in export_npy(&self.run, &self.out, &learned)? {
            println!("{}", path.display());
        }
        Ok(())
    }
}
