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
    let of_file = |flag, path: Option<&Path>| path.map(|path| hash(flag, path)).transpose();
    let virus_tree = config.measurement.tree.as_ref().map(|tree| tree.path.as_path());
    Ok(FileFindings {
        input: input.hash()?,
        names: of_file("`names`", config.input.names.as_deref())?,
        weights: of_file("`weights`", config.input.weights.as_deref())?,
        errors: of_file("`errors`", config.input.errors.as_deref())?,
        couplings,
        tree: of_file("`tree`", config.tree.as_ref().map(|tree| tree.path.as_path()))?,
        virus_tree: of_file("`tree`", virus_tree)?,
        copy: None,
    })
}

/// Refuses to go on with other data than the run was started with. Of the findings it keeps what the run has on record: its
/// draws are saved under settings without the hashes that earlier versions did not write.
pub(super) fn check_hashes(found: FileFindings, config: &CheckedConfig) -> Result<FileFindings, RunError> {
    let (input, model, virus_tree) = (&config.input, &config.model, config.measurement.tree.as_ref());
    let changed = |path: &Path| Err(RunError::Changed(path.to_owned()));
    if found.input != input.hash {
        return changed(&input.path);
    }
    if let (Some(path), true) = (&input.names, found.names != input.names_hash) {
        return changed(path);
    }
    if let (Couplings::Graph(path), true) = (&model.couplings, found.couplings != model.couplings_hash) {
        return changed(path);
    }
    if let Some(tree) = config.tree.as_ref().filter(|tree| found.tree.as_ref() != Some(&tree.hash)) {
        return changed(&tree.path);
    }
    let virus_tree_hash = virus_tree.and_then(|tree| tree.hash.clone());
    let recorded = [
        (&input.weights, &found.weights, &input.weights_hash),
        (&input.errors, &found.errors, &input.errors_hash),
        (&virus_tree.map(|tree| tree.path.clone()), &found.virus_tree, &virus_tree_hash),
    ];
    for (path, found, recorded) in recorded {
        if let (Some(path), true) = (path, recorded.is_some() && found != recorded) {
            return changed(path);
        }
    }
    let (weights, errors) = (input.weights_hash.clone(), input.errors_hash.clone());
    Ok(FileFindings { weights, errors, virus_tree: virus_tree_hash, ..found })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{FitConfig, VirusTree};

    /// Of a run with weights, errors and a tree of viruses, whose hashes are on record or, as in earlier versions, not.
    fn config(hash: Option<&str>) -> CheckedConfig {
        let mut config = FitConfig::default();
        (config.input.weights, config.input.errors) = (Some("weights.csv".into()), Some("errors.csv".into()));
        let hash = hash.map(str::to_owned);
        (config.input.weights_hash, config.input.errors_hash) = (hash.clone(), hash.clone());
        config.measurement.tree = Some(VirusTree { path: "flu.trees".into(), hash, ..VirusTree::default() });
        config.check().unwrap()
    }

    fn found(weights: &str, errors: &str, virus_tree: &str) -> FileFindings {
        let [weights, errors, virus_tree] = [weights, errors, virus_tree].map(|hash| Some(hash.to_owned()));
        FileFindings { weights, errors, virus_tree, ..FileFindings::default() }
    }

    #[test]
    fn files_beside_the_input_may_not_change() {
        let config = config(Some("old"));
        assert!(check_hashes(found("old", "old", "old"), &config).is_ok());
        let changed = |found| check_hashes(found, &config).unwrap_err().to_string();
        assert!(changed(found("new", "old", "old")).starts_with("weights.csv has changed"));
        assert!(changed(found("old", "new", "old")).starts_with("errors.csv has changed"));
        assert!(changed(found("old", "old", "new")).starts_with("flu.trees has changed"));
    }

    #[test]
    fn runs_without_these_hashes_go_on_without_them() {
        let kept = check_hashes(found("new", "new", "new"), &config(None)).unwrap();
        assert_eq!((kept.weights, kept.errors, kept.virus_tree), (None, None, None));
    }
}
