//! The whole story of a fit: read, couple, start, sample, judge, summarise.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::directory::RunDirectory;
use super::hashes::{check_hashes, hashes_of, open_again};
use super::overwrite::{OldRun, Removal};
use super::sink::DirectorySink;
use super::{disk, first_map, write};
use crate::dissimilarity::{self, Input};
use crate::error::RunError;
use crate::fit::anchor::FoundAnchor;
use crate::fit::chain::monitor::MonitoredPairs;
use crate::fit::chain::record;
use crate::fit::control::with_threads;
use crate::fit::problem::Problem;
use crate::fit::problem::instructions;
use crate::fit::problem::prepare::prepare;
use crate::fit::sample::{End, Sampled, Task, more_draws, sample};
use crate::fit::sink::DrawSink;
use crate::fit::start::Starts;
use crate::fit::start::arithmetic::decide;
use crate::fit::start::reference::reference;
use crate::fit::summary::results::Results;
use crate::fit::{Control, Fitted, Measured, RunTree, Summary};
use crate::settings::check::check_threads;
use crate::settings::config::INPUT_COPY;
use crate::settings::resolved::FileFindings;
use crate::settings::{CheckedConfig, FitConfig, Resolved};

/// How a run ended.
#[derive(Clone)]
pub enum Outcome {
    /// All draws are made.
    Finished(Box<Fitted>),
    /// They were made before.
    FinishedBefore(Box<Summary>),
    /// The time was up: what the draws so far say, or nothing if a chain had none yet. [`resume`] goes on.
    TimeUp(Option<Box<Fitted>>),
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
    start(config, None, directory, None, control)
}

/// The same in the place of the run that `directory` holds, if it does. The old run is there until the new one can start.
///
/// # Errors
/// As [`fit`]; and if `directory` holds anything but a run, or its run is being worked on.
pub fn fit_anew(config: FitConfig, directory: &Path, control: &Control) -> Result<Outcome, RunError> {
    let config = config.check()?;
    let old = OldRun::find(directory)?;
    start(config, None, directory, Some(old), control)
}

/// Starts a run of an input in memory, which the directory keeps as it keeps what comes through a pipe; `overwrite` as in
/// [`fit_anew`].
///
/// # Errors
/// As [`fit`] and [`fit_anew`].
pub fn fit_input(
    mut config: FitConfig,
    input: Input,
    directory: &Path,
    overwrite: bool,
    control: &Control,
) -> Result<Outcome, RunError> {
    input.path().clone_into(&mut config.input.path);
    let config = config.check()?;
    let old = match overwrite {
        true => Some(OldRun::find(directory)?),
        false => RunDirectory::is_free(directory).map(|()| None)?,
    };
    start(config, Some(input), directory, old, control)
}

fn start(
    config: CheckedConfig,
    input: Option<Input>,
    directory: &Path,
    old: Option<OldRun>,
    control: &Control,
) -> Result<Outcome, RunError> {
    check_threads(control.n_threads)?;
    // The settings may be those of another run.
    let config = config.with(|config| {
        config.instructions.clear();
        config.arithmetic.clear();
    });
    with_threads(control.n_threads, || {
        let input = input.map_or_else(|| Input::open(&config.input.path), Ok)?;
        let hashes = hashes_of(&config, &input)?;
        let (config, problem) = read_and_prepare(config, &input, hashes, None, control)?;
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
    let hashes = check_hashes(hashes_of(&config, &input)?, &config)?;
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
        let found = run.anchor(Resolved::of_run(config.clone()).run_id()?, control.observer)?;
        let (config, problem) = read_and_prepare(config, &input, hashes, found, control)?;
        disk::check_disk(directory, &config, &problem, control.force)?;
        run.remove_summary()?;
        run.save_config(&config)?;
        carry_out(&run, &config, &problem, control)
    })
}

/// Reads the data and makes of it what is to be sampled, with the anchor of the run, if it has one; the settings come back resolved.
pub(super) fn read_and_prepare(
    config: CheckedConfig,
    input: &Input,
    hashes: FileFindings,
    found: Option<FoundAnchor>,
    control: &Control,
) -> Result<(Resolved, Problem), RunError> {
    let data = input.read(&config.input.read_options())?;
    let mut notes = data.notes().to_vec();
    if let Some(labels) = &config.input.labels {
        // What would spoil the report is said before the work, not after it.
        open_again("`labels`", labels)?;
        notes.extend(dissimilarity::read_labels(labels, data.names())?.note());
    }
    notes.iter().for_each(|note| control.observer.note(note));
    let read_tree = |tree| RunTree::read(tree, data.names(), control.observer);
    let tree = config.tree.as_ref().map(read_tree).transpose()?;
    let files = FileFindings { copy: input.piped().map(|_| INPUT_COPY.into()), ..hashes };
    prepare(config, data, tree, files, found, control)
}

/// Samples from wherever the run is and sums up.
pub(super) fn carry_out(
    run: &RunDirectory,
    config: &Resolved,
    problem: &Problem,
    control: &Control,
) -> Result<Outcome, RunError> {
    if problem.lacks_anchor() {
        let was_stopped = control.stop.load(Ordering::Relaxed);
        return Ok(if was_stopped { Outcome::Interrupted } else { Outcome::TimeUp(None) });
    }
    if let Some(anchor) = &problem.anchor {
        run.keep_anchor(config.run_id()?, &anchor.found)?;
    }
    let pairs = MonitoredPairs::choose(problem.data.n_objects(), config.run.seed);
    // Only chains without a checkpoint need a first map, and a new store.
    let starts = LazyCell::new(|| Starts::until(problem, config, Some(control.stop)));
    let most_draws = config.run.most_stored_draws().max(run.most_draws_before());
    let sink = DirectorySink::open(run, config.run_id()?, most_draws, control.observer, |create| {
        let reference = reference(&starts, problem, config);
        // A first map that is half done is no reference.
        let is_whole = !control.is_stopped();
        is_whole.then(|| create(&record::plan(problem, config, &pairs, reference.as_ref()))).transpose()
    })?;
    let Some(mut sink) = sink else { return Ok(Outcome::Interrupted) };
    if sink.is_new()? {
        first_map::show(run, config, problem, &starts, control)?;
    }
    let decided = decide(config, problem, || &starts);
    if control.is_stopped() {
        // What was decided may be wrong.
        return Ok(Outcome::Interrupted);
    }
    let config = &config.clone().computed_in(decided);
    run.save_config(config)?;
    let Sampled { end, chains, assessment } =
        sample(Task { config, problem, pairs: &pairs }, &starts, &mut sink, control)?;
    let (Some(chains), Some(assessment)) = (chains, assessment) else {
        return Ok(if end == End::Stopped { Outcome::Interrupted } else { Outcome::TimeUp(None) });
    };
    let reader = sink.reader()?;
    let results = Results::of(config, problem, &chains, &assessment, &reader)?;
    let summary = write::write(run, config, problem, results, &assessment, &reader)?;
    // Those of the problem were said before sampling.
    summary.warnings[problem.warnings.len()..].iter().for_each(|warning| control.observer.warn(warning));
    // What comes next, the report for instance, need not read the input again.
    let fitted = Box::new(Fitted::open_measured(run.path(), Arc::new(Measured::of(problem)))?);
    Ok(if end == End::Done { Outcome::Finished(fitted) } else { Outcome::TimeUp(Some(fitted)) })
}

/// Whether the settings ask for more than a summed up run has.
fn wants_more(config: &CheckedConfig, summary: &Summary) -> bool {
    let smallest_ess = summary.min_ess.as_ref().map(|worst| worst.value);
    summary.n_draws < config.run.stored_draws() || more_draws(config, smallest_ess, summary.n_draws).is_some()
}

impl Changes {
    fn apply(&self, mut config: FitConfig) -> Result<FitConfig, RunError> {
        if let Some(draws) = self.draws {
            if draws < config.run.draws {
                let problem =
                    format!("{draws} is less than the {} draws the run has or will have, which stay", config.run.draws);
                return Err(RunError::setting("`draws`", problem, "give a larger number, or leave it out"));
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
