//! The program `sbmds`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(sbmds_cli::run(std::env::args_os()))
}
