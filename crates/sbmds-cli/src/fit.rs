//! `sbmds fit`: from a table of dissimilarities to draws, a map and a verdict.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use sbmds::run::{self, Changes, Control, FitConfig, InputConfig, ModelConfig, Outcome, Summary, TreeConfig};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::arguments::{CouplingArgs, ReadingArgs};
use crate::failure::Failure;
use crate::fit_arguments::{DrawArgs, PrecisionUpdateArg, PriorArgs, SamplerArgs};
use crate::progress::{Watch, WatchMode};
use crate::tree_arguments::TreeArgs;
use crate::{report, summary};

/// Flags of `sbmds fit`.
#[derive(Args)]
pub struct Fit {
    /// Dissimilarities: matrix (CSV, TSV, PHYLIP, .npy; with or without names) or edge list `name,name,value`; `-` is
    /// standard input, and gzip is unpacked
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
    /// Whether the caller draws a map of its own.
    #[arg(skip)]
    pub map_is_drawn_elsewhere: bool,
}

/// Flags that may accompany `--resume`.
const WITH_RESUME: [&str; 10] = [
    "input",
    "out",
    "resume",
    "threads",
    "checkpoint_every",
    "progress",
    "no_report",
    "draws",
    "until_ess",
    "max_draws",
];

impl Fit {
    pub fn run(&self, given: Option<&ArgMatches>) -> Result<(), Failure> {
        let start = Instant::now();
        let directory = self.directory()?;
        let stop = stop_flag()?;
        let watch = Watch::new(self.progress, self.drawing.chains);
        let (n_threads, checkpoint_interval) = (self.n_threads()?, self.checkpoint_interval()?);
        let control = Control { observer: &watch, stop: &stop, n_threads, checkpoint_interval };
        let outcome = if self.resume {
            run::resume(&directory, &self.changes(given)?, &control)
        } else {
            run::fit(self.config()?, &directory, &control)
        };
        watch.end();
        let shown = directory.display();
        match outcome? {
            Outcome::Finished(summary) => {
                eprintln!("{shown}: finished in {:.1} s", start.elapsed().as_secs_f64());
                self.show(&directory, n_threads);
                verdict(&summary)
            }
            Outcome::FinishedBefore(summary) => {
                eprintln!("{shown}: this run is finished; --draws with a larger number goes on with it");
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
            Ok(()) => eprintln!("report: {}", report::default_path(directory).display()),
            Err(failure) => eprintln!("warning: the fit is complete, but its report is not: {}", failure.message()),
        }
    }

    fn directory(&self) -> Result<PathBuf, Failure> {
        match (&self.out, &self.input) {
            (Some(out), _) => Ok(out.clone()),
            (None, Some(input)) => Ok(PathBuf::from(format!("{}-fit", stem(input)))),
            (None, None) => {
                Err(Failure::bad_input("--resume needs to know which run: give its directory with --out DIR"))
            }
        }
    }

    fn n_threads(&self) -> Result<usize, Failure> {
        match self.threads {
            Some(0) => Err(Failure::bad_input("--threads: 0 is too few. Remedy: give a whole number of 1 or more")),
            Some(threads) => Ok(threads),
            None => Ok(std::thread::available_parallelism().map_or(1, Into::into)),
        }
    }

    fn checkpoint_interval(&self) -> Result<Duration, Failure> {
        let seconds = self.checkpoint_every;
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
        })
    }

    fn config(&self) -> Result<FitConfig, Failure> {
        Ok(FitConfig {
            sbmds_version: env!("CARGO_PKG_VERSION").into(),
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
            value: self.reading.value.clone(),
            no_names: self.reading.no_names,
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
        eprintln!("{}", summary.verdict);
        Ok(())
    } else {
        Err(Failure::not_converged(&summary.verdict))
    }
}

/// Set by Ctrl-C or SIGTERM; a second one ends the process at once.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order the first signal finds the flag not yet set.
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
            .map_err(|error| Failure::bad_input(format!("cannot listen to signals: {error}")))?;
    }
    Ok(stop)
}

/// The name of an input without its extensions: of `euro.csv.gz`, `euro`. What comes through a pipe has none.
fn stem(input: &Path) -> String {
    if input == Path::new("-") || input.starts_with("/dev") || input.starts_with("/proc") {
        return "stdin".into();
    }
    let is_packed = input.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz"));
    let unpacked = if is_packed { input.with_extension("") } else { input.to_owned() };
    unpacked.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A path that means the same from every directory; `-` is standard input.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    if path == Path::new("-") {
        return Ok(path.to_owned());
    }
    std::path::absolute(path).map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))
}
