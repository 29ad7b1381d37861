//! `sbmds plot`: figures of finished fits for papers.

use std::path::{Path, PathBuf};

use clap::Args;
use sbmds::dissimilarity::LabelColumn;
use sbmds::figures::{Kind, Options, draw, missing_letters, write};
use sbmds::run::FinishedRun;

use crate::failure::Failure;
use crate::report::LabelArgs;
use crate::say::warn;

/// Flags of `sbmds plot`.
#[derive(Args)]
pub struct Plot {
    /// Directory of the run (several for density), then what to draw: map, antigenic (a second run is where its
    /// arrows go), shepard, trace, rank, ess, density, clusters, groups or tree
    #[arg(required = true, num_args = 2.., value_names = ["RUN", "KIND"])]
    words: Vec<PathBuf>,
    /// The file to write: .svg or .pdf (with the font inside) or .png (300 dots per inch)
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// What trace, rank, ess and density show: sigma, "log density", or any name of diagnostics.csv or of the store
    /// [default: sigma; for ess the one that mixes worst]
    #[arg(long, value_name = "NAME")]
    quantity: Option<String>,
    #[command(flatten)]
    labels: LabelArgs,
    /// The column of the labels that colours a map
    #[arg(long, visible_alias = "color", value_name = "COLUMN")]
    colour: Option<String>,
    /// The column of the labels that makes groups of the objects
    #[arg(long, value_name = "COLUMN")]
    group: Option<String>,
    /// The two axes of a map
    #[arg(long, value_name = "A,B", default_value = "1,2", value_parser = two_axes)]
    axes: (usize, usize),
    /// The mode to draw, from 1, if chains are in different ones (see `sbmds summary`)
    #[arg(long, value_name = "K", default_value_t = 1)]
    mode: usize,
    /// Width in millimetres; 89 is one column of most journals
    #[arg(long, value_name = "MM", default_value_t = Options::default().width_mm)]
    width_mm: f64,
}

impl Plot {
    pub fn run(&self) -> Result<(), Failure> {
        let (kind, runs) = self.words.split_last().ok_or_else(|| Failure::bad_input("a RUN and a KIND are needed"))?;
        let kind: Kind = kind.to_string_lossy().parse().map_err(Failure::bad_input)?;
        let runs = runs.iter().map(|run| FinishedRun::open_mode(run, self.mode)).collect::<Result<Vec<_>, _>>()?;
        let options = Options {
            quantity: self.quantity.clone(),
            colour: self.column("--colour", self.colour.as_deref(), &runs[0])?,
            group: self.column("--group", self.group.as_deref(), &runs[0])?,
            axes: self.axes,
            width_mm: self.width_mm,
        };
        let scene = draw(kind, &runs, &options)?;
        write(&scene, &self.out)?;
        if let Some(warning) = missing_letters(&scene, &self.out) {
            warn(format_args!("{}: {warning}", self.out.display()));
        }
        println!("{}", self.out.display());
        Ok(())
    }

    /// The column of the labels that a flag names.
    fn column(&self, flag: &str, name: Option<&str>, run: &FinishedRun) -> Result<Option<LabelColumn>, Failure> {
        let Some(name) = name else { return Ok(None) };
        let Some(labels) = self.labels.read(run)? else {
            return Err(Failure::bad_input(format!(
                "{flag}: there are no labels. Remedy: give a table of them with --labels"
            )));
        };
        if let Some(warning) = labels.warning() {
            warn(warning);
        }
        let known = || labels.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
        match labels.column(name) {
            Some(column) => Ok(Some(column.clone())),
            None => Err(Failure::bad_input(format!(
                "{flag}: the table of labels has no column {name:?}. Remedy: give one of {}",
                known()
            ))),
        }
    }
}

pub fn two_axes(text: &str) -> Result<(usize, usize), String> {
    let numbers: Option<Vec<usize>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[first, second]) => Ok((first, second)),
        _ => Err("two numbers with a comma are needed, such as 1,2".into()),
    }
}

/// Draws the map of a run into `path`.
pub fn write_map(run: &FinishedRun, path: &Path) -> Result<(), Failure> {
    Ok(write(&draw(Kind::Map, std::slice::from_ref(run), &Options::default())?, path)?)
}
