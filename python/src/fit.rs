//! A fit, on a thread of its own while Python watches and listens for Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use numpy::PyUntypedArray;
use pyo3::prelude::*;
use sbmds::dissimilarity::{self, Dissimilarities, Input, SharedBytes};
use sbmds::fit::{Fit, Observer};
use sbmds::run::{FitConfig, Outcome, RunError};
use sbmds::tree::Tree;
use sbmds_cli::{FitPlan, FitTask};

use crate::data::Data;
use crate::error::{detached, of_input, of_panic, of_run, of_value};
use crate::fitted::Fitted;
use crate::memory::lend;
use crate::watch::Watch;

/// How often Python is told of progress and asked for signals.
const PULSE: Duration = Duration::from_millis(100);

/// How a fit ended: "finished", "time up" or "interrupted".
type End = (&'static str, Option<Fitted>);

/// Fits what the words of `sbmds fit` ask for.
///
/// `data` takes the place of the input of a fit in memory (`in_memory`), `content` that of a run's; `watch` is called with the
/// progress of the chains, notes and warnings. Returns how the fit ended ("finished", "time up", "interrupted") and what it found.
#[pyfunction]
pub fn fit(
    py: Python<'_>,
    words: Vec<String>,
    data: Option<&Bound<'_, Data>>,
    content: Option<&Bound<'_, PyUntypedArray>>,
    in_memory: bool,
    watch: Py<PyAny>,
) -> PyResult<End> {
    let plan = FitPlan::parse(&words).map_err(of_value)?;
    let data = data.map(|data| data.get().0.clone());
    let content = content.map(lend).transpose()?;
    let (seen, stop) = (Arc::new(Watch::default()), Arc::new(AtomicBool::new(false)));
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    let worker = thread::spawn({
        let (seen, stop) = (Arc::clone(&seen), Arc::clone(&stop));
        move || {
            let outcome = if in_memory {
                fit_in_memory(plan, data, &seen, &stop)
            } else {
                fit_in_directory(plan, content, &seen, &stop)
            };
            // Nobody listens only if Python has gone.
            let _ = sender.send(outcome);
        }
    });
    let mut signal = None;
    let outcome = loop {
        let received = py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PULSE));
        tell(py, &watch, &seen).or_else(|error| stopped(&mut signal, error, &stop))?;
        match received {
            Ok(outcome) => break outcome,
            Err(RecvTimeoutError::Disconnected) => {
                let panic = worker.join().expect_err("a worker that says nothing has panicked");
                return Err(of_panic(panic.as_ref()));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        py.check_signals().or_else(|error| stopped(&mut signal, error, &stop))?;
    };
    match (signal, outcome) {
        // What is not an interrupt, such as an error of the watcher, is raised as it is.
        (Some(error), _) if !error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) => Err(error),
        (Some(_), Ok((_, fitted))) => Ok(("interrupted", fitted)),
        (Some(_), Err(RunError::NoDraws)) => Ok(("interrupted", None)),
        (_, outcome) => outcome.map_err(of_run),
    }
}

/// The objects of the file that the words of `sbmds fit` name, in their order.
#[pyfunction]
pub fn names_of(py: Python<'_>, words: Vec<String>) -> PyResult<Vec<String>> {
    let FitTask::Start { config, .. } = FitPlan::parse(&words).map_err(of_value)?.task else {
        return Err(of_value("a run that goes on has its names"));
    };
    detached(py, || {
        let data = dissimilarity::read(&config.input.path, &config.input.read_options()).map_err(of_input)?;
        Ok(data.names().iter().map(|name| name.into_owned()).collect())
    })
}

/// Remembers the first reason to stop and asks the chains to.
fn stopped(signal: &mut Option<PyErr>, error: PyErr, stop: &AtomicBool) -> PyResult<()> {
    stop.store(true, Ordering::Relaxed);
    signal.get_or_insert(error);
    Ok(())
}

/// Tells Python what is new: per chain (iteration, iterations, warm-up, divergences, step size, seconds).
fn tell(py: Python<'_>, watch: &Py<PyAny>, seen: &Watch) -> PyResult<()> {
    let seen = seen.take();
    let chain = |progress: &Option<sbmds::fit::ChainProgress>| {
        progress.map(|p| (p.iteration, p.n_iterations, p.n_warmup, p.divergences, p.step_size, p.seconds))
    };
    let chains: Vec<_> = seen.chains.iter().map(chain).collect();
    watch.call1(py, (chains, seen.notes, seen.warnings)).map(drop)
}

fn fit_in_memory(
    plan: FitPlan,
    data: Option<Dissimilarities>,
    watch: &Watch,
    stop: &AtomicBool,
) -> Result<End, RunError> {
    let FitPlan { task: FitTask::Start { config, .. }, n_threads, deadline, force, .. } = plan else {
        return Err(RunError::NoRun(plan.directory));
    };
    let is_of_file = data.is_none();
    let data = data.map_or_else(|| dissimilarity::read(&config.input.path, &config.input.read_options()), Ok)?;
    data.notes().iter().for_each(|note| watch.note(note));
    let tree = config.tree.as_ref().map(|tree| Tree::read(&tree.path, tree.index.into())).transpose()?;
    let mut fit = Fit::of(&data).threads(n_threads).force(force).observer(watch).stop_when(stop);
    if let Some(tree) = tree {
        fit = fit.tree(tree);
    }
    if let Some(deadline) = deadline {
        fit = fit.time_limit(deadline.saturating_duration_since(Instant::now()));
    }
    let fitted = fit.with(|settings| *settings = as_asked(*config, settings, is_of_file)).run()?;
    let is_short = fitted.summary().n_draws < fitted.config().run.stored_draws();
    Ok((if is_short { "time up" } else { "finished" }, Some(Fitted(fitted))))
}

/// The settings asked for, of data that may be in no file.
fn as_asked(asked: FitConfig, of_data: &FitConfig, is_of_file: bool) -> FitConfig {
    let mut config = FitConfig { sbmds_version: of_data.sbmds_version.clone(), ..asked };
    if !is_of_file {
        config.input.path.clone_from(&of_data.input.path);
    }
    config
}

fn fit_in_directory(
    plan: FitPlan,
    content: Option<SharedBytes>,
    watch: &Watch,
    stop: &AtomicBool,
) -> Result<End, RunError> {
    let (directory, n_threads, report) = (plan.directory.clone(), plan.n_threads, plan.report);
    let (end, fitted) = match plan.carry_out(content.map(Input::from_bytes), watch, stop, None)? {
        Outcome::Finished(fitted) => ("finished", *fitted),
        Outcome::TimeUp(Some(fitted)) => ("time up", *fitted),
        Outcome::FinishedBefore(_) => ("finished", sbmds::fit::Fitted::open(&directory)?),
        Outcome::TimeUp(None) => return Ok(("time up", None)),
        Outcome::Interrupted => return Ok(("interrupted", None)),
    };
    if report && let Err(problem) = FitPlan::write_report(&fitted, n_threads) {
        watch.warn(&format!("the fit is complete, but its report is not: {problem}"));
    }
    Ok((end, Some(Fitted(fitted))))
}
