//! `sbmds compare`: one quantity in several fits, as a table and as overlaid densities.

use std::path::PathBuf;

use clap::Args;
use sbmds::figures::{Kind, Options, draw, write};
use sbmds::run::{ComparedPair, ComparedRun, Comparison, FinishedRun, compare, digits};

use crate::compare_maps::{self, LayingArgs};
use crate::failure::Failure;
use crate::say::{say, warn};

/// Flags of `sbmds compare`.
#[derive(Args)]
pub struct Compare {
    /// Directories of the runs, two or more; with --maps also maps of other programs (CSV: name, then coordinates)
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Compare maps: lay each of the others onto the first, and say which objects lie elsewhere
    #[arg(long, conflicts_with = "quantity")]
    maps: bool,
    #[command(flatten)]
    laying: LayingArgs,
    /// What to compare: diffusion-rate, sigma, or any name of diagnostics.csv or of the store
    #[arg(long, value_name = "NAME", default_value = "sigma")]
    quantity: String,
    /// Draw it too, densities overlaid or maps with arrows, into this .svg, .pdf or .png
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

impl Compare {
    pub fn run(&self) -> Result<(), Failure> {
        if self.maps {
            return compare_maps::run(&self.runs, &self.laying, self.out.as_deref(), self.json);
        }
        let runs = self.runs.iter().map(|run| FinishedRun::open(run)).collect::<Result<Vec<_>, _>>()?;
        let comparison = compare(&runs, &self.quantity)?;
        if let Some(out) = &self.out {
            let options = Options { quantity: Some(self.quantity.clone()), ..Options::default() };
            write(&draw(Kind::Density, &runs, &options)?, out)?;
        }
        if self.json {
            let json = serde_json::to_string_pretty(&comparison);
            println!("{}", json.map_err(|error| Failure::bad_input(error.to_string()))?);
        } else {
            print!("{}", tables(&comparison));
        }
        if let Some(out) = &self.out {
            say(format_args!("densities: {}", out.display()));
        }
        for run in runs.iter().filter(|run| !run.summary().converged) {
            warn(format_args!("{} has not converged: {}", run.path().display(), run.summary().verdict));
        }
        Ok(())
    }
}

fn tables(Comparison { quantity, runs, pairs }: &Comparison) -> String {
    let width = runs.iter().map(|run| run.name.chars().count()).max().unwrap_or(0).max(4);
    let mut text = format!("{quantity}\n\n{:width$}", "run");
    for title in ["mean", "sd", "2.5%", "97.5%", "ESS", "R-hat", "ESS/s"] {
        text += &format!("{title:>11}");
    }
    text.push('\n');
    for ComparedRun { name, mean, sd, interval: [low, high], ess, rhat, ess_per_second } in runs {
        text += &format!("{name:width$}");
        for number in [mean, sd, low, high] {
            text += &format!("{:>11}", digits(*number));
        }
        text += &format!("{ess:>11.0}{rhat:>11.3}{:>11}\n", digits(*ess_per_second));
    }
    let (a, b) = ("A", "B");
    text += &format!("\n{a:width$} {b:width$}{:>11}{:>11}{:>24}\n", "Hellinger", "P(A > B)", "mean A - mean B");
    for ComparedPair { a, b, hellinger, probability_greater, difference, difference_error } in pairs {
        let difference = format!("{} +- {}", digits(*difference), digits(*difference_error));
        text += &format!("{a:width$} {b:width$}{hellinger:>11.4}{probability_greater:>11.4}{difference:>24}\n");
    }
    text + "\nHellinger: sqrt(1 - integral of sqrt(p q)), p and q Gaussian kernel densities (Silverman's bandwidth); about 0.04\n\
            between two samples of 1,000 independent draws of one distribution. +-: standard error from the number of draws.\n"
}
