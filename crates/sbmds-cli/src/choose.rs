//! `sbmds choose`: how many dimensions, which noise, how many bands.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use sbmds::choose::{
    BandsQuestion, Candidate, Choice, ChoiceRow, Question, Told, choose, choose_bands, draw_choice, rows,
    write_choice_csv,
};
use sbmds::coupling::Couplings;
use sbmds::figures::write;
use sbmds::files::replace_with;
use sbmds::measurement::Family;
use sbmds::posterior::PrecisionUpdate;
use sbmds::run::{Control, FitConfig, InputConfig, ModelConfig, Silent, digits};
use serde::Serialize;

use crate::arguments::{ReadingArgs, n_threads};
use crate::choose_bands::conclude_bands;
use crate::failure::Failure;
use crate::fit::{absolute, stem, stop_flag, tree_config};
use crate::fit_arguments::{DrawArgs, PriorArgs, SamplerArgs};
use crate::say::{say, warn};
use crate::tree_arguments::TreeArgs;

/// Flags of `sbmds choose`.
#[derive(Args)]
pub struct Choose {
    /// Dissimilarities, as for `sbmds fit`
    input: PathBuf,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Dimensions to compare: 1-6, or a list such as 2,3,5 [default: 1-6; with --bands 2]
    #[arg(short = 'D', long, value_name = "DIMS", value_parser = dims)]
    dims: Option<DimsList>,
    /// Instead of dimensions: how many dispersed bands are enough? Doubles them until nothing moves, or fits those listed: --bands=10,20,40
    #[arg(long, value_name = "B", num_args = 0..=1, require_equals = true, default_missing_value = "grow", value_parser = bands)]
    bands: Option<BandsList>,
    /// Noise families to compare, separated by commas: truncated-normal, normal, truncated-student-t, student-t, log-normal
    /// [default: truncated-normal alone]
    #[arg(long, value_name = "NOISE", value_delimiter = ',')]
    noise: Vec<Family>,
    /// Coupled pairs, the same for all fits: auto, full, band:B, landmark:L, dispersed:B or graph:FILE
    #[arg(long, default_value = "auto")]
    couplings: Couplings,
    /// Hold pairs out exactly, a K-th of them at a time, with a fit for each part [default: leave one out by weights]
    #[arg(long, value_name = "K", default_value_t = 0)]
    folds: usize,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    priors: PriorArgs,
    #[command(flatten)]
    sampler: SamplerArgs,
    #[command(flatten)]
    drawing: DrawArgs,
    /// Threads to use [default: all cores]; the answer does not depend on it
    #[arg(long, value_name = "P")]
    threads: Option<usize>,
    /// Directory of the fits, choose.csv and choose.svg [default: the input's name with `-choose`]; the same command again goes on
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Numbers of dimensions, ascending.
#[derive(Clone, Debug)]
struct DimsList(Vec<usize>);

/// Numbers of bands, ascending; `None`: as many as it takes.
#[derive(Clone, Debug)]
struct BandsList(Option<Vec<usize>>);

fn dims(text: &str) -> Result<DimsList, String> {
    numbers(text).map(DimsList).ok_or("give numbers of dimensions, such as 1-6 or 2,3,5".into())
}

fn bands(text: &str) -> Result<BandsList, String> {
    match (text, numbers(text)) {
        ("grow", _) => Ok(BandsList(None)),
        (_, Some(bands)) => Ok(BandsList(Some(bands))),
        (_, None) => Err("give numbers of bands, such as --bands=10,20,40, or --bands alone".into()),
    }
}

/// Ranges and lists of numbers above zero, ascending; `None` if they are none.
fn numbers(text: &str) -> Option<Vec<usize>> {
    let number = |word: &str| word.trim().parse::<usize>().ok().filter(|&number| number > 0);
    let part = |part: &str| match part.split_once('-') {
        Some((first, last)) => Some((number(first)?..=number(last)?).collect()),
        None => Some(vec![number(part)?]),
    };
    let parts: Option<Vec<Vec<usize>>> = text.split(',').map(part).collect();
    let mut numbers = parts?.concat();
    numbers.sort_unstable();
    numbers.dedup();
    (!numbers.is_empty()).then_some(numbers)
}

/// Says on stderr how it goes.
struct Lines;

impl Told for Lines {
    fn begins(&self, name: &str) {
        say(format_args!("fitting {name}"));
    }

    fn ends(&self, name: &str, seconds: f64) {
        if seconds > 0.0 {
            say(format_args!("{name}: {seconds:.1} s of sampling"));
        }
    }
}

impl Choose {
    pub fn run(&self) -> Result<(), Failure> {
        if self.folds == 1 {
            return Err(Failure::bad_input(
                "--folds 1: nothing would be left to fit; give 2 or more, or 0 for leave-one-out",
            ));
        }
        let stop = stop_flag()?;
        let control = Control {
            observer: &Silent,
            stop: &stop,
            n_threads: n_threads(self.threads)?,
            checkpoint_interval: Duration::from_secs(2),
            deadline: None,
            engine: None,
            force: false,
        };
        let directory = self.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}-choose", stem(&self.input))));
        if let Some(BandsList(bands)) = &self.bands {
            let question = BandsQuestion { base: self.bands_config()?, bands: bands.clone(), directory: &directory };
            return match choose_bands(&question, &control, &Lines)? {
                Some(choice) => conclude_bands(&choice, &directory, self.json),
                None => Err(interrupted()),
            };
        }
        let dims = self.dims.as_ref().map_or((1..=6).collect(), |dims| dims.0.clone());
        let question = Question {
            base: self.config()?,
            candidates: Candidate::all(&dims, &self.noise),
            directory: &directory,
            n_folds: self.folds,
        };
        match choose(&question, &control, &Lines)? {
            Some(choice) => self.conclude(&choice, &directory),
            None => Err(interrupted()),
        }
    }

    /// The settings that fits with different bands share.
    fn bands_config(&self) -> Result<FitConfig, Failure> {
        let mut config = self.config()?;
        config.model.n_dims = match self.dims.as_ref().map(|dims| dims.0.as_slice()) {
            None => config.model.n_dims,
            Some(&[n_dims]) => n_dims,
            Some(_) => {
                return Err(Failure::bad_input(
                    "--bands: the dimensions must be given; choose them first, then --dims D --bands",
                ));
            }
        };
        if self.noise.len() > 1 {
            return Err(Failure::bad_input("--bands: one --noise at a time"));
        }
        config = Candidate { n_dims: config.model.n_dims, noise: self.noise.first().copied() }.config(&config);
        if self.folds > 0 || self.couplings != Couplings::Auto {
            return Err(Failure::bad_input(
                "--bands holds out pairs of its own and says what is coupled: leave out --folds and --couplings",
            ));
        }
        Ok(config)
    }

    /// The settings that all fits share.
    fn config(&self) -> Result<FitConfig, Failure> {
        let input = InputConfig {
            path: absolute(&self.input)?,
            format: self.reading.format,
            metric: self.reading.metric(),
            names: self.reading.names.as_deref().map(absolute).transpose()?,
            value: self.reading.value.clone(),
            no_names: self.reading.no_names,
            weight: self.reading.weight.clone(),
            error: self.reading.error.clone(),
            weights: self.reading.weights.as_deref().map(absolute).transpose()?,
            errors: self.reading.errors.as_deref().map(absolute).transpose()?,
            ..InputConfig::default()
        };
        let couplings = match &self.couplings {
            Couplings::Graph(path) => Couplings::Graph(absolute(path)?),
            couplings => couplings.clone(),
        };
        Ok(FitConfig {
            sbmds_version: env!("CARGO_PKG_VERSION").into(),
            input,
            model: ModelConfig { couplings, standardize: self.priors.standardize, ..ModelConfig::default() },
            priors: self.priors.config(),
            tree: tree_config(&self.tree, PrecisionUpdate::default())?,
            sampler: self.sampler.settings(self.drawing.warmup),
            run: self.drawing.config(self.seed),
            ..FitConfig::default()
        })
    }

    fn conclude(&self, choice: &Choice, directory: &Path) -> Result<(), Failure> {
        let rows = rows(choice);
        let (table, figure) = (directory.join("choose.csv"), directory.join("choose.svg"));
        replace_with(&table, |file| Ok(write_choice_csv(file, &rows)?))
            .map_err(|error| Failure::bad_input(format!("{}: cannot be written: {error}", table.display())))?;
        write(&draw_choice(choice), &figure)?;
        if self.json {
            let said = Said { advice: &choice.advice.line, rows: &rows };
            println!("{}", serde_json::to_string_pretty(&said).map_err(Failure::bad_input)?);
        } else {
            print!("{}\n{}\n", text(&rows, self.folds), choice.advice.line);
        }
        say(format_args!("{}\n{}", table.display(), figure.display()));
        warn_of_doubts(&rows);
        Ok(())
    }
}

fn interrupted() -> Failure {
    Failure::interrupted("interrupted; everything is saved. Go on with the same command")
}

/// What `--json` prints.
#[derive(Serialize)]
struct Said<'a> {
    advice: &'a str,
    rows: &'a [ChoiceRow],
}

fn text(rows: &[ChoiceRow], folds: usize) -> String {
    let how = match folds {
        0 => "one left out at a time, by weights".to_owned(),
        folds => format!("held out in {folds} folds"),
    };
    let n_pairs = rows.first().map_or(0, |row| row.n_pairs);
    let has_noise = rows.iter().any(|row| row.noise.is_some());
    let mut text = format!("{n_pairs} pairs, {how}\n\ndims");
    if has_noise {
        text += &format!("  {:18}", "noise");
    }
    for title in ["elpd", "+-", "behind", "+-", "RMSE", "Stress-1", "MDSIC", "k > 0.7"] {
        text += &format!("{title:>10}");
    }
    text.push('\n');
    let known = |number: Option<f64>| number.map_or("-".into(), digits);
    for row in rows {
        text += &format!("{:>3}{}", row.dims, if row.taken { "*" } else { " " });
        if has_noise {
            text += &format!("  {:18}", row.noise.as_deref().unwrap_or(""));
        }
        text += &format!("{:>10.1}{:>10.1}{:>10.1}{:>10.1}", row.elpd, row.se, row.behind, row.behind_se);
        text += &format!("{:>10}{:>10}{:>10}", digits(row.rmse), known(row.stress1), known(row.mdsic));
        text += &format!("{:>10}\n", if folds == 0 { row.n_unreliable.to_string() } else { "-".into() });
    }
    text
}

/// More than this share of unreliable pairs makes leave-one-out by weights doubtful.
const DOUBTFUL: f64 = 0.05;

fn warn_of_doubts(rows: &[ChoiceRow]) {
    let list = |rows: Vec<&ChoiceRow>| rows.iter().map(|row| row.dims.to_string()).collect::<Vec<_>>().join(", ");
    let unreliable = |row: &&ChoiceRow| row.n_unreliable as f64 > DOUBTFUL * row.n_pairs as f64;
    let doubtful: Vec<&ChoiceRow> = rows.iter().filter(unreliable).collect();
    if !doubtful.is_empty() {
        warn(format_args!(
            "with {} dimensions, leave-one-out by weights is not reliable for more than 5% of the pairs. Remedy: hold them out \
             exactly, --folds 5",
            list(doubtful)
        ));
    }
    let running: Vec<&ChoiceRow> = rows.iter().filter(|row| !row.converged).collect();
    if !running.is_empty() {
        warn(format_args!(
            "the chains with {} dimensions have not converged. Remedy: more --warmup and --draws",
            list(running)
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_are_ranges_and_lists() {
        assert_eq!(dims("1-6").unwrap().0, [1, 2, 3, 4, 5, 6]);
        assert_eq!(dims("5,2-3,2").unwrap().0, [2, 3, 5]);
        assert!(["", "0", "3-1", "a", "1-"].iter().all(|text| dims(text).is_err()));
        assert_eq!(bands("40,10").unwrap().0.unwrap(), [10, 40]);
        assert!(bands("grow").unwrap().0.is_none() && bands("0").is_err());
    }
}
