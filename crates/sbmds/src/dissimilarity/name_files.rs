//! Files that name the rows of an input without names: one name per line, or the first column of a table.

use std::path::Path;

use super::checked_names;
use super::error::{Fault, FilePosition, InputError, shortened};
use super::names::Names;
use super::style::Style;
use super::text::Source;

/// Reads names for `n_objects` rows: one per line, or the first column of a table with a header. A single column may have a
/// header, too.
pub(super) fn read_names(path: &Path, n_objects: usize) -> Result<Names, InputError> {
    let file = super::content::shown(path);
    names_from(Source::open(path, &file)?, n_objects)
}

pub(super) fn names_from(source: Source<'_>, n_objects: usize) -> Result<Names, InputError> {
    // A name may begin with #.
    let source = source.without_comments();
    let style = Style::detect(&source);
    let mut lines = source.lines()?;
    let (mut names, mut first_cells) = (Vec::new(), Vec::new());
    while let Some(line) = lines.next_line()? {
        names.push(line.text.trim().to_owned());
        let first = style.split(line.text).next().and_then(Result::ok);
        first_cells.push(first.unwrap_or_default().into_owned());
    }
    // Blank lines at the end are no names.
    while names.last().is_some_and(|name| name.is_empty()) {
        names.pop();
    }
    first_cells.truncate(names.len());
    if names.len() == n_objects + 1 {
        return checked_names(first_cells.split_off(1), |index, fault| {
            let fault = if first_cells[0] == names[0] { after_header(&names[0], fault) } else { fault };
            fault.at(lines.file, FilePosition::Cell(index as u64 + 2, 1))
        });
    }
    if names.len() != n_objects {
        let problem = format!("{} names for {n_objects} rows", names.len());
        let remedy = "give one name per row, each on a line of its own, or a table with a header and one line per row";
        return Err(lines.error(Fault::new(problem, remedy)));
    }
    checked_names(names, |index, fault| fault.at(lines.file, FilePosition::Line(index as u64 + 1)))
}

/// A fault in a single column, of which the first line was taken for a header.
fn after_header(header: &str, fault: Fault) -> Fault {
    let problem = format!("{} (the first line, {}, is taken for a header)", fault.problem, shortened(header));
    Fault::new(problem, fault.remedy)
}

/// Whether a table has more than one column, so that the first can be names; `true` if it cannot be read.
pub fn has_several_columns(path: &Path) -> bool {
    let file = super::content::shown(path);
    Source::open(path, &file).map_or(true, |source| {
        let style = Style::detect(&source);
        let first = super::table::first_lines(source.table()).next().map(String::from_utf8_lossy).unwrap_or_default();
        style.split(&first).nth(1).is_some()
    })
}
