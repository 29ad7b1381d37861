//! `sbmds eval --titers`: the log-likelihood of titres, and its derivatives by everything it depends on.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use sbmds::dissimilarity::{Levels, Titers, read_levels, read_positions, read_titers};
use sbmds::measurement::titres::{self, Reading};
use sbmds::measurement::{Family, NoiseScale, Terms};
use serde::Serialize;

use crate::failure::Failure;
use crate::say::{say, warn};

/// Titres instead of dissimilarities.
#[derive(Args)]
#[command(next_help_heading = "Titres")]
pub struct TiterArgs {
    /// The input holds titres of viruses against sera: a table (rows viruses, columns sera; 640, <40, >1280, *) or one
    /// measurement per line (columns virus, serum, titer; or BEAST's)
    #[arg(long, conflicts_with = "features")]
    pub titers: bool,
    /// What a titre that is a number says: exact (the number), interval (between it and the next dilution), or auto (an
    /// interval where numbers are of a twofold series)
    #[arg(long, value_enum, default_value = "auto", requires = "titers")]
    pub reading: ReadingArg,
}

/// See [`Reading`].
#[derive(Clone, Copy, ValueEnum)]
pub enum ReadingArg {
    Auto,
    Exact,
    Interval,
}

impl From<ReadingArg> for Reading {
    fn from(reading: ReadingArg) -> Self {
        match reading {
            ReadingArg::Auto => Self::Auto,
            ReadingArg::Exact => Self::Exact,
            ReadingArg::Interval => Self::Interval,
        }
    }
}

/// What the levels of titres are.
#[derive(Args)]
#[command(next_help_heading = "Titres")]
pub struct LevelArgs {
    /// Potencies of the sera in log2 titres: CSV with the columns name,value [default: the largest titre of each serum]
    #[arg(long, value_name = "FILE", requires = "titers")]
    pub potencies: Option<PathBuf>,
    /// Avidities of the viruses in log2 titres: CSV with the columns name,value [default: none; with them the expected log2
    /// titre is (avidity + potency)/2 - distance]
    #[arg(long, value_name = "FILE", requires = "titers")]
    pub avidities: Option<PathBuf>,
}

/// What is printed.
#[derive(Serialize)]
struct Evaluation {
    n_objects: usize,
    n_dims: usize,
    n_pairs: usize,
    n_terms: usize,
    log_likelihood: f64,
    names: Vec<String>,
    #[serde(flatten)]
    derivatives: Option<Derivatives>,
}

/// Derivatives of the log-likelihood.
#[derive(Serialize)]
struct Derivatives {
    /// By the locations, in the order of the names.
    gradient: Vec<Vec<f64>>,
    /// By the standard deviation of the noise.
    gradient_sigma: f64,
    /// By the potencies, in the order of the sera.
    gradient_potencies: Vec<f64>,
    /// By the avidities, in the order of the viruses.
    #[serde(skip_serializing_if = "Option::is_none")]
    gradient_avidities: Option<Vec<f64>>,
}

/// Reads the table, and says on stderr how where there was a choice.
pub fn read(path: &Path) -> Result<Titers, Failure> {
    let titers = read_titers(path)?;
    titers.notes().iter().for_each(|note| say(format_args!("note: {note}")));
    titers.warnings().iter().for_each(warn);
    Ok(titers)
}

/// Evaluates and prints.
pub fn run(
    input: &Path,
    positions: &Path,
    sigma: f64,
    reading: Reading,
    levels: &LevelArgs,
    with_gradient: bool,
) -> Result<(), Failure> {
    let titers = read(input)?;
    let positions = read_positions(positions, titers.names())?;
    let potencies = match &levels.potencies {
        Some(path) => read_levels(path, &titers, Levels::Potencies)?,
        None => titers.largest().split_off(titers.n_viruses()),
    };
    let avidities =
        levels.avidities.as_deref().map(|path| read_levels(path, &titers, Levels::Avidities)).transpose()?;
    let terms = titres::terms(&titers, reading, Family::Normal);
    let of_objects = titres::levels(titers.n_viruses(), &potencies, avidities.as_deref());
    let (mut by_x, mut by_level) = (vec![0.0; positions.as_slice().len()], vec![0.0; of_objects.len()]);
    let noise = NoiseScale { sigma, nu: f64::INFINITY };
    let value = terms.evaluate_slowly(positions.as_slice(), noise, &of_objects, &mut by_x, &mut by_level);
    if !value.log_likelihood.is_finite() {
        return Err(Failure::bad_input(format!(
            "the log-likelihood overflows. Remedy: give titres, not logarithms of them, and a larger --sigma than {sigma}"
        )));
    }
    let n_objects = terms.n_objects();
    let derivatives = with_gradient.then(|| Derivatives {
        gradient: (0..n_objects).map(|n| by_x.iter().skip(n).step_by(n_objects).copied().collect()).collect(),
        gradient_sigma: value.by_log_sigma / sigma,
        ..by_levels(&by_level, &titers, avidities.is_some())
    });
    print(&terms, positions.n_dims(), value.log_likelihood, &titers, derivatives)
}

/// Derivatives by potencies and avidities from those by what each object adds.
fn by_levels(by_level: &[f64], titers: &Titers, has_avidities: bool) -> Derivatives {
    let (of_viruses, of_sera) = by_level.split_at(titers.n_viruses());
    let factor = if has_avidities { 0.5 } else { 1.0 };
    let scaled = |values: &[f64]| values.iter().map(|value| factor * value).collect();
    Derivatives {
        gradient: Vec::new(),
        gradient_sigma: f64::NAN,
        gradient_potencies: scaled(of_sera),
        gradient_avidities: has_avidities.then(|| scaled(of_viruses)),
    }
}

fn print(
    terms: &Terms,
    n_dims: usize,
    log_likelihood: f64,
    titers: &Titers,
    derivatives: Option<Derivatives>,
) -> Result<(), Failure> {
    let evaluation = Evaluation {
        n_objects: terms.n_objects(),
        n_dims,
        n_pairs: terms.n_pairs(),
        n_terms: terms.len(),
        log_likelihood,
        names: titers.names().iter().map(|name| name.into_owned()).collect(),
        derivatives,
    };
    println!("{}", serde_json::to_string(&evaluation).map_err(Failure::bad_input)?);
    Ok(())
}
