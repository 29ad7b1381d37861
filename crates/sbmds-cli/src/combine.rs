//! `sbmds combine`: chains that ran one by one become one run.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Args;
use sbmds::run::{self, Control};

use crate::arguments::n_threads;
use crate::conclusion::Conclusion;
use crate::failure::Failure;
use crate::progress::{Watch, WatchMode};

/// Flags of `sbmds combine`.
#[derive(Args)]
pub struct Combine {
    /// Directories of the runs, one for each chain (`sbmds fit --chain K`)
    #[arg(required = true, num_args = 1.., value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Directory of the run that they become
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// Where the input is now, if it has moved
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "P")]
    threads: Option<usize>,
    /// Write no report.html and no map.svg, and draw no map at the end
    #[arg(long)]
    no_report: bool,
    /// Start although memory or disk seem too small for the run
    #[arg(long)]
    force: bool,
}

impl Combine {
    pub fn run(&self) -> Result<(), Failure> {
        let (start, n_threads) = (Instant::now(), n_threads(self.threads)?);
        let watch = Watch::new(WatchMode::None, self.runs.len());
        let control = Control {
            observer: &watch,
            stop: &AtomicBool::new(false),
            n_threads,
            checkpoint_interval: Duration::MAX,
            deadline: None,
            force: self.force,
            engine: None,
        };
        let outcome = run::combine(&self.runs, &self.out, self.input.clone(), &control)?;
        watch.end();
        Conclusion { run: &self.out, shows: !self.no_report, draws_map: true, start, n_threads }.of(outcome)
    }
}
