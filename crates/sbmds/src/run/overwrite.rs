//! A run that gives way to a new one in the same directory: never anything else, and never by halves.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::directory::{CONFIG, LOCK, RunDirectory};
use crate::error::RunError;
use crate::files::atomic::is_temporary;
use crate::settings::config::INPUT_COPY;

/// What a run and the commands that look at it write into its directory.
const OWN: [&str; 19] = [
    CONFIG,
    INPUT_COPY,
    LOCK,
    "modes.csv",
    "clusters",
    ".clusters.new",
    "draws.zarr.unfinished",
    "draws.zarr",
    "checkpoints",
    "embedding.csv",
    "diagnostics.csv",
    "summary.json",
    "report.html",
    "preliminary.html",
    "map.svg",
    "tree.nwk",
    "posterior.log",
    "posterior.trees",
    "ancestors.csv",
];

/// A run that is to be replaced, if there is one, held so that nobody goes on with it.
pub(crate) struct OldRun {
    directory: PathBuf,
    held: Option<Held>,
}

struct Held {
    path: PathBuf,
    _run: RunDirectory,
}

impl OldRun {
    /// The run in `directory`, if there is anything yet.
    ///
    /// # Errors
    /// If the directory holds anything but a run, or the run is being worked on.
    pub fn find(directory: &Path) -> Result<Self, RunError> {
        if !directory.join(CONFIG).exists() {
            RunDirectory::is_free(directory)?;
            return Ok(Self { directory: directory.to_owned(), held: None });
        }
        let path = directory.canonicalize().map_err(RunError::io("use", directory))?;
        let (run, _) = RunDirectory::reopen(&path)?;
        let foreign = foreign(&path)?;
        if !foreign.is_empty() {
            return Err(RunError::Foreign { path: directory.to_owned(), what: foreign });
        }
        Ok(Self { directory: directory.to_owned(), held: Some(Held { path, _run: run }) })
    }

    /// Makes room for a new run; the old one is whole until its removal has begun, and then no run any more.
    pub fn step_aside(self) -> Result<Option<Removal>, RunError> {
        remove_aside(&self.directory)?;
        let Some(held) = self.held else { return Ok(None) };
        let aside = aside(&held.path);
        fs::rename(&held.path, &aside).map_err(RunError::io("move", &held.path))?;
        Ok(Some(Removal { path: aside, _held: held }))
    }
}

/// An old run out of the way.
pub(crate) struct Removal {
    path: PathBuf,
    _held: Held,
}

impl Removal {
    pub fn carry_out(self) -> Result<(), RunError> {
        remove(&self.path)
    }
}

/// Where the run of a directory waits for its removal.
fn aside(directory: &Path) -> PathBuf {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    directory.with_file_name(format!(".{name}.replaced"))
}

/// A process killed while it removed an old run has left the rest.
fn remove_aside(directory: &Path) -> Result<(), RunError> {
    let real = directory.canonicalize().or_else(|_| std::path::absolute(directory));
    let aside = aside(&real.map_err(RunError::io("use", directory))?);
    if aside.join(CONFIG).exists() && foreign(&aside)?.is_empty() { remove(&aside) } else { Ok(()) }
}

/// Removes the settings last: what is left by a kill is still known as what is left of a run.
fn remove(run: &Path) -> Result<(), RunError> {
    for entry in fs::read_dir(run).map_err(RunError::io("read", run))? {
        let entry = entry.map_err(RunError::io("read", run))?;
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let path = entry.path();
        if entry.file_name() != CONFIG {
            let removed = if is_directory { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(RunError::io("remove", &path))?;
        }
    }
    let config = run.join(CONFIG);
    match fs::remove_file(&config) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(RunError::io("remove", &config)(error)),
        _ => fs::remove_dir(run).map_err(RunError::io("remove", run)),
    }
}

/// Whether a run or a command that looks at it writes a file of this name, or leaves it when it is killed.
fn is_own(name: &str) -> bool {
    let is_of_a_mode = name.starts_with("embedding-mode-") && name.ends_with(".csv");
    OWN.contains(&name) || is_of_a_mode || is_temporary(Path::new(name))
}

/// The names of what no run writes.
fn foreign(run: &Path) -> Result<Vec<String>, RunError> {
    let entries = fs::read_dir(run).map_err(RunError::io("read", run))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry.map_err(RunError::io("read", run))?.file_name().to_string_lossy().into_owned());
    }
    names.retain(|name| !is_own(name));
    names.sort();
    Ok(names)
}
