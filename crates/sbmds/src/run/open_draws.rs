//! The draws of a run that need not be finished, open to be read, with a sentence if it is not.

use std::path::Path;

use super::directory::RunDirectory;
use super::integrity::DRAWS;
use crate::draws::DrawReader;
use crate::error::RunError;
use crate::fit::summary::Summary;
use crate::settings::config::FitConfig;

/// The draws that a run has made.
pub struct RunDraws {
    /// Its directory.
    pub directory: RunDirectory,
    /// Its settings.
    pub config: FitConfig,
    /// Its draws.
    pub reader: DrawReader,
    /// What a reader should know if the run is not finished.
    pub unfinished: Option<String>,
}

/// Opens the draws of the run in `directory`, finished or not.
///
/// # Errors
/// If there is no run, its files do not fit each other or cannot be read.
pub fn open_draws(directory: &Path) -> Result<RunDraws, RunError> {
    let (directory, config) = RunDirectory::open(directory)?;
    let (reader, unfinished) = match directory.summary() {
        Ok(summary) => (open_finished(&directory, &config, &summary)?, None),
        Err(RunError::Unfinished(_)) => {
            let reader = DrawReader::open(directory.path())?;
            fits(&directory, &config, &reader)?;
            let sentence = sentence(&directory, &config, &reader);
            (reader, Some(sentence))
        }
        Err(error) => return Err(error),
    };
    Ok(RunDraws { directory, config, reader, unfinished })
}

/// Opens the draws of a finished run, which must be those its summary describes.
pub(crate) fn open_finished(
    directory: &RunDirectory,
    config: &FitConfig,
    summary: &Summary,
) -> Result<DrawReader, RunError> {
    let reader = DrawReader::open(directory.path())?;
    fits(directory, config, &reader)?;
    for (what, of_summary, of_draws) in [
        ("objects", summary.n_objects, reader.names().len()),
        ("dimensions", summary.n_dims, reader.n_dims()),
        ("chains", summary.n_chains, reader.n_chains()),
        ("draws", summary.n_draws, reader.n_complete_in_all()),
    ] {
        agree(directory, what, ("summary.json", of_summary), of_draws)?;
    }
    directory.check_file(summary, DRAWS)?;
    Ok(reader)
}

/// Refuses draws that are not of these settings.
fn fits(directory: &RunDirectory, config: &FitConfig, reader: &DrawReader) -> Result<(), RunError> {
    agree(directory, "chains", ("config.toml", config.run.n_own_chains()), reader.n_chains())?;
    agree(directory, "dimensions", ("config.toml", config.model.n_dims), reader.n_dims())
}

fn agree(directory: &RunDirectory, what: &str, other: (&str, usize), of_draws: usize) -> Result<(), RunError> {
    if other.1 == of_draws {
        return Ok(());
    }
    let what = format!("it has {of_draws} {what}, {} says {}", other.0, other.1);
    Err(RunError::Damaged { path: directory.path().join(DRAWS), what })
}

fn sentence(directory: &RunDirectory, config: &FitConfig, reader: &DrawReader) -> String {
    let path = directory.path().display();
    format!(
        "{path} is not finished: every chain has {} of {} draws, and nobody has judged whether the chains agree. Go on with \
         `sbmds fit --resume --out {path}`",
        reader.n_complete_in_all(),
        reader.n_draws().max(config.run.stored_draws()),
    )
}
