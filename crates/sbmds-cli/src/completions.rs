//! `sbmds completions`: what a shell needs to complete commands and flags.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Cli;
use crate::failure::Failure;

/// Flags of `sbmds completions`.
#[derive(Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub fn run(&self) -> Result<(), Failure> {
        clap_complete::generate(self.shell, &mut Cli::command(), "sbmds", &mut std::io::stdout());
        Ok(())
    }
}
