//! `sbmds place`: new objects on the map of a finished fit.

use std::path::{Path, PathBuf};

use clap::Args;
use sbmds::dissimilarity::{NewObjects, read_new_objects};
use sbmds::place::{MOST_PLACED_DIMS, OldMap, Placed, place, write_placed};
use sbmds::plain::shown;
use sbmds::report::{ReportData, write_html};
use sbmds::run::{FinishedRun, digits};

use crate::arguments::n_threads;
use crate::failure::Failure;
use crate::place_jointly::Jointly;
use crate::report::labels_of;
use crate::say::{say, warn};

/// Draws of the old map that new objects are placed in, by default: enough for 95% ellipses.
const MOST_DRAWS: usize = 200;
/// Where there are many pairs, as many draws as make this many pairs in all (half a minute on two cores), but never fewer than the last.
const MOST_PAIRS: usize = 5_000_000_000;
const FEWEST_DRAWS: usize = 20;

/// Flags of `sbmds place`.
#[derive(Args)]
pub struct Place {
    /// Directory of the run
    run: PathBuf,
    /// New objects: CSV or TSV, a row for each, a column for every old object it was measured against (empty: not measured); or .npy
    new: PathBuf,
    /// Draws of the old map to place them in [default: 200; fewer, but at least 20, where there are many pairs]; with --joint, draws of each chain
    /// [default: as many as the old fit]
    #[arg(long, value_name = "S")]
    draws: Option<usize>,
    /// Seed of everything random
    #[arg(long, value_name = "I", default_value_t = 1)]
    seed: u64,
    /// Threads to use [default: all cores]; the answer does not depend on it
    #[arg(long, value_name = "P")]
    threads: Option<usize>,
    /// Where to write embedding.csv, placed.csv and report.html [default: placed in the directory of the run; with --joint, joint]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Fit old and new objects together, from the old map on: the old map moves, too, and new objects know of each other
    #[arg(long)]
    joint: bool,
    /// Write no report.html
    #[arg(long)]
    no_report: bool,
}

impl Place {
    pub fn run(&self) -> Result<(), Failure> {
        if self.draws == Some(0) {
            return Err(Failure::bad_input("--draws 0: nothing to place objects in; give at least 1"));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads(self.threads)?).build();
        let pool = pool.map_err(|error| Failure::bad_input(format!("cannot start the threads: {error}")))?;
        pool.install(|| self.place())
    }

    fn place(&self) -> Result<(), Failure> {
        let run = FinishedRun::open(&self.run)?;
        let new = read_new_objects(&self.new, run.names())?;
        if self.joint {
            return self.run_jointly(&run, &new);
        }
        let old = OldMap::of(&run, self.n_draws(&new, run.names().len()))?;
        let placed = place(&old, run.pair_noise()?, &new, self.seed)?;
        let out = self.out.clone().unwrap_or_else(|| run.path().join("placed"));
        let files = write_placed(&run, &placed, &out)?;
        print!("{}", table(&placed, run.names().len()));
        warn_of_few_partners(&placed, old.n_dims());
        files.iter().for_each(|path| println!("{}", path.display()));
        if !self.no_report {
            self.report(&run, &placed, &out)?;
        }
        if !run.summary().converged {
            warn(format_args!("{} has not converged: {}", run.path().display(), run.summary().verdict));
        }
        Ok(())
    }

    /// In one fit, which starts where a few draws place the new objects, if objects can be placed in that many dimensions.
    fn run_jointly(&self, run: &FinishedRun, new: &NewObjects) -> Result<(), Failure> {
        let can_place = run.summary().n_dims <= MOST_PLACED_DIMS;
        let placed = can_place.then(|| -> Result<Placed, Failure> {
            Ok(place(&OldMap::of(run, FEWEST_DRAWS)?, run.pair_noise()?, new, self.seed)?)
        });
        let out = self.out.clone().unwrap_or_else(|| run.path().join("joint"));
        let jointly = Jointly {
            directory: &out,
            draws: self.draws,
            seed: self.seed,
            n_threads: n_threads(self.threads)?,
            has_report: !self.no_report,
        };
        jointly.run(run, new, placed.transpose()?.as_ref())
    }

    fn n_draws(&self, new: &NewObjects, n_old: usize) -> usize {
        let n_pairs = (new.names.len() * n_old).max(1);
        self.draws.unwrap_or_else(|| (MOST_PAIRS / n_pairs).clamp(FEWEST_DRAWS, MOST_DRAWS))
    }

    fn report(&self, run: &FinishedRun, placed: &Placed, out: &Path) -> Result<(), Failure> {
        let path = out.join("report.html");
        write_html(&ReportData::gather(run, labels_of(run).as_ref())?.with_placed(placed), &path)?;
        println!("{}", path.display());
        Ok(())
    }
}

/// The first new objects, with where they are.
fn table(placed: &Placed, n_old: usize) -> String {
    const LISTED: usize = 10;
    let n_new = placed.names.len();
    let mut text = format!("{n_new} new objects on a map of {n_old}, in {} draws", placed.draws.len());
    if !placed.modes.is_empty() {
        text += &format!("; {} have several modes", placed.modes.len());
    }
    let names: Vec<String> = placed.names.iter().take(LISTED).map(|name| shown(&name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(4);
    text += &format!("\n\n{:width$}{:>24}{:>11}{:>8}{:>7}\n", "name", "location", "stress", "pairs", "modes");
    for (object, name) in names.iter().enumerate() {
        let location: Vec<String> = placed.moments.mean().object(object).iter().map(|&x| digits(x)).collect();
        let one = &placed.objects[object];
        let (stress, n_pairs, n_modes) = (digits(one.fit.stress), one.fit.n_pairs, one.n_modes);
        text += &format!("{name:width$}{:>24}{stress:>11}{n_pairs:>8}{n_modes:>7}\n", location.join(", "));
    }
    if n_new > LISTED { text + &format!("and {} more\n", n_new - LISTED) } else { text }
}

/// An object needs one partner more than there are dimensions to be held in one place.
fn warn_of_few_partners(placed: &Placed, n_dims: usize) {
    let few: Vec<String> = placed
        .objects
        .iter()
        .zip(placed.names.iter())
        .filter(|(object, _)| object.fit.n_pairs <= n_dims)
        .map(|(_, name)| shown(&name))
        .collect();
    if let Some(first) = few.first() {
        warn(format_args!(
            "{} of the new objects (such as {first}) have no more than {n_dims} dissimilarities, too few for one location in {n_dims} \
             dimensions",
            few.len()
        ));
        say("their ellipses and modes.csv say where else they may be");
    }
}
