//! Dissimilarities as R has them, for a fit in memory or as the file of a run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use extendr_api::prelude::*;
use sbmds::dissimilarity::{self, Dissimilarities, DuplicateName, Metric, Names, ReadOptions, SharedArray};

use crate::answer::{entry, text};

/// What R gives: numbers in memory, or a path.
pub enum Given {
    /// The N (N - 1) / 2 numbers of a `dist`: the columns of its lower triangle are the rows of the upper one.
    Dist { names: Vec<String>, values: Vec<f64> },
    /// A square matrix.
    Matrix { names: Vec<String>, values: Vec<f64> },
    /// Measured pairs, counted from 0.
    Pairs { names: Vec<String>, pairs: Vec<(usize, usize, f64)> },
    /// Features, object by object.
    Features { names: Vec<String>, values: Vec<f64>, metric: Metric },
    /// A table that R has written, because its columns say more than numbers.
    Table(PathBuf),
    /// A file, which the settings name.
    File,
}

impl Given {
    /// What the R code `sbmds:::as_given` made of its argument.
    ///
    /// # Errors
    /// If a metric has no such name, or the list is not what that code makes.
    pub fn from_list(given: &List) -> std::result::Result<Self, String> {
        let kind = text(given, "kind").unwrap_or_default();
        let metric = text(given, "metric").map(|name| name.parse::<Metric>()).transpose()?;
        let names: Vec<String> = entry(given, "names").and_then(|names| names.as_string_vector()).unwrap_or_default();
        let values = || entry(given, "values").and_then(|values| values.as_real_vector()).unwrap_or_default();
        match (kind.as_str(), metric) {
            ("path", _) => Ok(Self::File),
            ("table", _) => Ok(Self::Table(text(given, "path").unwrap_or_default().into())),
            ("dist", _) => Ok(Self::Dist { names, values: values() }),
            ("matrix", _) => Ok(Self::Matrix { names, values: values() }),
            ("features", Some(metric)) => Ok(Self::Features { names, values: values(), metric }),
            ("pairs", _) => Ok(Self::Pairs { names, pairs: pairs(given, values()) }),
            _ => Err(format!("{kind:?} is no kind of data")),
        }
    }

    /// The dissimilarities, to be fitted in memory: numbers as they are, unless options ask for what only files are read for; then
    /// by way of the file `scratch`.
    ///
    /// # Errors
    /// If they cannot be used: which pair, why, and what to do.
    pub fn read(
        self,
        path: &Path,
        options: &ReadOptions,
        scratch: &Path,
    ) -> std::result::Result<Dissimilarities, String> {
        let said = |error: dissimilarity::InputError| error.to_string();
        let by_file = options.weights.is_some() || options.errors.is_some() || (options.negative && self.is_negative());
        match self {
            Self::File => dissimilarity::read(path, options).map_err(said),
            Self::Table(path) => dissimilarity::read(&path, options).map_err(said),
            given if by_file => {
                let content = given.content()?.unwrap_or_default();
                std::fs::write(scratch, content).map_err(|error| format!("{}: {error}", scratch.display()))?;
                dissimilarity::read(scratch, options).map_err(said)
            }
            Self::Dist { names, values } => Dissimilarities::from_condensed(unique(names)?, &values).map_err(said),
            Self::Matrix { names, values } => {
                let n = names.len();
                let array = SharedArray::owned(values, n, n).map_err(said)?;
                Dissimilarities::from_dense(unique(names)?, array).map_err(said)
            }
            Self::Pairs { names, pairs } => Dissimilarities::from_pairs(unique(names)?, &pairs).map_err(said),
            Self::Features { names, values, metric } => {
                let (n_rows, n_columns) = (names.len(), values.len() / names.len().max(1));
                let array = SharedArray::owned(values, n_rows, n_columns).map_err(said)?;
                Dissimilarities::from_feature_array(unique(names)?, array, metric).map_err(said)
            }
        }
    }

    fn is_negative(&self) -> bool {
        match self {
            Self::Dist { values, .. } | Self::Matrix { values, .. } => values.iter().any(|&value| value < 0.0),
            Self::Pairs { pairs, .. } => pairs.iter().any(|&(_, _, value)| value < 0.0),
            Self::Features { .. } | Self::Table(_) | Self::File => false,
        }
    }

    /// The file that holds what is in memory, of which a run keeps a copy; `None` if it is in a file.
    ///
    /// # Errors
    /// If a table that R has written cannot be read.
    pub fn content(self) -> std::result::Result<Option<Vec<u8>>, String> {
        let table = match self {
            Self::File => return Ok(None),
            Self::Table(path) => {
                return std::fs::read(&path).map(Some).map_err(|error| format!("{}: {error}", path.display()));
            }
            Self::Dist { names, values } => square(&names, |a, b| values[condensed(names.len(), a, b)]),
            Self::Matrix { names, values } => square(&names, |a, b| values[a + names.len() * b]),
            Self::Pairs { names, pairs } => edges(&names, &pairs),
            Self::Features { names, values, .. } => rows(&names, &values),
        };
        Ok(Some(table.into_bytes()))
    }
}

/// R counts from 1.
fn pairs(given: &List, values: Vec<f64>) -> Vec<(usize, usize, f64)> {
    let ends = |name| entry(given, name).and_then(|ends: Robj| ends.as_integer_vector()).unwrap_or_default();
    let object = |number: i32| (number - 1).max(0) as usize;
    let joined = ends("from").into_iter().zip(ends("to")).zip(values);
    joined.map(|((from, to), value)| (object(from), object(to), value)).collect()
}

fn unique(names: Vec<String>) -> std::result::Result<Names, String> {
    Names::given(names).map_err(|DuplicateName { name, earlier, later }| {
        format!("the label {name:?} is given to objects {} and {}. Remedy: make labels unique, for example with make.unique()", earlier + 1, later + 1)
    })
}

/// Where the pair of objects a and b is in a `dist`.
fn condensed(n_objects: usize, a: usize, b: usize) -> usize {
    let (a, b) = (a.min(b), a.max(b));
    a * (2 * n_objects - a - 1) / 2 + b - a - 1
}

/// A name as a cell of a table.
fn cell(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The shortest decimal that is this number again; nothing where it is missing.
fn decimal(value: f64) -> String {
    if value.is_nan() { String::new() } else { value.to_string() }
}

fn square(names: &[String], value: impl Fn(usize, usize) -> f64) -> String {
    let header: Vec<String> = names.iter().map(|name| cell(name)).collect();
    let mut table = format!("name,{}\n", header.join(","));
    for (a, name) in header.iter().enumerate() {
        table += name;
        for b in 0..header.len() {
            table.push(',');
            table += &if a == b { "0".into() } else { decimal(value(a, b)) };
        }
        table.push('\n');
    }
    table
}

fn edges(names: &[String], pairs: &[(usize, usize, f64)]) -> String {
    let mut table = String::from("from,to,value\n");
    for &(a, b, value) in pairs.iter().filter(|(_, _, value)| !value.is_nan()) {
        // Writing to a string cannot fail.
        let _ = writeln!(table, "{},{},{value}", cell(&names[a]), cell(&names[b]));
    }
    table
}

fn rows(names: &[String], values: &[f64]) -> String {
    let n_columns = values.len() / names.len().max(1);
    let header: Vec<String> = (1..=n_columns).map(|column| format!("feature{column}")).collect();
    let mut table = format!("name,{}\n", header.join(","));
    for (name, row) in names.iter().zip(values.chunks(n_columns.max(1))) {
        let cells: Vec<String> = row.iter().map(|&value| decimal(value)).collect();
        let _ = writeln!(table, "{},{}", cell(name), cells.join(","));
    }
    table
}
