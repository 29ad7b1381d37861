//! Tables with one named row of numbers per object: features and positions.

use super::cell::parse_number;
use super::checked_names;
use super::error::{Fault, InputError, Place};
use super::names::Names;
use super::table::Delimiter;
use super::text::{Line, Source};

/// N named rows of P numbers; NaN where a cell is missing.
pub(super) struct LabelledRows {
    pub names: Names,
    pub values: Vec<f64>,
    pub n_columns: usize,
    /// Where each row stands.
    lines: Vec<u64>,
}

impl LabelledRows {
    /// Reads the rows; a first line that holds anything but a name and numbers is a header.
    pub fn read(source: Source<'_>) -> Result<Self, InputError> {
        let file = source.file;
        let delimiter = Delimiter::detect(&source.head);
        let mut lines = source.lines()?;
        let mut rows = Rows::default();
        while let Some(line) = lines.next_filled()? {
            if !(rows.is_first_line() && is_header(&line, delimiter)) {
                rows.read_row(&line, delimiter)?;
            }
            rows.n_lines += 1;
        }
        let Rows { names, values, n_columns, lines, .. } = rows;
        let names = checked_names(names, |row, fault| fault.at(file, Place::Cell(lines[row], 1)))?;
        Ok(Self { names, values, n_columns: n_columns.unwrap_or(0), lines })
    }

    /// The cell that holds number `column` of object `row`, or the whole row.
    pub fn place(&self, row: usize, column: Option<usize>) -> Place {
        let line = self.lines[row];
        column.map_or(Place::Line(line), |column| Place::Cell(line, column as u64 + 2))
    }

    /// The numbers of one row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.n_columns..][..self.n_columns]
    }
}

/// Rows being read.
#[derive(Default)]
struct Rows {
    names: Vec<String>,
    values: Vec<f64>,
    lines: Vec<u64>,
    n_columns: Option<usize>,
    n_lines: usize,
}

impl Rows {
    fn is_first_line(&self) -> bool {
        self.n_lines == 0
    }

    fn read_row(&mut self, line: &Line<'_>, delimiter: Delimiter) -> Result<(), InputError> {
        let mut cells = delimiter.split(line.text);
        let name = cells.next().unwrap_or(Ok("".into())).map_err(|fault| line.error_in(1, fault))?;
        let n_before = self.values.len();
        for (column, cell) in cells.enumerate() {
            let value = cell.and_then(|cell| parse_number(&cell));
            self.values.push(value.map_err(|fault| line.error_in(column + 2, fault).between([name.as_ref()]))?);
        }
        let n_values = self.values.len() - n_before;
        let expected = *self.n_columns.get_or_insert(n_values);
        if n_values != expected {
            let problem = format!("the row has {n_values} numbers, the first row has {expected}");
            let fault = Fault::new(problem, "give every row a name and equally many numbers");
            return Err(line.error(fault).between([name]));
        }
        self.names.push(name.into_owned());
        self.lines.push(line.number);
        Ok(())
    }
}

/// Whether the first line names columns. Columns may be named by numbers (pandas does so), hence the look at cell 1.
fn is_header(line: &Line<'_>, delimiter: Delimiter) -> bool {
    let mut cells = delimiter.split(line.text).map_while(Result::ok);
    let first = cells.next().unwrap_or_default().to_lowercase();
    let names_the_names =
        ["", "name", "names", "id", "object", "label", "taxon", "taxa", "strain"].contains(&first.as_str());
    names_the_names || cells.any(|cell| parse_number(&cell).is_err())
}
