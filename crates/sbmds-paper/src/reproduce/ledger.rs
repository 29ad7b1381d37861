//! The cells that are done, one JSON object per line: whatever stops a run, at most the cells in work are lost.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Cell, Experiment, ReproduceError, Row, Scale};

/// The first line: how the cells are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Heading {
    experiment: String,
    scale: Scale,
    /// Of the settings behind the cells; see [`Experiment::revision`].
    revision: u32,
    /// Of the files behind the cells; see [`Experiment::data`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    data: String,
}

impl Heading {
    fn describe(&self) -> String {
        let data = if self.data.is_empty() { String::new() } else { format!(", {}", self.data) };
        format!("{} {}, revision {}{data}", self.experiment, self.scale.flag(), self.revision)
    }
}

/// The file of finished cells.
pub(super) struct Ledger {
    path: PathBuf,
    file: File,
    rows: Vec<Row>,
}

impl Ledger {
    /// Opens the ledger in `directory`, or begins one; what a killed process left half written is cut off.
    pub fn open(directory: &Path, experiment: &dyn Experiment, scale: Scale) -> Result<Self, ReproduceError> {
        fs::create_dir_all(directory).map_err(ReproduceError::io("make", directory))?;
        let path = directory.join(format!("{}.cells.jsonl", experiment.about().name));
        let (name, revision, data) = (experiment.about().name.into(), experiment.revision(), experiment.data());
        let wanted = Heading { experiment: name, scale, revision, data };
        let (mut text, is_new) = match fs::read_to_string(&path) {
            Ok(text) => (text, false),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (String::new(), true),
            Err(error) => return Err(ReproduceError::io("read", &path)(error)),
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        text.truncate(whole);
        let rows = read(&path, &text, &wanted)?;
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).open(&path).map_err(ReproduceError::io("open", &path))?;
        if !is_new {
            file.set_len(whole as u64).map_err(ReproduceError::io("write", &path))?;
        }
        let mut ledger = Self { path, file, rows };
        if whole == 0 {
            ledger.append(&wanted)?;
        }
        Ok(ledger)
    }

    /// What was measured in a cell, if it is done.
    pub fn find(&self, cell: &Cell) -> Option<&Row> {
        self.rows.iter().find(|row| row.cell == *cell)
    }

    /// Keeps a finished cell.
    pub fn add(&mut self, row: Row) -> Result<(), ReproduceError> {
        self.append(&row)?;
        self.rows.push(row);
        Ok(())
    }

    /// One line in one write, so that it is there whole or is cut off by the next run.
    fn append(&mut self, content: &impl Serialize) -> Result<(), ReproduceError> {
        let line = serde_json::to_string(content).map_err(std::io::Error::other).map(|line| line + "\n");
        line.and_then(|line| self.file.write_all(line.as_bytes())).map_err(ReproduceError::io("write", &self.path))
    }
}

fn read(path: &Path, text: &str, wanted: &Heading) -> Result<Vec<Row>, ReproduceError> {
    let damaged = |line: usize| {
        move |error: serde_json::Error| ReproduceError::Damaged { path: path.into(), line, what: error.to_string() }
    };
    let mut lines = text.lines().zip(1..);
    if let Some((line, number)) = lines.next() {
        let found: Heading = serde_json::from_str(line).map_err(damaged(number))?;
        if found != *wanted {
            let (found, wanted) = (found.describe(), wanted.describe());
            return Err(ReproduceError::OtherSettings { path: path.into(), found, wanted });
        }
    }
    lines.map(|(line, number)| serde_json::from_str(line).map_err(damaged(number))).collect()
}
