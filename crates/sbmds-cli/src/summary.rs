//! `sbmds summary`: what a finished fit says, verdict first.

use std::path::PathBuf;

use clap::Args;
use sbmds::run::{RunDirectory, Summary, digits};

use crate::failure::Failure;

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
}

impl SummaryCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let (run, _) = RunDirectory::open(&self.run)?;
        let summary = run.summary()?;
        if self.json {
            let json = serde_json::to_string_pretty(&summary).map_err(Failure::bad_input)?;
            println!("{json}");
            return Ok(());
        }
        print!("{}", table(&summary));
        for warning in &summary.warnings {
            println!("warning: {warning}");
        }
        self.print_map(&run, summary.n_objects)
    }

    /// The first rows of `embedding.csv`.
    fn print_map(&self, run: &RunDirectory, n_objects: usize) -> Result<(), Failure> {
        let path = run.embedding();
        let unreadable = |error: csv::Error| Failure::bad_input(format!("cannot read {}: {error}", path.display()));
        let mut reader = csv::Reader::from_path(&path).map_err(unreadable)?;
        let header = reader.headers().map_err(unreadable)?.clone();
        let rows: Vec<csv::StringRecord> =
            reader.records().take(self.objects).collect::<Result<_, _>>().map_err(unreadable)?;
        let width = rows.iter().map(|row| row[0].chars().count()).max().unwrap_or(0).max(4);
        println!("\n{:width$}{}", &header[0], header.iter().skip(1).map(|name| cell(short(name))).collect::<String>());
        for row in &rows {
            println!("{:width$}{}", &row[0], row.iter().skip(1).map(|text| cell(&number(text))).collect::<String>());
        }
        if n_objects > rows.len() {
            println!("... {} more in {}", n_objects - rows.len(), path.display());
        }
        Ok(())
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

/// The numbers, one line each.
fn table(summary: &Summary) -> String {
    let time = ("time", format!("{:.1} s of sampling over all chains", summary.seconds));
    let lines = summary.lines().into_iter().chain([time]).map(|(name, text)| format!("{name:14} {text}\n"));
    format!("{}\n\n{}", summary.verdict, lines.collect::<String>())
}
