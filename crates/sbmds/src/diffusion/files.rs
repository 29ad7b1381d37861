//! The files of a run along a tree.

use std::path::{Path, PathBuf};

use super::{NodeDraws, ancestors, tracer, trees};
use crate::brownian::BranchStatistics;
use crate::draws::atomic::{Sync, replace_bytes, replace_file};
use crate::embedding::Moments;
use crate::run::RunError;

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
            moments.add(draw.ancestors());
            Ok(())
        },
    )?;
    let mut written = vec![directory.join("posterior.log")];
    let mut log = Vec::new();
    tracer::write(&mut log, draws, &branches, iterations_per_draw)?.map_err(RunError::io("write", &written[0]))?;
    replace_bytes(&written[0], Sync::Later, &log).map_err(RunError::io("write", &written[0]))?;
    if draws.n_draws() > 0 {
        written.push(write_ancestors(directory.join("ancestors.csv"), draws, &moments)?);
        written.push(write_trees(directory.join("posterior.trees"), draws, most_trees, iterations_per_draw)?);
    }
    Ok((written, branches))
}

fn write_ancestors(path: PathBuf, draws: &NodeDraws<'_>, moments: &Moments) -> Result<PathBuf, RunError> {
    let table = ancestors::table(draws.tree(), moments)
        .map_err(|error| RunError::Damaged { path: path.clone(), what: error.to_string() })?;
    replace_bytes(&path, Sync::Later, &table).map_err(RunError::io("write", &path))?;
    Ok(path)
}

fn write_trees(
    path: PathBuf,
    draws: &NodeDraws<'_>,
    most: usize,
    iterations_per_draw: usize,
) -> Result<PathBuf, RunError> {
    // An error of the store must come out as itself, not as a failure to write.
    let mut outcome = Ok(());
    replace_file(&path, Sync::Later, |out| {
        outcome = trees::write(out, &path, draws, most, iterations_per_draw);
        if outcome.is_ok() { Ok(()) } else { Err(std::io::Error::other("the trees cannot be written")) }
    })
    .or_else(|error| outcome.and(Err(RunError::io("write", &path)(error))))?;
    Ok(path)
}
