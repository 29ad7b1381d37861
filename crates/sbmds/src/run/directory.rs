//! The directory of a run: its files, and that only one process works on it.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::check::CheckedConfig;
use super::config::{FitConfig, INPUT_COPY};
use super::error::RunError;
use super::summary::Summary;
use crate::dissimilarity::Input;
use crate::draws::atomic::{Sync, replace_bytes};

const CONFIG: &str = "config.toml";
const SUMMARY: &str = "summary.json";
const LOCK: &str = ".lock";

/// The directory of a run.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    /// Held while a process works on the run; the system releases it when the process ends, however it ends.
    _lock: Option<File>,
}

impl RunDirectory {
    /// Makes the directory of a new run and saves its settings; an empty directory may be there already.
    ///
    /// # Errors
    /// If the directory holds anything, is in use or cannot be written.
    pub(super) fn create(path: &Path, config: &CheckedConfig) -> Result<Self, RunError> {
        Self::is_free(path)?;
        fs::create_dir_all(path).map_err(RunError::io("create", path))?;
        let run = Self { path: path.to_owned(), _lock: Some(lock(path)?) };
        run.save_config(config)?;
        Ok(run)
    }

    /// Refuses a directory that holds anything: better before the work than after.
    pub(super) fn is_free(path: &Path) -> Result<(), RunError> {
        if path.join(CONFIG).exists() {
            return Err(RunError::Exists(path.to_owned()));
        }
        match fs::read_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(RunError::io("use", path)(error)),
            // What a killed start left behind begins with a dot.
            Ok(mut entries) => match entries.find(|entry| !is_hidden(entry)) {
                Some(_) => Err(RunError::Occupied(path.to_owned())),
                None => Ok(()),
            },
        }
    }

    /// Opens a run to go on with it.
    ///
    /// # Errors
    /// If there is none, it is in use or its settings cannot be read.
    pub(super) fn reopen(path: &Path) -> Result<(Self, FitConfig), RunError> {
        let (run, config) = Self::open(path)?;
        Ok((Self { _lock: Some(lock(path)?), ..run }, config))
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
        let mut config: FitConfig = toml::from_str(&text).map_err(|error| damaged(&file, error))?;
        if config.input.copy.is_some() {
            config.input.path = path.join(INPUT_COPY);
        }
        Ok((Self { path: path.to_owned(), _lock: None }, config))
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
    pub(super) fn checkpoint(&self, chain: usize) -> PathBuf {
        self.path.join("checkpoints").join(format!("chain-{chain}"))
    }

    /// Makes the place for checkpoints.
    pub(super) fn make_room_for_checkpoints(&self) -> Result<(), RunError> {
        let directory = self.path.join("checkpoints");
        fs::create_dir_all(&directory).map_err(RunError::io("create", &directory))
    }

    /// Saves the settings.
    pub(super) fn save_config(&self, config: &CheckedConfig) -> Result<(), RunError> {
        let path = self.path.join(CONFIG);
        let text = toml::to_string(&**config).map_err(|error| damaged(&path, error))?;
        self.replace(&path, text.as_bytes())
    }

    /// Keeps what came through a pipe: it cannot be read again where it came from.
    pub(super) fn keep_input(&self, input: &Input) -> Result<(), RunError> {
        let copy = self.path.join(INPUT_COPY);
        input.piped().map_or(Ok(()), |bytes| self.replace(&copy, bytes))
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
            Ok(json) => serde_json::from_slice(&json).map_err(|error| damaged(&path, error)),
        }
    }

    /// Saves the summary: from now on the run is finished.
    pub(super) fn save_summary(&self, summary: &impl Serialize) -> Result<(), RunError> {
        let path = self.path.join(SUMMARY);
        let json = serde_json::to_string_pretty(summary).map_err(|error| damaged(&path, error))?;
        self.replace(&path, (json + "\n").as_bytes())
    }

    /// The run is no longer finished.
    pub(super) fn remove_summary(&self) -> Result<(), RunError> {
        let path = self.path.join(SUMMARY);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(RunError::io("remove", &path)(error)),
            _ => Ok(()),
        }
    }

    /// Replaces a file whole or not at all.
    pub(super) fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), RunError> {
        replace_bytes(path, Sync::Now, bytes).map_err(RunError::io("write", path))
    }
}

fn is_hidden(entry: &io::Result<fs::DirEntry>) -> bool {
    entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with('.'))
}

fn lock(directory: &Path) -> Result<File, RunError> {
    let path = directory.join(LOCK);
    let file = File::create(&path).map_err(RunError::io("write", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(RunError::Locked(directory.to_owned())),
        Err(TryLockError::Error(cause)) => Err(RunError::io("lock", &path)(cause)),
    }
}

fn damaged(path: &Path, what: impl std::fmt::Display) -> RunError {
    RunError::Damaged { path: path.to_owned(), what: what.to_string() }
}
