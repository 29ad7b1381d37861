//! Labelled square matrices: CSV, TSV, semicolons or blanks; BEAST's `TAXA` tables and R's `write.table` among them.

use super::error::{Fault, InputError, listed, shortened};
use super::names::Names;
use super::style::Style;
use super::text::{Line, Lines, Source};
use super::triangle::Triangle;
use super::{checked_names, enough_objects};

/// Reads a labelled matrix. Objects are in the order of the header; rows may come in any order.
pub(super) fn read(source: Source<'_>, style: Style) -> Result<(Names, Triangle), InputError> {
    let has_corner = header_has_corner(&source, style);
    let mut lines = source.lines()?;
    let names = read_header(&mut lines, style, has_corner)?;
    let mut matrix = Matrix::new(&names, &lines)?;
    while let Some(line) = lines.next_filled()? {
        matrix.read_row(&line, style)?;
    }
    let triangle = matrix.finish().map_err(|fault| lines.error(fault))?;
    Ok((names, triangle))
}

/// Whether the header has a cell above the row names. R's `write.table` leaves it out: one cell fewer than in the rows.
fn header_has_corner(source: &Source<'_>, style: Style) -> bool {
    let mut counts = super::table::first_lines(source.table())
        .map(|line| style.split(&String::from_utf8_lossy(line)).take_while(Result::is_ok).count());
    match (counts.next(), counts.next()) {
        (Some(header), Some(row)) => row != header + 1,
        _ => true,
    }
}

fn read_header(lines: &mut Lines<'_>, style: Style, has_corner: bool) -> Result<Names, InputError> {
    let Some(line) = lines.next_filled()? else {
        return Err(lines.error(Fault::new("there is no header", "name the objects in the first line")));
    };
    let cells = style.cells(&line)?;
    let n_before = usize::from(has_corner);
    let names: Vec<String> = cells.into_iter().skip(n_before).map(|name| name.into_owned()).collect();
    enough_objects(names.len()).map_err(|fault| line.error(fault))?;
    checked_names(names, |index, fault| line.error_in(index + n_before + 1, fault))
}

/// A matrix being read.
struct Matrix<'n> {
    names: &'n Names,
    triangle: Triangle,
    /// The line that holds the row of each object; 0 before it was met.
    row_lines: Vec<u64>,
    n_rows: usize,
}

impl<'n> Matrix<'n> {
    fn new(names: &'n Names, lines: &Lines<'_>) -> Result<Self, InputError> {
        let triangle = Triangle::for_text(names.len(), lines.size).map_err(|fault| lines.error(fault))?;
        Ok(Self { names, triangle, row_lines: vec![0; names.len()], n_rows: 0 })
    }

    fn read_row(&mut self, line: &Line<'_>, style: Style) -> Result<(), InputError> {
        let n_objects = self.names.len();
        let mut cells = style.split(line.text);
        let name = cells.next().unwrap_or(Ok("".into())).map_err(|fault| line.error_in(1, fault))?;
        let row = self.find_row(&name).map_err(|fault| line.error_in(1, fault))?;
        let mut n_cells = 0;
        for (index, cell) in cells.enumerate() {
            n_cells += 1;
            if n_cells > n_objects {
                continue;
            }
            let noted = cell.and_then(|cell| style.dissimilarity(&cell));
            noted
                .and_then(|value| self.triangle.put(row, index, value))
                .map_err(|fault| line.error_in(index + 2, fault).between([name.as_ref(), &self.names.get(index)]))?;
        }
        if n_cells != n_objects {
            return Err(line.error(ragged(n_cells, n_objects)).between([name]));
        }
        self.row_lines[row] = line.number;
        self.n_rows += 1;
        Ok(())
    }

    fn find_row(&self, name: &str) -> Result<usize, Fault> {
        // Rows mostly come in the order of the header.
        let row = match self.n_rows {
            next if next < self.names.len() && self.names.get(next) == name => next,
            _ => self.names.find(name).ok_or_else(|| unknown_row(name))?,
        };
        match self.row_lines[row] {
            0 => Ok(row),
            earlier => Err(Fault::new(
                format!("the row of {} was already on line {earlier}", shortened(name)),
                "give every object one row and a name of its own",
            )),
        }
    }

    fn finish(self) -> Result<Triangle, Fault> {
        let without: Vec<_> =
            (0..self.names.len()).filter(|&row| self.row_lines[row] == 0).map(|row| self.names.get(row)).collect();
        if !without.is_empty() {
            return Err(Fault::new(
                format!("the header names objects that have no row: {}", listed(&without)),
                "give the same names in the header and in the first column",
            ));
        }
        self.triangle.check_measured()?;
        Ok(self.triangle)
    }
}

fn unknown_row(name: &str) -> Fault {
    if name.is_empty() {
        return super::empty_name();
    }
    Fault::new(
        format!("the row name {} is not in the header", shortened(name)),
        "give the same names in the header and in the first column; a table of features needs `features`",
    )
}

fn ragged(n_cells: usize, n_objects: usize) -> Fault {
    Fault::new(
        format!("the row has {n_cells} values, the header names {n_objects} objects"),
        "give every row one value (or an empty cell) per object",
    )
}
