//! Edge lists: the pairs that were measured, `name,name,value`, and the pairs of a coupling graph, `name,name`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use super::cell::{Agreement, Averaged, check_diagonal, compare};
use super::error::{Fault, FilePosition, InputError, listed, shortened};
use super::names::Names;
use super::style::Style;
use super::text::{Line, Source};
use super::triangle::nothing_measured;
use super::{checked_names, empty_name, enough_objects};

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

/// A measured pair and the line it stands on.
struct Measured {
    a: u32,
    b: u32,
    value: f64,
    line: u64,
}

/// Reads `name,name,value` with or without a header, or the column called `value` of a table with more columns. Objects are
/// in the order of their first appearance.
pub(super) fn read(source: Source<'_>, style: Style, value: Option<&str>) -> Result<(Names, EdgeList), InputError> {
    let mut lines = source.lines()?;
    let mut objects = Objects::default();
    let mut measured = Vec::new();
    let mut columns = None;
    while let Some(line) = lines.next_filled()? {
        let cells = style.cells(&line)?;
        let (columns, is_header) = match columns {
            Some(columns) => (columns, false),
            None => {
                let found = Columns::find(&cells, value).map_err(|fault| line.error(fault))?;
                columns = Some(found);
                (found, cells.get(found.value).is_some_and(|cell| !style.is_value(cell)))
            }
        };
        if !is_header {
            measured.extend(read_measured(&line, &cells, columns, style, &mut objects)?);
        }
    }
    let file = lines.file;
    enough_objects(objects.names.len()).map_err(|fault| lines.error(fault))?;
    let names = checked_names(objects.names, |_, fault| fault.at(file, FilePosition::File))?;
    let column = columns.map_or(2, |columns| columns.value);
    let (pairs, averaged) = merged(file, column, &names, measured)?;
    if pairs.is_empty() {
        return Err(lines.error(nothing_measured()));
    }
    let list = EdgeList { averaged, ..EdgeList::new(names.len(), pairs) };
    Ok((names, list))
}

/// How many columns there are, and which holds the value; the first two hold the names.
#[derive(Clone, Copy)]
struct Columns {
    n_cells: usize,
    value: usize,
}

impl Columns {
    /// Told from the first line: the column called `value`, or of that number counted from 1.
    fn find(first: &[Cow<'_, str>], value: Option<&str>) -> Result<Self, Fault> {
        let Some(wanted) = value else { return Ok(Self { n_cells: 3, value: 2 }) };
        let named = first.iter().position(|cell| cell == wanted);
        let named = named.or_else(|| first.iter().position(|cell| cell.eq_ignore_ascii_case(wanted)));
        let numbered = || wanted.parse::<usize>().ok()?.checked_sub(1).filter(|&column| column < first.len());
        match named.or_else(numbered) {
            Some(column) if column >= 2 => Ok(Self { n_cells: first.len(), value: column }),
            found => {
                let problem = match found {
                    Some(_) => format!("`value` {}: the first two columns hold the names", shortened(wanted)),
                    None => format!("`value` {}: there is no such column", shortened(wanted)),
                };
                let remedy = format!("give the name or the number (from 3) of one of the columns: {}", listed(first));
                Err(Fault::new(problem, remedy))
            }
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
    let value = style.dissimilarity(value).map_err(in_value)?;
    if a == b {
        check_diagonal(value).map_err(in_value)?;
    }
    let is_measured = a != b && !value.is_nan();
    Ok(is_measured.then_some(Measured { a: a.min(b), b: a.max(b), value, line: line.number }))
}

/// Sorted pairs, each once; lines about one pair must agree, and their mean counts if they are near but not equal.
#[expect(clippy::type_complexity, reason = "pairs as they are stored, and what was averaged")]
fn merged(
    file: &str,
    column: usize,
    names: &Names,
    mut measured: Vec<Measured>,
) -> Result<(Vec<(u32, u32, f64)>, Averaged), InputError> {
    measured.sort_by_key(|pair| (pair.a, pair.b));
    let (mut pairs, mut averaged) = (Vec::new(), Averaged::default());
    for readings in measured.chunk_by(|x, y| (x.a, x.b) == (y.a, y.b)) {
        let first = &readings[0];
        let mut largest_gap = 0_f64;
        for other in readings {
            match compare(first.value, other.value) {
                Agreement::Equal => {}
                Agreement::Near(gap) => largest_gap = largest_gap.max(gap),
                Agreement::Different => {
                    let problem = format!("{} here, but {} on line {}", other.value, first.value, first.line);
                    let remedy = "give every pair one value, for example the mean of its measurements";
                    let objects = [names.get(first.a as usize), names.get(first.b as usize)];
                    let position = FilePosition::Cell(other.line, column as u64 + 1);
                    return Err(Fault::new(problem, remedy).at(file, position).between(objects));
                }
            }
        }
        let mut value = first.value;
        if largest_gap > 0.0 {
            averaged.add(largest_gap);
            value = readings.iter().map(|reading| reading.value / readings.len() as f64).sum();
        }
        pairs.push((first.a, first.b, value));
    }
    Ok((pairs, averaged))
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
    let find = |name: &str, column| {
        index.get(name).copied().ok_or_else(|| {
            let problem = format!("the name \"{}\" is not among the objects of the input", shortened(name));
            let remedy = match line.number {
                1 => "spell names exactly as in the input; a header must read like one, such as from,to",
                _ => "spell names exactly as in the input",
            };
            line.error_in(column, Fault::new(problem, remedy))
        })
    };
    let (a, b) = (find(first, 1)?, find(second, 2)?);
    if a == b {
        let fault = Fault::new("the edge joins an object to itself", "remove the line");
        return Err(line.error(fault).between([first.as_ref(), second]));
    }
    Ok((a.min(b), a.max(b)))
}
