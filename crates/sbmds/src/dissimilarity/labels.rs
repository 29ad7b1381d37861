//! What else is known of the objects: a table of labels, one row per object, joined by name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::cell::is_missing;
use super::error::{Fault, FilePosition, InputError, listed, shortened};
use super::label_kind::recognised;
use super::names::Names;
use super::table::Delimiter;
use super::text::Source;

/// The code of an object without a level.
pub const NO_LEVEL: u16 = u16::MAX;

/// The columns of a table of labels, in input order of the objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labels {
    /// The columns after the name.
    pub columns: Vec<LabelColumn>,
    /// Objects that have no row.
    pub without: Vec<String>,
    /// Rows that belong to no object.
    pub strangers: Vec<String>,
    /// Whether the rows were taken in the order of the objects, because there is no column of names.
    pub by_row: bool,
}

/// One column of labels.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelColumn {
    /// Its name in the header.
    pub name: String,
    /// Its values.
    pub values: LabelValues,
}

/// The labels of all objects in one column.
#[derive(Clone, Debug, PartialEq)]
pub enum LabelValues {
    /// Words, or numbers of classes: the index of each object's in `levels` (sorted), or [`NO_LEVEL`].
    Categorical {
        /// The different words.
        levels: Vec<String>,
        /// One per object.
        codes: Vec<u16>,
    },
    /// Numbers; NaN if missing.
    Numeric(Vec<f64>),
}

impl Labels {
    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&LabelColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// How the table was read, in a sentence: rows that belong to no object, or rows without names; `None` if there is
    /// nothing to say.
    pub fn note(&self) -> Option<String> {
        if self.by_row {
            return Some(
                "the table of labels has one column and no names: its rows are taken in the order of the objects"
                    .into(),
            );
        }
        let (rows, name, are) =
            if self.strangers.len() == 1 { ("row", "names", "is") } else { ("rows", "name", "are") };
        let n_rows = self.strangers.len();
        (n_rows > 0).then(|| {
            format!(
                "{n_rows} {rows} of the table of labels {name} no object and {are} left out: {}",
                listed(&self.strangers)
            )
        })
    }

    /// A sentence that names some of the objects without a row; `None` if every object has one.
    pub fn warning(&self) -> Option<String> {
        match self.without.len() {
            0 => None,
            1 => Some(format!("1 object has no row in the table of labels: {}", listed(&self.without))),
            n => Some(format!("{n} objects have no row in the table of labels: {}", listed(&self.without))),
        }
    }
}

/// Reads a CSV or TSV with a header, whose first column is the name; rows in any order, empty cells (or NA) are missing.
/// A column in which all other cells are numbers is numeric, unless they look like class numbers (few, small, whole, repeated).
/// Rows that name no object are left out. Objects that are numbered may have a single column of labels, in their order.
///
/// # Errors
/// If no name is among `names`, an object has two rows, a row has more or fewer cells than the header, or a column has more
/// than 65,534 different words.
pub fn read_labels(path: &Path, names: &Names) -> Result<Labels, InputError> {
    let file = super::content::shown(path);
    from_source(Source::open(path, &file)?, names)
}

pub(super) fn from_source(source: Source<'_>, names: &Names) -> Result<Labels, InputError> {
    let file = source.file;
    let mut table = Table::read(source)?;
    let by_row = table.number_rows(file, names)?;
    let row_of = table.join(file, names)?;
    let columns = (0..table.header.len())
        .map(|column| {
            Ok(LabelColumn { name: table.header[column].clone(), values: table.values(file, column, &row_of)? })
        })
        .collect::<Result<_, InputError>>()?;
    let without = names.iter().zip(&row_of).filter(|(_, row)| row.is_none()).map(|(name, _)| name.into_owned());
    let without = without.collect();
    let strangers = table.names.iter().filter(|name| names.find(name).is_none()).cloned().collect();
    Ok(Labels { columns, without, strangers, by_row })
}

/// The table as it stands in the file.
struct Table {
    /// Names of the columns after the first.
    header: Vec<String>,
    names: Vec<String>,
    /// Cells after the first, row by row.
    cells: Vec<String>,
    /// Where each row stands.
    lines: Vec<u64>,
}

impl Table {
    fn read(source: Source<'_>) -> Result<Self, InputError> {
        let delimiter = Delimiter::detect(source.table());
        let mut lines = source.lines()?;
        let mut table = Self { header: Vec::new(), names: Vec::new(), cells: Vec::new(), lines: Vec::new() };
        let mut n_cells = None;
        while let Some(line) = lines.next_filled()? {
            let mut cells = delimiter.cells(&line)?.into_iter().map(|cell| cell.into_owned());
            let first = cells.next().unwrap_or_default();
            let Some(expected) = n_cells else {
                table.header = cells.collect();
                n_cells = Some(table.header.len() + 1);
                check_header(&table.header).map_err(|(column, fault)| line.error_in(column, fault))?;
                if table.header.is_empty() {
                    // The name of a single column, until it is known whether it holds names or labels.
                    table.header.push(first);
                }
                continue;
            };
            let n_before = table.cells.len();
            table.cells.extend(cells);
            let found = table.cells.len() - n_before + 1;
            if found != expected {
                let problem = format!("the row has {found} cells, the header has {expected}");
                let remedy = "give every row the cells of the header, and quote cells that hold the delimiter";
                return Err(line.error(Fault::new(problem, remedy)).between([first]));
            }
            table.names.push(first);
            table.lines.push(line.number);
        }
        Ok(table)
    }

    /// Makes a single column the labels of numbered objects, in their order; whether it did.
    fn number_rows(&mut self, file: &str, names: &Names) -> Result<bool, InputError> {
        let is_single = self.cells.is_empty() && !self.names.is_empty();
        if !is_single {
            return Ok(false);
        }
        if self.names.len() != names.len() || !names.is_numbered() {
            let problem = format!("there is one column ({}) and no column of names", shortened(&self.header[0]));
            let remedy = "start with a header, the name and then the labels, separated by commas or tabs; a single column \
                          serves objects without names, one row for each";
            return Err(Fault::new(problem, remedy).at(file, FilePosition::File));
        }
        let numbers = (0..names.len()).map(|object| object.to_string()).collect();
        self.cells = std::mem::replace(&mut self.names, numbers);
        Ok(true)
    }

    /// The row of each object; rows of others are left out.
    fn join(&self, file: &str, names: &Names) -> Result<Vec<Option<usize>>, InputError> {
        let mut row_of: Vec<Option<usize>> = vec![None; names.len()];
        for (row, name) in self.names.iter().enumerate() {
            let Some(object) = names.find(name) else { continue };
            if let Some(earlier) = row_of[object].replace(row) {
                let problem = format!("the row of {} was already on line {}", shortened(name), self.lines[earlier]);
                let fault = Fault::new(problem, "give every object one row");
                return Err(fault.at(file, FilePosition::Cell(self.lines[row], 1)));
            }
        }
        if row_of.iter().all(Option::is_none) && !self.names.is_empty() {
            let objects: Vec<_> = names.iter().take(3).collect();
            let problem = format!(
                "no row names an object of the run; they name {}, the objects are called {}",
                listed(&self.names[..self.names.len().min(3)]),
                listed(&objects)
            );
            let remedy = "write names as the run has them (first column of embedding.csv), in the first column";
            return Err(Fault::new(problem, remedy).at(file, FilePosition::File));
        }
        Ok(row_of)
    }

    fn cell(&self, row: usize, column: usize) -> Option<&str> {
        Some(self.cells[row * self.header.len() + column].as_str()).filter(|cell| !is_missing(cell))
    }

    fn values(&self, file: &str, column: usize, row_of: &[Option<usize>]) -> Result<LabelValues, InputError> {
        let cells: Vec<Option<&str>> = row_of.iter().map(|row| self.cell((*row)?, column)).collect();
        let number = |cell: &str| cell.parse::<f64>().ok().filter(|number| !number.is_infinite());
        let mut known = cells.iter().flatten().peekable();
        if known.peek().is_some() && known.all(|cell| number(cell).is_some()) {
            return Ok(recognised(cells.iter().map(|cell| cell.and_then(number).unwrap_or(f64::NAN)).collect()));
        }
        let levels: BTreeSet<&str> = cells.iter().flatten().copied().collect();
        if levels.len() > usize::from(NO_LEVEL) - 1 {
            let problem = format!("column {} has {} different words", shortened(&self.header[column]), levels.len());
            let fault = Fault::new(problem, "give at most 65,534, or leave the column out");
            return Err(fault.at(file, FilePosition::File));
        }
        let code_of: BTreeMap<&str, u16> = levels.iter().copied().zip(0..).collect();
        let codes = cells.iter().map(|cell| cell.map_or(NO_LEVEL, |cell| code_of[cell])).collect();
        Ok(LabelValues::Categorical { levels: levels.into_iter().map(Into::into).collect(), codes })
    }
}

/// Refuses a header that leaves a column without name, or names two alike; the error says in which cell.
fn check_header(header: &[String]) -> Result<(), (usize, Fault)> {
    for (column, name) in header.iter().enumerate() {
        if name.is_empty() {
            return Err((
                column + 2,
                Fault::new("the column has no name", "give every column a name in the first line"),
            ));
        }
        if header[..column].contains(name) {
            let problem = format!("there are two columns called {}", shortened(name));
            return Err((column + 2, Fault::new(problem, "rename one of them")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names::given(["a", "b", "c"].map(Into::into).to_vec()).unwrap()
    }

    fn read(text: &str) -> Result<Labels, String> {
        from_source(Source::from_bytes("labels.csv", text.as_bytes()), &names()).map_err(|error| error.to_string())
    }

    #[test]
    fn columns_are_joined_by_name_and_know_their_kind() {
        let labels = read("name,group,year\nc,\"x, y\",2001.5\na,w,NA\n").unwrap();
        let LabelValues::Categorical { levels, codes } = &labels.column("group").unwrap().values else { panic!() };
        assert_eq!(
            (levels.as_slice(), codes.as_slice()),
            (["w", "x, y"].map(String::from).as_slice(), &[0, NO_LEVEL, 1][..])
        );
        let LabelValues::Numeric(years) = &labels.column("year").unwrap().values else { panic!() };
        assert!(years[0].is_nan() && years[1].is_nan() && years[2] == 2001.5);
        assert_eq!(labels.warning().unwrap(), "1 object has no row in the table of labels: b");
        assert!(labels.column("age").is_none());
    }

    #[test]
    fn a_column_with_one_word_or_nothing_at_all_is_categorical() {
        let labels = read("name\tmixed\tempty\na\t1\t\nb\tx\t\nc\t2\t\n").unwrap();
        let codes = |column: usize| match &labels.columns[column].values {
            LabelValues::Categorical { codes, .. } => codes.clone(),
            LabelValues::Numeric(_) => panic!("column {column}"),
        };
        assert_eq!((codes(0), codes(1)), (vec![0, 2, 1], vec![NO_LEVEL; 3]));
        assert_eq!(labels.warning(), None);
    }

    #[test]
    fn rows_of_others_are_left_out_with_a_note() {
        let labels = read("name,group\na,1\nz,2\nb,3\nc,3\nz,4\n").unwrap();
        let LabelValues::Numeric(groups) = &labels.columns[0].values else { panic!() };
        assert_eq!((groups.as_slice(), labels.warning()), (&[1.0, 3.0, 3.0][..], None));
        assert_eq!(labels.note().unwrap(), "2 rows of the table of labels name no object and are left out: z, z");
        let labels = read("name,group\na,1\nz,2\n").unwrap();
        assert_eq!(labels.note().unwrap(), "1 row of the table of labels names no object and is left out: z");
        assert_eq!(read("name,group\na,1\nb,1\nc,1\n").unwrap().note(), None);
    }

    #[test]
    fn a_single_column_labels_objects_without_names() {
        let content = "digit\n7\n7\n1\n";
        let numbered = |n| from_source(Source::from_bytes("labels.csv", content.as_bytes()), &Names::numbered(n));
        let labels = numbered(3).unwrap();
        let LabelValues::Numeric(digits) = &labels.column("digit").unwrap().values else { panic!() };
        assert_eq!(digits, &[7.0, 7.0, 1.0]);
        let note = "the table of labels has one column and no names: its rows are taken in the order of the objects";
        assert_eq!((labels.note().as_deref(), labels.warning()), (Some(note), None));
        let error = numbered(4).unwrap_err().to_string();
        assert_eq!(
            error,
            "labels.csv: there is one column (digit) and no column of names. Remedy: start with a header, the name and then the \
             labels, separated by commas or tabs; a single column serves objects without names, one row for each."
        );
    }

    #[test]
    fn what_cannot_be_used_is_named_with_position_and_remedy() {
        for (text, expected) in [
            (
                "name,group\nx,1\nz,2\ny,3\nw,4\n",
                "labels.csv: no row names an object of the run; they name x, z, y, the objects are called a, b, c. Remedy: \
                 write names as the run has them (first column of embedding.csv), in the first column.",
            ),
            (
                "name,group\na,1\na,2\n",
                "labels.csv, line 3, column 1: the row of a was already on line 2. Remedy: give every object one row.",
            ),
            ("name,group\na,1,2\n", "labels.csv, line 2 (a): the row has 3 cells, the header has 2. Remedy: give"),
            ("name\na\n", "labels.csv: there is one column (name) and no column of names. Remedy: start with a header"),
            ("name,g,g\na,1,2\n", "labels.csv, line 1, column 3: there are two columns called g. Remedy: rename"),
            ("name,g,\na,1,2\n", "labels.csv, line 1, column 3: the column has no name"),
            ("name,g\na,\"1\n", "labels.csv, line 2, column 2: a quoted cell does not end"),
            ("\n", "labels.csv: the file is empty"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.starts_with(expected), "{message}");
        }
    }

    #[test]
    fn more_words_than_codes_are_refused() {
        let n = 65_536;
        let names = Names::numbered(n);
        let text: String = (0..n).map(|row| format!("{row},w{row}\n")).collect();
        let text = format!("name,word\n{text}");
        let error = from_source(Source::from_bytes("labels.csv", text.as_bytes()), &names).unwrap_err();
        assert!(error.to_string().contains("65536 different words"), "{error}");
    }
}
