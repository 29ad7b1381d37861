//! Condensed vectors: the N (N - 1) / 2 dissimilarities above the diagonal, row by row, as SciPy's `pdist` gives them.

use super::cell::check_dissimilarity;
use super::enough_objects;
use super::error::{Fault, FilePosition, InputError};
use super::npy::Array;
use super::style::Style;
use super::text::Source;
use super::triangle::Triangle;

/// Reads numbers in one line or one column.
pub(super) fn read_text(source: Source<'_>, style: Style) -> Result<Triangle, InputError> {
    let mut lines = source.lines()?;
    let mut values = Vec::new();
    while let Some(line) = lines.next_filled()? {
        for (column, cell) in style.cells(&line)?.iter().enumerate() {
            values.push(style.dissimilarity(cell).map_err(|fault| line.error_in(column + 1, fault))?);
        }
    }
    checked(values.len(), |n_objects| Triangle::owned(n_objects, values)).map_err(|fault| lines.error(fault))
}

/// Takes the numbers of a one-dimensional array, which stays where it is.
pub(super) fn from_array(file: &str, array: Array) -> Result<Triangle, InputError> {
    let n_values = array.n_rows();
    let in_file = |fault: Fault| fault.at(file, FilePosition::File);
    n_objects(n_values).map_err(in_file)?;
    for index in 0..n_values {
        let at = |fault: Fault| fault.at(file, FilePosition::Element(index as u64));
        check_dissimilarity(array.get(index, 0)).map_err(at)?;
    }
    checked(n_values, |n_objects| Triangle::lent(n_objects, array)).map_err(in_file)
}

/// The triangle of so many numbers; it lists its pairs in the same order.
fn checked(n_values: usize, triangle: impl FnOnce(usize) -> Triangle) -> Result<Triangle, Fault> {
    let n_objects = n_objects(n_values)?;
    enough_objects(n_objects)?;
    let triangle = triangle(n_objects);
    triangle.check_measured()?;
    Ok(triangle)
}

/// The N of which N (N - 1) / 2 is `n_values`.
fn n_objects(n_values: usize) -> Result<usize, Fault> {
    let n_objects = ((1.0 + (1.0 + 8.0 * n_values as f64).sqrt()) / 2.0).round();
    if n_objects * (n_objects - 1.0) / 2.0 == n_values as f64 {
        return Ok(n_objects as usize);
    }
    let problem = format!(
        "this is one list of {n_values} numbers, but N objects have N (N - 1) / 2 pairs, and no N gives {n_values}"
    );
    Err(Fault::new(problem, "give all pairs in the order of SciPy's pdist, or a square matrix"))
}
