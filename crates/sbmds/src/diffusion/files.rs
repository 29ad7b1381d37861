//! The files of a run along a tree.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use super::{NodeDraws, ancestors, tracer, trees};
use crate::brownian::BranchStatistics;
use crate::embedding::Moments;
use crate::error::RunError;
use crate::files::atomic::{Sync, replace_bytes, replace_file};

/// Trees in `posterior.trees`, unless another number is asked for.
pub const DEFAULT_TREES: usize = 200;

/// Writes `posterior.log`, `posterior.trees` (at most `most_trees` trees) and `ancestors.csv` to `directory`, each whole or
/// not at all; returns the files written and the branch statistics of every draw. A run that kept no locations has the first only.
///
/// # Errors
/// If the store is damaged or the directory cannot be written.
pub fn write_files(
    directory: &Path,
    draws: &NodeDraws<'_>,
    most_trees: usize,
    iterations_per_draw: usize,
) -> Result<(Vec<PathBuf>, Vec<BranchStatistics>), RunError> {
    let mut branches = Vec::with_capacity(draws.n_draws());
    let mut moments = Moments::new(draws.tree().n_inner(), draws.reader().n_dims());
    draws.for_each(
        |_| true,
        |draw| {
            branches.push(draw.branch_statistics());
            if draws.is_shown(draw) {
                moments.add(draw.ancestors());
            }
            Ok(())
        },
    )?;
    let mut written = vec![replace(directory.join("posterior.log"), |out, path| {
        tracer::write(out, path, draws, &branches, iterations_per_draw)
    })?];
    if draws.n_draws() > 0 {
        written.push(write_ancestors(directory.join("ancestors.csv"), draws, &moments)?);
        written.push(replace(directory.join("posterior.trees"), |out, path| {
            trees::write(out, path, draws, most_trees, iterations_per_draw)
        })?);
    }
    Ok((written, branches))
}

fn write_ancestors(path: PathBuf, draws: &NodeDraws<'_>, moments: &Moments) -> Result<PathBuf, RunError> {
    let table = ancestors::table(draws.tree(), moments)
        .map_err(|error| RunError::Damaged { path: path.clone(), what: error.to_string() })?;
    replace_bytes(&path, Sync::Later, &table).map_err(RunError::io("write", &path))?;
    Ok(path)
}

/// Replaces the file at `path` by what `write` writes, and returns where it is.
fn replace(
    path: PathBuf,
    write: impl FnOnce(&mut BufWriter<File>, &Path) -> Result<(), RunError>,
) -> Result<PathBuf, RunError> {
    // An error of the store must come out as itself, not as a failure to write.
    let mut outcome = Ok(());
    replace_file(&path, Sync::Later, |out| {
        outcome = write(out, &path);
        if outcome.is_ok() { Ok(()) } else { Err(io::Error::other("what is to be written cannot be made")) }
    })
    .or_else(|error| outcome.and(Err(RunError::io("write", &path)(error))))?;
    Ok(path)
}
