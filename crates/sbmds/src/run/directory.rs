//! The directory of a run: its files, and that only one process works on it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::integrity::{self, Seal};
use crate::draws::checkpoint::{self, CheckpointError};
use crate::error::RunError;
use crate::files::atomic::{Sync, replace_bytes, sweep_here, temporary_path};
use crate::fit::Observer;
use crate::fit::anchor::FoundAnchor;
use crate::fit::summary::Summary;
use crate::settings::check::CheckedConfig;
use crate::settings::config::{FitConfig, INPUT_COPY};

pub(crate) const CONFIG: &str = "config.toml";
const SUMMARY: &str = "summary.json";
pub(crate) const LOCK: &str = ".lock";

/// The directory of a run.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    /// Held while a process works on the run; the system releases it when the process ends, however it ends.
    _lock: Option<File>,
    most_draws_before: usize,
}

impl RunDirectory {
    /// Makes the directory of a new run and saves its settings; an empty directory may be there already.
    ///
    /// # Errors
    /// If the directory holds anything, is in use or cannot be written.
    pub(crate) fn create(path: &Path, config: &CheckedConfig) -> Result<Self, RunError> {
        Self::is_free(path)?;
        fs::create_dir_all(path).map_err(RunError::io("create", path))?;
        let run = Self { path: path.to_owned(), _lock: Some(lock(path)?), most_draws_before: 0 };
        run.save_config(config)?;
        Ok(run)
    }

    /// Refuses a directory that holds anything: better before the work than after.
    pub(crate) fn is_free(path: &Path) -> Result<(), RunError> {
        if path.join(CONFIG).exists() {
            return Err(RunError::Exists(path.to_owned()));
        }
        match fs::read_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(RunError::io("use", path)(error)),
            Ok(mut entries) => match entries.find(|entry| !is_left_by_a_killed_start(entry)) {
                Some(_) => Err(RunError::Occupied(path.to_owned())),
                None => Ok(()),
            },
        }
    }

    /// Opens a run to go on with it.
    ///
    /// # Errors
    /// If there is none, it is in use or its settings cannot be read.
    pub(crate) fn reopen(path: &Path) -> Result<(Self, FitConfig), RunError> {
        let (run, config) = Self::open(path)?;
        let run = Self { _lock: Some(lock(path)?), ..run };
        run.sweep()?;
        Ok((run, config))
    }

    /// Opens a run to look at it.
    ///
    /// # Errors
    /// If there is none or its settings cannot be read.
    pub fn open(path: &Path) -> Result<(Self, FitConfig), RunError> {
        let file = path.join(CONFIG);
        let holds_nothing =
            |error: &io::Error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
        let text = match fs::read_to_string(&file) {
            Err(error) if holds_nothing(&error) => Err(RunError::NoRun(path.to_owned())),
            other => other.map_err(RunError::io("read", &file)),
        }?;
        let settings = integrity::opened(&text).map_err(|what| damaged(&file, what))?;
        let mut config: FitConfig = toml::from_str(settings).map_err(|error| damaged(&file, error))?;
        if config.input.copy.is_some() {
            config.input.path = path.join(INPUT_COPY);
        }
        let most_draws_before = config.run.most_stored_draws();
        Ok((Self { path: path.to_owned(), _lock: None, most_draws_before }, config))
    }

    /// Removes what killed processes left half-written.
    fn sweep(&self) -> Result<(), RunError> {
        for directory in [self.path.clone(), self.path.join("checkpoints")] {
            sweep_here(&directory).map_err(RunError::io("clean", &directory))?;
        }
        Ok(())
    }

    /// The most draws of a chain that the settings allowed when the run was opened.
    pub(crate) fn most_draws_before(&self) -> usize {
        self.most_draws_before
    }

    /// Where the run is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The table of the map.
    pub fn embedding(&self) -> PathBuf {
        self.path.join("embedding.csv")
    }

    /// The table of everything monitored.
    pub fn diagnostics(&self) -> PathBuf {
        self.path.join("diagnostics.csv")
    }

    /// The tree of the run, with the objects as its tips.
    pub fn tree(&self) -> PathBuf {
        self.path.join("tree.nwk")
    }

    /// The checkpoint of a chain.
    pub(crate) fn checkpoint(&self, chain: usize) -> PathBuf {
        self.path.join("checkpoints").join(format!("chain-{chain}"))
    }

    fn anchor_path(&self) -> PathBuf {
        self.path.join("checkpoints").join("anchor")
    }

    /// The anchor of the run with this identity; `None` if it has none yet.
    pub(crate) fn anchor(&self, run_id: u64, observer: &dyn Observer) -> Result<Option<FoundAnchor>, RunError> {
        match checkpoint::load::<FoundAnchor>(&self.anchor_path(), run_id) {
            Ok(loaded) => {
                loaded.newest_unusable.iter().for_each(|error| observer.warn(&error.to_string()));
                Ok(Some(loaded.value))
            }
            Err(CheckpointError::Missing(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Keeps the anchor of the run, unless it is there: every resumed chain is to sample about the same.
    pub(crate) fn keep_anchor(&self, run_id: u64, anchor: &FoundAnchor) -> Result<(), RunError> {
        self.make_room_for_checkpoints()?;
        let path = self.anchor_path();
        if path.exists() { Ok(()) } else { Ok(checkpoint::save(&path, run_id, anchor)?) }
    }

    /// Makes the directory of the checkpoints.
    pub(crate) fn make_room_for_checkpoints(&self) -> Result<(), RunError> {
        let directory = self.path.join("checkpoints");
        fs::create_dir_all(&directory).map_err(RunError::io("create", &directory))
    }

    /// Saves the settings.
    pub(crate) fn save_config(&self, config: &CheckedConfig) -> Result<(), RunError> {
        let path = self.path.join(CONFIG);
        let text = toml::to_string(&**config).map_err(|error| damaged(&path, error))?;
        self.replace(&path, integrity::sealed(&text).as_bytes())
    }

    /// Keeps what came through a pipe: it cannot be read again where it came from.
    pub(crate) fn keep_input(&self, piped: Option<&[u8]>) -> Result<(), RunError> {
        let copy = self.path.join(INPUT_COPY);
        piped.map_or(Ok(()), |bytes| self.replace(&copy, bytes))
    }

    /// The summary of a finished run.
    ///
    /// # Errors
    /// If the run has not ended or the file cannot be read.
    pub fn summary(&self) -> Result<Summary, RunError> {
        let path = self.path.join(SUMMARY);
        match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(RunError::Unfinished(self.path.clone())),
            Err(error) => Err(RunError::io("read", &path)(error)),
            Ok(json) => {
                let json = String::from_utf8(json).map_err(|error| damaged(&path, error))?;
                Seal::check(&json).map_err(|what| damaged(&path, what))?;
                serde_json::from_str(&json).map_err(|error| damaged(&path, error))
            }
        }
    }

    /// Refuses a file of a finished run that is not the one its summary knows.
    ///
    /// # Errors
    /// If the file has changed since, or cannot be read.
    pub fn check_file(&self, summary: &Summary, name: &str) -> Result<(), RunError> {
        integrity::check_file(&self.path, summary, name)
    }

    /// Removes what shows the results of fewer draws: report and map are made again when the new results are there. What is in
    /// their place and no file is of somebody else, and stays.
    pub(crate) fn remove_pictures(&self) -> Result<(), RunError> {
        let pictures = ["report.html", "map.svg", "preliminary.html"].map(|name| self.path.join(name));
        pictures.iter().filter(|path| !path.is_dir()).try_for_each(|path| remove(path))
    }

    /// Saves the summary: from now on the run is finished.
    pub(crate) fn save_summary(&self, summary: &impl Serialize) -> Result<(), RunError> {
        let path = self.path.join(SUMMARY);
        let json = serde_json::to_string_pretty(summary).map_err(|error| damaged(&path, error))?;
        self.replace(&path, Seal::add(&json).as_bytes())
    }

    /// The run is no longer finished.
    pub(crate) fn remove_summary(&self) -> Result<(), RunError> {
        remove(&self.path.join(SUMMARY))
    }

    /// Replaces a file whole or not at all.
    pub(crate) fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), RunError> {
        replace_bytes(path, Sync::Now, bytes).map_err(RunError::io("write", path))
    }
}

/// Whether this is what a start that was killed before it saved its settings leaves: anything else is of somebody.
fn is_left_by_a_killed_start(entry: &io::Result<fs::DirEntry>) -> bool {
    entry.as_ref().is_ok_and(|entry| {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        is_file && (entry.file_name() == LOCK || entry.path() == temporary_path(&entry.path().with_file_name(CONFIG)))
    })
}

/// Opens the file of the lock without changing what it holds: a link in its place would lead to somebody's file.
fn lock_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    match options.write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made,
    }
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link or no file, which sbmds did not make"));
    }
    OpenOptions::new().write(true).open(path)
}

fn lock(directory: &Path) -> Result<File, RunError> {
    let path = directory.join(LOCK);
    let file = lock_file(&path).map_err(RunError::io("lock", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(RunError::Locked(directory.to_owned())),
        Err(TryLockError::Error(cause)) => Err(RunError::io("lock", &path)(cause)),
    }
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> Result<(), RunError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(RunError::io("remove", path)(error)),
        _ => Ok(()),
    }
}

fn damaged(path: &Path, what: impl std::fmt::Display) -> RunError {
    RunError::Damaged { path: path.to_owned(), what: what.to_string() }
}
