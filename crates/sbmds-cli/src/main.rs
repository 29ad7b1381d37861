//! The `sbmds` command: a thin shell around the library.

mod arguments;
mod bench;
mod calibrate;
mod eval;
mod failure;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Maps from dissimilarities, with honest uncertainty: sparse Bayesian multidimensional scaling.
#[derive(Parser)]
#[command(version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Log-likelihood (and gradient) of given locations, as JSON
    Eval(eval::Eval),
    /// Simulate, fit, and check that fits contain the truth as often as they say
    Calibrate(calibrate::Calibrate),
    /// Measure speed on this machine
    #[command(subcommand)]
    Bench(bench::Bench),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Eval(command) => command.run(),
        Command::Calibrate(command) => command.run(),
        Command::Bench(command) => command.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
