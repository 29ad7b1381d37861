//! What experiments on files of the user's share: their settings, what they read of a run, and what is too much for the files.

use std::path::Path;

use sbmds::dissimilarity::input_hash;
use sbmds::run::{FitConfig, InputConfig, ModelConfig, Summary};

use super::{Cell, ReproduceError};

/// The content of a file in few letters.
pub(super) fn hash(path: &Path) -> Result<String, ReproduceError> {
    input_hash(path).map_err(ReproduceError::io("read", path))
}

/// A file's name without where it is, for a page.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The settings of a cell's fit as far as all experiments agree.
pub(super) fn config(cell: &Cell, input: InputConfig) -> FitConfig {
    FitConfig {
        sbmds_version: env!("CARGO_PKG_VERSION").into(),
        input,
        model: ModelConfig { n_dims: cell.n_dims, couplings: cell.couplings(), ..ModelConfig::default() },
        ..FitConfig::default()
    }
}

/// Seconds, smallest effective sample size and largest R-hat of a run.
pub(super) fn how_it_went(summary: &Summary) -> [f64; 3] {
    let [min_ess, max_rhat] = [&summary.min_ess, &summary.max_rhat].map(|e| e.as_ref().map_or(f64::NAN, |e| e.value));
    [summary.seconds, min_ess, max_rhat]
}

/// Of these numbers of bands or landmarks those that leave pairs out.
pub(super) fn sparse_counts(counts: &[usize], n_objects: usize) -> impl Iterator<Item = usize> {
    counts.iter().copied().filter(move |&count| count < n_objects)
}

/// A sentence that names the others, if there are any.
pub(super) fn left_out(counts: &[usize], n_objects: usize) -> Option<String> {
    let others: Vec<String> = counts.iter().filter(|&&count| count >= n_objects).map(usize::to_string).collect();
    (!others.is_empty()).then(|| {
        format!(
            "Left out: {} bands. There are {n_objects} objects only, and bands must be fewer than objects.",
            others.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_kept_or_named() {
        let counts = [50, 100, 500];
        assert_eq!(sparse_counts(&counts, 100).collect::<Vec<_>>(), [50]);
        assert!(left_out(&counts, 100).unwrap().starts_with("Left out: 100, 500 bands. There are 100 objects only"));
        assert_eq!(left_out(&counts, 501), None);
    }
}
