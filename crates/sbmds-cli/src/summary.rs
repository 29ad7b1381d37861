//! `sbmds summary`: what a finished fit says, verdict first.

use std::path::PathBuf;

use clap::Args;
use sbmds::run::{RunDirectory, Summary};

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

/// Four significant digits.
fn digits(number: f64) -> String {
    if number == 0.0 || (1e-3..1e5).contains(&number.abs()) {
        let before_point = if number == 0.0 { 0 } else { number.abs().log10().floor() as i32 };
        format!("{number:.*}", (3 - before_point).max(0) as usize)
    } else {
        format!("{number:.3e}")
    }
}

fn known(number: Option<f64>) -> String {
    number.map_or_else(|| "-".into(), digits)
}

/// The numbers, one line each.
fn table(summary: &Summary) -> String {
    let Summary { sigma, stress, .. } = summary;
    let extreme = |extreme: &Option<sbmds::run::Extreme>| {
        extreme.as_ref().map_or_else(|| "-".into(), |worst| format!("{} ({})", digits(worst.value), worst.quantity))
    };
    let mut lines = vec![
        (
            "sigma",
            format!("{} +- {}, 90% in [{}, {}]", known(sigma.mean), known(sigma.sd), known(sigma.q5), known(sigma.q95)),
        ),
        (
            "stress",
            format!(
                "{} rms; worst {} ({})",
                known(stress.rms),
                known(stress.worst),
                stress.worst_object.as_deref().unwrap_or("-")
            ),
        ),
        ("largest R-hat", extreme(&summary.max_rhat)),
        ("smallest ESS", extreme(&summary.min_ess)),
        (
            "data",
            format!(
                "{} objects, {} pairs ({}), {} dimensions",
                summary.n_objects, summary.n_pairs, summary.couplings, summary.n_dims
            ),
        ),
        ("draws", format!("{} chains x {} after {} of warm-up", summary.n_chains, summary.n_draws, summary.n_warmup)),
        (
            "sampler",
            format!(
                "{}, acceptance {}, {} divergences, {} gradients",
                summary.sampler,
                known(summary.acceptance),
                summary.divergences,
                summary.n_gradients
            ),
        ),
        ("time", format!("{:.1} s of sampling over all chains", summary.seconds)),
    ];
    if summary.unit != 1.0 {
        lines.push(("unit", format!("fitted in units of {}, reported in the input's", digits(summary.unit))));
    }
    let lines = lines.iter().map(|(name, text)| format!("{name:14} {text}\n"));
    format!("{}\n\n{}", summary.verdict, lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn four_digits_whatever_the_size() {
        for (number, text) in
            [(0.0, "0.000"), (1.23456, "1.235"), (-12345.6, "-12346"), (0.0012345, "0.001234"), (1e-9, "1.000e-9")]
        {
            assert_eq!(digits(number), text);
        }
    }
}
