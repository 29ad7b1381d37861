//! `sbmds report`: a finished fit as one interactive page.

use std::path::{Path, PathBuf};

use clap::Args;
use sbmds::dissimilarity::{Labels, read_labels};
use sbmds::report::{ReportData, write_html, write_preliminary_html};
use sbmds::run::{FinishedRun, RunDirectory, RunError};

use crate::failure::Failure;
use crate::plot;
use crate::say::{say, warn};

/// Flags of `sbmds report`.
#[derive(Args)]
pub struct Report {
    /// Directory of the run
    run: PathBuf,
    #[command(flatten)]
    labels: LabelArgs,
    /// The file to write [default: report.html in the directory of the run]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What else is known of the objects.
#[derive(Args)]
pub struct LabelArgs {
    /// Labels to colour objects by: CSV or TSV with a header, the first column the name
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Columns of the labels whose numbers are classes, not amounts (few small whole numbers are taken so by themselves)
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    categorical: Vec<String>,
    /// Columns of the labels whose numbers are amounts, though they look like classes
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    numeric: Vec<String>,
}

impl LabelArgs {
    /// Where the labels given are.
    pub fn path(&self) -> Option<&Path> {
        self.labels.as_deref()
    }

    /// The labels of the objects of a run: those given, or else those it was fitted with.
    pub fn read(&self, run: &FinishedRun) -> Result<Option<Labels>, Failure> {
        let labels = match &self.labels {
            Some(path) => {
                let labels = read_labels(path, run.names())?;
                labels.note().iter().for_each(|note| say(format_args!("note: {note}")));
                Some(labels)
            }
            None => labels_of(run),
        };
        let named = [("--categorical", &self.categorical), ("--numeric", &self.numeric)];
        match (labels, named.iter().find(|(_, columns)| !columns.is_empty())) {
            (None, Some((flag, _))) => Err(Failure::bad_input(format!(
                "{flag}: there are no labels. Remedy: give a table of them with --labels"
            ))),
            (None, None) => Ok(None),
            (Some(labels), _) => {
                labels.with_kinds(&self.categorical, &self.numeric).map(Some).map_err(Failure::bad_input)
            }
        }
    }
}

/// The labels a run was fitted with; if they cannot be read any more, there are none.
pub fn labels_of(run: &FinishedRun) -> Option<Labels> {
    let path = run.config().input.labels.as_deref()?;
    read_labels(path, run.names()).map_err(|error| warn(format_args!("no labels: {error}"))).ok()
}

impl Report {
    pub fn run(&self) -> Result<(), Failure> {
        let run = match FinishedRun::open(&self.run) {
            Err(error @ RunError::Unfinished(_)) => return self.preliminary(error),
            run => run?,
        };
        let labels = self.labels.read(&run)?;
        let path = self.out.clone().unwrap_or_else(|| default_path(&self.run));
        let data = ReportData::gather(&run, labels.as_ref())?;
        data.verdict.warnings.iter().for_each(warn);
        write_html(&data, &path)?;
        println!("{}", path.display());
        Ok(())
    }
}

impl Report {
    /// The page of a run that is at work: its first map, if it has one.
    fn preliminary(&self, unfinished: RunError) -> Result<(), Failure> {
        let (directory, _) = RunDirectory::open(&self.run)?;
        let path = self.out.clone().unwrap_or_else(|| self.run.join("preliminary.html"));
        match write_preliminary_html(&directory, &path) {
            Err(RunError::Unfinished(_)) => Err(unfinished.into()),
            written => {
                written?;
                warn(format_args!("{unfinished}; this page shows its preliminary map, without error bars"));
                println!("{}", path.display());
                Ok(())
            }
        }
    }
}

/// Where the report of a run is by default.
pub fn default_path(run: &Path) -> PathBuf {
    run.join("report.html")
}

/// Writes the report and the map of a run into its directory, with this many threads.
pub fn write_into(run: &FinishedRun, n_threads: usize) -> Result<(), Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().map_err(Failure::bad_input)?;
    pool.install(|| {
        let directory = run.path();
        let data = ReportData::gather(run, labels_of(run).as_ref())?;
        // The report comes last: where it is, the map is too.
        plot::write_map(run, &directory.join("map.svg"))?;
        Ok(write_html(&data, &default_path(directory))?)
    })
}

/// Whether a run has its report and its map.
pub fn is_there(directory: &Path) -> bool {
    default_path(directory).exists() && directory.join("map.svg").exists()
}
