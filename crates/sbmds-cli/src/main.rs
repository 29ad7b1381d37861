//! The `sbmds` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    sbmds_cli::run()
}
