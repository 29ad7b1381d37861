//! PHYLIP distance matrices: square or lower-triangular, strict or relaxed names, rows over several lines.

use super::cell::is_missing;
use super::error::{Fault, FilePosition, InputError, shortened};
use super::names::Names;
use super::style::{Style, is_decimal_comma};
use super::table::{Delimiter, first_lines};
use super::text::{Line, Lines, Source, empty};
use super::triangle::Triangle;
use super::{checked_names, enough_objects};

/// Strict PHYLIP gives the first ten characters of a row to the name, blanks included.
const STRICT_NAME: usize = 10;

/// Which values the row of object k holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// All N.
    Square,
    /// Those to the k objects before it.
    Lower,
    /// Those to the k objects before it, and its own 0.
    LowerWithDiagonal,
}

impl Layout {
    fn n_values(self, row: usize, n_objects: usize) -> usize {
        match self {
            Self::Square => n_objects,
            Self::Lower => row,
            Self::LowerWithDiagonal => row + 1,
        }
    }

    /// Told from the first row and the line below it.
    fn detect(head: &[u8], n_objects: usize) -> Self {
        let lines: Vec<_> = first_lines(head).skip(1).take(2).map(String::from_utf8_lossy).collect();
        let Some(first) = lines.first() else { return Self::Square };
        let lower = match Row::split(first, |n_values| n_values <= 1 || n_values == n_objects).n_values() {
            0 => Self::Lower,
            1 => Self::LowerWithDiagonal,
            _ => return Self::Square,
        };
        // A wrapped square matrix goes on with an indented number, a lower one with the next name.
        let goes_on = lines.get(1).is_some_and(|line| {
            line.starts_with(char::is_whitespace) && line.split_whitespace().next().is_some_and(is_number)
        });
        if goes_on { Self::Square } else { lower }
    }
}

/// Reads a PHYLIP distance matrix.
pub(super) fn read(source: Source<'_>) -> Result<(Names, Triangle), InputError> {
    let head = source.table().to_vec();
    let style = Style::with(&head, Delimiter::Blanks);
    // A row may belong to somebody called #.
    let mut lines = source.with_all_lines().lines()?;
    let n_objects = read_count(&mut lines)?;
    let layout = Layout::detect(&head, n_objects);
    let triangle = Triangle::for_text(n_objects, lines.size).map_err(|fault| lines.error(fault))?;
    let mut matrix = Matrix { n_objects, layout, style, triangle, names: Vec::new(), name_lines: Vec::new() };
    while matrix.names.len() < n_objects {
        matrix.read_row(&mut lines)?;
    }
    if let Some(line) = lines.next_filled()? {
        return Err(line.error(wrong_count(n_objects, "more")));
    }
    matrix.finish(&lines)
}

fn read_count(lines: &mut Lines<'_>) -> Result<usize, InputError> {
    let Some(line) = lines.next_filled()? else {
        return Err(lines.error(empty()));
    };
    let count = line.text.trim().parse::<usize>().map_err(|_| {
        let problem = format!("\"{}\" is not a number of objects", shortened(line.text.trim()));
        line.error(Fault::new(problem, "start a PHYLIP file with the number of objects alone on the first line"))
    })?;
    enough_objects(count).map_err(|fault| line.error(fault))?;
    Ok(count)
}

/// A matrix being read.
struct Matrix {
    n_objects: usize,
    layout: Layout,
    style: Style,
    triangle: Triangle,
    names: Vec<String>,
    name_lines: Vec<u64>,
}

impl Matrix {
    /// Reads one row, which may go on over several lines.
    fn read_row(&mut self, lines: &mut Lines<'_>) -> Result<(), InputError> {
        let row = self.names.len();
        let expected = self.layout.n_values(row, self.n_objects);
        let Some(line) = lines.next_filled()? else {
            let fault = wrong_count(self.n_objects, &format!("only {row}"));
            return Err(lines.error(fault));
        };
        let parts = Row::split(line.text, |n_values| n_values == expected);
        self.names.push(parts.name.to_owned());
        self.name_lines.push(line.number);
        let mut n_values = self.read_values(&line, parts.values, 2, 0)?;
        while n_values < expected {
            match lines.next_filled()? {
                Some(line) if line.text.split_whitespace().next().is_some_and(is_number) => {
                    n_values += self.read_values(&line, line.text, 1, n_values)?;
                }
                // Where a number should go on, the next name begins or the file ends: the row is too short.
                _ => return Err(self.ragged(lines.file, FilePosition::Line(self.name_lines[row]), n_values)),
            }
        }
        Ok(())
    }

    /// Notes the values of one line, the first of which is in cell `first_column` and belongs to object `first_object`.
    fn read_values(
        &mut self,
        line: &Line<'_>,
        values: &str,
        first_column: usize,
        first_object: usize,
    ) -> Result<usize, InputError> {
        let row = self.names.len() - 1;
        let expected = self.layout.n_values(row, self.n_objects);
        let mut n_values = 0;
        for value in values.split_whitespace() {
            let object = first_object + n_values;
            let column = first_column + n_values;
            if object >= expected {
                let n_given = first_object + values.split_whitespace().count();
                return Err(self.ragged(line.file, FilePosition::Cell(line.number, column as u64), n_given));
            }
            let noted = self.style.dissimilarity(value).and_then(|value| self.triangle.put(row, object, value));
            noted.map_err(|fault| line.error_in(column, fault).between(self.pair(row, object)))?;
            n_values += 1;
        }
        Ok(n_values)
    }

    /// Names of a pair, of which the second may not have been read yet.
    fn pair(&self, row: usize, object: usize) -> [String; 2] {
        let number = || format!("object {}", object + 1);
        [self.names[row].clone(), self.names.get(object).cloned().unwrap_or_else(number)]
    }

    /// The error that the row being read has `n_values`.
    fn ragged(&self, file: &str, position: FilePosition, n_values: usize) -> InputError {
        let row = self.names.len() - 1;
        let expected = self.layout.n_values(row, self.n_objects);
        let shape = if self.layout == Layout::Square { "square" } else { "lower-triangular" };
        let fault = Fault::new(
            format!("the row has {n_values} values where this {shape} matrix needs {expected}"),
            "complete the row, and write names without blanks or in exactly ten characters",
        );
        fault.at(file, position).between([self.names[row].as_str()])
    }

    fn finish(self, lines: &Lines<'_>) -> Result<(Names, Triangle), InputError> {
        let Self { names, name_lines, triangle, .. } = self;
        let names =
            checked_names(names, |index, fault| fault.at(lines.file, FilePosition::Cell(name_lines[index], 1)))?;
        triangle.check_measured().map_err(|fault| lines.error(fault))?;
        Ok((names, triangle))
    }
}

fn wrong_count(n_objects: usize, found: &str) -> Fault {
    Fault::new(
        format!("the first line promises {n_objects} objects, but the file has {found}"),
        "correct the number on the first line or complete the file",
    )
}

/// The first line of a row: a name and the values after it.
struct Row<'l> {
    name: &'l str,
    values: &'l str,
}

impl<'l> Row<'l> {
    /// Splits after the first word (relaxed) or after ten characters (strict), whichever leaves numbers that fit.
    fn split(line: &'l str, fits: impl Fn(usize) -> bool) -> Self {
        let relaxed = Self::relaxed(line);
        let strict = Self::strict(line);
        let complete = |row: &Self| row.all_numbers() && fits(row.n_values());
        let wrapped_strict = strict.n_values() > 0 && strict.all_numbers() && !strict.name_holds_numbers();
        if complete(&relaxed) || strict.name.is_empty() {
            relaxed
        } else if complete(&strict) || (wrapped_strict && !relaxed.all_numbers()) {
            strict
        } else {
            relaxed
        }
    }

    fn relaxed(line: &'l str) -> Self {
        let (name, values) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        Self { name, values }
    }

    fn strict(line: &'l str) -> Self {
        let end = line.char_indices().nth(STRICT_NAME).map_or(line.len(), |(end, _)| end);
        Self { name: line[..end].trim(), values: &line[end..] }
    }

    fn name_holds_numbers(&self) -> bool {
        self.name.split_whitespace().skip(1).any(is_number)
    }

    fn n_values(&self) -> usize {
        self.values.split_whitespace().count()
    }

    fn all_numbers(&self) -> bool {
        self.values.split_whitespace().all(is_number)
    }
}

fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok() || is_missing(cell) || is_decimal_comma(cell)
}
