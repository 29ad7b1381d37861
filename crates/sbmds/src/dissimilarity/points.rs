//! Points to be clustered: a table of named rows or an array, N x D.

use std::path::Path;

use super::error::{Fault, FilePosition, InputError};
use super::labelled::{LabelledRows, NameColumn};
use super::names::Names;
use super::npy::Array;
use super::positions::{check_coordinate, has_dimensions};
use super::text::Source;
use crate::locations::Locations;

/// Reads named points: a CSV or TSV (header; first column the name, then D coordinates) or a `.npy` (N x D, named by
/// row number from 0).
///
/// # Errors
/// If the file cannot be read or is empty, a name comes twice, or a coordinate is missing or not finite.
pub fn read_points(path: &Path) -> Result<(Names, Locations), InputError> {
    let file = super::content::shown(path);
    let source = Source::open(path, &file)?;
    let (names, x) = if super::sniff::is_npy(path, &source.head) {
        from_array(&file, &Array::open(source)?)?
    } else {
        from_table(source)?
    };
    if names.is_empty() {
        let fault = Fault::new("there are no points", "give one row per point: its name, then its coordinates");
        return Err(fault.at(&file, FilePosition::File));
    }
    Ok((names, x))
}

fn from_table(source: Source<'_>) -> Result<(Names, Locations), InputError> {
    let file = source.file;
    let rows = LabelledRows::read(source, NameColumn::First)?;
    if !rows.names.is_empty() {
        has_dimensions(rows.n_columns).map_err(|fault| fault.at(file, FilePosition::File))?;
    }
    let x = Locations::from_fn(rows.names.len(), rows.n_columns, |row, column| rows.row(row)[column]);
    check(&x, |row, column, fault| fault.at(file, rows.position(row, Some(column))).between([rows.names.get(row)]))?;
    Ok((rows.names, x))
}

fn from_array(file: &str, array: &Array) -> Result<(Names, Locations), InputError> {
    has_dimensions(array.n_columns()).map_err(|fault| fault.at(file, FilePosition::File))?;
    let x = Locations::from_fn(array.n_rows(), array.n_columns(), |row, column| array.get(row, column));
    check(&x, |row, column, fault| fault.at(file, FilePosition::Entry(row as u64, column as u64)))?;
    Ok((Names::numbered(array.n_rows()), x))
}

/// Refuses the first coordinate, row by row, that is none; `error` places the fault.
fn check(x: &Locations, error: impl Fn(usize, usize, Fault) -> InputError) -> Result<(), InputError> {
    for row in 0..x.n_objects() {
        for column in 0..x.n_dims() {
            let value = x.get(row, column);
            check_coordinate(value).map_err(|fault| error(row, column, fault))?;
        }
    }
    Ok(())
}
