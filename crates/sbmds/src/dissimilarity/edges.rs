//! Edge lists: the pairs that were measured, `name,name,value`, and the pairs of a coupling graph, `name,name`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use super::cell::{Averaged, check_diagonal};
use super::edge_terms::{Measured, Merged, in_cell, merged, observation, quality};
use super::error::{Fault, FilePosition, InputError, listed, shortened};
use super::names::Names;
use super::observation::{Observation, Term};
use super::style::Style;
use super::text::{Line, Source};
use super::triangle::nothing_measured;
use super::{ReadOptions, checked_names, empty_name, enough_objects};

/// The measured pairs of N objects.
pub(super) struct EdgeList {
    /// Sorted, a < b, each pair once.
    pairs: Vec<(u32, u32, f64)>,
    /// Pairs with first object a are `pairs[starts[a]..starts[a + 1]]`.
    starts: Vec<usize>,
    /// Pairs whose readings were not quite equal.
    pub averaged: Averaged,
}

impl EdgeList {
    /// Sorted pairs, a < b, each once.
    pub fn new(n_objects: usize, pairs: Vec<(u32, u32, f64)>) -> Self {
        let mut starts = vec![0; n_objects + 1];
        for &(a, _, _) in &pairs {
            starts[a as usize + 1] += 1;
        }
        for object in 0..n_objects {
            starts[object + 1] += starts[object];
        }
        Self { pairs, starts, averaged: Averaged::default() }
    }

    /// The measured pairs: sorted, a < b, each once.
    pub fn pairs(&self) -> &[(u32, u32, f64)] {
        &self.pairs
    }

    /// The dissimilarity of a and b; NaN if it was not measured.
    pub fn get(&self, a: usize, b: usize) -> f64 {
        if a == b {
            return 0.0;
        }
        let (a, b) = (a.min(b), a.max(b));
        let partners = &self.pairs[self.starts[a]..self.starts[a + 1]];
        match partners.binary_search_by_key(&b, |&(_, partner, _)| partner as usize) {
            Ok(found) => partners[found].2,
            Err(_) => f64::NAN,
        }
    }
}

/// Reads `name,name,value` with or without a header, or the column called `value` of a table with more columns. Objects are
/// in the order of their first appearance.
pub(super) fn read(source: Source<'_>, style: Style, wanted: &ReadOptions) -> Result<ReadEdges, InputError> {
    let mut lines = source.lines()?;
    let mut objects = Objects::default();
    let mut measured = Vec::new();
    let mut columns = None;
    while let Some(line) = lines.next_filled()? {
        let cells = style.cells(&line)?;
        let (columns, is_header) = match columns {
            Some(columns) => (columns, false),
            None => {
                let found = Columns::find(&cells, wanted).map_err(|fault| line.error(fault))?;
                columns = Some(found);
                (found, cells.get(found.value).is_some_and(|cell| is_title(cell, style)))
            }
        };
        if !is_header {
            measured.extend(read_measured(&line, &cells, columns, style, &mut objects)?);
        }
    }
    let file = lines.file;
    enough_objects(objects.names.len()).map_err(|fault| lines.error(fault))?;
    let names = checked_names(objects.names, |_, fault| fault.at(file, FilePosition::File))?;
    let Merged { pairs, terms, averaged, warning } = merged(file, &names, measured);
    if pairs.is_empty() {
        return Err(lines.error(nothing_measured()));
    }
    let edges = EdgeList { averaged, ..EdgeList::new(names.len(), pairs) };
    Ok(ReadEdges { names, edges, terms, warning })
}

/// Whether a cell where a value could stand is the title of a column. A limit with a mistake in it is none.
fn is_title(cell: &str, style: Style) -> bool {
    let is_meant_as_limit = cell.trim_start().starts_with(['<', '>']) || cell.contains("..");
    observation(cell, style).is_err() && !style.is_value(cell) && !is_meant_as_limit
}

/// What an edge list says.
pub(super) struct ReadEdges {
    pub names: Names,
    pub edges: EdgeList,
    /// All measurements, if they are more than one exact number per pair.
    pub terms: Option<Vec<Term>>,
    pub warning: Option<String>,
}

/// How many columns there are, and which hold what; the first two hold the names.
#[derive(Clone, Copy)]
struct Columns {
    n_cells: usize,
    value: usize,
    weight: Option<usize>,
    error: Option<usize>,
}

impl Columns {
    /// Told from the first line: columns of these names, or of these numbers counted from 1.
    fn find(first: &[Cow<'_, str>], wanted: &ReadOptions) -> Result<Self, Fault> {
        let find = |flag: &str, wanted: &Option<String>| {
            wanted.as_deref().map(|wanted| find_column(first, flag, wanted)).transpose()
        };
        let value = find("`value`", &wanted.value)?;
        let (weight, error) = (find("`weight`", &wanted.weight)?, find("`error`", &wanted.error)?);
        let n_cells = if value.or(weight).or(error).is_some() { first.len() } else { 3 };
        Ok(Self { n_cells, value: value.unwrap_or(2), weight, error })
    }
}

fn find_column(first: &[Cow<'_, str>], flag: &str, wanted: &str) -> Result<usize, Fault> {
    let named = first.iter().position(|cell| cell == wanted);
    let named = named.or_else(|| first.iter().position(|cell| cell.eq_ignore_ascii_case(wanted)));
    let numbered = || wanted.parse::<usize>().ok()?.checked_sub(1).filter(|&column| column < first.len());
    match named.or_else(numbered) {
        Some(column) if column >= 2 => Ok(column),
        found => {
            let problem = match found {
                Some(_) => format!("{flag} {}: the first two columns hold the names", shortened(wanted)),
                None => format!("{flag} {}: there is no such column", shortened(wanted)),
            };
            let remedy = format!("give the name or the number (from 3) of one of the columns: {}", listed(first));
            Err(Fault::new(problem, remedy))
        }
    }
}

/// The objects met so far.
#[derive(Default)]
struct Objects {
    names: Vec<String>,
    index: HashMap<String, u32>,
}

impl Objects {
    fn find_or_add(&mut self, name: &str) -> Result<u32, Fault> {
        if let Some(&object) = self.index.get(name) {
            return Ok(object);
        }
        if name.is_empty() {
            return Err(empty_name());
        }
        let object = u32::try_from(self.names.len()).map_err(|_| super::too_many(self.names.len()))?;
        self.names.push(name.to_owned());
        self.index.insert(name.to_owned(), object);
        Ok(object)
    }
}

/// The pair of one line, if it was measured.
fn read_measured(
    line: &Line<'_>,
    cells: &[Cow<'_, str>],
    columns: Columns,
    style: Style,
    objects: &mut Objects,
) -> Result<Option<Measured>, InputError> {
    if cells.len() != columns.n_cells {
        let problem = match columns.n_cells {
            3 => format!("the line has {} cells, an edge list has 3", cells.len()),
            n_cells => format!("the line has {} cells, the first line has {n_cells}", cells.len()),
        };
        return Err(line.error(Fault::new(problem, "write one pair per line: name,name,value")));
    }
    let (first, second, value) = (&cells[0], &cells[1], &cells[columns.value]);
    let in_value = |fault: Fault| line.error_in(columns.value + 1, fault).between([first.as_ref(), second]);
    let a = objects.find_or_add(first).map_err(|fault| line.error_in(1, fault))?;
    let b = objects.find_or_add(second).map_err(|fault| line.error_in(2, fault))?;
    let seen = observation(value, style).map_err(in_value)?;
    if a == b {
        check_diagonal(seen.map_or(f64::NAN, Observation::representative)).map_err(in_value)?;
    }
    let (Some(seen), true) = (seen, a != b) else { return Ok(None) };
    let quality_in = |column: Option<usize>, what: &str, otherwise: f64| match column {
        Some(column) => {
            quality(&cells[column], style, what).map_err(|fault| in_cell(line.file, line.number, column, fault))
        }
        None => Ok(otherwise),
    };
    let weight = quality_in(columns.weight, "weight", 1.0)?;
    // An empty cell is an error that is not known.
    let known_error = columns.error.filter(|&column| !cells[column].trim().is_empty());
    let standard_error = quality_in(known_error, "standard error", 0.0)?;
    let (is_reversed, line) = (a > b, line.number);
    // A weight of zero is no measurement.
    Ok((weight > 0.0).then_some(Measured { a: a.min(b), b: a.max(b), is_reversed, seen, weight, standard_error, line }))
}

/// Reads the pairs of a coupling graph: `name,name`, whatever follows, with or without a header.
///
/// Pairs come sorted, a < b, each once.
///
/// # Errors
/// If a name is not among `names` or a line joins an object to itself.
pub fn read_edges(path: &Path, names: &Names) -> Result<Vec<(u32, u32)>, InputError> {
    let file = super::content::shown(path);
    read_graph(Source::open(path, &file)?, names)
}

pub(super) fn read_graph(source: Source<'_>, names: &Names) -> Result<Vec<(u32, u32)>, InputError> {
    let style = Style::detect(&source);
    let mut lines = source.lines()?;
    let index: HashMap<Cow<'_, str>, u32> = names.iter().zip(0..).collect();
    let mut edges = Vec::new();
    let mut is_first = true;
    while let Some(line) = lines.next_filled()? {
        let cells = style.cells(&line)?;
        let is_known = |cell: &Cow<'_, str>| index.contains_key(cell.as_ref());
        if std::mem::take(&mut is_first) && reads_like_header(&cells) && !cells[..2].iter().any(is_known) {
            continue;
        }
        edges.push(read_edge(&line, &cells, &index)?);
    }
    if edges.is_empty() {
        return Err(lines.error(Fault::new("the graph has no edges", "write one pair per line: name,name")));
    }
    edges.sort_unstable();
    edges.dedup();
    Ok(edges)
}

/// What people call the two ends of a pair, apart from a number at the end (`name1`, `object_2`).
const END_WORDS: &str = "a b end first from i id item j label left m n name node object right row column sample second \
                         source start strain target taxa taxon to u v vertex x y";
/// What people call the number of a pair.
const VALUE_WORDS: &str = "delta dissimilarity dist distance length similarity value weight";

/// Whether the cells look like a header. A line of two unknown names does not: it may hold two typing errors.
pub(super) fn reads_like_header(cells: &[Cow<'_, str>]) -> bool {
    let is_among = |words: &str, cell: &str| words.split_whitespace().any(|word| word.eq_ignore_ascii_case(cell));
    let is_end = |cell: &Cow<'_, str>| {
        let unnumbered = cell.trim_end_matches(|last: char| last.is_ascii_digit());
        is_among(END_WORDS, unnumbered.trim_end_matches(['_', '-', ' ', '.']))
    };
    match cells {
        [first, second, rest @ ..] => {
            (is_end(first) && is_end(second)) || rest.first().is_some_and(|value| is_among(VALUE_WORDS, value))
        }
        _ => false,
    }
}

fn read_edge(
    line: &Line<'_>,
    cells: &[Cow<'_, str>],
    index: &HashMap<Cow<'_, str>, u32>,
) -> Result<(u32, u32), InputError> {
    let [first, second, ..] = cells else {
        return Err(line.error(Fault::new("the line names one object", "write one pair per line: name,name")));
    };
    let find = |name: &str| index.get(name).copied();
    let (a, b) = (find_name(line, 1, first, find)?, find_name(line, 2, second, find)?);
    if a == b {
        let fault = Fault::new("the edge joins an object to itself", "remove the line");
        return Err(line.error(fault).between([first.as_ref(), second]));
    }
    Ok((a.min(b), a.max(b)))
}

/// The object called `name` in a cell of a line.
pub(super) fn find_name<T>(
    line: &Line<'_>,
    column: usize,
    name: &str,
    find: impl Fn(&str) -> Option<T>,
) -> Result<T, InputError> {
    find(name).ok_or_else(|| {
        let problem = format!("the name \"{}\" is not among the objects of the input", shortened(name));
        let remedy = match line.number {
            1 => "spell names exactly as in the input; a header must read like one, such as from,to",
            _ => "spell names exactly as in the input",
        };
        line.error_in(column, Fault::new(problem, remedy))
    })
}
