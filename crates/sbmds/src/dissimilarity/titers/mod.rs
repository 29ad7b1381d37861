//! Titres of viruses against sera: Racmacs' tables and BEAST's long form.
//!
//! A virus and a serum are two objects even if they have one name. Every row of the long form is a measurement of its own.

mod columns;
mod long;
mod objects;
mod rectangle;
#[cfg(test)]
mod tests;
mod titer;

use std::path::Path;

pub use objects::{Levels, read_levels};
pub use titer::Titer;

use super::error::{Fault, FilePosition, InputError, brief, listed, shortened};
use super::names::Names;
use super::style::Style;
use super::text::Source;
use columns::Columns;
use objects::Objects;

/// One measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TiterRow {
    /// Which virus.
    pub virus: usize,
    /// Which serum.
    pub serum: usize,
    /// What was measured.
    pub titer: Titer,
}

/// Titres of viruses against sera.
#[derive(Clone, Debug)]
pub struct Titers {
    names: Names,
    n_viruses: usize,
    rows: Vec<TiterRow>,
    /// Years of viruses and sera, where they are known.
    years: Vec<Option<f64>>,
    notes: Vec<String>,
    warnings: Vec<String>,
}

impl Titers {
    /// Names of the viruses and then of the sera. A serum with the name of a virus is called `NAME (serum)`.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Number of viruses: they are the first objects.
    pub fn n_viruses(&self) -> usize {
        self.n_viruses
    }

    /// Number of sera: they are the objects after the viruses.
    pub fn n_sera(&self) -> usize {
        self.names.len() - self.n_viruses
    }

    /// The measurements, in the order of the file.
    pub fn rows(&self) -> &[TiterRow] {
        &self.rows
    }

    /// The same viruses and sera with some of the measurements, chosen by their number.
    ///
    /// # Errors
    /// If a virus or a serum is left without any.
    pub fn with_rows(&self, is_kept: impl Fn(usize) -> bool) -> Result<Self, InputError> {
        let rows: Vec<TiterRow> = (0..self.rows.len()).filter(|&k| is_kept(k)).map(|k| self.rows[k]).collect();
        let mut is_measured = vec![false; self.names.len()];
        for row in &rows {
            is_measured[row.virus] = true;
            is_measured[self.n_viruses + row.serum] = true;
        }
        if let Some(object) = is_measured.iter().position(|is| !is) {
            let problem = format!("nothing that is kept was measured of {}", self.names.get(object));
            let fault = Fault::new(problem, "keep at least one titre of every virus and serum");
            return Err(fault.at("titres", FilePosition::File));
        }
        Ok(Self { rows, notes: Vec::new(), warnings: Vec::new(), ..self.clone() })
    }

    /// The year of an object, if the file says it.
    pub fn year(&self, object: usize) -> Option<f64> {
        self.years[object]
    }

    /// How the file was read, where there was a choice.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The same, where the choice may be wrong.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Largest log2 titre of every object, numbers only; limits where there is no number; NaN where nothing was measured.
    pub fn largest(&self) -> Vec<f64> {
        let mut largest = vec![(false, f64::NAN); self.names.len()];
        for row in &self.rows {
            let found = (row.titer.number_log2().is_some(), row.titer.log2());
            for object in [row.virus, self.n_viruses + row.serum] {
                let so_far = &mut largest[object];
                if so_far.1.is_nan() || found > *so_far {
                    *so_far = found;
                }
            }
        }
        largest.into_iter().map(|(_, value)| value).collect()
    }

    /// How far each pair's titres lie below the largest of its serum, on average: what first maps are made of. Sorted.
    pub(super) fn dissimilarities(&self) -> Vec<(u32, u32, f64)> {
        let largest = self.largest();
        let below = |row: &TiterRow| {
            // A limit lies half a step from what it says nothing of.
            let log2 = match row.titer {
                Titer::Number(_) => row.titer.log2(),
                Titer::Below(_) => row.titer.log2() - 0.5,
                Titer::Above(_) => row.titer.log2() + 0.5,
            };
            let serum = self.n_viruses + row.serum;
            (row.virus as u32, serum as u32, (largest[serum] - log2).max(0.0))
        };
        let mut pairs: Vec<(u32, u32, f64)> = self.rows.iter().map(below).collect();
        pairs.sort_by_key(|&(virus, serum, _)| (virus, serum));
        let mean = |repeats: &[(u32, u32, f64)]| {
            let sum: f64 = repeats.iter().map(|repeat| repeat.2).sum();
            (repeats[0].0, repeats[0].1, sum / repeats.len() as f64)
        };
        pairs.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(mean).collect()
    }

    /// Titres in memory: the names of viruses and sera, and the measurements.
    ///
    /// # Errors
    /// If a name is given twice to viruses, or to sera, or is empty.
    pub fn new(viruses: &[String], sera: &[String], rows: Vec<TiterRow>) -> Result<Self, InputError> {
        let objects = |names: &[String]| Objects::from_names(names);
        Self::assemble("titres", objects(viruses)?, objects(sera)?, rows)
    }

    fn assemble(file: &str, viruses: Objects, sera: Objects, rows: Vec<TiterRow>) -> Result<Self, InputError> {
        if rows.is_empty() {
            let fault = Fault::new("no titre is a number or a limit", "give a table with measured titres");
            return Err(fault.at(file, FilePosition::File));
        }
        let names = objects::joined(&viruses, &sera);
        super::enough_objects(names.len()).map_err(|fault| fault.at(file, FilePosition::File))?;
        let names = super::checked_names(names, |_, fault| fault.at(file, FilePosition::File))?;
        let warnings = [&viruses, &sera].into_iter().filter_map(|objects| objects.year_warning(brief(file))).collect();
        let years = viruses.years().chain(sera.years()).collect();
        Ok(Self { names, n_viruses: viruses.len(), rows, years, notes: Vec::new(), warnings })
    }
}

/// Reads titres: a table (rows viruses, columns sera) or one measurement per line.
///
/// # Errors
/// If the file cannot be read or used: what is wrong, where, and what to do.
pub fn read_titers(path: &Path) -> Result<Titers, InputError> {
    let file = super::content::shown(path);
    from_source(Source::open(path, &file)?)
}

pub(super) fn from_source(source: Source<'_>) -> Result<Titers, InputError> {
    let file = source.file;
    let style = Style::detect(&source);
    let mut lines = source.lines()?;
    let header: Vec<String> = match lines.next_filled()? {
        Some(line) => style.cells(&line)?.into_iter().map(|cell| cell.into_owned()).collect(),
        None => return Err(super::text::empty().at(file, FilePosition::File)),
    };
    let columns = Columns::find(&header).map_err(|fault| fault.at(file, FilePosition::Line(1)))?;
    let mut titers = match &columns {
        Some(columns) => long::read(lines, style, columns, header.len())?,
        None => rectangle::read(lines, style, &header)?,
    };
    titers.notes.extend(columns.and_then(|columns| columns.note(brief(file), &titers)));
    Ok(titers)
}

fn no_object(kind: &str, name: &str) -> Fault {
    Fault::new(format!("the {kind} {} is not in the table", shortened(name)), "spell names exactly as in the table")
}

fn without_level(kind: &str, names: &[String]) -> Fault {
    let problem = format!("these {kind} have no value: {}", listed(names));
    Fault::new(problem, "give one line name,value for each")
}
