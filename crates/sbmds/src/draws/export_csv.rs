//! The draws as tables in long form, one row per draw and object, as R likes them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::export::{EXPORTED, Frame};
use super::reader::DrawReader;
use crate::files::FileSet;
use crate::files::atomic::{Sync, replace_file};

/// Writes `draws.csv` (chain, draw, object, x1, x2, ...) and `scalars.csv` (chain, draw, sigma, log_likelihood, ...) to `out`
/// with the draws that every chain has; returns the files written. Numbers read back to the same bits.
///
/// `extra` names further variables and their columns; a vector gets numbered columns. `frame` and runs without locations are
/// as with [`super::export_npy`]. The draws stream through: memory holds one chunk of them.
///
/// # Errors
/// If there is no complete draw or no such variable, the store is damaged, or `out` cannot be written.
pub fn export_csv(
    run: &Path,
    out: &Path,
    extra: &[(&str, &str)],
    frame: Option<Frame>,
) -> Result<Vec<PathBuf>, StoreError> {
    let reader = DrawReader::open(run)?;
    if reader.n_complete_in_all() == 0 {
        return Err(StoreError::NoDraws { path: reader.path().to_owned() });
    }
    let scalars: Vec<(&str, &str)> =
        [("sigma", "sigma"), ("log_likelihood", "log_likelihood")].iter().chain(extra).copied().collect();
    // Every name is looked up before the first file is written.
    scalars.iter().try_for_each(|(name, _)| reader.find_anywhere(name).map(drop))?;
    let set = FileSet::begin(out, &EXPORTED)?;
    if reader.has_x() {
        write(set.path("draws.csv"), |table| write_locations(table, &reader, frame))?;
    }
    write(set.path("scalars.csv"), |table| write_scalars(table, &reader, &scalars))?;
    Ok(set.commit()?)
}

fn write_locations(table: &mut dyn Table, reader: &DrawReader, frame: Option<Frame>) -> Result<(), Failed> {
    let axes = (1..=reader.n_dims()).map(|dim| format!("x{dim}"));
    table.row(&mut ["chain", "draw", "object"].into_iter().map(String::from).chain(axes))?;
    for chain in 0..reader.n_chains() {
        for draw in 0..reader.n_complete_in_all() {
            let stored = reader.x(chain, draw)?;
            let x = frame.map_or(Ok(stored.clone()), |frame| frame(chain, draw, &stored))?;
            for (object, name) in reader.names().iter().enumerate() {
                let first = [chain.to_string(), draw.to_string(), name.into_owned()];
                table.row(&mut first.into_iter().chain(x.object(object).iter().map(f64::to_string)))?;
            }
        }
    }
    Ok(())
}

fn write_scalars(table: &mut dyn Table, reader: &DrawReader, scalars: &[(&str, &str)]) -> Result<(), Failed> {
    let stored = scalars.iter().map(|(name, _)| reader.find_anywhere(name)).collect::<Result<Vec<_>, _>>()?;
    let lens: Vec<usize> = stored.iter().map(|stored| stored.variable.row_len()).collect();
    let columns = scalars.iter().zip(&lens).flat_map(|(&(_, column), &len)| {
        (1..=len).map(move |k| if len == 1 { column.to_owned() } else { format!("{column}{k}") })
    });
    table.row(&mut ["chain", "draw"].into_iter().map(String::from).chain(columns))?;
    for chain in 0..reader.n_chains() {
        let values = stored.iter().map(|stored| reader.values(*stored, chain)).collect::<Result<Vec<_>, _>>()?;
        for draw in 0..reader.n_complete_in_all() {
            let numbers = values.iter().zip(&lens).flat_map(|(values, &len)| &values[draw * len..(draw + 1) * len]);
            let first = [chain.to_string(), draw.to_string()];
            table.row(&mut first.into_iter().chain(numbers.map(f64::to_string)))?;
        }
    }
    Ok(())
}

/// Why a table is not written: the store, or the disk.
enum Failed {
    Store(StoreError),
    Disk(io::Error),
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Takes rows of cells.
trait Table {
    fn row(&mut self, cells: &mut dyn Iterator<Item = String>) -> Result<(), Failed>;
}

impl<W: Write> Table for csv::Writer<W> {
    fn row(&mut self, cells: &mut dyn Iterator<Item = String>) -> Result<(), Failed> {
        self.write_record(cells).map_err(|error| Failed::Disk(error.into()))
    }
}

/// Replaces the file at `path` by a table; an error of the store comes out as itself.
fn write(path: PathBuf, fill: impl FnOnce(&mut dyn Table) -> Result<(), Failed>) -> Result<PathBuf, StoreError> {
    let mut unreadable = None;
    let written = replace_file(&path, Sync::Later, |file| {
        let mut table = csv::Writer::from_writer(file);
        match fill(&mut table) {
            Ok(()) => table.flush(),
            Err(Failed::Disk(error)) => Err(error),
            Err(Failed::Store(error)) => {
                unreadable = Some(error);
                Err(io::Error::other("the draws cannot be read"))
            }
        }
    });
    match unreadable {
        Some(error) => Err(error),
        None => written.map_err(StoreError::io("write", &path)).map(|()| path),
    }
}
