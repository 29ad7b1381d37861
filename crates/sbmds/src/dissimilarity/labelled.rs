//! Tables with one row of numbers per object, mostly named: features and positions.

use std::collections::HashSet;

use super::checked_names;
use super::error::{Fault, FilePosition, InputError, brief, shortened};
use super::names::Names;
use super::style::Style;
use super::text::{Line, Source};

/// Whether the first column holds the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameColumn {
    /// It does.
    First,
    /// It holds numbers as the others do.
    Absent,
    /// It does, unless it holds numbers that cannot be names: repeated or decimal ones.
    Guess,
}

/// N rows of P numbers; NaN where a cell is missing.
pub(super) struct LabelledRows {
    pub names: Names,
    pub values: Vec<f64>,
    pub n_columns: usize,
    /// What the user should know about how the table was read.
    pub notes: Vec<String>,
    /// What the user should know because it may be wrong.
    pub warnings: Vec<String>,
    /// Where each row stands.
    lines: Vec<u64>,
    has_names: bool,
}

impl LabelledRows {
    /// Reads the rows; a first line that holds anything but a name and numbers is a header.
    pub fn read(source: Source<'_>, name_column: NameColumn) -> Result<Self, InputError> {
        let file = source.file;
        let style = Style::detect(&source);
        let mut lines = source.lines()?;
        let mut rows = Rows::new(style);
        while let Some(line) = lines.next_filled()? {
            if rows.is_first_line() && is_header(&line, style, name_column) {
                rows.header = Some(style.cells(&line)?.into_iter().map(|cell| cell.into_owned()).collect());
            } else {
                rows.read_row(&line)?;
            }
            rows.n_lines += 1;
        }
        rows.finish(file, name_column)
    }

    /// The cell that holds number `column` of object `row`, or the whole row.
    pub fn position(&self, row: usize, column: Option<usize>) -> FilePosition {
        let line = self.lines[row];
        let first = 1 + u64::from(self.has_names);
        column.map_or(FilePosition::Line(line), |column| FilePosition::Cell(line, column as u64 + first))
    }

    /// The numbers of one row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.n_columns..][..self.n_columns]
    }
}

/// Rows being read, the first cell of each taken for its name.
struct Rows {
    style: Style,
    header: Option<Vec<String>>,
    names: Vec<String>,
    values: Vec<f64>,
    lines: Vec<u64>,
    n_columns: Option<usize>,
    n_lines: usize,
}

impl Rows {
    fn new(style: Style) -> Self {
        let (names, values, lines) = (Vec::new(), Vec::new(), Vec::new());
        Self { style, header: None, names, values, lines, n_columns: None, n_lines: 0 }
    }

    fn is_first_line(&self) -> bool {
        self.n_lines == 0
    }

    fn read_row(&mut self, line: &Line<'_>) -> Result<(), InputError> {
        let mut cells = self.style.split(line.text);
        let name = cells.next().unwrap_or(Ok("".into())).map_err(|fault| line.error_in(1, fault))?;
        let n_before = self.values.len();
        for (column, cell) in cells.enumerate() {
            let value = cell.and_then(|cell| self.style.number(&cell));
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

    fn finish(self, file: &str, name_column: NameColumn) -> Result<LabelledRows, InputError> {
        let mut notes: Vec<String> = self.style.note(file).into_iter().collect();
        let (no_names, warning) = match name_column {
            NameColumn::First => (false, None),
            NameColumn::Absent => (true, None),
            NameColumn::Guess => self.guess(file),
        };
        let warnings = warning.into_iter().collect();
        let Self { names, values, n_columns, lines, style, .. } = self;
        let n_columns = n_columns.unwrap_or(0);
        if !no_names {
            let names = checked_names(names, |row, fault| fault.at(file, FilePosition::Cell(lines[row], 1)))?;
            return Ok(LabelledRows { names, values, n_columns, notes, warnings, lines, has_names: true });
        }
        let n_rows = names.len();
        let mut all = Vec::with_capacity(n_rows * (n_columns + 1));
        for (row, first) in names.iter().enumerate() {
            all.push(style.number(first).map_err(|fault| fault.at(file, FilePosition::Cell(lines[row], 1)))?);
            all.extend(&values[row * n_columns..][..n_columns]);
        }
        notes.extend(super::numbered_note(file, n_rows));
        let names = Names::numbered(n_rows);
        Ok(LabelledRows { names, values: all, n_columns: n_columns + 1, notes, warnings, lines, has_names: false })
    }

    /// Whether the first column is a number like the others, and what to tell the user about it.
    fn guess(&self, file: &str) -> (bool, Option<String>) {
        let (file, header) = (brief(file), self.header.as_deref().unwrap_or_default());
        let lacks_corner = !header.is_empty() && Some(header.len()) == self.n_columns;
        let says_names = header.first().is_some_and(|first| is_name_word(first));
        let are_numbers = self.names.iter().all(|name| !name.is_empty() && self.style.is_value(name));
        if lacks_corner || says_names || !are_numbers || self.names.is_empty() {
            return (false, None);
        }
        let whole: Vec<Option<u64>> = self.names.iter().map(|name| name.parse().ok()).collect();
        let is_unique = self.names.iter().collect::<HashSet<_>>().len() == self.names.len();
        let called = header.first().map(|first| format!(" ({})", shortened(first))).unwrap_or_default();
        if !is_unique || whole.contains(&None) {
            let found = if is_unique { "decimal" } else { "repeated" };
            let text = format!(
                "{file}: the first column{called} holds {found} numbers, so it is taken as a feature, not as names (as with \
                 `no_names`)"
            );
            return (true, Some(text));
        }
        let are_counted = whole.windows(2).all(|two| two[0].map(|first| first + 1) == two[1]);
        let text = format!(
            "{file}: the first column{called} holds different whole numbers and is taken for names; `no_names` takes it as a \
             feature"
        );
        (false, (!are_counted).then_some(text))
    }
}

/// Whether the first line names columns. Columns may be named by numbers (pandas does so), hence the look at cell 1.
fn is_header(line: &Line<'_>, style: Style, name_column: NameColumn) -> bool {
    let mut cells = style.split(line.text).map_while(Result::ok);
    let first = cells.next().unwrap_or_default();
    let is_word = |cell: &str| !style.is_value(cell);
    is_name_word(&first) || (name_column == NameColumn::Absent && is_word(&first)) || cells.any(|cell| is_word(&cell))
}

/// What stands above a column of names.
fn is_name_word(cell: &str) -> bool {
    let words = ["", "name", "names", "id", "object", "label", "taxon", "taxa", "strain"];
    words.contains(&cell.to_lowercase().as_str())
}
