//! Edge lists: the pairs that were measured, `name,name,value`, and the pairs of a coupling graph, `name,name`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use super::cell::{agree, check_diagonal, parse_dissimilarity, parse_number};
use super::error::{Fault, InputError, Place, shortened};
use super::names::Names;
use super::table::Delimiter;
use super::text::{Line, Source};
use super::triangle::nothing_measured;
use super::{checked_names, empty_name, enough_objects};

/// The measured pairs of N objects.
pub(super) struct EdgeList {
    /// Sorted, a < b, each pair once.
    pairs: Vec<(u32, u32, f64)>,
    /// Pairs with first object a are `pairs[starts[a]..starts[a + 1]]`.
    starts: Vec<usize>,
}

impl EdgeList {
    fn new(n_objects: usize, pairs: Vec<(u32, u32, f64)>) -> Self {
        let mut starts = vec![0; n_objects + 1];
        for &(a, _, _) in &pairs {
            starts[a as usize + 1] += 1;
        }
        for object in 0..n_objects {
            starts[object + 1] += starts[object];
        }
        Self { pairs, starts }
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

/// Reads `name,name,value` with or without a header. Objects are in the order of their first appearance.
pub(super) fn read(source: Source<'_>) -> Result<(Names, EdgeList), InputError> {
    let delimiter = Delimiter::detect(&source.head);
    let mut lines = source.lines()?;
    let mut objects = Objects::default();
    let mut measured = Vec::new();
    let mut is_first = true;
    while let Some(line) = lines.next_filled()? {
        let cells = delimiter.cells(&line)?;
        let is_header = std::mem::take(&mut is_first) && cells.get(2).is_some_and(|cell| parse_number(cell).is_err());
        if !is_header {
            measured.extend(read_measured(&line, &cells, &mut objects)?);
        }
    }
    let file = lines.file;
    enough_objects(objects.names.len()).map_err(|fault| lines.error(fault))?;
    let names = checked_names(objects.names, |_, fault| fault.at(file, Place::File))?;
    let pairs = merged(file, &names, measured)?;
    if pairs.is_empty() {
        return Err(lines.error(nothing_measured()));
    }
    let list = EdgeList::new(names.len(), pairs);
    Ok((names, list))
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
    objects: &mut Objects,
) -> Result<Option<Measured>, InputError> {
    let [first, second, value] = cells else {
        let fault = Fault::new(
            format!("the line has {} cells, an edge list has 3", cells.len()),
            "write one pair per line: name,name,value",
        );
        return Err(line.error(fault));
    };
    let in_value = |fault: Fault| line.error_in(3, fault).between([first.as_ref(), second]);
    let a = objects.find_or_add(first).map_err(|fault| line.error_in(1, fault))?;
    let b = objects.find_or_add(second).map_err(|fault| line.error_in(2, fault))?;
    let value = parse_dissimilarity(value).map_err(in_value)?;
    if a == b {
        check_diagonal(value).map_err(in_value)?;
    }
    let is_measured = a != b && !value.is_nan();
    Ok(is_measured.then_some(Measured { a: a.min(b), b: a.max(b), value, line: line.number }))
}

/// Sorted pairs, each once; two lines about one pair must agree.
fn merged(file: &str, names: &Names, mut measured: Vec<Measured>) -> Result<Vec<(u32, u32, f64)>, InputError> {
    measured.sort_by_key(|pair| (pair.a, pair.b));
    for two in measured.chunk_by(|x, y| (x.a, x.b) == (y.a, y.b)) {
        let first = &two[0];
        if let Some(other) = two.iter().find(|other| !agree(first.value, other.value)) {
            let problem = format!("{} here, but {} on line {}", other.value, first.value, first.line);
            let fault = Fault::new(problem, "give every pair one value, for example the mean of its measurements");
            let objects = [names.get(first.a as usize), names.get(first.b as usize)];
            return Err(fault.at(file, Place::Cell(other.line, 3)).between(objects));
        }
    }
    measured.dedup_by_key(|pair| (pair.a, pair.b));
    Ok(measured.into_iter().map(|pair| (pair.a, pair.b, pair.value)).collect())
}

/// Reads the pairs of a coupling graph: `name,name`, whatever follows, with or without a header.
///
/// Pairs come sorted, a < b, each once.
///
/// # Errors
/// If a name is not among `names` or a line joins an object to itself.
pub fn read_edges(path: &Path, names: &Names) -> Result<Vec<(u32, u32)>, InputError> {
    let file = path.display().to_string();
    read_graph(Source::open(path, &file)?, names)
}

pub(super) fn read_graph(source: Source<'_>, names: &Names) -> Result<Vec<(u32, u32)>, InputError> {
    let delimiter = Delimiter::detect(&source.head);
    let mut lines = source.lines()?;
    let index: HashMap<Cow<'_, str>, u32> = names.iter().zip(0..).collect();
    let mut edges = Vec::new();
    let mut is_first = true;
    while let Some(line) = lines.next_filled()? {
        let cells = delimiter.cells(&line)?;
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
fn reads_like_header(cells: &[Cow<'_, str>]) -> bool {
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
