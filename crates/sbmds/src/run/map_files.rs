//! The files of the maps of a run: `embedding.csv`, one more table for every other mode, and the modes of single objects.

use std::fs;
use std::path::{Path, PathBuf};

use super::directory::RunDirectory;
use crate::dissimilarity::Names;
use crate::embedding::{Ellipse, ModeCentres, Moments, ObjectFit, write_embedding_csv};
use crate::error::RunError;
use crate::fit::ShownMap;
use crate::fit::shown::summary::embedding_file;

/// Where the map of a mode is: `embedding.csv`, `embedding-mode-2.csv`, ...
pub(crate) fn embedding_path(run: &RunDirectory, mode: usize) -> PathBuf {
    run.path().join(embedding_file(mode))
}

/// Where the modes of single objects are.
pub(crate) fn modes_path(run: &RunDirectory) -> PathBuf {
    run.path().join("modes.csv")
}

/// Writes the tables of all maps, the one shown first, and removes those that an earlier end of the run had more of.
pub(crate) fn write_maps(
    run: &RunDirectory,
    names: &Names,
    maps: &[ShownMap],
    fits: &[Vec<ObjectFit>],
) -> Result<(), RunError> {
    for (mode, (map, fits)) in (1..).zip(maps.iter().zip(fits)) {
        let path = embedding_path(run, mode);
        let mut table = Vec::new();
        write_embedding_csv(&mut table, names, &map.moments, fits).map_err(|error| damaged(&path, &error))?;
        run.replace(&path, &table)?;
    }
    (maps.len() + 1..).map(|mode| embedding_path(run, mode)).take_while(|path| path.exists()).try_for_each(remove)?;
    let path = modes_path(run);
    if maps.iter().all(|map| map.object_modes.is_empty()) {
        return if path.exists() { remove(path) } else { Ok(()) };
    }
    run.replace(&path, &modes_table(names, maps).map_err(|error| damaged(&path, &error))?)
}

fn remove(path: PathBuf) -> Result<(), RunError> {
    fs::remove_file(&path).map_err(RunError::io("remove", &path))
}

fn damaged(path: &Path, what: &dyn std::fmt::Display) -> RunError {
    RunError::Damaged { path: path.to_owned(), what: what.to_string() }
}

/// The columns before the numbers of a mode.
const COLUMNS: [&str; 5] = ["name", "map", "mode", "share", "shown"];

/// One row for every mode of every object that has several, the heaviest first.
fn modes_table(names: &Names, maps: &[ShownMap]) -> Result<Vec<u8>, csv::Error> {
    let n_dims = maps.first().map_or(0, |map| map.locations().n_dims());
    let mut table = csv::Writer::from_writer(Vec::new());
    let numbered = |letters: &'static str| (1..=n_dims).map(move |dim| format!("{letters}{dim}"));
    let ellipse = ["ellipse_major", "ellipse_minor", "ellipse_angle_degrees"].map(String::from);
    let header = COLUMNS.map(String::from).into_iter().chain(numbered("x")).chain(numbered("sd")).chain(ellipse);
    table.write_record(header)?;
    for (number, map) in (1..).zip(maps) {
        for of_object in &map.object_modes {
            for (mode, moments) in of_object.modes.iter().enumerate() {
                let name = names.get(of_object.object).into_owned();
                let shown = if mode == of_object.shown { "yes" } else { "no" };
                let first =
                    [name, number.to_string(), (mode + 1).to_string(), of_object.share(mode).to_string(), shown.into()];
                table.write_record(first.into_iter().chain(numbers(moments)))?;
            }
        }
    }
    table.into_inner().map_err(|error| error.into_error().into())
}

fn numbers(mode: &Moments) -> Vec<String> {
    let n_dims = mode.mean().n_dims();
    let Ellipse { major, minor, angle_degrees } = mode.ellipse(0);
    let mut numbers = mode.mean().object(0);
    numbers.extend((0..n_dims).map(|dim| mode.sd(0, dim)));
    numbers.extend([major, minor, angle_degrees]);
    numbers.iter().map(|x| if x.is_nan() { String::new() } else { x.to_string() }).collect()
}

/// Where the modes of single objects of one map are, by ascending object; none without a file.
///
/// # Errors
/// If the file cannot be read or is not what [`write_maps`] wrote.
pub(crate) fn read_modes(
    run: &RunDirectory,
    names: &Names,
    n_dims: usize,
    map: usize,
) -> Result<Vec<ModeCentres>, RunError> {
    let path = modes_path(run);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let mut reader = csv::Reader::from_path(&path).map_err(|error| damaged(&path, &error))?;
    let mut found: Vec<ModeCentres> = Vec::new();
    for (row, record) in (2..).zip(reader.records()) {
        let record = record.map_err(|error| damaged(&path, &error))?;
        let cell = |column: usize| record.get(column).unwrap_or_default();
        if cell(1) != map.to_string() {
            continue;
        }
        let wrong = || damaged(&path, &format!("line {row} is no mode of an object"));
        let object = names.find(cell(0)).ok_or_else(wrong)?;
        let centre = (0..n_dims).map(|dim| cell(COLUMNS.len() + dim).parse().ok().filter(|x: &f64| x.is_finite()));
        let centre = centre.collect::<Option<Vec<f64>>>().ok_or_else(wrong)?;
        match found.last_mut().filter(|modes| modes.object == object) {
            Some(modes) => modes.centres.push(centre),
            None => found.push(ModeCentres { object, centres: vec![centre] }),
        }
    }
    found.sort_by_key(|modes| modes.object);
    Ok(found)
}
