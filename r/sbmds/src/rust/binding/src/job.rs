//! A fit at work in a thread of its own. R asks now and then how far it is, so that an interrupt and the console stay R's.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use extendr_api::prelude::*;
use sbmds::dissimilarity::Input;
use sbmds::fit::{ChainProgress, Fit, Fitted, Observer};
use sbmds::run::{Outcome, RunError};
use sbmds::tree::Tree;
use sbmds_cli::{FitPlan, FitTask};

use crate::answer::{answer, is_set, text};
use crate::data::Given;

/// How a fit ended.
enum End {
    Fitted(Box<Fitted>),
    /// Stopped, or the time was up before every chain had a draw.
    NoDraws,
}

/// A fit at work.
struct Job {
    stop: Arc<AtomicBool>,
    watch: Arc<Watch>,
    thread: Option<JoinHandle<std::result::Result<End, String>>>,
}

impl Drop for Job {
    fn drop(&mut self) {
        // Nobody waits for it any more.
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// What was said since R last asked, and how far the chains are.
#[derive(Default)]
struct Watch {
    notes: Mutex<Vec<String>>,
    warnings: Mutex<Vec<String>>,
    chains: Mutex<Vec<ChainProgress>>,
}

impl Observer for Watch {
    fn note(&self, text: &str) {
        held(&self.notes).push(text.into());
    }

    fn warn(&self, text: &str) {
        held(&self.warnings).push(text.into());
    }

    fn progress(&self, progress: &ChainProgress) {
        let mut chains = held(&self.chains);
        match chains.iter_mut().find(|chain| chain.chain == progress.chain) {
            Some(chain) => *chain = *progress,
            None => chains.push(*progress),
        }
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is to be fitted, and how.
struct Plan {
    given: Given,
    asked: FitPlan,
    is_in_memory: bool,
    scratch: PathBuf,
}

impl Plan {
    fn new(words: &[String], given: &List, options: &List) -> std::result::Result<Self, String> {
        Ok(Self {
            given: Given::from_list(given)?,
            asked: FitPlan::parse(words)?,
            is_in_memory: is_set(options, "in_memory"),
            scratch: text(options, "scratch").map(PathBuf::from).unwrap_or_default(),
        })
    }

    fn carry_out(self, watch: &Watch, stop: &AtomicBool) -> std::result::Result<End, String> {
        if self.is_in_memory { self.in_memory(watch, stop) } else { self.in_directory(watch, stop) }
    }

    fn in_memory(self, watch: &Watch, stop: &AtomicBool) -> std::result::Result<End, String> {
        let FitPlan { task: FitTask::Start { mut config, .. }, n_threads, deadline, force, .. } = self.asked else {
            return Err("`resume`: which run? Remedy: give its directory with `out`".into());
        };
        let is_of_file = matches!(self.given, Given::File);
        let data = self.given.read(&config.input.path, &config.input.read_options(), &self.scratch)?;
        data.notes().iter().for_each(|note| watch.note(note));
        let mut fit = Fit::of(&data).threads(n_threads).force(force).observer(watch).stop_when(stop);
        if let Some(tree) = &config.tree {
            fit = fit.tree(Tree::read(&tree.path, tree.index.into()).map_err(|error| error.to_string())?);
        }
        if let Some(deadline) = deadline {
            fit = fit.time_limit(deadline.saturating_duration_since(Instant::now()));
        }
        if !is_of_file {
            config.input.path = "data".into();
        }
        match fit.with(|settings| *settings = *config).run() {
            Ok(fitted) => Ok(End::Fitted(Box::new(fitted))),
            Err(RunError::NoDraws) if stop.load(Ordering::Relaxed) => Ok(End::NoDraws),
            Err(error) => Err(error.to_string()),
        }
    }

    fn in_directory(self, watch: &Watch, stop: &AtomicBool) -> std::result::Result<End, String> {
        let (directory, n_threads, report) = (self.asked.directory.clone(), self.asked.n_threads, self.asked.report);
        let is_new = matches!(self.asked.task, FitTask::Start { .. });
        let content = self.given.content()?;
        if !is_new {
            content.as_ref().map_or(Ok(()), |content| check_copy(content, &directory))?;
        }
        let input = content.filter(|_| is_new).map(|bytes| Input::from_bytes(Arc::new(bytes)));
        let outcome = self.asked.carry_out(input, watch, stop, None).map_err(|error| error.to_string())?;
        let fitted = match outcome {
            Outcome::Finished(fitted) | Outcome::TimeUp(Some(fitted)) => fitted,
            Outcome::FinishedBefore(_) => Box::new(Fitted::open(&directory).map_err(|error| error.to_string())?),
            Outcome::TimeUp(None) | Outcome::Interrupted => return Ok(End::NoDraws),
        };
        if report && let Err(problem) = FitPlan::write_report(&fitted, n_threads) {
            watch.warn(&format!("the fit is complete, but its report is not: {problem}"));
        }
        Ok(End::Fitted(fitted))
    }
}

/// A run goes on with the data it has. Data in memory that are not its copy are refused, and so are those of a run that reads a file:
/// it would go on with that file, whatever is given here.
fn check_copy(content: &[u8], directory: &Path) -> std::result::Result<(), String> {
    if !directory.join("config.toml").exists() {
        // There is no run, which whoever opens it says best.
        return Ok(());
    }
    let remedy = "Remedy: leave d out, or start anew in another directory";
    match std::fs::read(directory.join("input")) {
        Ok(copy) if copy == content => Ok(()),
        Ok(_) => {
            Err(format!("d: these are not the data that the run {} was started with. {remedy}", directory.display()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(format!("d: the run {} was started with a file. {remedy}", directory.display()))
        }
        Err(error) => Err(format!("{}: {error}", directory.join("input").display())),
    }
}

/// Starts a fit; settings are checked before it begins.
#[extendr]
fn job_start(words: Vec<String>, given: List, options: List) -> Robj {
    answer(Plan::new(&words, &given, &options).and_then(|plan| {
        let (stop, watch) = (Arc::new(AtomicBool::new(false)), Arc::new(Watch::default()));
        let thread = std::thread::Builder::new().name("sbmds".into()).spawn({
            let (stop, watch) = (Arc::clone(&stop), Arc::clone(&watch));
            move || plan.carry_out(&watch, &stop)
        });
        let thread = thread.map_err(|error| format!("cannot start a thread: {error}"))?;
        Ok(ExternalPtr::new(Job { stop, watch, thread: Some(thread) }).into())
    }))
}

/// How far the fit is, and what it has said since the last call.
#[extendr]
fn job_poll(job: ExternalPtr<Job>) -> Robj {
    let done = job.thread.as_ref().is_none_or(JoinHandle::is_finished);
    let notes = std::mem::take(&mut *held(&job.watch.notes));
    let warnings = std::mem::take(&mut *held(&job.watch.warnings));
    let chains = held(&job.watch.chains).clone();
    let count = |of: fn(&ChainProgress) -> usize| chains.iter().map(|chain| of(chain) as f64).collect::<Vec<_>>();
    list!(
        done = done,
        notes = notes,
        warnings = warnings,
        iteration = count(|chain| chain.iteration),
        n_iterations = count(|chain| chain.n_iterations),
        divergences = count(|chain| chain.divergences)
    )
    .into()
}

/// Asks the fit to end soon, with the draws made by then.
#[extendr]
fn job_stop(job: ExternalPtr<Job>) {
    job.stop.store(true, Ordering::Relaxed);
}

/// Waits for the end of the fit: what it found, or NULL if it was stopped before every chain had a draw.
#[extendr]
fn job_result(mut job: ExternalPtr<Job>) -> Robj {
    let Some(thread) = job.thread.take() else { return ().into() };
    let ended = thread.join().unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.into())).unwrap_or_default();
        Err(format!("the fit failed for a reason of its own, please report it: {text}"))
    });
    answer(ended.map(|end| match end {
        End::Fitted(fitted) => ExternalPtr::new(*fitted).into(),
        End::NoDraws => ().into(),
    }))
}

extendr_module! {
    mod job;
    fn job_start;
    fn job_poll;
    fn job_stop;
    fn job_result;
}
