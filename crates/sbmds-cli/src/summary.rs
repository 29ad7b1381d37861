//! `sbmds summary`: what a finished fit says, verdict first, and a small map last.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::Args;
use csv::StringRecord;
use sbmds::Locations;
use sbmds::dissimilarity::Names;
use sbmds::plain;
use sbmds::run::{RunDirectory, Summary, digits};
use terminal_size::{Width, terminal_size_of};
use unicode_width::UnicodeWidthStr;

use crate::failure::Failure;
use crate::say::shown;
use crate::{advice, terminal_map};

/// Flags of `sbmds summary`.
#[derive(Args)]
pub struct SummaryCommand {
    /// Directory of the run
    run: PathBuf,
    /// Rows of the map to print
    #[arg(long, value_name = "N", default_value_t = 10)]
    objects: usize,
    /// Print summary.json instead
    #[arg(long)]
    json: bool,
    /// Draw the map even if the output is no terminal or a narrow one
    #[arg(long, conflicts_with = "no_map")]
    map: bool,
    /// Draw no map
    #[arg(long)]
    no_map: bool,
}

/// The narrowest terminal that gets a map.
const NARROWEST: usize = 80;
/// The widest map: a small one is enough.
const WIDEST: usize = 110;

impl SummaryCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let (run, config) = RunDirectory::open(&self.run)?;
        let summary = run.summary()?;
        if self.json {
            let json = serde_json::to_string_pretty(&summary).map_err(Failure::bad_input)?;
            println!("{json}");
            return Ok(());
        }
        run.check_file(&summary, "embedding.csv")?;
        let rows = Rows::read(&run)?.of(summary.n_objects)?;
        print!("{}", table(&summary));
        for warning in &summary.warnings {
            println!("{}", shown(&format!("warning: {warning}")));
        }
        for sentence in summary.shown.sentences() {
            println!("note: {}", sentence.replace("RUN", &self.run.display().to_string()));
        }
        advice::after(run.path(), &config, &summary).iter().for_each(|line| println!("{line}"));
        rows.print(self.objects);
        let columns = if self.map { Some(terminal_columns().unwrap_or(NARROWEST)) } else { wide_terminal() };
        if let Some(columns) = columns.filter(|_| !self.no_map) {
            println!("\n{}", rows.map(columns));
        }
        Ok(())
    }
}

/// The map of a run for the terminal that reads stdout; `None` if none does, it is too narrow, or there is no map.
pub fn map_for_terminal(run: &Path) -> Option<String> {
    let columns = wide_terminal()?;
    let (run, _) = RunDirectory::open(run).ok()?;
    Some(Rows::read(&run).ok()?.map(columns))
}

/// The same of a map in memory.
pub fn drawn_for_terminal(names: &Names, map: &Locations) -> Option<String> {
    let columns = wide_terminal()?;
    let of = |object, dim| if dim < map.n_dims() { map.get(object, dim) } else { 0.0 };
    let point = |(object, name): (usize, Cow<str>)| (name.into_owned(), of(object, 0), of(object, 1));
    let points: Vec<_> = names.iter().enumerate().map(point).collect();
    Some(draw(&points, columns, map.n_dims() > 1))
}

/// Points on lines of at most this many columns.
fn draw(points: &[(String, f64, f64)], columns: usize, is_plane: bool) -> String {
    let columns = columns.min(WIDEST);
    terminal_map::draw(points, columns, if is_plane { columns / 4 } else { 1 })
}

fn terminal_columns() -> Option<usize> {
    terminal_size_of(std::io::stdout()).map(|(Width(columns), _)| usize::from(columns))
}

fn wide_terminal() -> Option<usize> {
    terminal_columns().filter(|&columns| columns >= NARROWEST)
}

/// `embedding.csv`.
struct Rows {
    path: PathBuf,
    header: StringRecord,
    rows: Vec<StringRecord>,
}

impl Rows {
    fn read(run: &RunDirectory) -> Result<Self, Failure> {
        let path = run.embedding();
        let unreadable = |error: csv::Error| Failure::bad_input(format!("cannot read {}: {error}", path.display()));
        let mut reader = csv::Reader::from_path(&path).map_err(unreadable)?;
        let header = reader.headers().map_err(unreadable)?.clone();
        let rows = reader.records().collect::<Result<_, _>>().map_err(unreadable)?;
        Ok(Self { path, header, rows })
    }

    /// The table, if it is whole: of this many objects, with their names.
    fn of(self, n_objects: usize) -> Result<Self, Failure> {
        if self.rows.len() == n_objects && self.header.get(0) == Some("name") {
            return Ok(self);
        }
        Err(Failure::bad_input(format!(
            "{} is damaged: it has {} objects instead of {n_objects}. Remedy: restore it from a copy, or fit again",
            self.path.display(),
            self.rows.len()
        )))
    }

    /// Prints the first rows.
    fn print(&self, most: usize) {
        let shown = &self.rows[..most.min(self.rows.len())];
        let names: Vec<String> = shown.iter().map(|row| plain::shown(&row[0])).collect();
        let width = names.iter().map(|name| name.width()).max().unwrap_or(0).max(4);
        let padded = |name: &str| format!("{name}{}", " ".repeat(width.saturating_sub(name.width())));
        let titles = self.header.iter().skip(1).map(|name| cell(short(name))).collect::<String>();
        println!("\n{}{titles}", padded(&self.header[0]));
        for (name, row) in names.iter().zip(shown) {
            println!("{}{}", padded(name), row.iter().skip(1).map(|text| cell(&number(text))).collect::<String>());
        }
        if self.rows.len() > shown.len() {
            println!("... {} more in {}", self.rows.len() - shown.len(), self.path.display());
        }
    }

    /// The map on its first two axes (its only one, if it has one), `columns` wide.
    fn map(&self, columns: usize) -> String {
        let index = |title: &str| self.header.iter().position(|name| name == title);
        let coordinate = |row: &StringRecord, index: Option<usize>| {
            index.and_then(|index| row.get(index)?.parse::<f64>().ok()).unwrap_or(0.0)
        };
        let (x, y) = (index("x1"), index("x2"));
        let points: Vec<_> =
            self.rows.iter().map(|row| (row[0].to_owned(), coordinate(row, x), coordinate(row, y))).collect();
        draw(&points, columns, y.is_some())
    }
}

fn cell(text: &str) -> String {
    format!("{text:>11}")
}

/// Column names that fit their column.
fn short(name: &str) -> &str {
    match name {
        "ellipse_major" => "major 95%",
        "ellipse_minor" => "minor 95%",
        "ellipse_angle_degrees" => "angle",
        name => name,
    }
}

/// A number of the table with four digits.
fn number(text: &str) -> String {
    text.parse::<f64>().map_or_else(|_| "-".into(), digits)
}

/// The verdicts, one line each.
pub fn verdicts(summary: &Summary) -> String {
    let lines: Vec<String> = summary.verdicts().iter().map(|(about, text)| format!("{about}: {text}")).collect();
    lines.join("\n")
}

/// The numbers, one line each.
fn table(summary: &Summary) -> String {
    let time = ("time", format!("{:.1} s of sampling over all chains", summary.seconds));
    let lines = summary.lines().into_iter().chain([time]).map(|(name, text)| format!("{name:14} {text}\n"));
    shown(&format!("{}\n\n{}", verdicts(summary), lines.collect::<String>()))
}
