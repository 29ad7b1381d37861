//! The beginning of a text as rows of cells, to tell what kind of table it is.

use std::borrow::Cow;

use super::style::Style;
use super::text::Source;

/// How many cells are looked at: the first lines of any table, and all of a small one.
const MOST_CELLS: usize = 200_000;

/// The first rows of a table.
pub(super) struct Grid<'t> {
    pub style: Style,
    /// The filled lines of the whole file, comments left out.
    pub n_lines: usize,
    /// The lines that were looked at, uncut.
    pub lines: Vec<&'t str>,
    pub rows: Vec<Vec<Cow<'t, str>>>,
}

impl<'t> Grid<'t> {
    /// Looks at `text`, the beginning of the table of `source`.
    pub fn new(source: &Source<'_>, text: &'t str) -> Self {
        let style = Style::detect(source);
        let mut lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
        if !source.is_whole() {
            // The last line is cut.
            lines.pop();
        }
        let mut grid = Self { style, n_lines: source.n_lines() as usize, lines: Vec::new(), rows: Vec::new() };
        let mut n_cells = 0;
        for line in lines.into_iter().filter(|line| !line.trim().is_empty() && !source.is_comment(line)) {
            let row: Vec<_> = style.split(line).map_while(Result::ok).collect();
            n_cells += row.len();
            grid.lines.push(line);
            grid.rows.push(row);
            if n_cells > MOST_CELLS && grid.rows.len() > 2 {
                break;
            }
        }
        grid
    }

    /// One cell, if it was looked at.
    pub fn cell(&self, row: usize, column: usize) -> Option<&str> {
        self.rows.get(row).and_then(|row| row.get(column)).map(AsRef::as_ref)
    }

    /// Whether every row that was looked at has `n_cells`.
    pub fn all_have(&self, n_cells: usize) -> bool {
        self.rows.iter().all(|row| row.len() == n_cells)
    }

    /// The rows from `first_row` on, each from `first_column` on.
    pub fn body(&self, first_row: usize, first_column: usize) -> Body<'_> {
        let rows = self.rows.iter().skip(first_row);
        Body { style: self.style, rows: rows.map(|row| row.get(first_column..).unwrap_or_default()).collect() }
    }

    /// Whether the cells of the first line are in quotes and numbers of the second are not: names, then.
    pub fn header_is_quoted(&self) -> bool {
        let is_quoted = |line: usize| self.lines.get(line).is_some_and(|line| line.contains('"'));
        let plain_number = |cell: &&str| self.style.is_value(cell.trim()) && !cell.trim().is_empty();
        let second = self.lines.get(1).copied().unwrap_or_default();
        is_quoted(0) && second.split([',', ';', '\t', ' ']).any(|cell| plain_number(&cell))
    }
}

/// A rectangle of cells.
pub(super) struct Body<'g> {
    style: Style,
    pub rows: Vec<&'g [Cow<'g, str>]>,
}

impl Body<'_> {
    /// Whether every cell is a number or missing, and some are numbers.
    pub fn is_numeric(&self) -> bool {
        let mut cells = self.rows.iter().flat_map(|row| row.iter());
        let any_number = self.rows.iter().flat_map(|row| row.iter()).any(|cell| self.number(cell).is_finite());
        any_number && cells.all(|cell| self.style.is_value(cell))
    }

    fn number(&self, cell: &str) -> f64 {
        self.style.number(cell).unwrap_or(f64::NAN)
    }

    fn get(&self, row: usize, column: usize) -> f64 {
        self.rows.get(row).and_then(|row| row.get(column)).map_or(f64::NAN, |cell| self.number(cell))
    }

    /// Whether the diagonal is 0 or missing as far as it was looked at.
    pub fn has_zero_diagonal(&self) -> bool {
        (0..self.rows.len()).all(|row| self.get(row, row).is_nan() || self.get(row, row) == 0.0)
    }

    /// Whether the cells of every pair agree, to a part in a hundred, as far as they were looked at.
    pub fn is_symmetric(&self) -> bool {
        let pairs = (0..self.rows.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.map(|(a, b)| (self.get(a, b), self.get(b, a))).all(|(one, other)| {
            one.is_nan() || other.is_nan() || (one - other).abs() <= 0.01 * one.abs().max(other.abs())
        })
    }
}
