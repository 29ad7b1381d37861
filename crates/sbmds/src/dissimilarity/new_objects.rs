//! Objects that are not on a map yet: a table whose rows are new objects and whose columns are old ones.

use std::collections::HashSet;
use std::path::Path;

use super::cell::check_dissimilarity;
use super::checked_names;
use super::error::{Fault, FilePosition, InputError, shortened};
use super::names::Names;
use super::npy::Array;
use super::style::Style;
use super::text::{Line, Source};

/// New objects with their dissimilarities to old ones.
pub struct NewObjects {
    /// The new objects.
    pub names: Names,
    columns: Vec<Column>,
    /// Row by row, NaN where a pair was not measured.
    values: Vec<f64>,
}

/// Whom a column is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Column {
    Old(u32),
    New(u32),
}

impl NewObjects {
    /// The old objects that a new one was measured against, with their dissimilarities.
    pub fn old_partners(&self, object: usize) -> impl Iterator<Item = (usize, f64)> {
        self.row(object).filter_map(|(column, delta)| match column {
            Column::Old(old) => Some((old as usize, delta)),
            Column::New(_) => None,
        })
    }

    /// The other new objects that it was measured against.
    pub fn new_partners(&self, object: usize) -> impl Iterator<Item = (usize, f64)> {
        self.row(object).filter_map(move |(column, delta)| match column {
            Column::New(other) if other as usize != object => Some((other as usize, delta)),
            _ => None,
        })
    }

    fn row(&self, object: usize) -> impl Iterator<Item = (Column, f64)> {
        let n_columns = self.columns.len();
        let row = &self.values[object * n_columns..(object + 1) * n_columns];
        self.columns.iter().copied().zip(row.iter().copied()).filter(|(_, delta)| !delta.is_nan())
    }
}

/// Reads new objects: a CSV or TSV with a header that names old objects (in any order, some may be absent) and a row for each new
/// one, empty where a pair was not measured; or a `.npy` of as many columns as there are old objects. Columns may name new objects, too.
///
/// # Errors
/// If a column names nobody, a row names an old object or one given before, or a cell holds no dissimilarity.
pub fn read_new_objects(path: &Path, old: &Names) -> Result<NewObjects, InputError> {
    let file = super::content::shown(path);
    let source = Source::open(path, &file)?;
    if super::sniff::is_npy(path, &source.head) {
        from_array(&file, &Array::open(source)?, old)
    } else {
        from_table(source, old)
    }
}

fn from_array(file: &str, array: &Array, old: &Names) -> Result<NewObjects, InputError> {
    if array.n_columns() != old.len() {
        let problem = format!("the array has {} columns, and the map {} objects", array.n_columns(), old.len());
        let remedy = "give a column for every object of the map, in its order, or a CSV with names";
        return Err(Fault::new(problem, remedy).at(file, FilePosition::File));
    }
    let mut values = Vec::with_capacity(array.n_rows() * array.n_columns());
    for row in 0..array.n_rows() {
        for column in 0..array.n_columns() {
            let value = check_dissimilarity(array.get(row, column));
            values.push(value.map_err(|fault| fault.at(file, FilePosition::Entry(row as u64, column as u64)))?);
        }
    }
    let names = Names::given((0..array.n_rows()).map(|row| format!("new {row}")).collect())
        .unwrap_or_else(|_| Names::numbered(array.n_rows()));
    Ok(NewObjects { names, columns: (0..).take(old.len()).map(Column::Old).collect(), values })
}

fn from_table(source: Source<'_>, old: &Names) -> Result<NewObjects, InputError> {
    let file = source.file;
    let style = Style::detect(&source);
    let mut lines = source.lines()?;
    let Some(line) = lines.next_filled()? else { return Err(lines.error(no_rows())) };
    let header: Vec<String> = style.cells(&line)?.into_iter().skip(1).map(|cell| cell.into_owned()).collect();
    let header_line = line.number;
    let (mut names, mut numbers, mut values) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(line) = lines.next_filled()? {
        names.push(read_row(&line, style, &header, &mut values)?);
        numbers.push(line.number);
        if old.find(&names[names.len() - 1]).is_some() {
            let problem = format!("\"{}\" is on the map already", shortened(&names[names.len() - 1]));
            return Err(line.error(Fault::new(problem, "remove the row, or give the new object a name of its own")));
        }
    }
    if names.is_empty() {
        return Err(lines.error(no_rows()));
    }
    let names = checked_names(names, |row, fault| fault.at(file, FilePosition::Line(numbers[row])))?;
    let column = |(number, name): (usize, &String)| match (old.find(name), names.find(name)) {
        (Some(object), _) => Ok(Column::Old(object as u32)),
        (None, Some(object)) => Ok(Column::New(object as u32)),
        (None, None) => {
            let problem = format!("the column \"{}\" names no object of the map", shortened(name));
            let fault = Fault::new(problem, "spell names exactly as in the input of the fit, or remove the column");
            Err(fault.at(file, FilePosition::Cell(header_line, number as u64 + 2)))
        }
    };
    let columns: Vec<Column> = header.iter().enumerate().map(column).collect::<Result<_, _>>()?;
    if let Some(twice) = first_repeated(&columns) {
        let fault =
            Fault::new(format!("the column \"{}\" is there twice", shortened(&header[twice])), "remove one of them");
        return Err(fault.at(file, FilePosition::Cell(header_line, twice as u64 + 2)));
    }
    Ok(NewObjects { names, columns, values })
}

/// The first column that is about the same object as one before it.
fn first_repeated(columns: &[Column]) -> Option<usize> {
    let mut seen = HashSet::new();
    columns.iter().position(|column| !seen.insert(column))
}

fn no_rows() -> Fault {
    Fault::new(
        "there are no new objects",
        "give a header with the names of old objects, and below it a row for each new one: its name, then dissimilarities",
    )
}

/// Adds the numbers of a row to `values` and returns its name.
fn read_row(line: &Line<'_>, style: Style, header: &[String], values: &mut Vec<f64>) -> Result<String, InputError> {
    let mut cells = style.split(line.text);
    let name = cells.next().unwrap_or(Ok("".into())).map_err(|fault| line.error_in(1, fault))?;
    let n_before = values.len();
    for (column, cell) in cells.enumerate() {
        let value = cell.and_then(|cell| style.dissimilarity(&cell));
        let partner = || header.get(column).map_or("", String::as_str);
        values.push(value.map_err(|fault| line.error_in(column + 2, fault).between([name.as_ref(), partner()]))?);
    }
    if values.len() - n_before != header.len() {
        let problem =
            format!("the row has {} numbers, the header names {} objects", values.len() - n_before, header.len());
        let fault = Fault::new(
            problem,
            "give every row its name and a cell for every column, empty where nothing was measured",
        );
        return Err(line.error(fault).between([name]));
    }
    Ok(name.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<NewObjects, InputError> {
        let old = Names::given(["a", "b", "c"].map(String::from).to_vec()).unwrap();
        from_table(Source::from_bytes("new.csv", text.as_bytes()), &old)
    }

    #[test]
    fn columns_are_joined_by_name() {
        let new = read("name,c,a,y\nx,1,,0.5\ny,2,3,\n").unwrap();
        assert_eq!(new.names.iter().collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(new.old_partners(0).collect::<Vec<_>>(), [(2, 1.0)]);
        assert_eq!(new.old_partners(1).collect::<Vec<_>>(), [(2, 2.0), (0, 3.0)]);
        assert_eq!(new.new_partners(0).collect::<Vec<_>>(), [(1, 0.5)]);
        assert_eq!(new.new_partners(1).count(), 0);
    }

    #[test]
    fn what_cannot_be_joined_is_said_with_its_cell() {
        for (text, part) in [
            ("name,a,d\nx,1,2\n", "\"d\" names no object"),
            ("name,a\na,1\n", "on the map already"),
            ("name,a\nx,1\nx,2\n", "twice"),
            ("name,a,a\nx,1,2\n", "there twice"),
            ("name,a,b\nx,1\n", "has 1 numbers"),
            ("name,a\nx,-1\n", "negative"),
            ("name,a\n", "no new objects"),
        ] {
            let error = read(text).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}
