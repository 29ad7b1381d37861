//! A fit at work in a thread of its own. R asks now and then how far it is, so that an interrupt and the console stay R's.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use extendr_api::prelude::*;
use sbmds::fit::{ChainProgress, Control, Fit, Fitted, Observer};
use sbmds::run::{Changes, FitConfig, Outcome, RunError, TreeConfig, fit, fit_anew, resume};
use sbmds::tree::Tree;

use crate::answer::{answer, is_set, number, text};
use crate::data::{Given, cores};
use crate::settings;

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
    config: FitConfig,
    tree: Option<PathBuf>,
    n_threads: usize,
    time: Option<Duration>,
    /// The directory of the run; without one the fit is in memory.
    out: Option<PathBuf>,
    scratch: PathBuf,
    resume: bool,
    overwrite: bool,
}

impl Plan {
    fn new(given: &List, settings: &List, options: &List) -> std::result::Result<Self, String> {
        let tree = text(options, "tree").map(PathBuf::from);
        let mut config = settings::config(settings, tree.clone().map(TreeConfig::new))?;
        config.input.path = "data".into();
        config.input.labels = text(options, "labels").map(PathBuf::from);
        let seconds = number(options, "time");
        let time = seconds.map(Duration::try_from_secs_f64).transpose();
        Ok(Self {
            given: Given::from_list(given)?,
            config,
            tree,
            n_threads: cores(options),
            time: time.map_err(|_| "time: give seconds, 0 or more")?,
            out: text(options, "out").map(PathBuf::from),
            scratch: text(options, "scratch").map(PathBuf::from).unwrap_or_default(),
            resume: is_set(options, "resume"),
            overwrite: is_set(options, "overwrite"),
        })
    }

    fn carry_out(self, watch: &Watch, stop: &AtomicBool) -> std::result::Result<End, String> {
        let ended = match self.out.clone() {
            Some(out) => self.in_directory(&out, watch, stop)?,
            None => self.in_memory(watch, stop)?,
        };
        Ok(ended)
    }

    fn in_memory(self, watch: &Watch, stop: &AtomicBool) -> std::result::Result<End, String> {
        let data = self.given.read()?;
        data.notes().iter().for_each(|note| watch.note(note));
        data.warnings().iter().for_each(|warning| watch.warn(warning));
        let mut fit = Fit::of(&data).threads(self.n_threads).observer(watch).stop_when(stop);
        if let Some(path) = self.tree {
            let index = self.config.tree.as_ref().and_then(|tree| tree.index);
            fit = fit.tree(Tree::read(&path, index.into()).map_err(|error| error.to_string())?);
        }
        if let Some(time) = self.time {
            fit = fit.time_limit(time);
        }
        match fit.with(|config| *config = self.config).run() {
            Ok(fitted) => Ok(End::Fitted(Box::new(fitted))),
            Err(RunError::NoDraws) if stop.load(Ordering::Relaxed) => Ok(End::NoDraws),
            Err(error) => Err(error.to_string()),
        }
    }

    fn in_directory(self, out: &Path, watch: &Watch, stop: &AtomicBool) -> std::result::Result<End, String> {
        let control = Control {
            observer: watch,
            stop,
            n_threads: self.n_threads,
            checkpoint_interval: Duration::from_secs(10),
            deadline: self.time.map(|time| Instant::now() + time),
            force: false,
            engine: None,
        };
        let labels = self.config.input.labels.clone();
        let outcome = if self.resume {
            let changes = Changes { draws: Some(self.config.run.draws), labels, ..Changes::default() };
            resume(out, &changes, &control)
        } else {
            let mut config = self.config;
            config.input = self.given.into_input(&self.scratch)?.with_labels(labels);
            if self.overwrite { fit_anew(config, out, &control) } else { fit(config, out, &control) }
        };
        match outcome.map_err(|error| error.to_string())? {
            Outcome::Finished(fitted) | Outcome::TimeUp(Some(fitted)) => Ok(End::Fitted(fitted)),
            Outcome::FinishedBefore(_) => {
                Ok(End::Fitted(Box::new(Fitted::open(out).map_err(|error| error.to_string())?)))
            }
            Outcome::TimeUp(None) | Outcome::Interrupted => Ok(End::NoDraws),
        }
    }
}

/// Starts a fit; settings are checked before it begins.
#[extendr]
fn job_start(given: List, settings: List, options: List) -> Robj {
    answer(Plan::new(&given, &settings, &options).and_then(|plan| {
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
