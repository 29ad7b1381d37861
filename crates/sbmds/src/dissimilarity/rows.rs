//! Matrices told from their shape: squares and lower triangles without names, or with names on one side only.

use super::error::{Fault, FilePosition, InputError, shortened};
use super::names::Names;
use super::style::Style;
use super::text::{Line, Lines, Source};
use super::triangle::Triangle;
use super::{checked_names, enough_objects};

/// Which values the row of object k holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// All N.
    Square,
    /// Those to the k objects before it. Without names the first object, which has none, has no line.
    Lower,
    /// Those to the k objects before it, and its own 0.
    LowerWithDiagonal,
}

/// How the lines of a matrix are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    pub shape: Shape,
    /// Whether the first line is the number of objects.
    pub has_count: bool,
    /// Whether a line of names stands above the rows.
    pub has_header: bool,
    /// Whether every row begins with a name.
    pub has_names: bool,
}

impl Rows {
    /// Number of objects of this many rows.
    pub fn n_objects(self, n_rows: usize) -> usize {
        n_rows + self.n_without_line()
    }

    fn n_without_line(self) -> usize {
        usize::from(self.shape == Shape::Lower && !self.has_names)
    }

    fn n_values(self, object: usize, n_objects: usize) -> usize {
        match self.shape {
            Shape::Square => n_objects,
            Shape::Lower => object,
            Shape::LowerWithDiagonal => object + 1,
        }
    }
}

/// Reads a matrix of `n_lines` filled lines; the names are `None` if the file has none.
pub(super) fn read(
    source: Source<'_>,
    rows: Rows,
    style: Style,
    n_lines: usize,
) -> Result<(Option<Names>, Triangle), InputError> {
    let n_rows = n_lines - usize::from(rows.has_count) - usize::from(rows.has_header);
    let n_objects = rows.n_objects(n_rows);
    let mut lines = source.lines()?;
    enough_objects(n_objects).map_err(|fault| lines.error(fault))?;
    if rows.has_count {
        lines.next_filled()?;
    }
    let header = if rows.has_header { read_header(&mut lines, style, n_objects)? } else { None };
    let triangle = Triangle::for_text(n_objects, lines.size).map_err(|fault| lines.error(fault))?;
    let mut matrix = Matrix { rows, style, n_objects, header, names: Vec::new(), name_lines: Vec::new(), triangle };
    for row in 0..n_rows {
        let Some(line) = lines.next_filled()? else { break };
        matrix.read_row(&line, row + rows.n_without_line())?;
    }
    matrix.finish(&lines)
}

/// The names above the columns, perhaps with a cell above the names of the rows.
fn read_header(lines: &mut Lines<'_>, style: Style, n_objects: usize) -> Result<Option<Names>, InputError> {
    let Some(line) = lines.next_filled()? else { return Ok(None) };
    let cells = style.cells(&line)?;
    let n_before = cells.len().saturating_sub(n_objects);
    let names: Vec<String> = cells.into_iter().skip(n_before).map(|name| name.into_owned()).collect();
    checked_names(names, |index, fault| line.error_in(index + n_before + 1, fault)).map(Some)
}

/// A matrix being read.
struct Matrix {
    rows: Rows,
    style: Style,
    n_objects: usize,
    header: Option<Names>,
    /// Names of the rows read so far, and their lines.
    names: Vec<String>,
    name_lines: Vec<u64>,
    triangle: Triangle,
}

impl Matrix {
    fn read_row(&mut self, line: &Line<'_>, object: usize) -> Result<(), InputError> {
        let mut cells = self.style.split(line.text);
        if self.rows.has_names {
            let name = cells.next().unwrap_or(Ok("".into())).map_err(|fault| line.error_in(1, fault))?;
            self.check_name(&name, object).map_err(|fault| line.error_in(1, fault))?;
            self.names.push(name.into_owned());
            self.name_lines.push(line.number);
        }
        let expected = self.rows.n_values(object, self.n_objects);
        let mut n_values = 0;
        for cell in cells {
            if n_values < expected {
                let column = n_values + 1 + usize::from(self.rows.has_names);
                let value = cell.and_then(|cell| self.style.dissimilarity(&cell));
                let put = value.and_then(|value| self.triangle.put(object, n_values, value));
                put.map_err(|fault| line.error_in(column, fault).between(self.pair(object, n_values)))?;
            }
            n_values += 1;
        }
        if n_values == expected {
            return Ok(());
        }
        let shape = if self.rows.shape == Shape::Square { "square" } else { "lower-triangular" };
        let problem = format!("the row has {n_values} values where this {shape} matrix needs {expected}");
        let fault = Fault::new(problem, "complete the row, or leave out what is too much");
        Err(line.error(fault).between([self.name_of(object)]))
    }

    fn check_name(&self, name: &str, object: usize) -> Result<(), Fault> {
        match &self.header {
            Some(names) if object < names.len() && names.get(object) != name => {
                let problem = format!(
                    "the row of {} stands where the header names {}",
                    shortened(name),
                    shortened(&names.get(object))
                );
                Err(Fault::new(problem, "give rows and columns in the same order"))
            }
            _ => Ok(()),
        }
    }

    fn pair(&self, a: usize, b: usize) -> [String; 2] {
        [self.name_of(a), self.name_of(b)]
    }

    /// The name of an object, or its number if it has none or it comes later.
    fn name_of(&self, object: usize) -> String {
        match &self.header {
            Some(names) if object < names.len() => names.get(object).into_owned(),
            _ => self.names.get(object).cloned().unwrap_or_else(|| match self.rows.has_names {
                true => format!("object {}", object + 1),
                false => object.to_string(),
            }),
        }
    }

    fn finish(self, lines: &Lines<'_>) -> Result<(Option<Names>, Triangle), InputError> {
        let Self { rows, header, names, name_lines, triangle, .. } = self;
        triangle.check_measured().map_err(|fault| lines.error(fault))?;
        let names = match header {
            None if rows.has_names => {
                let error = |index: usize, fault: Fault| fault.at(lines.file, FilePosition::Cell(name_lines[index], 1));
                Some(checked_names(names, error)?)
            }
            header => header,
        };
        Ok((names, triangle))
    }
}
