//! The table Racmacs reads: a row for every virus, a column for every serum.

use super::objects::Objects;
use super::{TiterRow, Titers, titer};
use crate::dissimilarity::error::{Fault, FilePosition, InputError, brief, shortened};
use crate::dissimilarity::style::Style;
use crate::dissimilarity::text::{Line, Lines};

/// Reads the lines below the header, whose first cell may be empty, a word, or left out.
pub(super) fn read(mut lines: Lines<'_>, style: Style, header: &[String]) -> Result<Titers, InputError> {
    let file = lines.file;
    let (mut viruses, mut rows, mut n_blank) = (Objects::default(), Vec::new(), 0);
    let mut sera: Option<Objects> = None;
    while let Some(line) = lines.next_filled()? {
        let cells = style.cells(&line)?;
        let sera = match &mut sera {
            Some(sera) => sera,
            None => sera.insert(read_header(file, header, cells.len())?),
        };
        if cells.len() != sera.len() + 1 {
            let problem = format!("the line has {} titres, the header has {} sera", cells.len() - 1, sera.len());
            return Err(line.error(Fault::new(problem, "write * where nothing was measured")));
        }
        let virus = add_new(&mut viruses, &cells[0], &line)?;
        for (serum, cell) in cells[1..].iter().enumerate() {
            n_blank += usize::from(cell.is_empty());
            let read = titer::parse(cell, style)
                .map_err(|fault| line.error_in(serum + 2, fault).between([cells[0].as_ref()]))?;
            rows.extend(read.map(|titer| TiterRow { virus, serum, titer }));
        }
    }
    let Some(sera) = sera else {
        let fault = Fault::new(
            "there is a header, but no virus",
            "give one line per virus, or the columns virus, serum, titer",
        );
        return Err(fault.at(file, FilePosition::File));
    };
    let mut titers = Titers::assemble(file, viruses, sera, rows)?;
    if n_blank > 0 {
        let cells = if n_blank == 1 { "1 empty cell counts" } else { &format!("{n_blank} empty cells count") };
        titers.warnings.push(format!("{}: {cells} as not measured, as * does", brief(file)));
    }
    Ok(titers)
}

/// The sera: all cells but the first, unless the header is one shorter than the lines below it, as R writes it.
fn read_header(file: &str, header: &[String], n_cells: usize) -> Result<Objects, InputError> {
    let first = usize::from(header.len() != n_cells - 1);
    let mut sera = Objects::default();
    for (column, name) in header.iter().enumerate().skip(first) {
        let at = |fault: Fault| fault.at(file, FilePosition::Cell(1, column as u64 + 1));
        let n_before = sera.len();
        if sera.find_or_add(name).map_err(at)? < n_before {
            let problem = format!("the serum {} has two columns", shortened(name));
            return Err(at(Fault::new(
                problem,
                "give every serum a name of its own; repeats go in lines of the long form",
            )));
        }
    }
    Ok(sera)
}

fn add_new(viruses: &mut Objects, name: &str, line: &Line<'_>) -> Result<usize, InputError> {
    let n_before = viruses.len();
    let virus = viruses.find_or_add(name).map_err(|fault| line.error_in(1, fault))?;
    if virus == n_before {
        return Ok(virus);
    }
    let problem = format!("the virus {} has two rows", shortened(name));
    Err(line.error(Fault::new(problem, "give every virus a name of its own; repeats go in lines of the long form")))
}
