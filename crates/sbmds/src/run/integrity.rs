//! Checksums in and of the files of a run, so that no change goes unseen.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crate::draws::digest;
use crate::error::RunError;
use crate::files::checksum_of_file;
use crate::fit::summary::Summary;

/// The tree of the run.
pub(crate) const TREE: &str = "tree.nwk";
/// The store of draws, all files of it together.
pub(crate) const DRAWS: &str = "draws.zarr";

/// The files of the results, as far as a run has them; maps of further modes count too.
const RESULTS: [&str; 10] = [
    "embedding.csv",
    "modes.csv",
    "diagnostics.csv",
    TREE,
    "posterior.log",
    "posterior.trees",
    "ancestors.csv",
    "levels.csv",
    "titers.csv",
    "drops.csv",
];

const MARK: &str = "# CRC-32C of all that follows: ";

/// Settings with a checksum in front, in a comment.
pub(crate) fn sealed(settings: &str) -> String {
    format!("{MARK}{}\n{settings}", crc(settings))
}

/// The settings, if they are those that were sealed; a text without a checksum, by an older version, passes.
pub(crate) fn opened(text: &str) -> Result<&str, String> {
    let Some((checksum, settings)) = text.strip_prefix(MARK).and_then(|rest| rest.split_once('\n')) else {
        return Ok(text);
    };
    if checksum == crc(settings) { Ok(settings) } else { Err(CHANGED.into()) }
}

const CHANGED: &str = "it was changed after it was written, as its checksum tells";

fn crc(text: &str) -> String {
    format!("{:08x}", crc32c::crc32c(text.as_bytes()))
}

/// The checksums of a summary among its own entries: one of the time it took, which differs between equal runs, and one of
/// the rest.
pub(crate) struct Seal {
    of_seconds: String,
    of_rest: String,
}

const SECONDS: &str = "  \"seconds\": ";
const OF_SECONDS: &str = "  \"seconds_checksum\": ";
const OF_REST: &str = "  \"checksum\": ";

impl Seal {
    fn of(json: &str) -> Self {
        let is_of_rest = |line: &&str| ![SECONDS, OF_SECONDS, OF_REST].iter().any(|start| line.starts_with(start));
        let rest: Vec<&str> = json.lines().filter(is_of_rest).collect();
        let seconds: Vec<&str> = json.lines().filter(|line| line.starts_with(SECONDS)).collect();
        Self { of_seconds: crc(&seconds.join("\n")), of_rest: crc(&rest.join("\n")) }
    }

    /// A summary, as pretty JSON, with its checksums.
    pub fn add(json: &str) -> String {
        let open = json.trim_end().trim_end_matches('}').trim_end();
        let whole = format!("{open},\n{OF_SECONDS}\"\",\n{OF_REST}\"\"\n}}\n");
        let Self { of_seconds, of_rest } = Self::of(&whole);
        format!("{open},\n{OF_SECONDS}\"{of_seconds}\",\n{OF_REST}\"{of_rest}\"\n}}\n")
    }

    /// Refuses a summary that is not the one that was written; one without checksums, by an older version, passes.
    pub fn check(json: &str) -> Result<(), String> {
        let found = |start: &str| json.lines().find_map(|line| line.strip_prefix(start));
        let (Some(of_seconds), Some(of_rest)) = (found(OF_SECONDS), found(OF_REST)) else { return Ok(()) };
        let seal = Self::of(json);
        let is_whole = of_seconds == format!("\"{}\",", seal.of_seconds) && of_rest == format!("\"{}\"", seal.of_rest);
        if is_whole { Ok(()) } else { Err(CHANGED.into()) }
    }
}

/// The checksums of the results in `run`, by name.
pub(crate) fn checksums(run: &Path) -> Result<BTreeMap<String, String>, RunError> {
    let mut checksums = BTreeMap::from([(DRAWS.to_owned(), format!("{:08x}", digest(run)?))]);
    let maps = (2..).map(|mode| format!("embedding-mode-{mode}.csv")).take_while(|name| run.join(name).exists());
    for name in maps.chain(RESULTS.map(String::from)) {
        let path = run.join(&name);
        match checksum_of_file(&path) {
            Ok((checksum, _)) => {
                checksums.insert(name, format!("{checksum:08x}"));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(RunError::io("read", &path)(error)),
        }
    }
    Ok(checksums)
}

/// Refuses a file that is not the one the summary knows; one it does not know passes.
pub(crate) fn check_file(run: &Path, summary: &Summary, name: &str) -> Result<(), RunError> {
    let Some(expected) = summary.files.get(name) else { return Ok(()) };
    let path = run.join(name);
    let found = match name {
        DRAWS => digest(run)?,
        _ => checksum_of_file(&path).map_err(RunError::io("read", &path))?.0,
    };
    if *expected == format!("{found:08x}") {
        return Ok(());
    }
    if name == DRAWS {
        let what = "its files are not those of which summary.json holds the checksum".into();
        return Err(RunError::Damaged { path, what });
    }
    Err(RunError::ChangedResult { path, run: run.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_byte_of_settings_is_seen_or_means_nothing() {
        let settings = "a = 1\n[run]\nseed = 12\n";
        let text = sealed(settings);
        assert_eq!(opened(&text), Ok(settings));
        assert_eq!(opened(settings), Ok(settings), "an older version wrote no checksum");
        for cut in MARK.len()..text.len() {
            assert_ne!(opened(&text[..cut]), Ok(settings), "cut to {cut} bytes");
        }
        let changed = text.replace("seed = 12", "seed = 13");
        assert!(opened(&changed).is_err());
    }

    #[test]
    fn every_changed_line_of_a_summary_is_seen() {
        let json = "{\n  \"converged\": true,\n  \"files\": {\n    \"a\": \"b\"\n  },\n  \"seconds\": 1.25\n}";
        let text = Seal::add(json);
        assert!(serde_json::from_str::<serde_json::Value>(&text).unwrap()["checksum"].is_string(), "{text}");
        assert_eq!(Seal::check(&text), Ok(()));
        assert_eq!(Seal::check(json), Ok(()), "an older version wrote no checksum");
        for (from, to) in [("true", "false"), ("1.25", "1.26"), ("\"b\"", "\"c\""), ("files", "filez")] {
            assert!(Seal::check(&text.replace(from, to)).is_err(), "{from} to {to}");
        }
        let other_time = Seal::add(&json.replace("1.25", "7.5"));
        let checksum = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["checksum"].clone();
        assert_eq!(checksum(&text), checksum(&other_time), "equal runs differ in their time alone");
    }
}
