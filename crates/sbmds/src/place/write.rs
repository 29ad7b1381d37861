//! The files of placed objects.

use std::path::{Path, PathBuf};

use super::{Placed, PlacedObject};
use crate::dissimilarity::Names;
use crate::embedding::{Ellipse, Moments};
use crate::files::FileSet;
use crate::run::FinishedRun;
use crate::run::RunError;

/// Writes into `directory`, together: `embedding.csv`, the whole map with the new objects below the old ones; `placed.csv`, the new ones with how well they
/// fit; and `modes.csv`, if any of them has several modes. Returns where the files are.
///
/// # Errors
/// If the run or the disk refuses.
pub fn write_placed(run: &FinishedRun, placed: &Placed, directory: &Path) -> Result<Vec<PathBuf>, RunError> {
    let set = FileSet::begin(directory, &["embedding.csv", "placed.csv", "modes.csv", "report.html"])?;
    let written = |name: &str, table: Result<Vec<u8>, csv::Error>| -> Result<(), RunError> {
        let path = set.path(name);
        let bytes = table.map_err(|error| RunError::Damaged { path: path.clone(), what: error.to_string() })?;
        std::fs::write(&path, bytes).map_err(RunError::io("write", &path))
    };
    written("embedding.csv", whole_map(run.names(), &run.moments()?, &run.embedding().stress, placed))?;
    written("placed.csv", placed_table(placed))?;
    if !placed.modes.is_empty() {
        written("modes.csv", modes_table(placed))?;
    }
    Ok(set.commit()?)
}

fn text(number: f64) -> String {
    if number.is_nan() { String::new() } else { number.to_string() }
}

fn numbered(letters: &'static str, n_dims: usize) -> impl Iterator<Item = String> {
    (1..=n_dims).map(move |dim| format!("{letters}{dim}"))
}

/// Location, standard deviations and 95% ellipse of an object.
fn numbers(moments: &Moments, object: usize) -> Vec<f64> {
    let Ellipse { major, minor, angle_degrees } = moments.ellipse(object);
    let mut numbers = moments.mean().object(object);
    numbers.extend((0..moments.mean().n_dims()).map(|dim| moments.sd(object, dim)));
    numbers.extend([major, minor, angle_degrees]);
    numbers
}

fn header(first: &[&str], n_dims: usize, last: &[&str]) -> Vec<String> {
    let ellipse = ["ellipse_major", "ellipse_minor", "ellipse_angle_degrees"];
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let coordinates = numbered("x", n_dims).chain(numbered("sd", n_dims)).collect();
    [words(first), coordinates, words(&ellipse), words(last)].concat()
}

/// The columns of a run's `embedding.csv` and `kind`: `old` or `new`.
fn whole_map(names: &Names, old: &Moments, stress: &[f64], placed: &Placed) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header(&["name"], old.mean().n_dims(), &["stress", "kind"]))?;
    let mut row = |name: String, mut numbers: Vec<f64>, stress: f64, kind: &str| {
        numbers.push(stress);
        let fields = numbers.into_iter().map(text).chain([kind.to_owned()]);
        writer.write_record(std::iter::once(name).chain(fields))
    };
    for (object, name) in names.iter().enumerate() {
        row(name.into_owned(), numbers(old, object), stress[object], "old")?;
    }
    for (object, name) in placed.names.iter().enumerate() {
        row(name.into_owned(), numbers(&placed.moments, object), placed.objects[object].fit.stress, "new")?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

fn placed_table(placed: &Placed) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let last = ["stress", "mean_residual", "n_pairs", "n_modes", "efficiency"];
    writer.write_record(header(&["name"], placed.moments.mean().n_dims(), &last))?;
    for (object, name) in placed.names.iter().enumerate() {
        let PlacedObject { fit, n_modes, efficiency } = placed.objects[object];
        let mut row = numbers(&placed.moments, object);
        row.extend([fit.stress, fit.mean_residual, fit.n_pairs as f64, n_modes as f64, efficiency]);
        writer.write_record(std::iter::once(name.into_owned()).chain(row.into_iter().map(text)))?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// One row for every mode of the objects that have several, the heaviest first.
fn modes_table(placed: &Placed) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header(&["name", "mode", "share"], placed.moments.mean().n_dims(), &[]))?;
    for modes in &placed.modes {
        for (mode, moments) in modes.modes.iter().enumerate() {
            let first =
                [placed.names.get(modes.object).into_owned(), (mode + 1).to_string(), modes.share(mode).to_string()];
            writer.write_record(first.into_iter().chain(numbers(moments, 0).into_iter().map(text)))?;
        }
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}
