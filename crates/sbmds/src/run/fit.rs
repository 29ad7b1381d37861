//! The whole story of a fit: read, couple, start, sample, judge, summarise.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::directory::RunDirectory;
use super::overwrite::{OldRun, Removal};
use super::{disk, first_map, write};
use crate::Locations;
use crate::coupling::{Coupling, Couplings};
use crate::dissimilarity::{self, Dissimilarities, Input};
use crate::draws::{DrawReader, DrawStore, StoreError};
use crate::error::RunError;
use crate::fit::chain::{Saved, Shared};
use crate::fit::chains::{self, Begin};
use crate::fit::monitor::{MonitoredPairs, judge};
use crate::fit::observer::Observer;
use crate::fit::problem::{Hashes, Problem, check_connections, lay, likelihood, open_again};
use crate::fit::reference::reference;
use crate::fit::results::Results;
use crate::fit::summary::Summary;
use crate::fit::summary_lines::dimensions;
use crate::fit::tree::RunTree;
use crate::fit::unit::Scale;
use crate::fit::{instructions, memory, record};
use crate::settings::check::{CheckedConfig, check_threads};
use crate::settings::config::{FitConfig, INPUT_COPY};
use crate::start::Starts;

/// Who watches a run, who may stop it, and how many threads it may use.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// Watches.
    pub observer: &'a dyn Observer,
    /// When set, every chain finishes its iteration, saves and ends.
    pub stop: &'a AtomicBool,
    /// Threads to use.
    pub n_threads: usize,
    /// Time between checkpoints: what a kill can cost.
    pub checkpoint_interval: Duration,
    /// When to end with the draws that are there.
    pub deadline: Option<Instant>,
    /// Whether to start although memory or disk seem too small.
    pub force: bool,
}

impl Control<'_> {
    fn time_is_up(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// All draws are made.
    Finished(Box<Summary>),
    /// They were made before.
    FinishedBefore(Box<Summary>),
    /// The time was up: what the draws so far say, or nothing if a chain had none yet. [`resume`] goes on.
    TimeUp(Option<Box<Summary>>),
    /// Stopped; everything is saved and [`resume`] goes on.
    Interrupted,
}

/// What may change when a run goes on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Where the input is now.
    pub input: Option<PathBuf>,
    /// Where its names are now.
    pub names: Option<PathBuf>,
    /// Where the labels are now, or others.
    pub labels: Option<PathBuf>,
    /// Where the tree is now.
    pub tree: Option<PathBuf>,
    /// More draws.
    pub draws: Option<usize>,
    /// Another effective sample size to reach.
    pub until_ess: Option<f64>,
    /// Another limit to it.
    pub max_draws: Option<usize>,
    /// Whether to go on with another instruction set than the run was started with.
    pub other_instructions: bool,
}

/// Starts a run in `directory` and carries it through.
///
/// # Errors
/// If settings or input cannot be used (nothing is written then), or the disk refuses.
pub fn fit(config: FitConfig, directory: &Path, control: &Control) -> Result<Outcome, RunError> {
    let config = config.check()?;
    RunDirectory::is_free(directory)?;
    start(config, directory, None, control)
}

/// The same in the place of the run that `directory` holds, if it does. The old run is there until the new one can start.
///
/// # Errors
/// As [`fit`]; and if `directory` holds anything but a run, or its run is being worked on.
pub fn fit_anew(config: FitConfig, directory: &Path, control: &Control) -> Result<Outcome, RunError> {
    let config = config.check()?;
    let old = OldRun::find(directory)?;
    start(config, directory, Some(old), control)
}

fn start(config: CheckedConfig, directory: &Path, old: Option<OldRun>, control: &Control) -> Result<Outcome, RunError> {
    check_threads(control.n_threads)?;
    // The settings may be those of another run.
    let config = config.resolved(|config| config.instructions.clear());
    with_threads(control.n_threads, || {
        let input = Input::open(&config.input.path)?;
        let (config, problem) = prepare(config, &input, control)?;
        disk::check_disk(directory, &config, &problem, control.force)?;
        let piped = piped(&config, &input)?;
        let removal = old.map(OldRun::step_aside).transpose()?.flatten();
        let run = RunDirectory::create(directory, &config)?;
        run.keep_input(piped.as_deref())?;
        removal.map(Removal::carry_out).transpose()?;
        carry_out(&run, &config, &problem, control)
    })
}

/// What came through a pipe, now or in the run whose settings these are.
fn piped<'a>(config: &CheckedConfig, input: &'a Input) -> Result<Option<Cow<'a, [u8]>>, RunError> {
    match (input.piped(), &config.input.copy) {
        (Some(bytes), _) => Ok(Some(bytes.into())),
        (None, Some(_)) => {
            let path = &config.input.path;
            Ok(Some(std::fs::read(path).map_err(RunError::io("read", path))?.into()))
        }
        (None, None) => Ok(None),
    }
}

/// Goes on with the run in `directory`, with the same draws as if it had never stopped.
///
/// # Errors
/// If there is no run, its input has changed, its files are damaged, or the disk refuses.
pub fn resume(directory: &Path, changes: &Changes, control: &Control) -> Result<Outcome, RunError> {
    let (run, before) = RunDirectory::reopen(directory)?;
    let config = changes.apply(before.clone())?.check()?;
    check_threads(control.n_threads)?;
    let finished = run.summary().ok().filter(|summary| !wants_more(&config, summary));
    if let (Some(summary), true) = (&finished, *config == before) {
        return Ok(Outcome::FinishedBefore(Box::new(summary.clone())));
    }
    let input = Input::open(&config.input.path)?;
    Hashes::of(&config, &input)?.check(&config)?;
    if let Some(summary) = finished {
        run.save_config(&config)?;
        return Ok(Outcome::FinishedBefore(Box::new(summary)));
    }
    if config.sbmds_version != env!("CARGO_PKG_VERSION") {
        let started_by = &config.sbmds_version;
        control.observer.warn(&format!("the run was started by sbmds {started_by}; its next draws may differ"));
    }
    let config = instructions::go_on(config, changes.other_instructions, control.observer)?;
    with_threads(control.n_threads, || {
        let (config, problem) = prepare(config, &input, control)?;
        disk::check_disk(directory, &config, &problem, control.force)?;
        run.remove_summary()?;
        run.save_config(&config)?;
        carry_out(&run, &config, &problem, control)
    })
}

/// Reads the data and makes of it what is to be sampled; the settings come back resolved.
fn prepare(config: CheckedConfig, input: &Input, control: &Control) -> Result<(CheckedConfig, Problem), RunError> {
    let (asked, hashes) = (config.clone(), Hashes::of(&config, input)?);
    let data = input.read(&config.input.read_options())?;
    let mut notes = data.notes().to_vec();
    if let Some(labels) = &config.input.labels {
        // What would spoil the report is said before the work, not after it.
        open_again("--labels", labels)?;
        notes.extend(dissimilarity::read_labels(labels, data.names())?.note());
    }
    notes.iter().for_each(|note| control.observer.note(note));
    let reading = data.warnings().to_vec();
    let coupling = lay(&config, &data)?;
    memory::check_fit_memory(&config, &data, &coupling, control.force)?;
    let likelihood = likelihood(&config, &data, &coupling);
    let doubt = check_connections(&likelihood, &coupling, &data)?;
    let scale = Scale::of(&config, &likelihood)?;
    let likelihood = likelihood.in_unit(scale.unit.0);
    let read_tree = |tree| RunTree::read(tree, data.names(), control.observer);
    let tree = config.tree.as_ref().map(read_tree).transpose()?;
    let config = config.resolved(|config| {
        instructions::record(config, likelihood.instruction_set());
        config.model.unit = scale.unit.0;
        config.priors.sigma_floor = scale.sigma_floor;
        config.priors.rounded_to = scale.rounded_to;
        config.model.couplings = coupling.couplings.clone();
        config.model.couplings_hash = hashes.couplings;
        config.input.hash = hashes.input;
        config.input.names_hash = hashes.names;
        config.input.copy = config.input.copy.take().or_else(|| input.piped().map(|_| INPUT_COPY.into()));
        config.tree = tree.as_ref().map(|tree| tree.resolved(hashes.tree.unwrap_or_default()));
        *config = std::mem::take(config).remembering(&asked);
    });
    control.observer.note(&describe(&config, &data, &coupling, likelihood.n_pairs(), control.n_threads));
    let mut problem = Problem::new(&config, data, coupling, likelihood, tree)?;
    let warnings = reading.into_iter().chain(doubt).chain(scale.warning).chain(instructions::warning(&config));
    problem.warnings.extend(warnings);
    for warning in &problem.warnings {
        control.observer.warn(warning);
    }
    Ok((config, problem))
}

/// What is fitted, and where that takes a while about how long; where not all pairs are coupled, what all would cost.
fn describe(
    config: &CheckedConfig,
    data: &Dissimilarities,
    coupling: &Coupling,
    n_pairs: usize,
    n_threads: usize,
) -> String {
    let n_dims = config.model.n_dims;
    let what =
        format!("{} objects, {n_pairs} pairs ({}), {}", data.n_objects(), coupling.couplings, dimensions(n_dims));
    let seconds = |n_pairs| config.effort().seconds(n_pairs, n_dims, n_threads);
    if seconds(n_pairs) < WORTH_A_WORD {
        return what;
    }
    let all = data.n_objects() * (data.n_objects() - 1) / 2;
    let of_all = if matches!(coupling.couplings, Couplings::Dispersed(_)) && data.measured_pairs().is_none() {
        format!("; all {all} pairs would take about {} (--couplings full)", duration(seconds(all)))
    } else {
        String::new()
    };
    format!("{what}, about {}{of_all}", duration(seconds(n_pairs)))
}

/// Fits that take less need no estimate.
const WORTH_A_WORD: f64 = 10.0;

/// A time in the unit people would use: nobody plans by more digits.
fn duration(seconds: f64) -> String {
    match seconds {
        _ if seconds < 90.0 => format!("{:.0} s", (seconds / 10.0).ceil() * 10.0),
        _ if seconds < 5400.0 => format!("{:.0} min", (seconds / 60.0).ceil()),
        _ if seconds < 172_800.0 => format!("{:.0} h", (seconds / 3600.0).ceil()),
        _ => format!("{:.0} days", (seconds / 86_400.0).ceil()),
    }
}

/// Samples from wherever the run is, in rounds if an effective sample size is wanted, and sums up.
fn carry_out(
    run: &RunDirectory,
    config: &CheckedConfig,
    problem: &Problem,
    control: &Control,
) -> Result<Outcome, RunError> {
    let pairs = MonitoredPairs::choose(problem.data.n_objects(), config.run.seed);
    // Only chains without a checkpoint need a first map, and a new store.
    let starts = LazyCell::new(|| Starts::new(problem, config));
    let mut store = open_store(run, config, problem, &pairs, || reference(&starts, problem, config))?;
    run.make_room_for_checkpoints()?;
    let shared = Shared {
        problem,
        config,
        pairs: &pairs,
        run,
        reference: store.reference()?,
        run_id: run_id(config),
        observer: control.observer,
        checkpoint_interval: control.checkpoint_interval,
        stop: control.stop,
        deadline: control.deadline,
        failed: AtomicBool::new(false),
    };
    let mut saved = (0..config.run.chains).map(|chain| shared.load(chain)).collect::<Result<Vec<_>, _>>()?;
    if saved.iter().all(Option::is_none) {
        first_map::show(run, config, problem, &starts, control)?;
    }
    // A store larger than planned was extended by an earlier round.
    let mut n_draws = config.run.stored_draws().max(store.n_draws());
    loop {
        store.extend_draws(n_draws)?;
        saved = chains::work(&shared, &store, begins(saved, &starts), n_draws, control.n_threads)?;
        let (all, time_is_up) = (all_with(&saved, n_draws), control.time_is_up());
        if all.is_none() && shared.should_stop() {
            return Ok(Outcome::Interrupted);
        }
        if all.is_none() && !time_is_up {
            // Chains that were done early left time to the others.
            continue;
        }
        let is_whole = all.is_some();
        let Some(chains) = all.or_else(|| all_with(&saved, 1)) else { return Ok(Outcome::TimeUp(None)) };
        let assessment = judge(&DrawReader::open(run.path())?, &pairs)?;
        match more_draws(config, assessment.min_ess().map(|worst| worst.value), n_draws) {
            Some(more) if !time_is_up => n_draws = more,
            more => {
                let reader = DrawReader::open(run.path())?;
                let results = Results::of(config, problem, &chains, &assessment, &reader)?;
                let summary = Box::new(write::write(run, config, problem, results, &assessment, &reader)?);
                // Those of the problem were said before sampling.
                summary.warnings[problem.warnings.len()..].iter().for_each(|warning| control.observer.warn(warning));
                let is_done = is_whole && more.is_none();
                return Ok(if is_done { Outcome::Finished(summary) } else { Outcome::TimeUp(Some(summary)) });
            }
        }
    }
}

fn open_store(
    run: &RunDirectory,
    config: &CheckedConfig,
    problem: &Problem,
    pairs: &MonitoredPairs,
    reference: impl FnOnce() -> Option<Locations>,
) -> Result<DrawStore, RunError> {
    let most_draws = config.run.most_stored_draws().max(run.most_draws_before());
    match DrawStore::open_within(run.path(), most_draws) {
        // Never made, or killed before it was.
        Err(StoreError::Missing { .. }) => {
            let reference = reference();
            Ok(DrawStore::create(run.path(), &record::plan(problem, config, pairs, reference.as_ref()))?)
        }
        opened => Ok(opened?),
    }
}

fn begins<'a>(
    saved: Vec<Option<Saved>>,
    starts: &'a LazyCell<Starts<'a>, impl FnOnce() -> Starts<'a>>,
) -> Vec<Begin<'a>> {
    let begin = |saved: Option<Saved>| match saved {
        Some(saved) => Begin::Saved(Box::new(saved)),
        None => Begin::Start(starts),
    };
    saved.into_iter().map(begin).collect()
}

/// The chains, if each has all its draws.
fn all_with(saved: &[Option<Saved>], n_draws: usize) -> Option<Vec<Saved>> {
    saved.iter().map(|saved| saved.clone().filter(|saved| saved.n_draws() >= n_draws)).collect()
}

/// A little more than what the present effective sample size says is needed.
const MARGIN: f64 = 1.05;

/// How many draws to make next to reach the effective sample size wanted (of bulk and tails, as the verdict wants it): at most
/// twice as many as there are.
fn more_draws(config: &CheckedConfig, smallest_ess: Option<f64>, n_draws: usize) -> Option<usize> {
    let wanted = config.run.until_ess?;
    let most = config.run.most_stored_draws();
    // Without one there are too few draws to tell: nothing moves yet.
    let smallest = smallest_ess.unwrap_or(0.0);
    if smallest >= wanted || n_draws >= most {
        return None;
    }
    let needed = (n_draws as f64 * MARGIN * wanted / smallest).ceil();
    let needed = if needed < 2.0 * n_draws as f64 { needed as usize } else { 2 * n_draws };
    Some(needed.max(n_draws + 1).min(most))
}

/// Whether the settings ask for more than a summed up run has.
fn wants_more(config: &CheckedConfig, summary: &Summary) -> bool {
    let smallest_ess = summary.min_ess.as_ref().map(|worst| worst.value);
    summary.n_draws < config.run.stored_draws() || more_draws(config, smallest_ess, summary.n_draws).is_some()
}

/// What must be the same for a checkpoint to be of use: all settings but how many draws to make and where files are.
pub(crate) fn run_id(config: &CheckedConfig) -> u64 {
    let mut config = (**config).clone();
    config.sbmds_version.clear();
    config.asked.clear();
    config.instructions.clear();
    config.input.path.clear();
    (config.input.names, config.input.labels) = (None, None);
    config.tree.iter_mut().for_each(|tree| tree.path.clear());
    (config.run.draws, config.run.until_ess, config.run.max_draws) = (0, None, None);
    u64::from(crc32c::crc32c(toml::to_string(&config).unwrap_or_default().as_bytes()))
}

/// Runs `work` where all data parallelism keeps to so many threads.
fn with_threads<T: Send>(n_threads: usize, work: impl FnOnce() -> Result<T, RunError> + Send) -> Result<T, RunError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build();
    pool.map_err(|error| RunError::Threads(error.to_string()))?.install(work)
}

impl Changes {
    fn apply(&self, mut config: FitConfig) -> Result<FitConfig, RunError> {
        if let Some(draws) = self.draws {
            if draws < config.run.draws {
                let problem =
                    format!("{draws} is less than the {} draws the run has or will have, which stay", config.run.draws);
                return Err(RunError::setting("--draws", problem, "give a larger number, or leave it out"));
            }
            config.run.draws = draws;
        }
        if let Some(input) = &self.input {
            config.input.path.clone_from(input);
        }
        config.input.names = self.names.clone().or(config.input.names);
        config.input.labels = self.labels.clone().or(config.input.labels);
        if let (Some(tree), Some(path)) = (&mut config.tree, &self.tree) {
            tree.path.clone_from(path);
        }
        config.run.until_ess = self.until_ess.or(config.run.until_ess);
        config.run.max_draws = self.max_draws.or(config.run.max_draws);
        Ok(config)
    }
}
