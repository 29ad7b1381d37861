//! A folder of files, and the program run in it.

use std::collections::BTreeMap;
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
