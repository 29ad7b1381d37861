//! Reading a precision from a file of D x D numbers.

use std::path::Path;

use super::Precision;

/// What is wrong with a file that should hold a precision: one sentence with its position and a remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {problem}. Remedy: {remedy}.")]
pub struct PrecisionFileError {
    /// File, line and column, as far as they are known.
    position: String,
    problem: String,
    remedy: String,
}

impl PrecisionFileError {
    fn new(position: impl Into<String>, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { position: position.into(), problem: problem.into(), remedy: remedy.into() }
    }
}

impl Precision {
    /// Reads Sigma^-1: D rows of D numbers without header, separated by commas, semicolons, tabs or blanks.
    pub fn read(path: &Path, n_dims: usize) -> Result<Self, PrecisionFileError> {
        let file = path.display().to_string();
        let shape = format!("give {n_dims} rows of {n_dims} numbers, one for each dimension, without header");
        let text = std::fs::read_to_string(path).map_err(|error| {
            PrecisionFileError::new(&file, format!("the file cannot be read: {error}"), "check the path and the file")
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let (mut values, mut n_rows) = (Vec::new(), 0);
        for (line, row) in text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty()) {
            let position = format!("{file}, line {}", line + 1);
            let row = numbers(row, &position, &shape)?;
            if row.len() != n_dims {
                let problem = format!("expected {n_dims} numbers, found {}", row.len());
                return Err(PrecisionFileError::new(position, problem, shape));
            }
            values.extend(row);
            n_rows += 1;
        }
        if n_rows != n_dims {
            return Err(PrecisionFileError::new(file, format!("expected {n_dims} rows, found {n_rows}"), shape));
        }
        Self::new(n_dims, values).map_err(|fault| {
            PrecisionFileError::new(
                file,
                fault.to_string(),
                "give the inverse of the covariance Sigma of the diffusion",
            )
        })
    }
}

fn numbers(row: &str, position: &str, remedy: &str) -> Result<Vec<f64>, PrecisionFileError> {
    let cells: Vec<&str> = match [',', ';', '\t'].into_iter().find(|delimiter| row.contains(*delimiter)) {
        Some(delimiter) => row.split(delimiter).map(str::trim).collect(),
        None => row.split_whitespace().collect(),
    };
    let number = |(column, cell): (usize, &str)| {
        cell.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| {
            let shown: String = cell.chars().take(60).flat_map(char::escape_debug).collect();
            let position = format!("{position}, column {}", column + 1);
            PrecisionFileError::new(position, format!("expected a number, found \"{shown}\""), remedy)
        })
    };
    cells.into_iter().enumerate().map(number).collect()
}
