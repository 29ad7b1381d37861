//! What was measured: dissimilarities between named objects, read from files.
//!
//! [`read`] is the whole story: open the file, tell its format, read it with the objects joined by name, and refuse
//! what cannot be used with an [`InputError`] that says where and why. The N x N matrix exists only if the file is one.

mod cell;
mod comments;
mod condensed;
mod content;
mod dense;
mod edge_terms;
mod edges;
mod error;
mod feature_checks;
mod features;
mod form;
mod grid;
mod hash;
mod in_memory;
mod label_kind;
mod labelled;
mod labels;
mod landmarks;
mod listed_pairs;
mod looks;
mod matrix;
mod metric;
mod name_files;
mod names;
mod nearest;
mod new_objects;
mod npy;
mod observation;
mod origin;
mod phylip;
mod points;
mod positions;
mod printed;
mod qualities;
mod refusal;
mod rows;
mod sniff;
mod style;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod titers;
mod triangle;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use content::Input;
pub use edges::read_edges;
pub use error::InputError;
pub use hash::input_hash;
pub use in_memory::{SharedArray, SharedBytes};
pub use labels::{LabelColumn, LabelValues, Labels, NO_LEVEL, read_labels};
pub use landmarks::spread_landmarks;
pub use listed_pairs::{ListedPair, read_listed_pairs};
pub use metric::Metric;
pub use name_files::has_several_columns;
pub use names::{DuplicateName, Names};
pub use new_objects::{NewObjects, read_new_objects};
pub(crate) use npy::Array as NpyArray;
pub use observation::{Observation, Term};
pub use points::read_points;
pub use positions::read_positions;
pub use sniff::Format;
pub use titers::{Levels, Titer, TiterRow, Titers, read_levels, read_titers};

use dense::Dense;
use edges::{EdgeList, ReadEdges};
use error::{Fault, FilePosition, brief, shortened};
use features::{Features, Values};
use form::Form;
use grid::Grid;
use labelled::{LabelledRows, NameColumn};
use name_files::read_names;
use npy::Array;
use text::Source;
use triangle::Triangle;

/// How a file is to be read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Its format.
    pub format: Format,
    /// If the file holds feature vectors, not dissimilarities: how they are compared.
    pub features: Option<Metric>,
    /// A file with one name per line, for the rows of an input without names.
    pub names: Option<PathBuf>,
    /// The column that holds the values of an edge list with further columns: its name, or its number counted from 1.
    pub value: Option<String>,
    /// Whether the first column of a table of features is a feature, not the names.
    pub no_names: bool,
    /// Whether the file holds titres of viruses against sera.
    pub titers: bool,
    /// Whether dissimilarities may be negative, as cross-validated ones are.
    pub negative: bool,
    /// The column of an edge list that holds the weights of the lines.
    pub weight: Option<String>,
    /// The column of an edge list that holds standard errors.
    pub error: Option<String>,
    /// A file with a weight for every pair: a matrix or an edge list with the same names.
    pub weights: Option<PathBuf>,
    /// The same with standard errors.
    pub errors: Option<PathBuf>,
}

/// Dissimilarities between N named objects: a matrix, a list of measured pairs, or features to compute them from. A clone
/// shares the numbers.
#[derive(Clone)]
pub struct Dissimilarities {
    names: Names,
    store: Arc<Store>,
    /// How the file was read, where there was a choice.
    notes: Vec<String>,
    /// The same, where the choice may be wrong or changed numbers.
    warnings: Vec<String>,
    /// What was measured, where one exact number per pair does not say it.
    measured: Option<Arc<Measured>>,
}

/// Measurements that are more than one exact number per pair.
enum Measured {
    /// Repeats, limits, weights or known errors.
    Terms(Vec<Term>),
    /// Titres.
    Titers(Titers),
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
        match &*self.store {
            Store::Triangle(triangle) => triangle.get(a, b),
            Store::Dense(dense) => dense.get(a, b),
            Store::Edges(edges) => edges.get(a, b),
            Store::Features(features) => features.get(a, b),
        }
    }

    /// The measured pairs (sorted, a < b, each once) if the input is an edge list, whose pairs are the ones to use.
    pub fn measured_pairs(&self) -> Option<&[(u32, u32, f64)]> {
        match &*self.store {
            Store::Edges(edges) => Some(edges.pairs()),
            Store::Triangle(_) | Store::Dense(_) | Store::Features(_) => None,
        }
    }

    /// Repeats, limits, weights and known errors, if there are any: then [`Dissimilarities::get`] is the mean of a pair.
    pub fn measurements(&self) -> Option<&[Term]> {
        match self.measured.as_deref() {
            Some(Measured::Terms(terms)) => Some(terms),
            _ => None,
        }
    }

    /// The titres, if the input holds them: then [`Dissimilarities::get`] is how far a titre is below the serum's largest.
    pub fn titers(&self) -> Option<&Titers> {
        match self.measured.as_deref() {
            Some(Measured::Titers(titers)) => Some(titers),
            _ => None,
        }
    }

    fn with_terms(self, terms: Option<Vec<Term>>) -> Self {
        Self { measured: terms.map(|terms| Arc::new(Measured::Terms(terms))).or(self.measured), ..self }
    }

    /// Titres as dissimilarities of viruses and sera.
    pub fn from_titers(titers: Titers) -> Self {
        let names = titers.names().clone();
        let edges = EdgeList::new(names.len(), titers.dissimilarities());
        let (notes, warnings) = (titers.notes().to_vec(), titers.warnings().to_vec());
        let measured = Some(Arc::new(Measured::Titers(titers)));
        Self { notes, warnings, measured, ..Self::new(names, Store::Edges(edges)) }
    }

    /// Whether the input is a matrix of all pairs.
    pub fn is_dense_matrix(&self) -> bool {
        matches!(*self.store, Store::Triangle(_) | Store::Dense(_))
    }

    /// How the file was read, in sentences worth a line: names that were made up, decimal commas.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What should be kept with the results because it may be wrong: values that were averaged, guesses.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What the input is: "matrix", "edge list" or "features".
    pub fn kind(&self) -> &'static str {
        match &*self.store {
            Store::Triangle(_) | Store::Dense(_) => "matrix",
            Store::Edges(_) => "edge list",
            Store::Features(_) => "features",
        }
    }

    fn new(names: Names, store: Store) -> Self {
        Self { names, store: Arc::new(store), notes: Vec::new(), warnings: Vec::new(), measured: None }
    }

    /// With what the user should know of how `file` was read.
    fn with_notes(self, file: &str, notes: impl IntoIterator<Item = String>) -> Self {
        let averaged = match &*self.store {
            Store::Triangle(triangle) => triangle.averaged,
            Store::Dense(dense) => dense.averaged,
            Store::Edges(edges) => edges.averaged,
            Store::Features(_) => return Self { notes: notes.into_iter().collect(), ..self },
        };
        Self { notes: notes.into_iter().collect(), warnings: averaged.warning(file).into_iter().collect(), ..self }
    }

    /// A matrix from one function of the pair (a, b), a < b; NaN is a missing pair. For tests and simulations.
    pub fn from_fn(names: Names, dissimilarity: impl FnMut(usize, usize) -> f64) -> Self {
        let triangle = Triangle::from_fn(names.len(), dissimilarity);
        Self::new(names, Store::Triangle(triangle))
    }

    /// Features in memory: row `n` of the N x `n_columns` numbers belongs to object `n`.
    ///
    /// ```
    /// use sbmds::{Dissimilarities, Metric};
    ///
    /// let rows = vec![0.0, 0.0, 3.0, 4.0, 3.0, 0.0];
    /// let data = Dissimilarities::from_features(["a", "b", "c"], rows, 2, Metric::Euclidean)?;
    /// assert_eq!(data.get(0, 1), 5.0);
    /// # Ok::<(), sbmds::dissimilarity::InputError>(())
    /// ```
    ///
    /// # Errors
    /// If a name is given twice, there are not N x `n_columns` numbers, or a row cannot be used with the metric.
    pub fn from_features(
        names: impl TryInto<Names, Error: Into<InputError>>,
        rows: Vec<f64>,
        n_columns: usize,
        metric: Metric,
    ) -> Result<Self, InputError> {
        Self::of_rows(names.try_into().map_err(Into::into)?, rows, n_columns, metric)
    }

    fn of_rows(names: Names, rows: Vec<f64>, n_columns: usize, metric: Metric) -> Result<Self, InputError> {
        let file = "features";
        feature_checks::check_columns(n_columns, metric).map_err(|fault| fault.at(file, FilePosition::File))?;
        if names.len().checked_mul(n_columns) != Some(rows.len()) {
            let problem = format!("{} numbers are not {} rows of {n_columns}", rows.len(), names.len());
            return Err(Fault::new(problem, "give one row per object").at(file, FilePosition::File));
        }
        let features = Features::new(Values::Rows(rows), names.len(), n_columns, metric).map_err(
            |(object, (column, fault))| {
                let position =
                    column.map_or(FilePosition::File, |column| FilePosition::Entry(object as u64, column as u64));
                fault.at(file, position).between([names.get(object)])
            },
        )?;
        Ok(Self::new(names, Store::Features(features)))
    }
}

/// Reads dissimilarities, or features to compute them from; `-` is standard input.
///
/// # Errors
/// If the file cannot be read or used: what is wrong, where, between which objects, and what to do.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Dissimilarities, InputError> {
    Input::open(path)?.read(options)
}

fn read_source(path: &Path, source: Source<'_>, options: &ReadOptions) -> Result<Dissimilarities, InputError> {
    let data = read_numbers(path, source, options)?;
    qualities::attach(data, options)
}

fn read_numbers(path: &Path, source: Source<'_>, options: &ReadOptions) -> Result<Dissimilarities, InputError> {
    if options.titers {
        return Ok(Dissimilarities::from_titers(titers::from_source(source)?));
    }
    let file = source.file;
    let is_npy = match options.format {
        Format::Auto => sniff::is_npy(path, &source.head),
        format => format == Format::Npy,
    };
    check_options(is_npy, options).map_err(|fault| fault.at(file, FilePosition::File))?;
    match options.features {
        _ if is_npy => read_array(file, Array::open(source)?, options),
        Some(metric) => read_feature_table(source, metric, options),
        None => read_text(path, source, options),
    }
}

fn check_options(is_npy: bool, options: &ReadOptions) -> Result<(), Fault> {
    let format = options.format;
    if options.features.is_some() && matches!(format, Format::Phylip | Format::Edges) {
        let problem = format!("features cannot be read from format {format}");
        return Err(Fault::new(problem, "give features as .npy or as a table of text"));
    }
    if options.value.is_some()
        && (is_npy || options.features.is_some() || matches!(format, Format::Matrix | Format::Phylip))
    {
        let problem = "`value` names the column of an edge list, which this is not";
        return Err(Fault::new(problem, "leave `value` out"));
    }
    Ok(())
}

/// The form of a text, told from the text unless the options say it.
fn form_of(path: &Path, source: &Source<'_>, options: &ReadOptions) -> Result<(Form, usize), Fault> {
    if let Some(fault) = looks::binary(&source.head) {
        return Err(fault);
    }
    let text = match std::str::from_utf8(source.table()) {
        // The reader says where the text is none.
        Err(error) if error.error_len().is_some() => return Ok((Form::Labelled, 0)),
        _ => String::from_utf8_lossy(source.table()),
    };
    let grid = Grid::new(source, &text);
    let form = match options.format {
        Format::Phylip => Form::Phylip,
        Format::Edges => Form::Edges,
        Format::Matrix => form::of_matrix(&grid),
        Format::Auto | Format::Npy
            if options.value.is_some() || options.weight.is_some() || options.error.is_some() =>
        {
            Form::Edges
        }
        Format::Auto | Format::Npy => match looks::text(&source.head) {
            Some(fault) => return Err(fault),
            None => form::decide(path, source.file, &grid)?,
        },
    };
    Ok((form, grid.n_lines))
}

fn read_text(path: &Path, source: Source<'_>, options: &ReadOptions) -> Result<Dissimilarities, InputError> {
    let file = source.file;
    let (form, n_lines) = form_of(path, &source, options).map_err(|fault| fault.at(file, FilePosition::File))?;
    let style = style::Style::detect(&source).allowing_negative(options.negative);
    let (mut measured, mut repeats) = (None, None);
    let (names, store) = match form {
        Form::Edges => {
            let ReadEdges { names, edges, terms, warning } = edges::read(source, style, options)?;
            measured = terms;
            repeats = warning;
            (Some(names), Store::Edges(edges))
        }
        Form::Rows(rows) => {
            let (names, triangle) = rows::read(source, rows, style, n_lines)?;
            (names, Store::Triangle(triangle))
        }
        Form::Condensed => (None, Store::Triangle(condensed::read_text(source, style)?)),
        form => {
            let (names, triangle) = match form {
                Form::Phylip => phylip::read(source)?,
                Form::Printed => printed::read(source, style)?,
                _ => matrix::read(source, style)?,
            };
            (Some(names), Store::Triangle(triangle))
        }
    };
    let (names, note) = complete_names(file, names, &store, options)?;
    let mut data = Dissimilarities::new(names, store).with_notes(file, style.note(file).into_iter().chain(note));
    data.warnings.extend(repeats);
    Ok(data.with_terms(measured))
}

/// The names of the file, or those of the names file, or numbers, with a note on these.
fn complete_names(
    file: &str,
    names: Option<Names>,
    store: &Store,
    options: &ReadOptions,
) -> Result<(Names, Option<String>), InputError> {
    let n_objects = match (&names, store) {
        (Some(names), _) => names.len(),
        (None, Store::Triangle(triangle)) => triangle.n_objects(),
        (None, _) => 0,
    };
    match (names, &options.names) {
        (Some(_), Some(_)) => Err(has_names_itself().at(file, FilePosition::File)),
        (Some(names), None) => Ok((names, None)),
        (None, Some(path)) => Ok((read_names(path, n_objects)?, None)),
        (None, None) => Ok((Names::numbered(n_objects), numbered_note(file, n_objects))),
    }
}

fn has_names_itself() -> Fault {
    let problem = "this file names its objects itself, so a names file has no place";
    Fault::new(problem, "leave the names file out")
}

/// What to tell about names that were made up.
fn numbered_note(file: &str, n_objects: usize) -> Option<String> {
    let last = n_objects.checked_sub(1)?;
    Some(format!("{}: there are no names; the objects are called 0 to {last}", brief(file)))
}

fn read_feature_table(
    source: Source<'_>,
    metric: Metric,
    options: &ReadOptions,
) -> Result<Dissimilarities, InputError> {
    let file = source.file;
    let name_column = if options.no_names { NameColumn::Absent } else { NameColumn::Guess };
    let mut rows = LabelledRows::read(source, name_column)?;
    let n_objects = rows.names.len();
    enough_objects(n_objects).map_err(|fault| fault.at(file, FilePosition::File))?;
    feature_checks::check_columns(rows.n_columns, metric).map_err(|fault| fault.at(file, FilePosition::File))?;
    let values = Values::Rows(std::mem::take(&mut rows.values));
    let features = Features::new(values, n_objects, rows.n_columns, metric).map_err(|(object, (column, fault))| {
        fault.at(file, rows.position(object, column)).between([rows.names.get(object)])
    })?;
    let (mut names, mut notes) = (rows.names, rows.notes);
    if let Some(path) = &options.names {
        if !names.is_numbered() {
            return Err(has_names_itself().at(file, FilePosition::File));
        }
        (names, notes) = (read_names(path, n_objects)?, Vec::new());
    }
    let store = Arc::new(Store::Features(features));
    Ok(Dissimilarities { names, store, notes, warnings: rows.warnings, measured: None })
}

fn read_array(file: &str, array: Array, options: &ReadOptions) -> Result<Dissimilarities, InputError> {
    let in_file = |fault: Fault| fault.at(file, FilePosition::File);
    if options.features.is_none() && array.is_vector() {
        let triangle = condensed::from_array(file, array)?;
        let names = names_of_rows(options, triangle.n_objects())?;
        return Ok(Dissimilarities::new(names, Store::Triangle(triangle)).with_notes(file, None));
    }
    let n_objects = array.n_rows();
    enough_objects(n_objects).map_err(in_file)?;
    let names = names_of_rows(options, n_objects)?;
    let store = match options.features {
        Some(metric) => Store::Features(Features::from_array(file, array, &names, metric)?),
        None if array.n_columns() != n_objects => return Err(in_file(not_square(file, &array))),
        None => Store::Dense(Dense::new(file, array, &names, options.negative)?),
    };
    Ok(Dissimilarities::new(names, store).with_notes(file, None))
}

/// The names of the names file, or numbers.
fn names_of_rows(options: &ReadOptions, n_objects: usize) -> Result<Names, InputError> {
    options.names.as_ref().map_or_else(|| Ok(Names::numbered(n_objects)), |path| read_names(path, n_objects))
}

fn not_square(file: &str, array: &Array) -> Fault {
    let problem = format!(
        "the array is {} x {}, not square; it looks like features of {} objects",
        array.n_rows(),
        array.n_columns(),
        array.n_rows()
    );
    let file = refusal::quoted(file);
    Fault::new(problem, format!("say how rows are compared: sbmds fit {file} --features --metric euclidean"))
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
