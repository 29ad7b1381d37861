//! A file that is not there: which one may have been meant.

use std::path::Path;

/// What to do when there is no file at `path`: the name of the file beside it that is spelled most alike, if any is.
pub(super) fn remedy(path: &Path) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return format!("check the path: there is no directory {}", folder.display());
    }
    match path.file_name().and_then(|name| nearest(folder, &name.to_string_lossy())) {
        Some(name) => format!("did you mean {name}?"),
        None => "check the path and its spelling".into(),
    }
}

/// The name in `folder` that differs from `name` least, by at most a third of its letters.
fn nearest(folder: &Path, name: &str) -> Option<String> {
    let wanted = name.to_lowercase();
    let most = name.chars().count() / 3;
    let files = std::fs::read_dir(folder).ok()?.flatten().filter(|entry| !entry.path().is_dir());
    let names = files.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let distance = |other: &String| strsim::damerau_levenshtein(&wanted, &other.to_lowercase());
    let alike = names.map(|other| (distance(&other), other)).filter(|&(distance, _)| distance <= most);
    alike.min().map(|(_, other)| super::error::shortened(&other))
}

#[cfg(test)]
mod tests {
    use super::remedy;

    #[test]
    fn names_spelled_alike_are_found() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["eurodist.csv", "dune.csv"] {
            std::fs::write(directory.path().join(name), "").unwrap();
        }
        for (name, expected) in [
            ("eurodits.csv", "did you mean eurodist.csv?"),
            ("Eurodist.CSV", "did you mean eurodist.csv?"),
            ("eurodist.tsv", "did you mean eurodist.csv?"),
            ("h3n2.trees", "check the path and its spelling"),
        ] {
            assert_eq!(remedy(&directory.path().join(name)), expected, "{name}");
        }
        let nowhere = directory.path().join("no/eurodist.csv");
        let folder = directory.path().join("no");
        assert_eq!(remedy(&nowhere), format!("check the path: there is no directory {}", folder.display()));
    }
}
