//! Small inputs, runs of the real program, and what they leave on disk.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Ended, command};

/// A directory that is gone after the test, with a matrix in it.
pub struct Case {
    pub directory: tempfile::TempDir,
}

/// Points scattered by a fixed rule (multiples of irrational numbers, modulo 1), and distances with small errors.
pub fn dissimilarity(a: usize, b: usize) -> f64 {
    let location =
        |n: usize| [(n as f64 * 0.618_033_988_75).fract() * 3.0, (n as f64 * 0.414_213_562_37).fract() * 3.0];
    let ([x, y], [u, v]) = (location(a), location(b));
    let error = ((a * b) as f64 * 0.732_050_807_57).fract() - 0.5;
    ((x - u).hypot(y - v) + 0.2 * error).abs()
}

/// A labelled matrix of `n_objects` objects; NaN is an empty cell.
pub fn matrix(n_objects: usize, dissimilarity: impl Fn(usize, usize) -> f64) -> String {
    let mut text = String::new();
    for n in 0..n_objects {
        write!(text, ",o{n}").unwrap();
    }
    for a in 0..n_objects {
        write!(text, "\no{a}").unwrap();
        for b in 0..n_objects {
            let value = if a == b { 0.0 } else { dissimilarity(a.min(b), a.max(b)) };
            if value.is_nan() { text.push(',') } else { write!(text, ",{value}").unwrap() }
        }
    }
    text + "\n"
}

impl Case {
    /// With the matrix of `n_objects` objects as `matrix.csv`.
    pub fn new(n_objects: usize) -> Self {
        let case = Self { directory: tempfile::tempdir().unwrap() };
        case.write("matrix.csv", &matrix(n_objects, dissimilarity));
        case
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program with these blank-separated arguments, in the directory of the case.
    pub fn command(&self, arguments: &str) -> Command {
        command(self.directory.path(), arguments)
    }

    pub fn run(&self, arguments: &str) -> Ended {
        Ended::from(self.command(arguments).output().unwrap())
    }

    pub fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// `summary.json` of a run without what depends on the clock, or on how draws are shared out among files: a run that was
    /// planned shorter has smaller ones.
    pub fn summary(&self, run: &str) -> serde_json::Value {
        let mut summary = self.json(&format!("{run}/summary.json"));
        for entry in ["seconds", "seconds_checksum", "checksum"] {
            assert!(summary.as_object_mut().unwrap().remove(entry).is_some(), "{entry}");
        }
        assert!(summary["files"].as_object_mut().unwrap().remove("draws.zarr").is_some());
        summary
    }

    /// Everything that two equal runs must agree on, to the byte.
    pub fn results(&self, run: &str) -> (BTreeMap<PathBuf, Vec<u8>>, serde_json::Value, String, String) {
        let files = files_below(&self.path(run).join("draws.zarr"));
        assert!(files.len() > 10, "only {} files", files.len());
        let table = |name: &str| self.read(&format!("{run}/{name}"));
        (files, self.summary(run), table("embedding.csv"), table("diagnostics.csv"))
    }

    pub fn assert_same_results(&self, left: &str, right: &str) {
        let (left, right) = (self.results(left), self.results(right));
        assert!(left.0.keys().eq(right.0.keys()), "different files");
        for (path, content) in &left.0 {
            assert!(right.0[path] == *content, "{} differs", path.display());
        }
        assert_eq!(left.1, right.1);
        assert_eq!((left.2, left.3), (right.2, right.3));
    }
}

impl Ended {
    /// Ended with this exit code and with each of `words` on stderr.
    #[track_caller]
    pub fn expect(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} in {}", self.stderr);
        }
    }

    /// All draws were made, whatever the verdict.
    #[track_caller]
    pub fn expect_finished(&self) {
        assert!(matches!(self.code, Some(0 | 1)), "{:?}: {}", self.code, self.stderr);
    }
}

/// Every file below `directory`, with its content.
pub fn files_below(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let content = fs::read(&path).unwrap();
                files.insert(path.strip_prefix(directory).unwrap().to_owned(), content);
            }
        }
    }
    files
}

/// Shape and numbers of a `.npy` file of 64-bit floats in C order.
pub fn read_npy(path: &Path) -> (Vec<usize>, Vec<f64>) {
    let bytes = fs::read(path).unwrap();
    assert_eq!(&bytes[..6], b"\x93NUMPY");
    let (start, len) = match bytes[6] {
        1 => (10, usize::from(u16::from_le_bytes([bytes[8], bytes[9]]))),
        _ => (12, u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize),
    };
    let header = std::str::from_utf8(&bytes[start..start + len]).unwrap();
    assert!(header.contains("<f8") && header.contains("'fortran_order': False"), "{header}");
    let shape = header.split_once('(').unwrap().1.split_once(')').unwrap().0;
    let shape = shape.split(',').filter_map(|len| len.trim().parse().ok()).collect();
    let numbers = bytes[start + len..].chunks_exact(8).map(|eight| f64::from_le_bytes(eight.try_into().unwrap()));
    (shape, numbers.collect())
}
