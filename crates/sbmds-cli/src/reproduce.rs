//! `sbmds reproduce`: the paper's figures and tables, our numbers beside the authors'.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use clap::Args;
use sbmds::reproduce::{Experiment, Limits, Outcome, Progress, Scale, experiments, reproduce};

use crate::failure::Failure;
use crate::fit::stop_flag;

/// Flags of `sbmds reproduce`.
#[derive(Args)]
pub struct Reproduce {
    /// What to reproduce: a name of --list
    #[arg(required_unless_present = "list")]
    name: Option<String>,
    /// List everything that can be reproduced
    #[arg(long)]
    list: bool,
    /// A minute or two on two cores: fewer settings, repeats and draws (default)
    #[arg(long, conflicts_with_all = ["full", "toy"])]
    quick: bool,
    /// The settings of the paper: minutes to hours
    #[arg(long, conflicts_with = "toy")]
    full: bool,
    /// Seconds; for trying and for tests
    #[arg(long)]
    toy: bool,
    /// Directory for the page, the figure and the tables; run again with the same one, and finished cells are not repeated
    /// [default: reproduce/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Leave out cells with more objects
    #[arg(long, value_name = "N")]
    max_objects: Option<usize>,
    /// Leave out further data sets of a setting
    #[arg(long, value_name = "R")]
    repeats: Option<usize>,
    /// Threads (measurements of time always use one)
    #[arg(long, value_name = "P")]
    threads: Option<usize>,
}

impl Reproduce {
    pub fn run(&self) -> Result<(), Failure> {
        let experiments = experiments();
        if self.list {
            for experiment in &experiments {
                println!("{:<19} {}: {}", experiment.name(), experiment.source(), experiment.summary());
            }
            return Ok(());
        }
        let name = self.name.as_deref().unwrap_or_default();
        let Some(experiment) = experiments.iter().find(|experiment| experiment.name() == name) else {
            let names: Vec<&str> = experiments.iter().map(|experiment| experiment.name()).collect();
            let names = names.join(", ");
            return Err(Failure::bad_input(format!("{name:?} cannot be reproduced. Remedy: give one of {names}")));
        };
        self.carry_out(experiment.as_ref())
    }

    fn carry_out(&self, experiment: &dyn Experiment) -> Result<(), Failure> {
        let directory = self.out.clone().unwrap_or_else(|| PathBuf::from("reproduce").join(experiment.name()));
        let n_threads = match self.threads {
            Some(0) => {
                return Err(Failure::bad_input("--threads: 0 is too few. Remedy: give a whole number of 1 or more"));
            }
            Some(threads) => threads,
            None => std::thread::available_parallelism().map_or(1, Into::into),
        };
        let limits = Limits { max_objects: self.max_objects, repeats: self.repeats };
        let stop = stop_flag()?;
        let watch = Watch::new();
        let on_progress = |progress: Progress| watch.show(&progress);
        let outcome = reproduce(experiment, self.scale(), &directory, limits, n_threads, &stop, &on_progress);
        watch.end();
        match outcome.map_err(Failure::bad_input)? {
            Outcome::Finished(page) => {
                println!("{}", page.display());
                Ok(())
            }
            Outcome::Interrupted => Err(Failure::interrupted(
                "interrupted; finished cells are kept. The same command goes on where it stopped",
            )),
        }
    }

    fn scale(&self) -> Scale {
        match (self.full, self.toy) {
            (true, _) => Scale::Full,
            (_, true) => Scale::Toy,
            _ => Scale::Quick,
        }
    }
}

/// Says how far it is: on one line of a terminal, or in a line every half minute.
struct Watch {
    begin: Instant,
    on_terminal: bool,
    latest: Mutex<Instant>,
}

/// Time between lines where there is no terminal.
const INTERVAL: Duration = Duration::from_secs(30);

impl Watch {
    fn new() -> Self {
        let now = Instant::now();
        Self { begin: now, on_terminal: io::stderr().is_terminal(), latest: Mutex::new(now) }
    }

    fn show(&self, progress: &Progress) {
        let Progress { n_done, n_cells, share } = progress;
        let elapsed = self.begin.elapsed().as_secs_f64();
        let left = Duration::from_secs_f64((elapsed / share - elapsed).clamp(0.0, 1e7));
        let line = format!("{n_done} of {n_cells} cells, about {} left", in_words(left));
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if self.on_terminal {
            eprint!("\r{line:<60}");
        } else if latest.elapsed() >= INTERVAL {
            *latest = Instant::now();
            eprintln!("{line}");
        }
    }

    fn end(&self) {
        if self.on_terminal {
            eprint!("\r{:<60}\r", "");
        }
    }
}

fn in_words(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        assert_eq!([5, 300, 9_000].map(|seconds| in_words(Duration::from_secs(seconds))), ["5 s", "5 min", "2.5 h"]);
    }
}
