//! Hashes of the files a run depends on.

use std::path::Path;

use crate::coupling::Couplings;
use crate::dissimilarity::Input;
use crate::error::RunError;
use crate::settings::CheckedConfig;
use crate::settings::resolved::FileFindings;

/// Of the input, and of the files beside it.
pub(super) fn hashes_of(config: &CheckedConfig, input: &Input) -> Result<FileFindings, RunError> {
    let couplings = match &config.model.couplings {
        Couplings::Graph(path) => Some(hash("`couplings`", path)?),
        _ => None,
    };
    let names = config.input.names.as_deref().map(|path| hash("`names`", path)).transpose()?;
    let tree = config.tree.as_ref().map(|tree| hash("`tree`", &tree.path)).transpose()?;
    Ok(FileFindings { input: input.hash()?, names, couplings, tree, copy: None })
}

/// Refuses to go on with other data than the run was started with.
pub(super) fn check_hashes(found: &FileFindings, config: &CheckedConfig) -> Result<(), RunError> {
    if found.input != config.input.hash {
        return Err(RunError::Changed(config.input.path.clone()));
    }
    if let (Some(path), true) = (&config.input.names, found.names != config.input.names_hash) {
        return Err(RunError::Changed(path.clone()));
    }
    if let (Couplings::Graph(path), true) = (&config.model.couplings, found.couplings != config.model.couplings_hash) {
        return Err(RunError::Changed(path.clone()));
    }
    match &config.tree {
        Some(tree) if found.tree.as_ref() != Some(&tree.hash) => Err(RunError::Changed(tree.path.clone())),
        _ => Ok(()),
    }
}

fn hash(flag: &'static str, path: &Path) -> Result<String, RunError> {
    Ok(open_again(flag, path)?.hash()?)
}

/// A file beside the input, which is read again later. A pipe cannot be.
pub(crate) fn open_again(flag: &'static str, path: &Path) -> Result<Input, RunError> {
    let file = Input::open(path)?;
    if file.piped().is_some() {
        let problem = format!("{} is a pipe, which can be read only once", path.display());
        return Err(RunError::setting(flag, problem, "save what it delivers as a file; only the input may be a pipe"));
    }
    Ok(file)
}
