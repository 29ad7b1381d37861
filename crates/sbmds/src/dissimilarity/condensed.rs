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
    triangle(values).map_err(|fault| lines.error(fault))
}

/// Takes the numbers of a one-dimensional array.
pub(super) fn from_array(file: &str, array: &Array) -> Result<Triangle, InputError> {
    from_numbers(file, array.n_rows(), |index| array.get(index, 0))
}

/// Takes numbers in memory.
pub(super) fn from_slice(file: &str, values: &[f64]) -> Result<Triangle, InputError> {
    from_numbers(file, values.len(), |index| values[index])
}

fn from_numbers(file: &str, n_values: usize, number: impl Fn(usize) -> f64) -> Result<Triangle, InputError> {
    let value = |index: usize| {
        let at = |fault: Fault| fault.at(file, FilePosition::Element(index as u64));
        check_dissimilarity(number(index)).map_err(at)
    };
    n_objects(n_values).map_err(|fault| fault.at(file, FilePosition::File))?;
    let values = (0..n_values).map(value).collect::<Result<_, _>>()?;
    triangle(values).map_err(|fault| fault.at(file, FilePosition::File))
}

fn triangle(values: Vec<f64>) -> Result<Triangle, Fault> {
    let n_objects = n_objects(values.len())?;
    enough_objects(n_objects)?;
    let mut values = values.into_iter();
    // A triangle lists its pairs in the same order.
    let triangle = Triangle::from_fn(n_objects, |_, _| values.next().unwrap_or(f64::NAN));
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
