//! Locations of the objects, read from a table joined by name or from an array in input order.

use std::path::Path;

use super::cell::LARGEST;
use super::error::{Fault, FilePosition, InputError, listed, shortened};
use super::labelled::{LabelledRows, NameColumn};
use super::names::Names;
use super::npy::Array;
use super::text::Source;
use crate::locations::Locations;

/// Reads N locations: a CSV or TSV (header; first column the name, then D coordinates; rows in any order), or a
/// `.npy` (N x D, in the order of `names`).
///
/// # Errors
/// If the names are not exactly `names`, each once, or a coordinate is missing or not finite.
pub fn read_positions(path: &Path, names: &Names) -> Result<Locations, InputError> {
    let file = super::content::shown(path);
    from_source(path, Source::open(path, &file)?, names)
}

pub(super) fn from_source(path: &Path, source: Source<'_>, names: &Names) -> Result<Locations, InputError> {
    if super::sniff::is_npy(path, &source.head) {
        let file = source.file;
        from_array(file, &Array::open(source)?, names)
    } else {
        from_table(source, names)
    }
}

fn from_table(source: Source<'_>, names: &Names) -> Result<Locations, InputError> {
    let file = source.file;
    let rows = LabelledRows::read(source, NameColumn::First)?;
    has_dimensions(rows.n_columns).map_err(|fault| fault.at(file, FilePosition::File))?;
    let row_of = join(file, names, &rows)?;
    for row in 0..rows.names.len() {
        for (column, &coordinate) in rows.row(row).iter().enumerate() {
            check_coordinate(coordinate)
                .map_err(|fault| fault.at(file, rows.position(row, Some(column))).between([rows.names.get(row)]))?;
        }
    }
    Ok(Locations::from_fn(names.len(), rows.n_columns, |object, dim| rows.row(row_of[object])[dim]))
}

fn from_array(file: &str, array: &Array, names: &Names) -> Result<Locations, InputError> {
    let n_objects = names.len();
    if array.n_rows() != n_objects {
        let problem = format!("the array has {} rows, the input has {n_objects} objects", array.n_rows());
        let fault = Fault::new(problem, "give one row per object, in the order of the input, or a CSV with names");
        return Err(fault.at(file, FilePosition::File));
    }
    has_dimensions(array.n_columns()).map_err(|fault| fault.at(file, FilePosition::File))?;
    for object in 0..n_objects {
        for dim in 0..array.n_columns() {
            check_coordinate(array.get(object, dim)).map_err(|fault| {
                fault.at(file, FilePosition::Entry(object as u64, dim as u64)).between([names.get(object)])
            })?;
        }
    }
    Ok(Locations::from_fn(n_objects, array.n_columns(), |object, dim| array.get(object, dim)))
}

/// The row of each object.
fn join(file: &str, names: &Names, rows: &LabelledRows) -> Result<Vec<usize>, InputError> {
    for row in 0..rows.names.len() {
        let name = rows.names.get(row);
        if names.find(&name).is_none() {
            let problem = format!("the name {} is not among the objects of the input", shortened(&name));
            let fault = Fault::new(problem, "give exactly the names of the input; only the first line may be a header");
            return Err(fault.at(file, rows.position(row, None)));
        }
    }
    let found: Vec<Option<usize>> = names.iter().map(|name| rows.names.find(&name)).collect();
    let without: Vec<_> = names.iter().zip(&found).filter(|(_, row)| row.is_none()).map(|(name, _)| name).collect();
    if without.is_empty() {
        return Ok(found.into_iter().flatten().collect());
    }
    let problem = format!("these objects of the input have no position: {}", listed(&without));
    Err(Fault::new(problem, "give one row for every object of the input").at(file, FilePosition::File))
}

pub(super) fn has_dimensions(n_dims: usize) -> Result<(), Fault> {
    if n_dims > 0 {
        return Ok(());
    }
    Err(Fault::new("there are no coordinates", "give the name and then at least one coordinate in every row"))
}

pub(super) fn check_coordinate(coordinate: f64) -> Result<(), Fault> {
    if coordinate.abs() <= LARGEST {
        return Ok(());
    }
    if coordinate.is_finite() {
        let problem = format!("{coordinate:e} is too large for a coordinate; distances would overflow");
        return Err(Fault::new(problem, "correct the value or divide all coordinates by a common number"));
    }
    let problem = match coordinate.is_nan() {
        true => "a coordinate is missing".to_owned(),
        false => format!("{coordinate} is not a coordinate"),
    };
    Err(Fault::new(problem, "give every object a finite number in every dimension"))
}
