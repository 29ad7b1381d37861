//! The long form: one measurement per line, columns by name.

use super::objects::Objects;
use super::{Columns, TiterRow, Titers, titer};
use crate::dissimilarity::error::{Fault, InputError};
use crate::dissimilarity::style::Style;
use crate::dissimilarity::text::Lines;

/// Reads the lines below the header.
pub(super) fn read(
    mut lines: Lines<'_>,
    style: Style,
    columns: &Columns,
    n_columns: usize,
) -> Result<Titers, InputError> {
    let (mut viruses, mut sera, mut rows) = (Objects::default(), Objects::default(), Vec::new());
    while let Some(line) = lines.next_filled()? {
        let cells = style.cells(&line)?;
        if cells.len() != n_columns {
            let problem = format!("the line has {} cells, the header has {n_columns}", cells.len());
            return Err(line.error(Fault::new(problem, "give every line as many cells as the header")));
        }
        let (of_virus, of_serum) = (&cells[columns.virus], &cells[columns.serum]);
        let read = titer::parse(&cells[columns.titer], style)
            .map_err(|fault| line.error_in(columns.titer + 1, fault).between([of_virus.as_ref(), of_serum]))?;
        // A line without titre measures nothing: its objects may have no other.
        let Some(titer) = read else { continue };
        let virus = viruses.find_or_add(of_virus).map_err(|fault| line.error_in(columns.virus + 1, fault))?;
        let serum = sera.find_or_add(of_serum).map_err(|fault| line.error_in(columns.serum + 1, fault))?;
        for (objects, object, column) in
            [(&mut viruses, virus, columns.virus_year), (&mut sera, serum, columns.serum_year)]
        {
            let Some(column) = column else { continue };
            let year = style.number(&cells[column]).map_err(|fault| line.error_in(column + 1, fault))?;
            if year.is_finite() {
                objects.saw_year(object, year);
            }
        }
        rows.push(TiterRow { virus, serum, titer });
    }
    Titers::assemble(lines.file, viruses, sera, rows)
}
