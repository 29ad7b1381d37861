//! What was measured: dissimilarities between named objects, read from files.
//!
//! [`read`] is the whole story: open the file, tell its format, read it with the objects joined by name, and refuse
//! what cannot be used with an [`InputError`] that says where and why. The N x N matrix exists only if the file is one.

mod cell;
mod dense;
mod edges;
mod error;
mod features;
mod hash;
mod label_kind;
mod labelled;
mod labels;
mod matrix;
mod metric;
mod names;
mod npy;
mod phylip;
mod points;
mod positions;
mod sniff;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod triangle;
mod words;

use std::path::{Path, PathBuf};

pub use edges::read_edges;
pub use error::InputError;
pub use hash::input_hash;
pub use labels::{LabelColumn, LabelValues, Labels, NO_LEVEL, read_labels};
pub use metric::Metric;
pub use names::Names;
pub use points::read_points;
pub use positions::read_positions;
pub use sniff::Format;

use dense::Dense;
use edges::EdgeList;
use error::{Fault, Place, shortened};
use features::{Features, Values};
use labelled::LabelledRows;
use npy::Array;
use table::Delimiter;
use text::Source;
use triangle::Triangle;

/// How a file is to be read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Its format.
    pub format: Format,
    /// If the file holds feature vectors, not dissimilarities: how they are compared.
    pub features: Option<Metric>,
    /// A file with one name per line, for the rows of a `.npy`.
    pub names: Option<PathBuf>,
}

/// Dissimilarities between N named objects: a matrix, a list of measured pairs, or features to compute them from.
pub struct Dissimilarities {
    names: Names,
    store: Store,
}

enum Store {
    Triangle(Triangle),
    Dense(Dense),
    Edges(EdgeList),
    Features(Features),
}

impl Dissimilarities {
    /// The names of the objects, in input order.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Number of objects N.
    pub fn n_objects(&self) -> usize {
        self.names.len()
    }

    /// The dissimilarity of objects a and b (input order): NaN if missing, 0 if a = b, the same bits for (b, a).
    ///
    /// # Panics
    /// If a or b is not below [`Dissimilarities::n_objects`].
    pub fn get(&self, a: usize, b: usize) -> f64 {
        assert!(a.max(b) < self.n_objects(), "objects {a} and {b} of {}", self.n_objects());
        match &self.store {
            Store::Triangle(triangle) => triangle.get(a, b),
            Store::Dense(dense) => dense.get(a, b),
            Store::Edges(edges) => edges.get(a, b),
            Store::Features(features) => features.get(a, b),
        }
    }

    /// The measured pairs (sorted, a < b, each once) if the input is an edge list, whose pairs are the ones to use.
    pub fn measured_pairs(&self) -> Option<&[(u32, u32, f64)]> {
        match &self.store {
            Store::Edges(edges) => Some(edges.pairs()),
            Store::Triangle(_) | Store::Dense(_) | Store::Features(_) => None,
        }
    }

    /// Whether the input is a matrix of all pairs.
    pub fn is_dense_matrix(&self) -> bool {
        matches!(self.store, Store::Triangle(_) | Store::Dense(_))
    }

    /// What the input is: "matrix", "edge list" or "features".
    pub fn kind(&self) -> &'static str {
        match self.store {
            Store::Triangle(_) | Store::Dense(_) => "matrix",
            Store::Edges(_) => "edge list",
            Store::Features(_) => "features",
        }
    }

    /// A matrix from one function of the pair (a, b), a < b; NaN is a missing pair. For tests and simulations.
    pub fn from_fn(names: Names, dissimilarity: impl FnMut(usize, usize) -> f64) -> Self {
        let triangle = Triangle::from_fn(names.len(), dissimilarity);
        Self { names, store: Store::Triangle(triangle) }
    }

    /// Features in memory: row `n` of the N x `n_columns` numbers belongs to object `n`.
    ///
    /// # Errors
    /// If there are not N x `n_columns` numbers, or a row cannot be used with the metric.
    pub fn from_features(names: Names, rows: Vec<f64>, n_columns: usize, metric: Metric) -> Result<Self, InputError> {
        let file = "features";
        features::has_columns(n_columns).map_err(|fault| fault.at(file, Place::File))?;
        if names.len().checked_mul(n_columns) != Some(rows.len()) {
            let problem = format!("{} numbers are not {} rows of {n_columns}", rows.len(), names.len());
            return Err(Fault::new(problem, "give one row per object").at(file, Place::File));
        }
        let features = Features::new(Values::Rows(rows), names.len(), n_columns, metric).map_err(
            |(object, (column, fault))| {
                let place = column.map_or(Place::File, |column| Place::Entry(object as u64, column as u64));
                fault.at(file, place).between([names.get(object)])
            },
        )?;
        Ok(Self { names, store: Store::Features(features) })
    }
}

/// Reads dissimilarities, or features to compute them from.
///
/// # Errors
/// If the file cannot be read or used: what is wrong, where, between which objects, and what to do.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Dissimilarities, InputError> {
    let file = path.display().to_string();
    read_source(path, Source::open(path, &file)?, options)
}

fn read_source(path: &Path, source: Source<'_>, options: &ReadOptions) -> Result<Dissimilarities, InputError> {
    let file = source.file;
    let format = match (options.format, options.features) {
        (Format::Auto, None) => sniff::sniff(path, &source.head),
        (Format::Auto, Some(_)) if sniff::is_npy(path, &source.head) => Format::Npy,
        (Format::Auto, Some(_)) => Format::Matrix,
        (given, _) => given,
    };
    check_options(format, options).map_err(|fault| fault.at(file, Place::File))?;
    match (format, options.features) {
        (Format::Npy, metric) => read_array(file, Array::open(path, source)?, metric, options.names.as_deref()),
        (_, Some(metric)) => read_feature_table(source, metric),
        (format, None) => read_text(source, format),
    }
}

fn check_options(format: Format, options: &ReadOptions) -> Result<(), Fault> {
    if options.features.is_some() && matches!(format, Format::Phylip | Format::Edges) {
        let problem = format!("features cannot be read from format {format}");
        return Err(Fault::new(problem, "give features as .npy or as a labelled CSV"));
    }
    if options.names.is_some() && format != Format::Npy {
        let problem = "this file names its objects itself, so a names file has no place";
        return Err(Fault::new(problem, "leave the names file out"));
    }
    Ok(())
}

fn read_text(source: Source<'_>, format: Format) -> Result<Dissimilarities, InputError> {
    let (names, store) = match format {
        Format::Edges => edges::read(source).map(|(names, edges)| (names, Store::Edges(edges)))?,
        Format::Phylip => phylip::read(source).map(|(names, triangle)| (names, Store::Triangle(triangle)))?,
        _ => matrix::read(source).map(|(names, triangle)| (names, Store::Triangle(triangle)))?,
    };
    Ok(Dissimilarities { names, store })
}

fn read_feature_table(source: Source<'_>, metric: Metric) -> Result<Dissimilarities, InputError> {
    let file = source.file;
    let mut rows = LabelledRows::read(source)?;
    enough_objects(rows.names.len()).map_err(|fault| fault.at(file, Place::File))?;
    features::has_columns(rows.n_columns).map_err(|fault| fault.at(file, Place::File))?;
    let values = Values::Rows(std::mem::take(&mut rows.values));
    let features =
        Features::new(values, rows.names.len(), rows.n_columns, metric).map_err(|(object, (column, fault))| {
            fault.at(file, rows.place(object, column)).between([rows.names.get(object)])
        })?;
    Ok(Dissimilarities { names: rows.names, store: Store::Features(features) })
}

fn read_array(
    file: &str,
    array: Array,
    metric: Option<Metric>,
    names: Option<&Path>,
) -> Result<Dissimilarities, InputError> {
    let n_objects = array.n_rows();
    enough_objects(n_objects).map_err(|fault| fault.at(file, Place::File))?;
    let names = match names {
        Some(path) => read_names(path, n_objects)?,
        None => Names::numbered(n_objects),
    };
    let store = match metric {
        Some(metric) => Store::Features(Features::from_array(file, array, &names, metric)?),
        None if array.n_columns() != n_objects => {
            let problem = format!("the array is {n_objects} x {}, not square", array.n_columns());
            let remedy = "give a matrix of dissimilarities, or choose a metric if these are features";
            return Err(Fault::new(problem, remedy).at(file, Place::File));
        }
        None => Store::Dense(Dense::new(file, array, &names)?),
    };
    Ok(Dissimilarities { names, store })
}

/// Reads names for the `n_objects` rows of an array: one per line, or the first column of a table with a header, which has
/// one line more.
fn read_names(path: &Path, n_objects: usize) -> Result<Names, InputError> {
    let file = path.display().to_string();
    names_from(Source::open(path, &file)?, n_objects)
}

fn names_from(source: Source<'_>, n_objects: usize) -> Result<Names, InputError> {
    let delimiter = Delimiter::detect(&source.head);
    let mut lines = source.lines()?;
    let (mut names, mut first_cells) = (Vec::new(), Vec::new());
    while let Some(line) = lines.next_line()? {
        names.push(line.text.trim().to_owned());
        let first = delimiter.split(line.text).next().and_then(Result::ok);
        first_cells.push(first.unwrap_or_default().into_owned());
    }
    // Blank lines at the end are no names.
    while names.last().is_some_and(|name| name.is_empty()) {
        names.pop();
    }
    if names.len() == n_objects + 1 && first_cells[0] != names[0] {
        first_cells.truncate(names.len());
        return checked_names(first_cells.split_off(1), |index, fault| {
            fault.at(lines.file, Place::Cell(index as u64 + 2, 1))
        });
    }
    if names.len() != n_objects {
        let problem = format!("{} names for an array of {n_objects} rows", names.len());
        let remedy = "give one name per row, each on a line of its own, or a table with a header and one line per row";
        return Err(lines.error(Fault::new(problem, remedy)));
    }
    checked_names(names, |index, fault| fault.at(lines.file, Place::Line(index as u64 + 1)))
}

/// Names that are neither empty nor given twice; `error` places a fault at the name of that index.
fn checked_names(names: Vec<String>, error: impl Fn(usize, Fault) -> InputError) -> Result<Names, InputError> {
    if let Some(index) = names.iter().position(|name| name.is_empty()) {
        return Err(error(index, empty_name()));
    }
    let again = |index: usize, name: &str, earlier: usize| {
        let problem =
            format!("the name {} is given twice, to objects {} and {}", shortened(name), earlier + 1, index + 1);
        error(index, Fault::new(problem, "give every object a name of its own"))
    };
    Names::unique(&names).map_err(|duplicate| again(duplicate.later, &duplicate.name, duplicate.earlier))
}

fn empty_name() -> Fault {
    Fault::new("a name is empty", "name every object, and end no line with a separator")
}

/// A map needs three objects; their numbers are stored in 32 bits.
fn enough_objects(n_objects: usize) -> Result<(), Fault> {
    if n_objects < 3 {
        let problem = format!("the number of objects is {n_objects}; a map needs at least 3");
        return Err(Fault::new(problem, "give more objects, and check the format of the file"));
    }
    if u32::try_from(n_objects).is_err() {
        return Err(too_many(n_objects));
    }
    Ok(())
}

fn too_many(n_objects: usize) -> Fault {
    let problem = format!("{n_objects} objects are more than the {} that can be numbered", u32::MAX);
    Fault::new(problem, "split the input")
}
