//! The paper's figures and tables, made again: each experiment is a list of cells, run one by one and kept on disk.
//!
//! [`reproduce`] runs the cells of an [`Experiment`] that are not there yet and then writes a table (CSV), a figure (SVG and
//! PNG) and a page (Markdown) with our numbers beside the authors'. "The paper" is Sheth, Smith and Holbrook, "Sparse
//! Bayesian multidimensional scaling(s)"; the authors' numbers are in `authors`, each with its source.

mod abstracts;
mod accuracy;
mod authors;
mod band_rule;
mod cell;
mod convergence;
mod data;
mod dimension_mismatch;
mod draw;
mod efficiency;
mod error;
mod findings;
mod groups;
mod heavy_tails;
mod influenza;
mod information;
mod ledger;
mod map;
mod measures;
mod mse;
mod on_files;
mod page;
pub mod paper_example;
mod plot;
mod raw_speed;
mod run;
mod spectrum;
mod sums;
mod tables;
mod titres;
mod workplace;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use abstracts::Abstracts;
pub use cell::{Cell, Method, Row, Source};
pub use error::ReproduceError;
pub use findings::{Findings, Page, Table};
pub use influenza::Influenza;
pub use information::{Information, OwnFiles};
pub use measures::{DistanceErrors, log_efficiency, vector_hellinger};
pub use run::{Limits, Outcome, Progress, reproduce};
pub use titres::{HeldOut, Titres};
pub use workplace::Workplace;

/// How much work an experiment is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Seconds: for trying and for tests.
    Toy,
    /// A minute or two on two cores: fewer settings, repeats and draws.
    #[default]
    Quick,
    /// The settings of the paper; samplers and lengths of chains are each experiment's own.
    Full,
}

impl Scale {
    /// The flag that asks for it.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Toy => "--toy",
            Self::Quick => "--quick",
            Self::Full => "--full",
        }
    }

    /// One of three values.
    fn pick<T>(self, toy: T, quick: T, full: T) -> T {
        match self {
            Self::Toy => toy,
            Self::Quick => quick,
            Self::Full => full,
        }
    }

    /// What a figure says of itself; nothing if it is the paper's.
    fn note(self) -> &'static str {
        self.pick("toy: far too few objects and draws", "quick: fewer settings, repeats and draws", "")
    }
}

/// How an experiment is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The name, as typed.
    pub name: &'static str,
    /// Where it is in the paper.
    pub source: &'static str,
    /// What it makes, in a few words.
    pub summary: &'static str,
    /// What `--full` has that smaller scales have not; none if every scale is the same.
    pub full: Option<&'static str>,
    /// The flags that name the files of the user's it is made from, if there are any.
    pub needs: &'static str,
}

/// One figure or table of the paper.
pub trait Experiment: Sync {
    /// How it is listed.
    fn about(&self) -> About;

    /// All cells, cheap ones first.
    fn cells(&self, scale: Scale) -> Vec<Cell>;

    /// What is measured in each cell, by name.
    fn measured(&self) -> Vec<String>;

    /// Runs one cell and returns a number for each name (a map adds its coordinates).
    ///
    /// # Errors
    /// If the user's data cannot be used, or the user wants to stop.
    fn run(&self, cell: &Cell, scale: Scale) -> Result<Vec<f64>, ReproduceError>;

    /// Table, figure and page of the finished cells.
    fn findings(&self, rows: &[Row], scale: Scale) -> Findings;

    /// Whether a cell is a measurement of time, to be made alone.
    fn is_timed(&self) -> bool {
        false
    }

    /// Settings that the user's files are too small for, in a sentence.
    fn left_out(&self, _: Scale) -> Option<String> {
        None
    }

    /// Changes when results of the same cells would change.
    fn revision(&self) -> u32 {
        1
    }

    /// The files of the user's that cells are made of, by their content.
    fn data(&self) -> String {
        String::new()
    }

    /// The flags that name those files, with a blank before each.
    fn flags(&self) -> String {
        String::new()
    }

    /// How long a cell takes compared with others, roughly.
    fn cost(&self, cell: &Cell) -> f64 {
        cell.n_objects as f64
    }
}

/// All experiments that need no files of the user's, in the order of the paper; their chains end when `stop` is set.
pub fn experiments(stop: &Arc<AtomicBool>) -> Vec<Box<dyn Experiment>> {
    let stop = || Arc::clone(stop);
    vec![
        Box::new(tables::Tables),
        Box::new(accuracy::Accuracy { stop: stop() }),
        Box::new(map::Map { stop: stop() }),
        Box::new(dimension_mismatch::DimensionMismatch { stop: stop() }),
        Box::new(heavy_tails::HeavyTails { stop: stop() }),
        Box::new(raw_speed::RawSpeed),
        Box::new(efficiency::Efficiency { stop: stop() }),
        Box::new(band_rule::BandRule { stop: stop() }),
        Box::new(spectrum::Spectrum),
        Box::new(Information::new(OwnFiles::default(), stop())),
    ]
}

/// The experiments on files of the user's.
pub const ON_FILES: [About; 3] = [influenza::ABOUT, abstracts::ABOUT, titres::ABOUT];

#[cfg(test)]
mod tests;
