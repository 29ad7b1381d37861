//! The draws as plain NumPy files, for programs that do not read Zarr.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::reader::DrawReader;
use crate::Locations;
use crate::files::atomic::{Sync, replace_file};
use crate::files::{FileSet, write_npy as write_numbers};

/// What becomes of a stored draw, given its chain and its number, before it is exported.
pub type Frame<'a> = &'a dyn Fn(usize, usize, &Locations) -> Result<Locations, StoreError>;

/// Files that an export, in any format, may have left where the next one is to be: they go when it comes.
pub const EXPORTED: [&str; 12] = [
    "draws.npy",
    "draws.csv",
    "scalars.csv",
    "sigma.npy",
    "log_likelihood.npy",
    "lambda.npy",
    "trace_sigma.npy",
    "logdet_sigma.npy",
    "names.txt",
    "posterior.log",
    "posterior.trees",
    "ancestors.csv",
];

/// Writes `draws.npy` (chains, draws, objects, dims), `sigma.npy`, `log_likelihood.npy` (chains, draws) and `names.txt`
/// to `out`, all in input order, with the draws that every chain has; returns the files written.
///
/// `extra` names further variables and the files for them, such as `("trait_trace", "trace_sigma.npy")`.
/// `frame` moves every draw, as [`crate::run::ExportFrames`] does; without it draws are as stored.
/// A run that kept no locations gets no `draws.npy`. All files appear together, in the place of an earlier export. The draws
/// stream through: memory holds one chunk.
///
/// # Errors
/// If there is no complete draw or no such variable, the store is damaged, or `out` cannot be written.
pub fn export_npy(
    run: &Path,
    out: &Path,
    extra: &[(&str, &str)],
    frame: Option<Frame>,
) -> Result<Vec<PathBuf>, StoreError> {
    let reader = DrawReader::open(run)?;
    let n_draws = reader.n_complete_in_all();
    if n_draws == 0 {
        return Err(StoreError::NoDraws { path: reader.path().to_owned() });
    }
    let scalars = [("sigma", "sigma.npy"), ("log_likelihood", "log_likelihood.npy")];
    // Every name is looked up before the first file is written.
    scalars.iter().chain(extra).try_for_each(|(name, _)| reader.find_anywhere(name).map(drop))?;
    let set = FileSet::begin(out, &EXPORTED)?;
    if reader.has_x() {
        export_x(&reader, n_draws, set.path("draws.npy"), frame)?;
    }
    for (name, file) in scalars.iter().chain(extra) {
        export_variable(&reader, n_draws, name, set.path(file))?;
    }
    export_names(&reader, set.path("names.txt"))?;
    Ok(set.commit()?)
}

fn export_x(reader: &DrawReader, n_draws: usize, path: PathBuf, frame: Option<Frame>) -> Result<PathBuf, StoreError> {
    let row_len = reader.names().len() * reader.n_dims();
    let shape = [reader.n_chains(), n_draws, reader.names().len(), reader.n_dims()];
    let draws = (0..reader.n_chains()).flat_map(|chain| (0..n_draws).map(move |draw| (chain, draw)));
    let rows = draws.map(|(chain, draw)| {
        if let Some(frame) = frame {
            let x = frame(chain, draw, &reader.x(chain, draw)?)?;
            return Ok((0..x.n_objects()).flat_map(|object| x.object(object)).collect());
        }
        let (values, within) = reader.x_block(chain, draw)?;
        Ok(values[within * row_len..(within + 1) * row_len].to_vec())
    });
    write_npy(path, &shape, rows)
}

fn export_variable(reader: &DrawReader, n_draws: usize, name: &str, path: PathBuf) -> Result<PathBuf, StoreError> {
    let stored = reader.find_anywhere(name)?;
    let mut shape = vec![reader.n_chains(), n_draws];
    shape.extend(stored.variable.axes.iter().map(|axis| axis.len));
    let chains = (0..reader.n_chains()).map(|chain| {
        let mut values = reader.values(stored, chain)?;
        values.truncate(n_draws * stored.variable.row_len());
        Ok(values)
    });
    write_npy(path, &shape, chains)
}

/// Writes the blocks one after the other as one float array of the given shape.
fn write_npy(
    path: PathBuf,
    shape: &[usize],
    blocks: impl Iterator<Item = Result<Vec<f64>, StoreError>>,
) -> Result<PathBuf, StoreError> {
    // An error of the store must come out as itself, not as a failure to write.
    let mut unreadable = None;
    let written = replace_file(&path, Sync::Later, |writer| {
        let numbers = blocks.flat_map(|block| match block {
            Ok(values) => values.into_iter().map(Ok).collect(),
            Err(error) => {
                unreadable = Some(error);
                vec![Err(io::Error::other("the draws cannot be read"))]
            }
        });
        write_numbers(writer, shape, numbers)
    });
    match unreadable {
        Some(error) => Err(error),
        None => written.map_err(StoreError::io("write", &path)).map(|()| path),
    }
}

fn export_names(reader: &DrawReader, path: PathBuf) -> Result<PathBuf, StoreError> {
    replace_file(&path, Sync::Later, |writer| reader.names().iter().try_for_each(|name| writeln!(writer, "{name}")))
        .map_err(StoreError::io("write", &path))?;
    Ok(path)
}
