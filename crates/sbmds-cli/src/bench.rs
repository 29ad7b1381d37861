//! `sbmds bench`: speed on this machine.

use clap::Subcommand;

use crate::failure::Failure;

/// What to measure.
#[derive(Subcommand)]
pub enum Bench {}

impl Bench {
    pub fn run(&self) -> Result<(), Failure> {
        match *self {}
    }
}
