//! Viruses and sera by name, with their years, and files with one number for each.

use std::collections::HashMap;
use std::path::Path;

use super::{Titers, no_object, without_level};
use crate::dissimilarity::error::{Fault, FilePosition, InputError, listed};
use crate::dissimilarity::labelled::{LabelledRows, NameColumn};
use crate::dissimilarity::text::Source;

/// Objects of one kind in the order of their first appearance.
#[derive(Clone, Debug, Default)]
pub(super) struct Objects {
    names: Vec<String>,
    index: HashMap<String, usize>,
    /// Years met with each object, and how often.
    years: Vec<Vec<(f64, usize)>>,
}

impl Objects {
    pub fn from_names(names: &[String]) -> Result<Self, InputError> {
        let mut objects = Self::default();
        for name in names {
            let n_before = objects.len();
            if objects.find_or_add(name).map_err(|fault| fault.at("titres", FilePosition::File))? < n_before {
                let fault =
                    Fault::new(format!("the name {name} is given twice"), "give every object a name of its own");
                return Err(fault.at("titres", FilePosition::File));
            }
        }
        Ok(objects)
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn find_or_add(&mut self, name: &str) -> Result<usize, Fault> {
        if let Some(&object) = self.index.get(name) {
            return Ok(object);
        }
        if name.is_empty() {
            return Err(crate::dissimilarity::empty_name());
        }
        self.index.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.years.push(Vec::new());
        Ok(self.names.len() - 1)
    }

    /// The object was seen with this year.
    pub fn saw_year(&mut self, object: usize, year: f64) {
        let years = &mut self.years[object];
        match years.iter_mut().find(|(known, _)| *known == year) {
            Some((_, times)) => *times += 1,
            None => years.push((year, 1)),
        }
    }

    /// The year each object has on most lines; of equally many, the first in the file.
    pub fn years(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        self.years.iter().map(|years| years.iter().rev().max_by_key(|(_, times)| *times).map(|&(year, _)| year))
    }

    /// What to tell of objects with several years.
    pub fn year_warning(&self, file: &str) -> Option<String> {
        let several: Vec<&String> =
            self.names.iter().zip(&self.years).filter(|(_, years)| years.len() > 1).map(|(name, _)| name).collect();
        (!several.is_empty())
            .then(|| format!("{file}: {} has more than one year; the one on most lines counts", listed(&several)))
    }
}

/// Names of viruses, then of sera; a serum that shares its name with a virus is told from it.
pub(super) fn joined(viruses: &Objects, sera: &Objects) -> Vec<String> {
    let of_serum = |name: &String| match viruses.index.contains_key(name) {
        true => format!("{name}{SERUM}"),
        false => name.clone(),
    };
    viruses.names.iter().cloned().chain(sera.names.iter().map(of_serum)).collect()
}

/// What is put after the name of a serum that a virus has too.
const SERUM: &str = " (serum)";

/// One number for every virus, or for every serum: avidities or potencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Levels {
    /// Potencies of the sera.
    Potencies,
    /// Avidities of the viruses.
    Avidities,
}

/// Reads `name,value` for every serum (potencies) or every virus (avidities).
///
/// # Errors
/// If a name is not in the table, one of the table has no value, or a value is no number.
pub fn read_levels(path: &Path, titers: &Titers, levels: Levels) -> Result<Vec<f64>, InputError> {
    let file = crate::dissimilarity::content::shown(path);
    let rows = LabelledRows::read(Source::open(path, &file)?, NameColumn::First)?;
    let in_file = |fault: Fault| fault.at(&file, FilePosition::File);
    if rows.n_columns != 1 {
        let problem = format!("there are {} numbers per line", rows.n_columns);
        return Err(in_file(Fault::new(problem, "give two columns: name,value")));
    }
    let (kind, kinds, objects) = match levels {
        Levels::Potencies => ("serum", "sera", titers.n_viruses..titers.names.len()),
        Levels::Avidities => ("virus", "viruses", 0..titers.n_viruses),
    };
    let mut values = vec![f64::NAN; objects.len()];
    for row in 0..rows.names.len() {
        let name = rows.names.get(row);
        // The name as in the table, or as in the list of all objects.
        let found = titers.names.find(&format!("{name}{SERUM}")).or_else(|| titers.names.find(&name));
        let Some(object) = found.or_else(|| titers.names.find(&name)).filter(|object| objects.contains(object)) else {
            return Err(no_object(kind, &name).at(&file, rows.position(row, None)));
        };
        let value = rows.row(row)[0];
        if !value.is_finite() {
            let fault = Fault::new("the value is no number", "give a log2 titre, such as 10.32 for 1280");
            return Err(fault.at(&file, rows.position(row, Some(0))).between([name]));
        }
        values[object - objects.start] = value;
    }
    let without: Vec<String> = objects
        .zip(&values)
        .filter(|(_, value)| value.is_nan())
        .map(|(n, _)| titers.names.get(n).into_owned())
        .collect();
    if !without.is_empty() {
        return Err(in_file(without_level(kinds, &without)));
    }
    Ok(values)
}
