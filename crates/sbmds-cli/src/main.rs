//! The `sbmds` command: a thin shell around the library.

mod arguments;
mod bench;
mod eval;
mod failure;
mod simulate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Maps from dissimilarities, with honest uncertainty: sparse Bayesian multidimensional scaling.
#[derive(Parser)]
#[command(name = "sbmds", version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Log-likelihood (and gradient) of given locations, as JSON
    Eval(eval::Eval),
    /// Simulated dissimilarities with their true locations
    Simulate(simulate::Simulate),
    /// Measure speed on this machine
    #[command(subcommand)]
    Bench(bench::Bench),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Eval(command) => command.run(),
        Command::Simulate(command) => command.run(),
        Command::Bench(command) => command.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
