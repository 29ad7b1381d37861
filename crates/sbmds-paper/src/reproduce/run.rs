//! The whole story of an experiment: run what is missing, then table, figure and page.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::ledger::Ledger;
use super::{Cell, Experiment, ReproduceError, Row, Scale};

/// Which of the cells to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Leave out cells with more objects.
    pub max_objects: Option<usize>,
    /// Leave out further data sets of a setting.
    pub repeats: Option<usize>,
}

impl Limits {
    fn allow(&self, cell: &Cell) -> bool {
        self.max_objects.is_none_or(|most| cell.n_objects <= most) && self.repeats.is_none_or(|r| cell.repeat < r)
    }

    /// The flags, with a blank before each.
    pub(super) fn flags(&self) -> String {
        let objects = self.max_objects.map(|most| format!(" --max-objects {most}"));
        let repeats = self.repeats.map(|repeats| format!(" --repeats {repeats}"));
        objects.unwrap_or_default() + &repeats.unwrap_or_default()
    }
}

/// How far an experiment is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Cells done, those of earlier runs included.
    pub n_done: usize,
    /// All cells.
    pub n_cells: usize,
    /// Part of this run's work that is done, by expected time.
    pub share: f64,
}

/// How an experiment ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Everything is there; where the page is.
    Finished(PathBuf),
    /// Stopped; the same call goes on.
    Interrupted,
}

/// Runs the cells that are missing in `directory` on this many threads (one if time is measured) and writes what they show.
///
/// # Errors
/// If the directory holds cells of other settings, the disk refuses, or the user's data cannot be used.
pub fn reproduce(
    experiment: &dyn Experiment,
    scale: Scale,
    directory: &Path,
    limits: Limits,
    n_threads: usize,
    stop: &AtomicBool,
    on_progress: &(dyn Fn(Progress) + Sync),
) -> Result<Outcome, ReproduceError> {
    let all = experiment.cells(scale);
    let n_all = all.len();
    let cells: Vec<Cell> = all.into_iter().filter(|cell| limits.allow(cell)).collect();
    if cells.is_empty() {
        return Err(ReproduceError::NoCells);
    }
    let mut ledger = Ledger::open(directory, experiment, scale)?;
    let n_threads = if experiment.is_timed() { 1 } else { n_threads };
    fill(experiment, scale, &cells, &mut ledger, n_threads, stop, on_progress)?;
    let rows: Vec<Row> = cells.iter().filter_map(|cell| ledger.find(cell).cloned()).collect();
    if rows.len() < cells.len() {
        return Ok(Outcome::Interrupted);
    }
    let left_out = n_all - cells.len();
    let page = experiment.findings(&rows, scale).write(experiment, scale, &limits, left_out, directory)?;
    Ok(Outcome::Finished(page))
}

/// Runs the missing cells in order, several at a time.
fn fill(
    experiment: &dyn Experiment,
    scale: Scale,
    cells: &[Cell],
    ledger: &mut Ledger,
    n_threads: usize,
    stop: &AtomicBool,
    on_progress: &(dyn Fn(Progress) + Sync),
) -> Result<(), ReproduceError> {
    let missing: Vec<&Cell> = cells.iter().filter(|cell| ledger.find(cell).is_none()).collect();
    let n_before = cells.len() - missing.len();
    let work: f64 = missing.iter().map(|cell| experiment.cost(cell)).sum();
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let kept = Mutex::new((ledger, 0, 0.0, Ok(())));
    let work_on = || {
        while !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
            let Some(&cell) = missing.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            let values = experiment.run(cell, scale);
            if matches!(values, Err(ReproduceError::Interrupted)) {
                return;
            }
            let (ledger, n_done, done, outcome) = &mut *lock(&kept);
            let added = values.and_then(|values| ledger.add(Row { cell: cell.clone(), values }));
            if added.is_err() {
                failed.store(true, Ordering::Relaxed);
                *outcome = added;
                return;
            }
            *n_done += 1;
            *done += experiment.cost(cell);
            on_progress(Progress { n_done: n_before + *n_done, n_cells: cells.len(), share: *done / work });
        }
    };
    std::thread::scope(|scope| (0..n_threads.max(1)).for_each(|_| _ = scope.spawn(work_on)));
    kept.into_inner().unwrap_or_else(PoisonError::into_inner).3
}

/// A lock whose holder panicked still guards whole lines; the panic itself ends the run.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
