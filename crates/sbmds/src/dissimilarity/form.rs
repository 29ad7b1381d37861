//! What kind of table a text is: told from the shape of its lines and from where its numbers stand.

use std::collections::HashSet;
use std::path::Path;

use super::cell::is_missing;
use super::error::Fault;
use super::grid::Grid;
use super::refusal;
use super::rows::{Rows, Shape};
use super::sniff::has_extension;
use super::table::Delimiter;

/// How dissimilarities are laid out in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Names in the first line and in the first column.
    Labelled,
    /// A square or a triangle without names, or with names on one side only.
    Rows(Rows),
    /// What R prints of a `dist`, in blocks of columns.
    Printed,
    Phylip,
    Edges,
    /// The upper triangle, row by row, in one piece.
    Condensed,
}

/// The form of a text; a fault if it looks like something else than dissimilarities.
pub(super) fn decide(path: &Path, file: &str, grid: &Grid<'_>) -> Result<Form, Fault> {
    if has_extension(path, &["phy", "phylip"]) {
        return Ok(Form::Phylip);
    }
    if let Some(form) = counted(grid).or_else(|| vector(grid)).or_else(|| plain_matrix(grid)) {
        return match form {
            Form::Rows(Rows { shape: Shape::Square, has_header: false, .. }) if may_be_names(grid) => {
                Err(refusal::of_empty_diagonal())
            }
            form if counts_its_rows(grid, form) => Err(refusal::of_counting_triangle()),
            form => Ok(form),
        };
    }
    if is_edge_list(grid) {
        return refusal::of_edges(file, grid).map_or(Ok(Form::Edges), Err);
    }
    if is_labelled(grid) {
        return Ok(Form::Labelled);
    }
    refusal::of_table(file, grid).map_or(Ok(Form::Labelled), Err)
}

/// The form of a text that is said to be a matrix.
pub(super) fn of_matrix(grid: &Grid<'_>) -> Form {
    plain_matrix(grid).unwrap_or(Form::Labelled)
}

/// A matrix that is told from its shape alone.
fn plain_matrix(grid: &Grid<'_>) -> Option<Form> {
    square(grid).or_else(|| triangle(grid, 0)).map(Form::Rows).or_else(|| is_printed(grid).then_some(Form::Printed))
}

/// A number alone on the first line: the number of objects, unless the lines below make it the first of a triangle.
fn counted(grid: &Grid<'_>) -> Option<Form> {
    let count: usize = grid.lines.first()?.trim().parse().ok()?;
    if vector(grid).is_some() {
        return None;
    }
    let n_below = grid.n_lines.saturating_sub(1);
    if grid.body(1, 0).is_numeric() {
        // As rows with names that are numbers these would be at distance 0 from one another.
        let nameless = triangle(grid, 1).filter(|rows| match rows.shape {
            Shape::Lower => n_below + 1 == count,
            Shape::LowerWithDiagonal => n_below == count && !rows.has_names,
            Shape::Square => false,
        });
        let uncounted = || triangle(grid, 0).filter(|_| n_below != count || !rows_end_in_zero(grid, 1));
        if let Some(rows) = nameless.filter(|rows| !rows.has_names).or_else(uncounted) {
            return Some(Form::Rows(rows));
        }
    }
    Some(Form::Phylip)
}

/// Whether the first column of a triangle without names counts 1, 2, 3, ...: then it may as well hold the names.
fn counts_its_rows(grid: &Grid<'_>, form: Form) -> bool {
    let is_lower =
        matches!(form, Form::Rows(rows) if rows.shape == Shape::Lower && !rows.has_names && !rows.has_header);
    let counts = |first: usize| {
        grid.rows.iter().enumerate().all(|(k, row)| row.first().is_some_and(|cell| *cell == (k + first).to_string()))
    };
    is_lower && grid.rows.len() > 2 && (counts(0) || counts(1))
}

/// Numbers in one line or in one column.
fn vector(grid: &Grid<'_>) -> Option<Form> {
    let is_column = grid.n_lines >= 3 && grid.all_have(1);
    let is_line = grid.n_lines == 1 && grid.rows.first()?.len() >= 3;
    ((is_column || is_line) && grid.body(0, 0).is_numeric()).then_some(Form::Condensed)
}

/// As many lines as columns, all numbers, apart from a header or a column of names.
fn square(grid: &Grid<'_>) -> Option<Rows> {
    let (n_lines, n_cells) = (grid.n_lines, grid.rows.first()?.len());
    if n_cells < 3 || !grid.all_have(n_cells) {
        return None;
    }
    let is_matrix = |first_row, first_column| {
        let body = grid.body(first_row, first_column);
        let (zero, symmetric) = (body.has_zero_diagonal(), body.is_symmetric());
        // Three columns may be an edge list, and names may stand before features.
        let is_certain = n_cells > 3 && first_column == 0;
        body.is_numeric() && if is_certain { zero || symmetric } else { zero && symmetric }
    };
    let plain = Rows { shape: Shape::Square, has_count: false, has_header: false, has_names: false };
    if n_lines == n_cells && !corner_names(grid) && is_matrix(0, 0) {
        return Some(plain);
    }
    if n_lines == n_cells + 1 && is_matrix(1, 0) {
        return Some(Rows { has_header: true, ..plain });
    }
    let named = n_cells == n_lines + 1 && n_lines >= 3 && first_column_is_unique(grid) && is_matrix(0, 1);
    named.then_some(Rows { has_names: true, ..plain })
}

/// Whether the first line names objects although it may hold numbers: they are in quotes, or the corner is empty where the
/// diagonal is not, or they count 0, 1, 2, ... as the names that pandas makes up.
fn corner_names(grid: &Grid<'_>) -> bool {
    let is_empty = |row: usize, column: usize| grid.cell(row, column).is_some_and(is_empty_cell);
    let counts = || grid.rows[0].iter().skip(1).enumerate().all(|(k, name)| *name == k.to_string());
    let is_made_up = || grid.cell(0, 0) == Some("") && counts() && header_is_first_column(grid);
    grid.header_is_quoted() || (is_empty(0, 0) && (!is_empty(1, 1) || is_made_up()))
}

/// Whether it cannot be told if the first line and the first column hold names or numbers: they are equal whole numbers in
/// rising order, and the whole diagonal is empty.
fn may_be_names(grid: &Grid<'_>) -> bool {
    let names: Vec<Option<u64>> = grid.rows[0].iter().skip(1).map(|name| name.parse().ok()).collect();
    let are_rising = names.iter().all(Option::is_some) && names.is_sorted_by(|a, b| a < b);
    let is_empty = |row: usize, column: usize| grid.cell(row, column).is_some_and(is_empty_cell);
    are_rising && grid.cell(0, 0) == Some("") && is_empty(1, 1) && !corner_names(grid) && header_is_first_column(grid)
}

fn is_empty_cell(cell: &str) -> bool {
    is_missing(cell) || cell.eq_ignore_ascii_case("nan")
}

fn header_is_first_column(grid: &Grid<'_>) -> bool {
    (1..grid.rows.len()).all(|k| grid.cell(0, k) == grid.cell(k, 0))
}

fn first_column_is_unique(grid: &Grid<'_>) -> bool {
    let mut seen = HashSet::new();
    grid.rows.iter().filter_map(|row| row.first()).all(|name| !name.is_empty() && seen.insert(name))
}

/// Lines that each have one cell more than the line above, below `n_above` lines and perhaps a header.
fn triangle(grid: &Grid<'_>, n_above: usize) -> Option<Rows> {
    let n_lines = grid.n_lines.saturating_sub(n_above);
    let widths: Vec<usize> = grid.rows.iter().skip(n_above).map(Vec::len).collect();
    let rows = |has_header: bool, first: usize, shape, has_names| {
        let grows = |lines: &[usize]| lines.iter().enumerate().all(|(k, &width)| width == k + first);
        let is_large = n_lines >= 2 + usize::from(has_header);
        let below = widths.get(usize::from(has_header)..)?;
        let found = Rows { shape, has_count: n_above > 0, has_header, has_names };
        let start = n_above + usize::from(has_header);
        let fits = is_large && grows(below) && grid.body(start, usize::from(has_names)).is_numeric();
        (fits && (!has_header || header_fits(grid, n_above, n_lines - 1, found))).then_some(found)
    };
    let ends_in_zero = |has_header: bool| rows_end_in_zero(grid, n_above + usize::from(has_header));
    // Ones, if these are similarities.
    let ends_alike = |has_header: bool| rows_end_alike(grid, n_above + usize::from(has_header));
    let nameless = |has_header| {
        let shape = if ends_in_zero(has_header) { Shape::LowerWithDiagonal } else { Shape::Lower };
        rows(has_header, 1, shape, false)
    };
    let named = |has_header| {
        let with_diagonal = || rows(has_header, 2, Shape::LowerWithDiagonal, true);
        rows(has_header, 1, Shape::Lower, true).or_else(|| with_diagonal().filter(|_| ends_alike(has_header)))
    };
    nameless(false).or_else(|| named(false)).or_else(|| nameless(true)).or_else(|| named(true))
}

/// Whether the last cell of every row is 0 or missing: a diagonal.
fn rows_end_in_zero(grid: &Grid<'_>, first_row: usize) -> bool {
    let ends = grid.rows.iter().skip(first_row).map(|row| row.last().map_or("", AsRef::as_ref));
    ends.map(|cell| grid.style.number(cell)).all(|value| value.is_ok_and(|value| value == 0.0 || value.is_nan()))
}

/// Whether the last cells of all rows are equal, or missing.
fn rows_end_alike(grid: &Grid<'_>, first_row: usize) -> bool {
    let ends = grid.rows.iter().skip(first_row).map(|row| row.last().map_or("", AsRef::as_ref));
    let mut values = ends.filter_map(|cell| grid.style.number(cell).ok()).filter(|value| !value.is_nan());
    values.next().is_none_or(|first| values.all(|value| value == first))
}

/// Whether a header has as many names as `n_rows` rows need.
fn header_fits(grid: &Grid<'_>, header: usize, n_rows: usize, rows: Rows) -> bool {
    let n_names = grid.rows.get(header).map_or(0, Vec::len);
    let n_objects = rows.n_objects(n_rows);
    n_names == n_objects || (rows.has_names && n_names == n_objects + 1)
}

/// What R prints: blanks, an indented line of names above rows that begin with one, columns cut into blocks.
fn is_printed(grid: &Grid<'_>) -> bool {
    let (Some(first), Some(second)) = (grid.lines.first(), grid.lines.get(1)) else { return false };
    let is_indented = |line: &str| line.starts_with(' ');
    let [n_header, n_row] = [grid.rows[0].len(), grid.rows[1].len()];
    let is_table =
        grid.n_lines == n_header + 1 && n_row == n_header + 1 || grid.n_lines == n_header && n_row == n_header;
    grid.style.delimiter == Delimiter::Blanks
        && is_indented(first)
        && !is_indented(second)
        && n_row > 1
        && !(is_table && is_labelled(grid))
}

/// Three cells on both lines, unless they are the header and first row of a matrix of two objects.
fn is_edge_list(grid: &Grid<'_>) -> bool {
    let [first, second, ..] = &grid.rows[..] else { return false };
    let is_header = first.len() == 3 && !grid.style.is_value(&first[2]);
    first.len() == 3 && second.len() == 3 && !(is_header && first[1..].contains(&second[0]))
}

/// Whether the name of the first row is in the header, which is not a line of numbers, and mostly numbers follow it.
fn is_labelled(grid: &Grid<'_>) -> bool {
    let [header, first, ..] = &grid.rows[..] else { return false };
    let has_corner = first.len() != header.len() + 1;
    if header.len() < 2 + usize::from(has_corner) {
        return false;
    }
    let is_numbers = has_corner && !corner_names(grid) && header.iter().all(|cell| grid.style.is_value(cell));
    let in_header =
        first.first().is_some_and(|name| header[usize::from(has_corner).min(header.len())..].contains(name));
    let n_values = first.iter().skip(1).filter(|cell| grid.style.is_value(cell)).count();
    in_header && !is_numbers && 2 * n_values + 1 >= first.len()
}
