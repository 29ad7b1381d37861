//! `sbmds place --joint`: old and new objects in one fit.

use std::path::Path;
use std::time::Duration;

use sbmds::dissimilarity::NewObjects;
use sbmds::place::{Placed, joint_config};
use sbmds::plain::shown;
use sbmds::report::{ReportData, write_html};
use sbmds::run::{Changes, Control, FinishedRun, FitConfig, Outcome, RunDirectory, Silent, digits, fit, resume};

use crate::failure::Failure;
use crate::fit::stop_flag;
use crate::report::labels_of;
use crate::say::{say, warn};

/// How the fit is to be made.
pub struct Jointly<'a> {
    pub directory: &'a Path,
    pub draws: Option<usize>,
    pub seed: u64,
    pub n_threads: usize,
    pub has_report: bool,
}

impl Jointly<'_> {
    /// Fits, or goes on, and says where the new objects are.
    pub fn run(&self, old: &FinishedRun, new: &NewObjects, placed: Option<&Placed>) -> Result<(), Failure> {
        let mut config = joint_config(old, new, placed, self.directory)?;
        config.run.seed = self.seed;
        config.run.draws = self.draws.unwrap_or(config.run.draws);
        let run = self.fit(config)?;
        print!("{}", table(&run, new)?);
        println!("{}", run.path().display());
        if self.has_report {
            let path = run.path().join("report.html");
            write_html(&ReportData::gather(&run, labels_of(&run).as_ref())?, &path)?;
            println!("{}", path.display());
        }
        if !run.summary().converged {
            warn(format_args!("{} has not converged: {}", run.path().display(), run.summary().verdict));
        }
        Ok(())
    }

    fn fit(&self, config: FitConfig) -> Result<FinishedRun, Failure> {
        let stop = stop_flag()?;
        let control = Control {
            observer: &Silent,
            stop: &stop,
            n_threads: self.n_threads,
            checkpoint_interval: Duration::from_secs(2),
            deadline: None,
            engine: None,
            force: false,
        };
        let directory = self.directory.join("fit");
        if let Ok(run) = FinishedRun::open(&directory) {
            let same = run.config().setting("run.seed") == config.setting("run.seed");
            if !same {
                let what = format!("{} holds a joint fit with another seed", directory.display());
                return Err(Failure::bad_input(format!("{what}. Remedy: give another --out, or remove it")));
            }
        } else {
            say(format_args!("fitting old and new objects together into {}", directory.display()));
        }
        let outcome = match RunDirectory::open(&directory) {
            Ok(_) => resume(&directory, &Changes { draws: Some(config.run.draws), ..Changes::default() }, &control)?,
            Err(_) => fit(config, &directory, &control)?,
        };
        match outcome {
            Outcome::Finished(_) | Outcome::FinishedBefore(_) => Ok(FinishedRun::open(&directory)?),
            Outcome::TimeUp(_) | Outcome::Interrupted => {
                Err(Failure::interrupted("interrupted; everything is saved. Go on with the same command"))
            }
        }
    }
}

/// The first new objects, with where they are.
fn table(run: &FinishedRun, new: &NewObjects) -> Result<String, Failure> {
    const LISTED: usize = 10;
    let (n_new, n_all) = (new.names.len(), run.names().len());
    let moments = run.moments()?;
    let mut text = format!("{n_new} new objects fitted together with {} old ones\n\n", n_all - n_new);
    let names: Vec<String> = new.names.iter().take(LISTED).map(|name| name.into_owned()).collect();
    let width = names.iter().map(|name| shown(name).chars().count()).max().unwrap_or(0).max(4);
    text += &format!("{:width$}{:>24}{:>24}\n", "name", "location", "sd");
    for name in &names {
        let Some(object) = run.names().find(name) else { continue };
        let numbers = |of: &dyn Fn(usize) -> f64| {
            (0..run.summary().n_dims).map(|dim| digits(of(dim))).collect::<Vec<_>>().join(", ")
        };
        let location = numbers(&|dim| moments.mean().get(object, dim));
        let sd = numbers(&|dim| moments.sd(object, dim));
        text += &format!("{:width$}{location:>24}{sd:>24}\n", shown(name));
    }
    Ok(if n_new > LISTED { text + &format!("and {} more\n", n_new - LISTED) } else { text })
}
