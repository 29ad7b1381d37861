//! `sbmds reproduce`: the paper's figures and tables, our numbers beside the authors'.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use sbmds_paper::reproduce::{
    About, Abstracts, Experiment, Influenza, Information, Limits, ON_FILES, Outcome, OwnFiles, Progress, Scale, Titres,
    Workplace, experiments, reproduce,
};

use crate::arguments::n_threads;
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
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Leave out cells with more objects
    #[arg(long, value_name = "N")]
    max_objects: Option<usize>,
    /// Leave out further data sets of a setting
    #[arg(long, value_name = "R")]
    repeats: Option<usize>,
    /// Threads (cells whose time is measured run one after the other)
    #[arg(long, value_name = "P")]
    threads: Option<usize>,
    /// Distances between the objects, for influenza and information
    #[arg(long, value_name = "FILE")]
    distances: Option<PathBuf>,
    /// Titres in the long form with years, for titres
    #[arg(long, value_name = "FILE")]
    titers: Option<PathBuf>,
    /// Tree whose tips are the objects (for titres: the viruses), Newick or NEXUS, for influenza, information and titres
    #[arg(long, value_name = "FILE")]
    tree: Option<PathBuf>,
    /// Feature vectors of the objects, for abstracts and information
    #[arg(long, value_name = "FILE")]
    embeddings: Option<PathBuf>,
    /// Table with the true classes of the objects, the first column the name, for abstracts
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Column of the labels that holds the true classes [default: the first after the name]
    #[arg(long, value_name = "COLUMN")]
    truth: Option<String>,
}

impl Reproduce {
    pub fn run(&self) -> Result<(), Failure> {
        let stop = stop_flag()?;
        let experiments = experiments(&stop);
        let all = experiments.iter().map(|experiment| experiment.about()).chain(ON_FILES);
        if self.list {
            for About { name, source, summary, needs, .. } in all {
                let needs = if needs.is_empty() { String::new() } else { format!(" (needs {needs})") };
                println!("{name:<19} {source}: {summary}{needs}");
            }
            return Ok(());
        }
        let name = self.name.as_deref().unwrap_or_default();
        if let Some(about) = ON_FILES.iter().find(|about| about.name == name) {
            let workplace = self.workplace(name, stop)?;
            return self.carry_out(self.on_files(about, &workplace)?.as_ref(), &workplace);
        }
        if name == "information" {
            let files = OwnFiles {
                distances: self.distances.clone(),
                tree: self.tree.clone(),
                embeddings: self.embeddings.clone(),
            };
            let workplace = self.workplace(name, stop)?;
            return self.carry_out(&Information::new(files, Arc::clone(&workplace.stop)), &workplace);
        }
        let Some(experiment) = experiments.iter().find(|experiment| experiment.about().name == name) else {
            let names = all.map(|about| about.name).collect::<Vec<_>>().join(", ");
            return Err(Failure::bad_input(format!("{name:?} cannot be reproduced. Remedy: give one of {names}")));
        };
        self.carry_out(experiment.as_ref(), &self.workplace(name, stop)?)
    }

    /// An experiment on the files given.
    fn on_files(&self, about: &About, workplace: &Workplace) -> Result<Box<dyn Experiment>, Failure> {
        let About { name, needs, .. } = about;
        let missing = || Failure::bad_input(format!("{name} is made from files of yours. Remedy: give {needs}"));
        let files =
            |first: &Option<PathBuf>, second: &Option<PathBuf>| first.clone().zip(second.clone()).ok_or_else(missing);
        let workplace = workplace.clone();
        let experiment: Result<Box<dyn Experiment>, _> = if *name == "abstracts" {
            let (embeddings, labels) = files(&self.embeddings, &self.labels)?;
            Abstracts::new(embeddings, labels, self.truth.clone(), workplace).map(|found| Box::new(found) as _)
        } else if *name == "titres" {
            let (titers, tree) = files(&self.titers, &self.tree)?;
            Titres::new(titers, tree, workplace).map(|found| Box::new(found) as _)
        } else {
            let (distances, tree) = files(&self.distances, &self.tree)?;
            Influenza::new(distances, tree, workplace).map(|found| Box::new(found) as _)
        };
        experiment.map_err(Failure::bad_input)
    }

    /// Where to work, with how many threads.
    fn workplace(&self, name: &str, stop: Arc<AtomicBool>) -> Result<Workplace, Failure> {
        let directory = self.out.clone().unwrap_or_else(|| PathBuf::from("reproduce").join(name));
        let n_threads = n_threads(self.threads)?;
        Ok(Workplace { directory, n_threads, stop })
    }

    fn carry_out(&self, experiment: &dyn Experiment, workplace: &Workplace) -> Result<(), Failure> {
        let limits = Limits { max_objects: self.max_objects, repeats: self.repeats };
        if let Some(sentence) = experiment.left_out(self.scale()) {
            eprintln!("{sentence}");
        }
        let watch = Watch::new();
        let on_progress = |progress: Progress| watch.show(&progress);
        let Workplace { directory, n_threads, stop } = workplace;
        let outcome = reproduce(experiment, self.scale(), directory, limits, *n_threads, stop, &on_progress);
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
