//! `sbmds fit`: from a table of dissimilarities to draws, a map and a verdict.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use sbmds::draws::StoreError;
use sbmds::draws::checkpoint::CheckpointError;
use sbmds::run::{
    self, Changes, Control, FitConfig, InputConfig, MOST_CHECKPOINT_SECONDS, ModelConfig, Outcome, RunDirectory,
    RunError, Summary, TreeConfig,
};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::arguments::{CouplingArgs, ReadingArgs, n_threads};
use crate::failure::Failure;
use crate::fit_arguments::{DrawArgs, PrecisionUpdateArg, PriorArgs, SamplerArgs};
use crate::progress::{Watch, WatchMode};
use crate::say::{say, warn};
use crate::tree_arguments::TreeArgs;
use crate::{report, summary};

/// Flags of `sbmds fit`.
#[derive(Args)]
pub struct Fit {
    /// Dissimilarities: labelled CSV/TSV matrix, PHYLIP, .npy, or edge list `name,name,value`
    #[arg(required_unless_present = "resume")]
    input: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Labels of the objects, for the report and for `sbmds cluster`: CSV or TSV with a header, the first column the name;
    /// an .npy input without --names takes its names from there, row by row
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Directory of the run [default: the input's name with `-fit`]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with a run that was stopped; `--draws`, `--until-ess` and `--max-draws` may ask for more
    #[arg(long)]
    resume: bool,
    /// Dimensions of the map
    #[arg(long, value_name = "D", default_value_t = 2)]
    dims: usize,
    #[command(flatten)]
    coupling: CouplingArgs,
    #[command(flatten)]
    priors: PriorArgs,
    #[command(flatten)]
    tree: TreeArgs,
    /// Draw the precision of the diffusion after locations that moved without it, or in turn with them (the paper's way)
    #[arg(long, value_enum, value_name = "HOW", default_value = "collapsed", requires = "tree")]
    trait_precision_update: PrecisionUpdateArg,
    #[command(flatten)]
    sampler: SamplerArgs,
    #[command(flatten)]
    drawing: DrawArgs,
    /// Threads to use [default: all cores]; the draws do not depend on it
    #[arg(long, value_name = "P")]
    threads: Option<usize>,
    /// Seconds between checkpoints: what a kill can cost
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    checkpoint_every: f64,
    /// Progress on stderr: bars on a terminal, one JSON object per chain and second, or none
    #[arg(long, value_enum, default_value = "auto")]
    progress: WatchMode,
    /// Write no report.html and no map.svg, and draw no map at the end
    #[arg(long)]
    no_report: bool,
    /// Start although memory or disk seem too small for the run
    #[arg(long)]
    force: bool,
    /// Go on (--resume) with another instruction set than the run was started with: its draws are then those of neither alone
    #[arg(long, requires = "resume")]
    other_instructions: bool,
    /// Whether the caller draws a map of its own.
    #[arg(skip)]
    pub map_is_drawn_elsewhere: bool,
}

/// Flags that may accompany `--resume`.
const WITH_RESUME: [&str; 12] = [
    "input",
    "out",
    "resume",
    "threads",
    "checkpoint_every",
    "progress",
    "no_report",
    "force",
    "other_instructions",
    "draws",
    "until_ess",
    "max_draws",
];

impl Fit {
    pub fn run(&self, given: Option<&ArgMatches>) -> Result<(), Failure> {
        let start = Instant::now();
        let directory = self.directory()?;
        let stop = stop_flag()?;
        let watch = Watch::new(self.progress);
        let (n_threads, checkpoint_interval) = (n_threads(self.threads)?, self.checkpoint_interval()?);
        let control = Control { observer: &watch, stop: &stop, n_threads, checkpoint_interval, force: self.force };
        let outcome = if self.resume {
            run::resume(&directory, &self.changes(given)?, &control)
        } else {
            run::fit(self.config()?, &directory, &control)
        };
        watch.end();
        let shown = directory.display();
        match outcome.map_err(|error| with_way_on(error, &directory))? {
            Outcome::Finished(summary) => {
                say(format_args!("{shown}: finished in {:.1} s", start.elapsed().as_secs_f64()));
                self.show(&directory, n_threads);
                verdict(&summary)
            }
            Outcome::FinishedBefore(summary) => {
                say(format_args!("{shown}: this run is finished; --draws with a larger number goes on with it"));
                if !report::is_there(&directory) {
                    self.show(&directory, n_threads);
                }
                verdict(&summary)
            }
            Outcome::Interrupted => Err(Failure::interrupted(format!(
                "interrupted; everything is saved. Go on with: sbmds fit --resume --out {shown}"
            ))),
        }
    }

    /// Draws the map and writes the report. What fails here leaves a good fit a good fit.
    fn show(&self, directory: &Path, n_threads: usize) {
        if self.no_report {
            return;
        }
        let map = if self.map_is_drawn_elsewhere { None } else { summary::map_for_terminal(directory) };
        if let Some(map) = map {
            println!("\n{map}");
        }
        match report::write_into(directory, n_threads) {
            Ok(()) => say(format_args!("report: {}", report::default_path(directory).display())),
            Err(failure) => warn(format_args!("the fit is complete, but its report is not: {}", failure.message())),
        }
    }

    fn directory(&self) -> Result<PathBuf, Failure> {
        match (&self.out, &self.input) {
            (Some(out), _) => Ok(out.clone()),
            (None, Some(input)) => {
                let name = input.file_stem().unwrap_or_default().to_string_lossy();
                Ok(PathBuf::from(format!("{name}-fit")))
            }
            (None, None) => {
                Err(Failure::bad_input("--resume needs to know which run: give its directory with --out DIR"))
            }
        }
    }

    fn checkpoint_interval(&self) -> Result<Duration, Failure> {
        let seconds = self.checkpoint_every;
        if seconds > MOST_CHECKPOINT_SECONDS {
            return Err(Failure::bad_input(format!(
                "--checkpoint-every: {seconds} seconds are more than a day. Remedy: give at most {MOST_CHECKPOINT_SECONDS}; a kill \
                 costs what was done since the last checkpoint"
            )));
        }
        Duration::try_from_secs_f64(seconds).map_err(|_| {
            Failure::bad_input(format!("--checkpoint-every: {seconds} is no time. Remedy: give seconds, 0 or more"))
        })
    }

    /// What changes on `--resume`; refuses flags whose settings the run has fixed.
    fn changes(&self, given: Option<&ArgMatches>) -> Result<Changes, Failure> {
        let is_given = |flag: &str| given.is_some_and(|args| args.value_source(flag) == Some(ValueSource::CommandLine));
        let fixed = given.into_iter().flat_map(ArgMatches::ids).map(|id| id.as_str());
        // Groups of flags have names too, of types.
        let fixed = fixed.filter(|id| !id.starts_with(char::is_uppercase) && !WITH_RESUME.contains(id));
        if let Some(flag) = fixed.clone().find(|flag| is_given(flag)) {
            let flag = flag.replace('_', "-");
            return Err(Failure::bad_input(format!(
                "--{flag} cannot be changed when a run is resumed. Remedy: leave it out, or start a new run with another --out"
            )));
        }
        Ok(Changes {
            input: self.input.as_deref().map(absolute).transpose()?,
            draws: is_given("draws").then_some(self.drawing.draws),
            until_ess: self.drawing.until_ess,
            max_draws: self.drawing.max_draws,
            other_instructions: self.other_instructions,
        })
    }

    fn config(&self) -> Result<FitConfig, Failure> {
        Ok(FitConfig {
            sbmds_version: env!("CARGO_PKG_VERSION").into(),
            instructions: Vec::new(),
            input: self.input_config()?,
            model: self.model_config(),
            priors: self.priors.config(),
            tree: self.tree_config()?,
            sampler: self.sampler.settings(self.drawing.warmup),
            run: self.drawing.config(self.coupling.seed),
        })
    }

    fn input_config(&self) -> Result<InputConfig, Failure> {
        let path = self.input.as_deref().ok_or_else(|| Failure::bad_input("an INPUT is needed"))?;
        let input = InputConfig {
            path: absolute(path)?,
            format: self.reading.format,
            metric: self.reading.metric(),
            names: self.reading.names.as_deref().map(absolute).transpose()?,
            ..InputConfig::default()
        };
        Ok(input.with_labels(self.labels.as_deref().map(absolute).transpose()?))
    }

    fn tree_config(&self) -> Result<Option<TreeConfig>, Failure> {
        let Some(path) = &self.tree.tree else { return Ok(None) };
        Ok(Some(TreeConfig {
            index: self.tree.tree_index,
            prune: self.tree.prune,
            branch_scaling: self.tree.branch_scaling.into(),
            root_sample_size: self.tree.root_sample_size,
            precision_update: self.trait_precision_update.into(),
            ..TreeConfig::new(absolute(path)?)
        }))
    }

    fn model_config(&self) -> ModelConfig {
        ModelConfig {
            n_dims: self.dims,
            couplings: self.coupling.couplings.clone(),
            order: self.coupling.order.into(),
            landmarks: self.coupling.landmarks.into(),
            noise: self.coupling.noise,
            storage: self.coupling.storage.into(),
            standardize: self.priors.standardize,
            ..ModelConfig::default()
        }
    }
}

/// Ends well or with exit code 1.
fn verdict(summary: &Summary) -> Result<(), Failure> {
    if summary.converged {
        say(&summary.verdict);
        Ok(())
    } else {
        Err(Failure::not_converged(&summary.verdict))
    }
}

/// An error of a run that has begun says how to go on with it.
fn with_way_on(error: RunError, directory: &Path) -> Failure {
    let is_of_disk = matches!(&error, RunError::Io { .. } | RunError::Store(StoreError::Io { .. }))
        || matches!(&error, RunError::Checkpoint(CheckpointError::Io { .. }));
    if is_of_disk && RunDirectory::open(directory).is_ok() {
        let way_on = format!("{error}; then go on with: sbmds fit --resume --out {}", directory.display());
        return Failure::bad_input(way_on);
    }
    error.into()
}

/// Set by Ctrl-C, SIGTERM or a closed terminal; a second signal ends the process at once.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in signals() {
        // In this order the first signal finds the flag not yet set.
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
            .map_err(|error| Failure::bad_input(format!("cannot listen to signals: {error}")))?;
    }
    Ok(stop)
}

/// The signals that ask for an end.
fn signals() -> Vec<i32> {
    let mut signals = vec![SIGINT, SIGTERM];
    #[cfg(target_os = "linux")]
    if !is_ignored(signal_hook::consts::SIGHUP) {
        signals.push(signal_hook::consts::SIGHUP);
    }
    signals
}

/// Whether whoever started this process wants a signal to be ignored, as `nohup` does.
#[cfg(target_os = "linux")]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Who cannot tell leaves the signal alone.
    mask.is_none_or(|mask| mask >> (signal - 1) & 1 == 1)
}

/// A path that means the same from every directory.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))
}
