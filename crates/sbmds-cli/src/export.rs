//! `sbmds export`: the draws of a fit as plain files, aligned to the map shown.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use sbmds::Locations;
use sbmds::diffusion::{DEFAULT_TREES, write_files};
use sbmds::draws::{EXPORTED, Frame, StoreError, export_csv, export_npy};
use sbmds::files::FileSet;
use sbmds::run::{ExportFrames, FinishedRun, RunDraws, open_draws};

use crate::failure::Failure;
use crate::say::{say, warn};

/// Writes draws to a directory, with further variables, each moved to its frame.
type ExportDraws = fn(&Path, &Path, &[(&str, &str)], Option<Frame>) -> Result<Vec<PathBuf>, StoreError>;

/// Flags of `sbmds export`.
#[derive(Args)]
pub struct Export {
    /// Directory of the run
    run: PathBuf,
    /// Format of the files
    #[arg(long, value_enum, default_value = "npy")]
    format: ExportFormat,
    /// Draws as the sampler had them, not aligned: each map is rotated, reflected and shifted against the others
    #[arg(long)]
    raw: bool,
    /// Where to write them
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// Most trees in posterior.trees (beast), of evenly spaced draws
    #[arg(long, value_name = "N", default_value_t = DEFAULT_TREES)]
    trees: usize,
}

/// What can be written.
#[derive(Clone, Copy, ValueEnum)]
enum ExportFormat {
    /// NumPy arrays: draws.npy (chains, draws, objects, dims; aligned to the map of embedding.csv), sigma.npy, log_likelihood.npy,
    /// and names.txt; with a tree also trace_sigma.npy and logdet_sigma.npy
    Npy,
    /// Tables in long form, for R: draws.csv (chain, draw, object, x1, x2, ...; aligned to the map of embedding.csv) and scalars.csv
    /// (chain, draw, sigma, log_likelihood; with a tree also trace_sigma and logdet_sigma)
    Csv,
    /// With a tree: posterior.log for Tracer, posterior.trees with a location at every node, and ancestors.csv
    Beast,
}

impl Export {
    pub fn run(&self) -> Result<(), Failure> {
        let written = match self.format {
            ExportFormat::Npy => self.draws(|name| format!("{name}.npy"), export_npy)?,
            ExportFormat::Csv => self.draws(str::to_owned, export_csv)?,
            ExportFormat::Beast => self.beast()?,
        };
        written.iter().for_each(|path| println!("{}", path.display()));
        Ok(())
    }

    /// Exports the draws; `called` makes a file or a column of a name.
    fn draws(&self, called: impl Fn(&str) -> String, export: ExportDraws) -> Result<Vec<PathBuf>, Failure> {
        let RunDraws { config, unfinished, .. } = open_draws(&self.run)?;
        unfinished.iter().for_each(warn);
        let mut learned = Vec::new();
        if config.priors.learn_scale {
            learned.push(("lambda", called("lambda")));
        }
        if !config.priors.shrinkage.is_none() {
            learned.extend(["axis_variance", "n_dims_used"].map(|name| (name, called(name))));
        }
        if config.tree.is_some() {
            learned.extend([("trait_trace", called("trace_sigma")), ("trait_logdet", called("logdet_sigma"))]);
        }
        let learned: Vec<(&str, &str)> = learned.iter().map(|(name, called)| (*name, called.as_str())).collect();
        if unfinished.is_some() && !self.raw {
            say("note: the draws are aligned to one another, but there is no map to align them to");
        }
        let frames = if self.raw { ExportFrames::raw(&self.run)? } else { ExportFrames::aligned(&self.run)? };
        let frame = |chain: usize, draw: usize, x: &Locations| frames.apply(chain, draw, x);
        Ok(export(&self.run, &self.out, &learned, Some(&frame))?)
    }

    fn beast(&self) -> Result<Vec<PathBuf>, Failure> {
        let run = FinishedRun::open(&self.run)?;
        let tree = run.tree()?.ok_or_else(|| {
            Failure::bad_input(format!(
                "{} was fitted without a tree, and these files describe one. Remedy: fit with --tree, or export with --format npy or csv",
                self.run.display()
            ))
        })?;
        let iterations_per_draw = run.config().run.iterations_per_draw();
        let set = FileSet::begin(&self.out, &EXPORTED)?;
        write_files(set.staging(), &run.node_draws(&tree)?, self.trees, iterations_per_draw)?;
        Ok(set.commit()?)
    }
}
