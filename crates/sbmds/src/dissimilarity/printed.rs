//! What R prints of a `dist` or of a matrix: names with blanks, values set below the end of their column's name, columns cut
//! into blocks.

use std::collections::{BTreeSet, HashMap};

use super::error::{Fault, FilePosition, InputError, shortened};
use super::names::Names;
use super::style::Style;
use super::text::{Line, Source};
use super::triangle::Triangle;
use super::{checked_names, enough_objects};

/// Some columns of the table: their names above, and rows of values below.
struct Block {
    header: String,
    header_line: u64,
    rows: Vec<Row>,
}

/// A row of a block: its name, and its values with the characters after which they end.
struct Row {
    line: u64,
    name: String,
    values: Vec<(usize, String)>,
}

/// One value: row, column, text and where it stands.
type Entry = (String, String, String, FilePosition);

/// Reads the blocks and joins them by name.
pub(super) fn read(source: Source<'_>, style: Style) -> Result<(Names, Triangle), InputError> {
    let mut lines = source.lines()?;
    let mut blocks: Vec<Block> = Vec::new();
    while let Some(line) = lines.next_filled()? {
        if line.text.starts_with(' ') {
            blocks.push(Block { header: line.text.to_owned(), header_line: line.number, rows: Vec::new() });
        } else if let Some(block) = blocks.last_mut() {
            let row = read_row(&line, &ends(&block.header), style)?;
            block.rows.push(row);
        }
    }
    let file = lines.file;
    let columns = blocks.iter().map(Block::columns).collect::<Vec<_>>();
    let names = all_names(file, &blocks, &columns)?;
    let mut triangle = Triangle::for_text(names.len(), lines.size).map_err(|fault| lines.error(fault))?;
    for (block, columns) in blocks.iter().zip(&columns) {
        for (row, column, value, position) in block.entries(columns) {
            let put = find(&names, &row).and_then(|a| {
                let b = find(&names, &column)?;
                triangle.put(a, b, style.dissimilarity(&value)?)
            });
            put.map_err(|fault| fault.at(file, position).between([row, column]))?;
        }
    }
    triangle.check_measured().map_err(|fault| lines.error(fault))?;
    Ok((names, triangle))
}

/// Words with the number of characters up to their end.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut end = 0;
    line.split(' ').filter_map(move |word| {
        end += word.chars().count() + 1;
        (!word.is_empty()).then_some((end - 1, word))
    })
}

/// R calls rows and columns without names `[1,]` and `[,1]`.
fn unbracketed(name: &str) -> String {
    let inside = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or_default();
    let number = inside.strip_prefix(',').or_else(|| inside.strip_suffix(','));
    number.unwrap_or(name).to_owned()
}

fn ends(header: &str) -> BTreeSet<usize> {
    words(header).map(|(end, _)| end).collect()
}

/// Splits a row into its name and the values, which end below the end of a word of the header.
fn read_row(line: &Line<'_>, ends: &BTreeSet<usize>, style: Style) -> Result<Row, InputError> {
    let words: Vec<(usize, &str)> = words(line.text).collect();
    let is_value = |&(end, word): &(usize, &str)| ends.contains(&end) && style.is_value(word);
    let n_name = words.len() - words.iter().rev().take_while(|word| is_value(word)).count();
    let name: Vec<&str> = words[..n_name].iter().map(|&(_, word)| word).collect();
    if name.is_empty() {
        let fault = Fault::new("the row has no name", "print the object again with R: print(d)");
        return Err(line.error(fault));
    }
    // Numbers beside their column are not to be lost in a name.
    let first_end = ends.first().copied().unwrap_or_default();
    if let Some((_, stray)) = words[..n_name].iter().find(|&&(end, _)| end >= first_end) {
        let problem = format!("\"{}\" does not stand below a column", shortened(stray));
        let remedy =
            "print the object again with R: print(d), and keep its blanks, or use write.csv(as.matrix(d), FILE)";
        return Err(line.error(Fault::new(problem, remedy)));
    }
    let values = words[n_name..].iter().map(|&(end, word)| (end, word.to_owned())).collect();
    Ok(Row { line: line.number, name: unbracketed(&name.join(" ")), values })
}

impl Block {
    /// The columns that hold values: where they end, and their names.
    fn columns(&self) -> Vec<(usize, String)> {
        let used: BTreeSet<usize> = self.rows.iter().flat_map(|row| row.values.iter().map(|&(end, _)| end)).collect();
        let mut columns: Vec<(usize, String)> = Vec::new();
        let mut name = Vec::new();
        for (end, word) in words(&self.header) {
            name.push(word);
            if used.contains(&end) {
                columns.push((end, unbracketed(&name.join(" "))));
                name.clear();
            }
        }
        columns
    }

    fn entries(&self, columns: &[(usize, String)]) -> Vec<Entry> {
        let name_of: HashMap<usize, &String> = columns.iter().map(|(end, name)| (*end, name)).collect();
        let mut entries = Vec::new();
        for row in &self.rows {
            for (position, (end, value)) in row.values.iter().enumerate() {
                let column = name_of.get(end).map_or_else(String::new, |name| (*name).clone());
                let position = FilePosition::Cell(row.line, position as u64 + 2);
                entries.push((row.name.clone(), column, value.clone(), position));
            }
        }
        entries
    }
}

/// The rows of the first block, below the first column if that has no row of its own, as in a lower triangle.
fn all_names(file: &str, blocks: &[Block], columns: &[Vec<(usize, String)>]) -> Result<Names, InputError> {
    let mut names = Vec::new();
    let mut name_lines = Vec::new();
    let Some(first) = blocks.first() else { return Ok(Names::numbered(0)) };
    if let Some((_, column)) = columns[0].first().filter(|(_, name)| first.rows.iter().all(|row| row.name != *name)) {
        names.push(column.clone());
        name_lines.push(first.header_line);
    }
    names.extend(first.rows.iter().map(|row| row.name.clone()));
    name_lines.extend(first.rows.iter().map(|row| row.line));
    enough_objects(names.len()).map_err(|fault| fault.at(file, FilePosition::File))?;
    checked_names(names, |index, fault| fault.at(file, FilePosition::Line(name_lines[index])))
}

fn find(names: &Names, name: &str) -> Result<usize, Fault> {
    names.find(name).ok_or_else(|| {
        let problem = format!("{} has no row in the first block of columns", shortened(name));
        Fault::new(problem, "print the whole object again with R: print(d)")
    })
}
