//! What an experiment found: a table, a figure and a page, and how they are written.

use std::path::{Path, PathBuf};

use sbmds::figures::{self, Scene};
use sbmds::files;

use super::run::Limits;
use super::{Experiment, ReproduceError, Scale, page};

/// Rows of text under named columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows; empty cells are unknown.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new(columns: &[&str]) -> Self {
        Self { columns: columns.iter().map(|name| (*name).to_owned()).collect(), rows: Vec::new() }
    }

    fn csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.columns)?;
        for row in &self.rows {
            writer.write_record(row)?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }
}

/// The text of a page; the figure, the command and the settings are added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// What the experiment is, and the definitions it uses.
    pub about: Vec<String>,
    /// Numbers ours and theirs, with a sentence above each table.
    pub comparisons: Vec<(String, Table)>,
    /// Where ours differ and why; what else is worth knowing.
    pub remarks: Vec<String>,
}

/// What an experiment found.
pub struct Findings {
    /// All numbers.
    pub table: Table,
    /// The figure.
    pub figure: Scene,
    /// The page.
    pub page: Page,
}

impl Findings {
    /// Writes NAME.csv, NAME.svg, NAME.png and, last, NAME.md, and returns where that is.
    pub(super) fn write(
        &self,
        experiment: &dyn Experiment,
        scale: Scale,
        limits: &Limits,
        n_left_out: usize,
        directory: &Path,
    ) -> Result<PathBuf, ReproduceError> {
        let path = |extension: &str| directory.join(format!("{}.{extension}", experiment.about().name));
        let put = |path: PathBuf, bytes: &[u8]| {
            files::replace(&path, bytes).map_err(ReproduceError::io("write", &path))?;
            Ok::<PathBuf, ReproduceError>(path)
        };
        let csv = self.table.csv().map_err(std::io::Error::other);
        put(path("csv"), &csv.map_err(|error| ReproduceError::io("write", &path("csv"))(error))?)?;
        figures::write(&self.figure, &path("svg"))?;
        figures::write(&self.figure, &path("png"))?;
        put(path("md"), page::markdown(&self.page, experiment, scale, limits, n_left_out).as_bytes())
    }
}
