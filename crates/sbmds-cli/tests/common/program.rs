//! The program, run in a directory: for the tests of several commands.

use std::path::Path;
use std::process::{Command, Output};

/// How a run of the program ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// The program with these blank-separated arguments, to be run in a directory.
pub fn command(directory: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sbmds"));
    command.args(arguments.split_whitespace()).current_dir(directory);
    command
}
