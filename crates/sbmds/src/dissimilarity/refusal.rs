//! Tables that hold no dissimilarities: what they look like, and the command or the column that is missing.

use std::collections::HashSet;

use super::cell::is_missing;
use super::edges::reads_like_header;
use super::error::{Fault, listed, shortened};
use super::grid::Grid;
use super::metric::Metric;

/// The fault of a table that is no matrix; `None` if it looks like one with an error.
pub(super) fn of_table(file: &str, grid: &Grid<'_>) -> Option<Fault> {
    let n_cells = grid.rows.first()?.len();
    if grid.rows.iter().any(Vec::is_empty) {
        return None;
    }
    if grid.rows.iter().skip(1).flatten().any(|cell| is_censored(cell)) {
        return Some(titres(grid));
    }
    let n_below = grid.rows.get(1).map_or(n_cells, Vec::len);
    let is_rectangle = grid.rows.len() > 1 && grid.rows.iter().skip(1).all(|row| row.len() == n_below);
    if !is_rectangle || n_below > n_cells + 1 || n_cells > n_below {
        return None;
    }
    if n_cells == 2 && n_below == 2 && is_unweighted(grid) {
        return Some(if is_table_of_labels(grid) { labels() } else { unweighted(grid) });
    }
    if let Some(fault) = incomplete_square(grid, n_cells) {
        return Some(fault);
    }
    if n_cells > 3 && is_edge_list_with_columns(grid) {
        return Some(further_columns(grid));
    }
    Features::of(grid).filter(|features| !features.numeric.is_empty()).map(|features| features.fault(file, grid))
}

/// The fault of three columns that are no edge list: a name and two features, every name once.
pub(super) fn of_edges(file: &str, grid: &Grid<'_>) -> Option<Fault> {
    let body = &grid.rows[usize::from(!grid.style.is_value(&grid.rows[0][2]))..];
    if body.len() < 3 || body.iter().any(|row| row.len() != 3) {
        return None;
    }
    let column = |column: usize| body.iter().map(move |row| row[column].as_ref());
    let names: HashSet<&str> = column(0).collect();
    let seconds: HashSet<&str> = column(1).collect();
    // As an edge list it would fall apart: every first name has one partner.
    let falls_apart = names.len() == body.len() && seconds.len() > 1 && names.is_disjoint(&seconds);
    let are_numbers = column(1).all(|cell| cell.parse::<f64>().is_ok());
    let are_words = names.iter().all(|name| !grid.style.is_value(name));
    (falls_apart && are_numbers && are_words).then(|| Features::of(grid).map(|found| found.fault(file, grid)))?
}

/// The fault of a square whose first line and column may be names.
pub(super) fn of_empty_diagonal() -> Fault {
    Fault::new(
        "the first line and the first column may hold names or dissimilarities; the empty diagonal does not tell",
        "write 0 on the diagonal, and a word into the first cell if names follow it",
    )
}

/// The fault of a triangle whose first column may be names.
pub(super) fn of_counting_triangle() -> Fault {
    Fault::new(
        "the first column counts 1, 2, 3, ...; it may hold names or dissimilarities",
        "write the number of objects alone on the first line if it holds names, or end every row with the 0 of the diagonal if \
         it does not",
    )
}

/// `<10`, `>1280`, and `*` for what was not measured.
fn is_censored(cell: &str) -> bool {
    cell == "*" || cell.strip_prefix(['<', '>']).is_some_and(|rest| rest.trim().parse::<f64>().is_ok())
}

fn titres(grid: &Grid<'_>) -> Fault {
    let mut found: Vec<&str> = Vec::new();
    for cell in grid.rows.iter().skip(1).flatten().filter(|cell| is_censored(cell)) {
        if found.len() < 3 && !found.contains(&cell.as_ref()) {
            found.push(cell);
        }
    }
    let problem =
        format!("this looks like a table of titres (cells such as {}), not of dissimilarities", listed(&found));
    Fault::new(problem, "add `titers`: titres of viruses against sera are read as they are, with limits")
}

/// Two columns that are not a name and a number: both words, or both whole numbers.
fn is_unweighted(grid: &Grid<'_>) -> bool {
    let is_whole = |cell: &str| cell.bytes().all(|byte| byte.is_ascii_digit());
    let body = &grid.rows[usize::from(grid.rows.len() > 2)..];
    let both_whole = body.iter().all(|row| row.iter().all(|cell| is_whole(cell)));
    let second_words = body.iter().all(|row| !grid.style.is_value(&row[1]));
    both_whole || second_words
}

/// Every name once, and none of them in the second column, whose words come again.
fn is_table_of_labels(grid: &Grid<'_>) -> bool {
    let column = |column: usize| grid.rows[1..].iter().map(move |row| row[column].as_ref());
    let (names, words): (HashSet<&str>, HashSet<&str>) = (column(0).collect(), column(1).collect());
    let n_rows = grid.rows.len() - 1;
    names.len() == n_rows && words.len() < n_rows && names.is_disjoint(&words)
}

fn labels() -> Fault {
    let remedy = "give dissimilarities, and this file with `labels`";
    Fault::new("this looks like a table of labels, not of dissimilarities", remedy)
}

fn unweighted(grid: &Grid<'_>) -> Fault {
    let header = &grid.rows[0];
    let comes_again = |name| grid.rows[1..].iter().any(|row| row.contains(name));
    let is_header = reads_like_header(header) && !header.iter().any(comes_again);
    let n_pairs = grid.n_lines - usize::from(is_header);
    Fault::new(
        format!("this looks like an edge list without values ({n_pairs} pairs of names)"),
        "add a third column with the dissimilarity of each pair; for hop counts give the matrix of shortest paths; in Python: \
         np.savetxt(\"hops.csv\", networkx.floyd_warshall_numpy(graph), delimiter=\",\")",
    )
}

/// A square matrix of numbers of which lines are missing, or to which some were added.
fn incomplete_square(grid: &Grid<'_>, n_cells: usize) -> Option<Fault> {
    let body = grid.body(0, 0);
    let looks_square = n_cells > 3 && grid.n_lines >= 3 && grid.all_have(n_cells) && body.is_numeric();
    let few = grid.n_lines.abs_diff(n_cells) <= 2 && body.has_zero_diagonal() && body.is_symmetric();
    (looks_square && few).then(|| {
        let problem = format!(
            "this looks like a square matrix without names, but has {n_cells} columns and {} rows",
            grid.n_lines
        );
        Fault::new(problem, "give as many rows as columns")
    })
}

/// Names in the first two columns that come more than once or in both, if they are words or the header calls them names.
fn is_edge_list_with_columns(grid: &Grid<'_>) -> bool {
    let header = &grid.rows[0];
    let body = &grid.rows[usize::from(!first_is_data(grid))..];
    let column = |column: usize| body.iter().map(move |row| row[column].as_ref());
    let are_words = |c: usize| column(c).all(|cell| !grid.style.is_value(cell));
    let firsts: HashSet<&str> = column(0).collect();
    let repeats = firsts.len() < body.len() || column(1).any(|second| firsts.contains(second));
    // A name and its coordinates.
    let is_coordinate = |cell: &str| ["x", "y"].iter().any(|word| word.eq_ignore_ascii_case(cell));
    let has_ends = reads_like_header(header) && is_coordinate(&header[0]) == is_coordinate(&header[1]);
    repeats && (has_ends || (are_words(0) && are_words(1)))
}

/// Whether the first line holds a number, and so is no header.
fn first_is_data(grid: &Grid<'_>) -> bool {
    grid.rows[0].iter().any(|cell| grid.style.is_value(cell) && !is_missing(cell))
}

fn further_columns(grid: &Grid<'_>) -> Fault {
    let header = &grid.rows[0];
    let has_header = !first_is_data(grid);
    let columns: Vec<String> = match has_header {
        true => header.iter().map(|name| shortened(name)).collect(),
        false => (1..=header.len()).map(|column| column.to_string()).collect(),
    };
    let is_numeric = |column: usize| grid.rows[1..].iter().all(|row| grid.style.is_value(&row[column]));
    let numeric: Vec<&str> = (2..columns.len()).filter(|&c| is_numeric(c)).map(|c| columns[c].as_str()).collect();
    let choices = match numeric[..] {
        [] => "one of the columns".to_owned(),
        [only] => only.to_owned(),
        _ => format!("one of {}", listed(&numeric)),
    };
    Fault::new(
        format!("this looks like an edge list with {} columns: {}", columns.len(), listed(&columns)),
        format!(
            "say which column holds the dissimilarity, with `value` COLUMN ({choices}); the first two hold the names"
        ),
    )
}

/// A table of features: which columns are numbers.
struct Features {
    n_rows: usize,
    has_names: bool,
    /// Indices of columns that hold numbers only, without the names.
    numeric: Vec<usize>,
    /// What the other columns are called.
    words: Vec<String>,
}

impl Features {
    fn of(grid: &Grid<'_>) -> Option<Self> {
        let (header, first) = (grid.rows.first()?, grid.rows.get(1)?);
        let is_value = |cell: &str| grid.style.is_value(cell);
        let without_corner = first.len() == header.len() + 1;
        let has_header = without_corner || header.iter().skip(1).any(|cell| !is_value(cell)) || is_missing(&header[0]);
        let body = &grid.rows[usize::from(has_header)..];
        let is_numeric = |column: usize| body.iter().all(|row| row.get(column).is_some_and(|cell| is_value(cell)));
        let first_cells: HashSet<&str> = body.iter().map(|row| row[0].as_ref()).collect();
        let is_unique = first_cells.len() == body.len();
        let are_ids = is_unique && body.iter().all(|row| row[0].bytes().all(|byte| byte.is_ascii_digit()));
        let has_names = !is_numeric(0) || without_corner || (has_header && header[0].is_empty()) || are_ids;
        let columns = usize::from(has_names)..first.len();
        let name = |column: usize| match has_header {
            true => header.get(column - usize::from(without_corner)).map_or_else(String::new, |name| shortened(name)),
            false => (column + 1).to_string(),
        };
        let n_rows = grid.n_lines - usize::from(has_header);
        let numeric = columns.clone().filter(|&column| is_numeric(column)).collect();
        let words = columns.filter(|&column| !is_numeric(column)).map(name).collect();
        Some(Self { n_rows, has_names, numeric, words })
    }

    fn fault(&self, file: &str, grid: &Grid<'_>) -> Fault {
        let problem = format!(
            "this is no matrix of dissimilarities; it looks like a table of features ({}, {})",
            counted(self.n_rows, "row"),
            counted(self.numeric.len(), "numeric column")
        );
        let no_names = if self.has_names { "" } else { " --no-names" };
        let command =
            format!("sbmds fit {} --features --metric {}{no_names}", quoted(file), suggested(grid, &self.numeric));
        match &self.words[..] {
            [] => Fault::new(problem, format!("say how rows are compared: {command}")),
            words => Fault::new(
                problem,
                format!("leave out the columns that hold words ({}), then: {command}", listed(words)),
            ),
        }
    }
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// A metric for the numbers: sets of 0 and 1, counts, or anything else.
fn suggested(grid: &Grid<'_>, columns: &[usize]) -> Metric {
    let header: Vec<String> = grid.rows[0].iter().map(|name| name.to_lowercase()).collect();
    let named = |column: usize, word: &str| header.get(column).is_some_and(|name| name.starts_with(word));
    if let &[latitude, longitude] = columns
        && named(latitude, "lat")
        && named(longitude, "lon")
    {
        return Metric::Haversine;
    }
    let cells = || {
        let numbers = grid.rows.iter().skip(1).flat_map(|row| columns.iter().filter_map(|&column| row.get(column)));
        numbers.map(|cell| grid.style.number(cell).unwrap_or(f64::NAN))
    };
    if cells().all(|value| value == 0.0 || value == 1.0) {
        Metric::Jaccard
    } else if cells().all(|value| value >= 0.0 && value.fract() == 0.0) && cells().any(|value| value == 0.0) {
        Metric::BrayCurtis
    } else {
        Metric::Euclidean
    }
}

/// A path as a shell takes it.
pub(super) fn quoted(file: &str) -> String {
    let file = if file == "standard input" { "-" } else { file };
    let is_plain = |c: char| c.is_alphanumeric() || "._-/+,:@".contains(c);
    if file.chars().all(is_plain) { file.to_owned() } else { format!("'{}'", file.replace('\'', "'\\''")) }
}
