//! A folder of files and the `sbmds` command run in it.

use std::process::Command;

use serde::Deserialize;
use tempfile::TempDir;

use crate::program::{Ended, command};

/// A temporary folder that the command runs in, so that files go by their bare names.
pub struct Folder(TempDir);

/// What `sbmds eval` prints.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Evaluation {
    pub n_objects: usize,
    pub n_dims: usize,
    pub n_pairs: usize,
    pub log_likelihood: f64,
    pub gradient: Option<Vec<Vec<f64>>>,
    pub log_prior_tree: Option<f64>,
    pub gradient_prior_tree: Option<Vec<Vec<f64>>>,
}

impl Folder {
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub fn with(self, file: &str, content: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.0.path().join(file), content).unwrap();
        self
    }

    /// `sbmds` with blank-separated arguments, to be run in the folder.
    pub fn command(&self, arguments: &str) -> Command {
        command(self.0.path(), arguments)
    }

    /// Runs it.
    pub fn sbmds(&self, arguments: &str) -> Ended {
        self.command(arguments).output().unwrap().into()
    }

    /// What `sbmds eval` prints when all is well.
    pub fn eval(&self, arguments: &str) -> Evaluation {
        let answer = self.sbmds(&format!("eval {arguments}"));
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{arguments}");
        answer.evaluation()
    }
}

impl Ended {
    pub fn evaluation(&self) -> Evaluation {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

#[track_caller]
pub fn assert_close(found: f64, expected: f64, relative: f64) {
    assert!((found - expected).abs() <= relative * expected.abs().max(1.0), "{found}, expected {expected}");
}

#[track_caller]
pub fn assert_rows_close(found: &[Vec<f64>], expected: &[Vec<f64>], relative: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert_close(*found, *expected, relative);
    }
}
