//! The fits of a choice: each in a directory of its own, begun, gone on with or found finished.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Candidate;
use crate::Locations;
use crate::dissimilarity::Names;
use crate::error::RunError;
use crate::quality::KnownPair;
use crate::run::{Changes, Control, FinishedRun, FitConfig, Outcome, RunDirectory, fit, resume};

/// Hears how a choice goes.
pub trait Told: Sync {
    /// A fit begins or goes on.
    fn begins(&self, name: &str);
    /// A fit is finished; `seconds` is how long it took, 0 if it was finished before.
    fn ends(&self, name: &str, seconds: f64);
}

/// One fit to be made.
pub(super) struct Task {
    /// Its settings.
    pub config: FitConfig,
    /// Its directory.
    pub name: String,
}

impl Task {
    /// Of a candidate.
    fn of(base: &FitConfig, candidate: &Candidate) -> Self {
        Self { config: candidate.config(base), name: candidate.to_string() }
    }

    /// One of several of a candidate.
    pub fn part(base: &FitConfig, candidate: &Candidate, part: &str) -> Self {
        Self { config: candidate.config(base), name: format!("{candidate}-{part}") }
    }
}

/// The directory of a choice.
pub struct Fits<'a> {
    directory: &'a Path,
    control: &'a Control<'a>,
    told: &'a dyn Told,
}

/// The settings that all fits of a directory share.
const SETTINGS: &str = "choose.toml";

impl<'a> Fits<'a> {
    /// Opens or makes the directory.
    ///
    /// # Errors
    /// If it holds fits with other settings, or cannot be written.
    pub fn open(
        directory: &'a Path,
        base: &FitConfig,
        control: &'a Control<'a>,
        told: &'a dyn Told,
    ) -> Result<Self, RunError> {
        let path = directory.join(SETTINGS);
        let settings =
            toml::to_string(base).map_err(|error| RunError::Damaged { path: path.clone(), what: error.to_string() })?;
        match fs::read_to_string(&path) {
            Ok(before) if before == settings => {}
            Ok(_) => {
                let problem = format!("{} holds fits with other settings", directory.display());
                return Err(RunError::setting(
                    "`out`",
                    problem,
                    "repeat the settings to go on, or give another directory",
                ));
            }
            Err(_) => {
                RunDirectory::is_free(directory)?;
                fs::create_dir_all(directory).map_err(RunError::io("create", directory))?;
                fs::write(&path, settings).map_err(RunError::io("write", &path))?;
            }
        }
        Ok(Self { directory, control, told })
    }

    /// The finished fit of a candidate; `None` if it was interrupted.
    ///
    /// # Errors
    /// If it cannot be fitted.
    pub fn run(&self, base: &FitConfig, candidate: &Candidate) -> Result<Option<FinishedRun>, RunError> {
        self.carry_out(candidate.config(base), &candidate.to_string())
    }

    /// All of them, several at a time; in the order of the candidates.
    ///
    /// # Errors
    /// If one cannot be fitted.
    pub fn run_all(&self, base: &FitConfig, candidates: &[Candidate]) -> Result<Option<Vec<FinishedRun>>, RunError> {
        self.carry_out_all(&candidates.iter().map(|candidate| Task::of(base, candidate)).collect::<Vec<_>>())
    }

    /// Writes pairs as a file that couplings can be read from.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_pairs(&self, name: &str, pairs: &[&KnownPair], names: &Names) -> Result<PathBuf, RunError> {
        let row = |pair: &&KnownPair| vec![names.get(pair.a).into_owned(), names.get(pair.b).into_owned()];
        self.write_table(name, vec!["from".into(), "to".into()], pairs.iter().map(row))
    }

    /// Writes a map as a file that chains can start from.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_map(&self, name: &str, map: &Locations, names: &Names) -> Result<PathBuf, RunError> {
        let header = std::iter::once("name".into()).chain((1..=map.n_dims()).map(|dim| format!("x{dim}")));
        let row = |object: usize| {
            let coordinates = map.object(object).into_iter().map(|x| x.to_string());
            std::iter::once(names.get(object).into_owned()).chain(coordinates).collect()
        };
        self.write_table(name, header.collect(), (0..map.n_objects()).map(row))
    }

    fn write_table(
        &self,
        name: &str,
        header: Vec<String>,
        mut rows: impl Iterator<Item = Vec<String>>,
    ) -> Result<PathBuf, RunError> {
        let path = std::path::absolute(self.directory.join(format!("{name}.csv")))
            .map_err(RunError::io("find", self.directory))?;
        let mut table = csv::Writer::from_writer(Vec::new());
        let written = table.write_record(header).and_then(|()| rows.try_for_each(|row| table.write_record(row)));
        let bytes = written.and_then(|()| table.into_inner().map_err(|error| error.into_error().into()));
        let bytes = bytes.map_err(|error| RunError::Damaged { path: path.clone(), what: error.to_string() })?;
        let write = |writer: &mut dyn Write| writer.write_all(&bytes);
        crate::files::replace_with(&path, write).map_err(RunError::io("write", &path))?;
        Ok(path)
    }

    /// Fits, as many at a time as there are threads, in the order of `tasks`; `None` if it was interrupted.
    ///
    /// A fit's draws depend on its own settings alone, so that neither the number of threads nor who works beside it changes a bit.
    pub(super) fn carry_out_all(&self, tasks: &[Task]) -> Result<Option<Vec<FinishedRun>>, RunError> {
        let at_once = self.control.n_threads.min(tasks.len()).max(1);
        let control = Control { n_threads: self.control.n_threads / at_once, ..*self.control };
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let results: Vec<_> = tasks.iter().map(|_| Mutex::new(None)).collect();
        let fits = Fits { directory: self.directory, control: &control, told: self.told };
        let is_over = || failed.load(Ordering::Relaxed) || control.stop.load(Ordering::Relaxed);
        let work_on_next = || {
            while let Some(number) =
                Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&k| k < tasks.len() && !is_over())
            {
                let result = fits.carry_out(tasks[number].config.clone(), &tasks[number].name);
                failed.fetch_or(result.is_err(), Ordering::Relaxed);
                *results[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..at_once {
                // Where the system refuses a thread, those there are do the work.
                drop(std::thread::Builder::new().spawn_scoped(scope, work_on_next));
            }
            work_on_next();
        });
        let found = results.into_iter().map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner));
        let found: Vec<Option<FinishedRun>> =
            found.map(|result| result.transpose().map(Option::flatten)).collect::<Result<_, RunError>>()?;
        Ok(found.into_iter().collect())
    }

    pub(super) fn carry_out(&self, config: FitConfig, name: &str) -> Result<Option<FinishedRun>, RunError> {
        let directory = self.directory.join(name);
        if let Ok(run) = FinishedRun::open(&directory) {
            self.told.ends(name, 0.0);
            return Ok(Some(run));
        }
        self.told.begins(name);
        let outcome = match RunDirectory::open(&directory) {
            Ok(_) => resume(&directory, &Changes::default(), self.control)?,
            Err(_) => fit(config, &directory, self.control)?,
        };
        match outcome {
            Outcome::Finished(_) | Outcome::FinishedBefore(_) => {
                let run = FinishedRun::open(&directory)?;
                self.told.ends(name, run.summary().seconds);
                Ok(Some(run))
            }
            Outcome::TimeUp(_) | Outcome::Interrupted => Ok(None),
        }
    }
}
