//! What else is known of the objects: a table of labels, one row per object, joined by name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::cell::is_missing;
use super::checked_names;
use super::error::{Fault, InputError, Place, listed, shortened};
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
    /// Words, or numbers of classes: the place of each object's in `levels` (sorted), or [`NO_LEVEL`].
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
///
/// # Errors
/// If a name is not among `names` or comes twice, a row has more or fewer cells than the header, or a column has more
/// than 65,534 different words.
pub fn read_labels(path: &Path, names: &Names) -> Result<Labels, InputError> {
    let file = path.display().to_string();
    from_source(Source::open(path, &file)?, names)
}

pub(super) fn from_source(source: Source<'_>, names: &Names) -> Result<Labels, InputError> {
    let file = source.file;
    let table = Table::read(source)?;
    let row_of = table.join(file, names)?;
    let columns = (0..table.header.len())
        .map(|column| {
            Ok(LabelColumn { name: table.header[column].clone(), values: table.values(file, column, &row_of)? })
        })
        .collect::<Result<_, InputError>>()?;
    let without = names.iter().zip(&row_of).filter(|(_, row)| row.is_none()).map(|(name, _)| name.into_owned());
    Ok(Labels { columns, without: without.collect() })
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
        let delimiter = Delimiter::detect(&source.head);
        let mut lines = source.lines()?;
        let mut table = Self { header: Vec::new(), names: Vec::new(), cells: Vec::new(), lines: Vec::new() };
        while let Some(line) = lines.next_filled()? {
            let mut cells = delimiter.cells(&line)?.into_iter().map(|cell| cell.into_owned());
            let first = cells.next().unwrap_or_default();
            if table.header.is_empty() {
                table.header = cells.collect();
                check_header(&table.header).map_err(|(column, fault)| line.error_in(column, fault))?;
                continue;
            }
            let n_before = table.cells.len();
            table.cells.extend(cells);
            let (found, expected) = (table.cells.len() - n_before + 1, table.header.len() + 1);
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

    /// The row of each object.
    fn join(&self, file: &str, names: &Names) -> Result<Vec<Option<usize>>, InputError> {
        let known = |row: &usize| names.find(&self.names[*row]).is_none();
        let unknown: Vec<usize> = (0..self.names.len()).filter(known).collect();
        if let Some(&first) = unknown.first() {
            let strangers: Vec<&str> = unknown.iter().map(|&row| self.names[row].as_str()).collect();
            let problem = format!("not among the objects of the run: {}", listed(&strangers));
            let remedy = "write names as the run has them (first column of embedding.csv), or remove these rows";
            return Err(Fault::new(problem, remedy).at(file, Place::Cell(self.lines[first], 1)));
        }
        let rows = checked_names(self.names.clone(), |row, fault| fault.at(file, Place::Cell(self.lines[row], 1)))?;
        Ok(names.iter().map(|name| rows.find(&name)).collect())
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
            return Err(fault.at(file, Place::File));
        }
        let code_of: BTreeMap<&str, u16> = levels.iter().copied().zip(0..).collect();
        let codes = cells.iter().map(|cell| cell.map_or(NO_LEVEL, |cell| code_of[cell])).collect();
        Ok(LabelValues::Categorical { levels: levels.into_iter().map(Into::into).collect(), codes })
    }
}

/// Refuses a header that names no column, or two alike; the error says in which cell.
fn check_header(header: &[String]) -> Result<(), (usize, Fault)> {
    if header.is_empty() {
        let remedy = "start with a header: the name, then the labels, separated by commas or tabs";
        return Err((1, Fault::new("there is no column of labels", remedy)));
    }
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
    fn what_cannot_be_used_is_named_with_place_and_remedy() {
        for (text, expected) in [
            (
                "name,group\na,1\nz,2\ny,3\n",
                "labels.csv, line 3, column 1: not among the objects of the run: z, y. Remedy: write",
            ),
            ("name,group\na,1\na,2\n", "labels.csv, line 3, column 1"),
            ("name,group\na,1,2\n", "labels.csv, line 2 (a): the row has 3 cells, the header has 2. Remedy: give"),
            ("name\na\n", "labels.csv, line 1, column 1: there is no column of labels. Remedy: start with a header"),
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
