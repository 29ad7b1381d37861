//! Dissimilarities as R has them, for a fit in memory or as the file of a run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use extendr_api::prelude::*;
use sbmds::dissimilarity::{self, Dissimilarities, Format, Metric, Names, ReadOptions, SharedArray};
use sbmds::run::InputConfig;

use crate::answer::{entry, is_set, number, text};

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
    /// A file, and how it is read.
    File { path: PathBuf, options: ReadOptions },
}

impl Given {
    /// What the R code `sbmds:::as_given` made of its argument.
    ///
    /// # Errors
    /// If a metric or a format has no such name, or the list is not what that code makes.
    pub fn from_list(given: &List) -> std::result::Result<Self, String> {
        let kind = text(given, "kind").unwrap_or_default();
        let metric = text(given, "metric").map(|name| name.parse::<Metric>()).transpose()?;
        if kind == "path" {
            let path = PathBuf::from(text(given, "path").unwrap_or_default());
            let options = ReadOptions {
                format: text(given, "format").map_or(Ok(Format::default()), |name| name.parse())?,
                features: metric,
                names: text(given, "names_file").map(PathBuf::from),
                value: text(given, "value"),
                no_names: is_set(given, "no_names"),
            };
            return Ok(Self::File { path, options });
        }
        let names: Vec<String> = entry(given, "names").and_then(|names| names.as_string_vector()).unwrap_or_default();
        let values = entry(given, "values").and_then(|values| values.as_real_vector()).unwrap_or_default();
        match (kind.as_str(), metric) {
            ("dist", _) => Ok(Self::Dist { names, values }),
            ("matrix", _) => Ok(Self::Matrix { names, values }),
            ("features", Some(metric)) => Ok(Self::Features { names, values, metric }),
            ("pairs", _) => Ok(Self::Pairs { names, pairs: pairs(given, values) }),
            _ => Err(format!("{kind:?} is no kind of data")),
        }
    }

    /// The dissimilarities, to be fitted in memory.
    ///
    /// # Errors
    /// If they cannot be used: which pair, why, and what to do.
    pub fn read(self) -> std::result::Result<Dissimilarities, String> {
        let said = |error: dissimilarity::InputError| error.to_string();
        match self {
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
            Self::File { path, options } => dissimilarity::read(&path, &options).map_err(said),
        }
    }

    /// The input of a run in a directory. What is in memory is written to `scratch`, and the run keeps a copy of it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn into_input(self, scratch: &Path) -> std::result::Result<InputConfig, String> {
        let metric = if let Self::Features { metric, .. } = &self { Some(*metric) } else { None };
        let (format, table) = match self {
            Self::File { path, options } => {
                let path = std::path::absolute(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                let ReadOptions { format, features: metric, names, value, no_names } = options;
                return Ok(InputConfig { path, format, metric, names, value, no_names, ..InputConfig::default() });
            }
            Self::Dist { names, values } => {
                (Format::Matrix, square(&names, |a, b| values[condensed(names.len(), a, b)]))
            }
            Self::Matrix { names, values } => (Format::Matrix, square(&names, |a, b| values[a + names.len() * b])),
            Self::Pairs { names, pairs } => (Format::Edges, edges(&names, &pairs)),
            Self::Features { names, values, .. } => (Format::Auto, rows(&names, &values)),
        };
        std::fs::write(scratch, table).map_err(|error| format!("cannot write {}: {error}", scratch.display()))?;
        let copy = Some("input".to_owned());
        Ok(InputConfig { path: scratch.to_owned(), format, metric, copy, ..InputConfig::default() })
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
    let copy = names.clone();
    Names::given(names).map_err(|(earlier, later)| {
        let name = &copy[later];
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

/// Threads asked for with `cores`, or as many as there are.
pub fn cores(options: &List) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    number(options, "cores").map_or_else(all, |cores| cores.max(0.0) as usize)
}
