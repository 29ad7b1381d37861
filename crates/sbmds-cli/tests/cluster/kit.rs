//! A folder of files, the program run in it, and small data with known groups.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use crate::program::{Ended, command};

pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program with these blank-separated arguments.
    pub fn run(&self, arguments: &str) -> Ended {
        command(self.0.path(), arguments).output().unwrap().into()
    }

    /// What it prints when all is well.
    #[track_caller]
    pub fn ok(&self, arguments: &str) -> String {
        let ended = self.run(arguments);
        assert_eq!(ended.code, Some(0), "{arguments}: {}", ended.stderr);
        ended.stdout
    }

    /// It stops with exit code 2 and each of `words` in its message.
    #[track_caller]
    pub fn refuses(&self, arguments: &str, words: &[&str]) {
        let ended = self.run(arguments);
        assert_eq!(ended.code, Some(2), "{arguments}: {}", ended.stderr);
        for word in words {
            assert!(ended.stderr.contains(word), "{arguments}: no {word:?} in {}", ended.stderr);
        }
    }

    /// One column of a CSV, by the first.
    pub fn column(&self, file: &str, column: &str) -> BTreeMap<String, String> {
        let mut reader = csv::Reader::from_path(self.path(file)).unwrap();
        let index = reader.headers().unwrap().iter().position(|name| name == column).expect(column);
        reader.records().map(|row| row.unwrap()).map(|row| (row[0].to_owned(), row[index].to_owned())).collect()
    }
}

/// Scattered by a fixed rule: multiples of irrational numbers, modulo 1.
fn scatter(n: usize) -> [f64; 2] {
    [0.618_033_988_75, 0.414_213_562_37].map(|number| (n as f64 * number).fract() - 0.5)
}

/// The group of object `n`: three groups, in turns, of 20, 16 and 12 objects, and two loners.
pub fn group(n: usize) -> Option<usize> {
    match n {
        48 | 49 => None,
        n if n < 36 => Some(n % 3),
        n if n < 44 => Some(n % 2),
        _ => Some(0),
    }
}

pub const N_OBJECTS: usize = 50;

pub fn location(n: usize) -> [f64; 2] {
    let [x, y] = scatter(n);
    match group(n) {
        Some(group) => [x + [0.0, 6.0, 3.0][group], y + [0.0, 0.0, 5.0][group]],
        None => [20.0, if n == 48 { -15.0 } else { 15.0 }],
    }
}

/// Points as a table, in the order of `rows`.
pub fn points(rows: &[usize]) -> String {
    let mut text = String::from("name,east,north\n");
    for &n in rows {
        let [x, y] = location(n);
        writeln!(text, "o{n},{x},{y}").unwrap();
    }
    text
}

/// Distances between them with small errors, as a labelled matrix.
pub fn distances() -> String {
    let mut text: String = (0..N_OBJECTS).map(|n| format!(",o{n}")).collect();
    for a in 0..N_OBJECTS {
        write!(text, "\no{a}").unwrap();
        for b in 0..N_OBJECTS {
            let ([x, y], [u, v]) = (location(a), location(b));
            let error = 0.2 * (((a.min(b) * 57 + a.max(b)) as f64 * 0.732_050_807_57).fract() - 0.5);
            let delta = if a == b { 0.0 } else { ((x - u).hypot(y - v) + error).abs() };
            write!(text, ",{delta}").unwrap();
        }
    }
    text + "\n"
}
