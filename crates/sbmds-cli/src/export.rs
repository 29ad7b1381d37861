//! `sbmds export`: the draws of a fit as plain files.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sbmds::diffusion::{DEFAULT_TREES, write_files};
use sbmds::draws::{EXPORTED, export_npy};
use sbmds::files::FileSet;
use sbmds::run::{FinishedRun, RunDraws, open_draws};

use crate::failure::Failure;
use crate::say::warn;

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
    /// Most trees in posterior.trees (beast), of evenly spaced draws
    #[arg(long, value_name = "N", default_value_t = DEFAULT_TREES)]
    trees: usize,
}

/// What can be written.
#[derive(Clone, Copy, ValueEnum)]
enum ExportFormat {
    /// NumPy arrays: draws.npy (chains, draws, objects, dims), sigma.npy, log_likelihood.npy, and names.txt; with a tree also
    /// trace_sigma.npy and logdet_sigma.npy
    Npy,
    /// With a tree: posterior.log for Tracer, posterior.trees with a location at every node, and ancestors.csv
    Beast,
}

impl Export {
    pub fn run(&self) -> Result<(), Failure> {
        let written = match self.format {
            ExportFormat::Npy => self.npy()?,
            ExportFormat::Beast => self.beast()?,
        };
        written.iter().for_each(|path| println!("{}", path.display()));
        Ok(())
    }

    fn npy(&self) -> Result<Vec<PathBuf>, Failure> {
        let RunDraws { config, unfinished, .. } = open_draws(&self.run)?;
        unfinished.iter().for_each(warn);
        let mut learned = Vec::new();
        if config.priors.learn_scale {
            learned.push(("lambda", "lambda.npy"));
        }
        if config.tree.is_some() {
            learned.extend([("trait_trace", "trace_sigma.npy"), ("trait_logdet", "logdet_sigma.npy")]);
        }
        Ok(export_npy(&self.run, &self.out, &learned)?)
    }

    fn beast(&self) -> Result<Vec<PathBuf>, Failure> {
        let run = FinishedRun::open(&self.run)?;
        let tree = run.tree()?.ok_or_else(|| {
            Failure::bad_input(format!(
                "{} was fitted without a tree, and these files speak of one. Remedy: fit with --tree, or export with --format npy",
                self.run.display()
            ))
        })?;
        let iterations_per_draw = run.config().run.iterations_per_draw();
        let set = FileSet::begin(&self.out, &EXPORTED)?;
        write_files(set.staging(), &run.node_draws(&tree)?, self.trees, iterations_per_draw)?;
        Ok(set.commit()?)
    }
}
