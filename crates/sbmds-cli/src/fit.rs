//! `sbmds fit`: from a table of dissimilarities to draws, a map and a verdict.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::{ArgMatches, Args};
use sbmds::coupling::Couplings;
use sbmds::draws::StoreError;
use sbmds::draws::checkpoint::CheckpointError;
use sbmds::fit::Engine;
use sbmds::posterior::PrecisionUpdate;
use sbmds::run::{
    Changes, FitConfig, InputConfig, MOST_CHECKPOINT_SECONDS, MeasurementConfig, ModelConfig, RunDirectory, RunError,
    TreeConfig,
};
use sbmds::sampler::SamplerSettings;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::arguments::{CouplingArgs, ReadingArgs, n_threads};
use crate::conclusion::Conclusion;
use crate::duration;
use crate::failure::Failure;
use crate::fit_arguments::{DrawArgs, PrecisionUpdateArg, PriorArgs, SamplerArgs};
use crate::fit_plan::{FitPlan, FitTask};
use crate::fit_settings::Given;
use crate::measurement_arguments::MeasurementArgs;
use crate::progress::{Watch, WatchMode};
use crate::tree_arguments::TreeArgs;

const RUN: &str = "Run";
const WORK: &str = "Work";

/// Flags of `sbmds fit`.
#[derive(Args)]
pub struct Fit {
    /// Dissimilarities: matrix (CSV, TSV, PHYLIP, .npy; with or without names) or edge list `name,name,value`; `-` is
    /// standard input, and gzip is unpacked
    #[arg(required_unless_present_any = ["resume", "config"])]
    input: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Labels of the objects, for the report and for `sbmds cluster`: CSV or TSV with a header, the first column the name;
    /// an .npy input without --names takes its names from there, row by row
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    labels: Option<PathBuf>,
    /// Directory of the run [default: the input's name with `-fit`]
    #[arg(short, long, value_name = "DIR", help_heading = RUN)]
    out: Option<PathBuf>,
    /// Go on with a run that was stopped, or has too few draws: unchanged settings may be repeated, `--draws`,
    /// `--until-ess` and `--max-draws` may ask for more
    #[arg(long, help_heading = RUN, conflicts_with_all = ["overwrite", "config"])]
    resume: bool,
    /// Replace the run in the directory, if there is one
    #[arg(long, help_heading = RUN)]
    overwrite: bool,
    /// Take all settings from this file, such as the config.toml of a run, but for the flags given beside it
    #[arg(long, value_name = "FILE", help_heading = RUN)]
    config: Option<PathBuf>,
    /// Stop after this time (90s, 10m, 1.5h; a plain number is seconds) with verdict, map and report of the draws so far;
    /// --resume goes on
    #[arg(long, value_name = "TIME", help_heading = RUN, value_parser = duration::parse)]
    time: Option<Duration>,
    /// Dimensions of the map
    #[arg(short = 'D', long, value_name = "D", default_value_t = 2, help_heading = "Model")]
    dims: usize,
    #[command(flatten)]
    coupling: CouplingArgs,
    #[command(flatten)]
    measurement: MeasurementArgs,
    #[command(flatten)]
    priors: PriorArgs,
    #[command(flatten)]
    tree: TreeArgs,
    /// collapsed: integrate the diffusion covariance out while locations move; gibbs: alternate, as in the paper
    #[arg(long, value_enum, value_name = "HOW", default_value = "collapsed", requires = "tree", help_heading = "Tree")]
    trait_precision_update: PrecisionUpdateArg,
    #[command(flatten)]
    sampler: SamplerArgs,
    #[command(flatten)]
    drawing: DrawArgs,
    /// Threads to use [default: all cores]; the draws do not depend on it
    #[arg(long, value_name = "P", help_heading = WORK)]
    threads: Option<usize>,
    /// Seconds between checkpoints: what a kill can cost
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, help_heading = WORK)]
    checkpoint_every: f64,
    /// Progress on stderr: bars on a terminal, one JSON object per chain and second, or none
    #[arg(long, value_enum, default_value = "auto", help_heading = WORK)]
    progress: WatchMode,
    /// Write no report.html and no map.svg, and draw no map at the end
    #[arg(long, help_heading = WORK)]
    no_report: bool,
    /// Start although memory or disk seem too small for the run
    #[arg(long, help_heading = WORK)]
    force: bool,
    /// Go on (--resume) with another instruction set than the run was started with: its draws are then those of neither alone
    #[arg(long, requires = "resume", help_heading = RUN)]
    other_instructions: bool,
    /// What people coming from other programs look for; see [`Fit::refuse_nonmetric`].
    #[arg(long, visible_alias = "non-metric", hide = true)]
    nonmetric: bool,
    /// Whether the caller draws a map of its own.
    #[arg(skip)]
    pub map_is_drawn_elsewhere: bool,
}

/// Part of the time that is kept for the map and the report, and how much of it at most.
const TIME_FOR_RESULTS: (f64, Duration) = (0.1, Duration::from_secs(120));

impl Fit {
    pub fn run(&self, given: Option<&ArgMatches>) -> Result<(), Failure> {
        self.run_with(given, None)
    }

    /// The same with likelihoods that an engine computes.
    pub fn run_with(&self, given: Option<&ArgMatches>, engine: Option<&dyn Engine>) -> Result<(), Failure> {
        let start = Instant::now();
        let plan = self.plan(given, engine)?;
        let (directory, n_threads) = (plan.directory.clone(), plan.n_threads);
        let stop = stop_flag()?;
        let watch = Watch::new(self.progress, if self.drawing.chain.is_some() { 1 } else { self.drawing.chains });
        let outcome = plan.carry_out(None, &watch, &stop, engine);
        watch.end();
        let outcome = outcome.map_err(|error| with_way_on(error, &directory))?;
        let draws_map = !self.map_is_drawn_elsewhere;
        Conclusion { run: &directory, shows: !self.no_report, draws_map, start, n_threads }.of(outcome)
    }

    /// What the flags ask for, with those that were typed.
    pub(crate) fn plan(&self, given: Option<&ArgMatches>, engine: Option<&dyn Engine>) -> Result<FitPlan, Failure> {
        self.refuse_nonmetric()?;
        let given = Given(given);
        let base = self.config.as_deref().map(FitConfig::read).transpose()?.map(FitConfig::as_asked);
        let directory = self.directory(base.as_ref())?;
        let n_threads = n_threads(self.threads.or(engine.and_then(Engine::n_threads)))?;
        let checkpoint_interval = self.checkpoint_interval()?;
        let task = match self.resume {
            true => FitTask::Resume(self.changes(&directory, &given)?),
            false => FitTask::Start { config: Box::new(self.settings(base, &given)?), overwrite: self.overwrite },
        };
        let (deadline, force, report) = (self.deadline(), self.force, !self.no_report);
        Ok(FitPlan { directory, task, n_threads, checkpoint_interval, deadline, force, report })
    }

    /// When sampling is to end, so that map and report are there in time.
    fn deadline(&self) -> Option<Instant> {
        let time = self.time?;
        let for_results = time.mul_f64(TIME_FOR_RESULTS.0).min(TIME_FOR_RESULTS.1);
        // Beyond what the clock counts there is no end.
        Instant::now().checked_add(time - for_results)
    }

    fn refuse_nonmetric(&self) -> Result<(), Failure> {
        if !self.nonmetric {
            return Ok(());
        }
        Err(Failure::bad_input(
            "--nonmetric: there is no non-metric scaling here: the model takes the size of dissimilarities seriously, not their order \
             alone. Remedy: see \"When not to use it\" in the README; isoMDS and metaMDS in R and MDS(metric=False) in scikit-learn \
             do it",
        ))
    }

    /// Where the run is, or is to be.
    fn directory(&self, base: Option<&FitConfig>) -> Result<PathBuf, Failure> {
        let input = self.input.as_deref().or(base.map(|base| base.input.path.as_path()));
        match (&self.out, input) {
            (Some(out), _) => Ok(out.clone()),
            (None, Some(input)) => {
                let chain = self.drawing.chain.map_or_else(String::new, |chain| format!("-chain-{chain}"));
                Ok(PathBuf::from(format!("{}-fit{chain}", stem(input))))
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

    /// What changes on `--resume`; refuses flags that ask for what the run has not.
    fn changes(&self, directory: &Path, given: &Given) -> Result<Changes, Failure> {
        let (_, run) = RunDirectory::open(directory)?;
        let asked = self.asked(self.input.as_deref().unwrap_or(&run.input.path))?;
        given.check(&run, &asked)?;
        let has_names = given.has("names") || given.has("labels");
        Ok(Changes {
            input: self.input.is_some().then_some(asked.input.path),
            names: asked.input.names.filter(|_| has_names),
            labels: asked.input.labels,
            tree: asked.tree.map(|tree| tree.path),
            draws: given.has("draws").then_some(self.drawing.draws),
            until_ess: self.drawing.until_ess,
            max_draws: self.drawing.max_draws,
            other_instructions: self.other_instructions,
        })
    }

    /// The settings of a new run: those of a file, if one is given, under those of the flags.
    fn settings(&self, base: Option<FitConfig>, given: &Given) -> Result<FitConfig, Failure> {
        let named = base.as_ref().map(|base| base.input.path.as_path()).filter(|path| !path.as_os_str().is_empty());
        let no_input = || match base {
            Some(_) => Failure::bad_input("--config: the file names no input. Remedy: give an INPUT"),
            None => Failure::bad_input("an INPUT is needed"),
        };
        let asked = self.asked(self.input.as_deref().or(named).ok_or_else(no_input)?)?;
        match base {
            Some(base) => {
                let mut config = given.over(base, &asked);
                // What came through a pipe was another input.
                config.input.copy = config.input.copy.filter(|_| self.input.is_none());
                Ok(config)
            }
            None => Ok(asked),
        }
    }

    /// What all flags together ask for, with their defaults.
    pub(crate) fn asked(&self, input: &Path) -> Result<FitConfig, Failure> {
        Ok(FitConfig {
            sbmds_version: env!("CARGO_PKG_VERSION").into(),
            instructions: Vec::new(),
            input: self.input_config(input)?,
            model: self.model_config()?,
            measurement: self.measurement_config()?,
            priors: self.priors.config(),
            tree: self.tree_config()?,
            sampler: self.sampler_settings(),
            run: self.drawing.config(self.coupling.seed),
            ..FitConfig::default()
        })
    }

    fn input_config(&self, path: &Path) -> Result<InputConfig, Failure> {
        let input = InputConfig {
            path: absolute(path)?,
            format: self.reading.format,
            metric: self.reading.metric(),
            names: self.reading.names.as_deref().map(absolute).transpose()?,
            value: self.reading.value.clone(),
            no_names: self.reading.no_names,
            titers: self.measurement.titers.titers,
            negative: self.coupling.admits_negative() && !self.measurement.titers.titers,
            weight: self.reading.weight.clone(),
            error: self.reading.error.clone(),
            weights: self.reading.weights.as_deref().map(absolute).transpose()?,
            errors: self.reading.errors.as_deref().map(absolute).transpose()?,
            ..InputConfig::default()
        };
        Ok(input.with_labels(self.labels.as_deref().map(absolute).transpose()?))
    }

    fn tree_config(&self) -> Result<Option<TreeConfig>, Failure> {
        if self.measurement.titers.titers {
            return Ok(None);
        }
        tree_config(&self.tree, self.trait_precision_update.into())
    }

    /// Maps of titres have modes in which whole clusters turn over.
    fn sampler_settings(&self) -> SamplerSettings {
        let settings = self.sampler.settings(self.drawing.warmup);
        SamplerSettings { group_moves: settings.group_moves || self.measurement.titers.titers, ..settings }
    }

    fn measurement_config(&self) -> Result<MeasurementConfig, Failure> {
        let tree = self.tree.tree.as_deref().map(absolute).transpose()?;
        Ok(self.measurement.config(self.coupling.noise, &self.tree, tree.as_deref()))
    }

    fn model_config(&self) -> Result<ModelConfig, Failure> {
        let couplings = match &self.coupling.couplings {
            Couplings::Graph(path) => Couplings::Graph(absolute(path)?),
            couplings => couplings.clone(),
        };
        Ok(ModelConfig {
            n_dims: self.dims,
            couplings,
            order: self.coupling.order.into(),
            landmarks: self.coupling.landmarks.into(),
            noise: self.coupling.kernel_noise(),
            storage: self.coupling.storage.into(),
            standardize: self.priors.standardize,
            ..ModelConfig::default()
        })
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

/// Set by Ctrl-C, SIGTERM, SIGUSR1 or a closed terminal; a second signal ends the process at once.
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
    // Schedulers warn with it, and mpirun passes it on.
    #[cfg(unix)]
    signals.push(signal_hook::consts::SIGUSR1);
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

/// The name of an input without its extensions: of `euro.csv.gz`, `euro`. What comes through a pipe has none.
pub(crate) fn stem(input: &Path) -> String {
    if input == Path::new("-") || input.starts_with("/dev") || input.starts_with("/proc") {
        return "stdin".into();
    }
    let is_packed = input.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz"));
    let unpacked = if is_packed { input.with_extension("") } else { input.to_owned() };
    unpacked.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A path that means the same from every directory; `-` is standard input.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    if path == Path::new("-") {
        return Ok(path.to_owned());
    }
    std::path::absolute(path).map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))
}

/// The tree that the flags give, if they do.
pub fn tree_config(arguments: &TreeArgs, precision_update: PrecisionUpdate) -> Result<Option<TreeConfig>, Failure> {
    let Some(path) = &arguments.tree else { return Ok(None) };
    Ok(Some(TreeConfig {
        index: arguments.tree_index,
        prune: arguments.prune,
        branch_scaling: arguments.branch_scaling.into(),
        root_sample_size: arguments.root_sample_size,
        precision_update,
        ..TreeConfig::new(absolute(path)?)
    }))
}
