//! The `sbmds` command, a thin shell around the library; `sbmds-mpi` is the same shell around another engine.
//!
//! [`run`] is the program. [`FitPlan`] reads the words of `sbmds fit` for those who offer the same settings elsewhere, as the Python
//! package does.

mod advice;
mod arguments;
mod beast_flags;
mod calibrate;
mod choose;
mod choose_bands;
mod cluster;
mod combine;
mod compare;
mod compare_maps;
mod completions;
mod conclusion;
mod demo;
mod duration;
mod eval;
mod eval_titers;
mod examples;
mod export;
mod failure;
mod fit;
mod fit_arguments;
mod fit_plan;
mod fit_settings;
mod flags;
mod from_beast;
mod hdbscan;
mod measurement_arguments;
mod place;
mod place_jointly;
mod plot;
mod predict;
mod progress;
mod report;
mod reproduce;
mod say;
mod simulate;
mod summary;
mod terminal_map;
mod time_left;
mod tree_arguments;

use std::ffi::OsString;
use std::process::ExitCode;

pub use fit_plan::{FitPlan, FitTask};

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use sbmds::fit::Engine;
use sbmds::likelihood::InstructionSet;
use sbmds_paper::bench::Bench;

/// Maps from dissimilarities, with honest uncertainty: sparse Bayesian multidimensional scaling.
#[derive(Parser)]
#[command(name = "sbmds", version, max_term_width = 110, after_help = examples::SBMDS)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The whole way on built-in data: distances between cities become a map of the world
    Demo(demo::Demo),
    /// Log-likelihood (and gradient) of given locations, as JSON
    #[command(after_help = examples::EVAL)]
    Eval(eval::Eval),
    /// Simulated dissimilarities with their true locations
    #[command(after_help = examples::SIMULATE)]
    Simulate(simulate::Simulate),
    /// Fit a map to dissimilarities: draws from its posterior, with a verdict on whether to trust them
    #[command(after_help = examples::FIT)]
    Fit(Box<fit::Fit>),
    /// One run of chains that ran one by one (fit --chain), as if they had run together
    #[command(after_help = examples::COMBINE)]
    Combine(combine::Combine),
    /// How many dimensions, and which noise: fits compared by how well they predict pairs left out
    #[command(after_help = examples::CHOOSE)]
    Choose(Box<choose::Choose>),
    /// What a finished fit says
    #[command(after_help = examples::SUMMARY)]
    Summary(summary::SummaryCommand),
    /// One interactive page of a finished fit, which opens offline in any browser
    #[command(after_help = examples::REPORT)]
    Report(report::Report),
    /// Figures of finished fits for papers: map, shepard, trace, rank, ess or density, as SVG, PDF or PNG
    #[command(after_help = examples::PLOT)]
    Plot(plot::Plot),
    /// Clusters of a finished fit, with their uncertainty: HDBSCAN over the draws
    #[command(after_help = examples::CLUSTER)]
    Cluster(Box<cluster::Cluster>),
    /// Clusters of points by HDBSCAN, without a fit
    #[command(after_help = examples::HDBSCAN)]
    Hdbscan(hdbscan::Hdbscan),
    /// One quantity in several fits, or their maps: tables, distances between posteriors, arrows between maps
    #[command(after_help = examples::COMPARE)]
    Compare(compare::Compare),
    /// What a fit expects of dissimilarities, measured or missing, and which of them surprise
    #[command(after_help = examples::PREDICT)]
    Predict(predict::Predict),
    /// Place new objects on the map of a finished fit, with their uncertainty
    #[command(after_help = examples::PLACE)]
    Place(place::Place),
    /// Write the draws of a fit as plain files
    #[command(after_help = examples::EXPORT)]
    Export(export::Export),
    /// The fit that comes closest to an analysis written for BEAST: its command line, or the fit itself
    FromBeast(from_beast::FromBeast),
    /// The number that asks BEAST for sbmds with certain couplings, and BEAST's command line
    BeastFlags(beast_flags::BeastFlagsCommand),
    /// Simulation-based calibration: do credible intervals have their stated coverage?
    Calibrate(calibrate::Calibrate),
    /// The paper's figures and tables, our numbers beside the authors'
    Reproduce(reproduce::Reproduce),
    /// What a shell needs to complete commands and flags
    #[command(after_help = examples::COMPLETIONS)]
    Completions(completions::Completions),
    /// Measure speed on this machine
    #[command(subcommand)]
    Bench(Bench),
}

/// A reader that has seen enough, such as `head`, ends the program without a word.
fn end_quietly_with_the_reader() {
    /// What shells report of programs that a closed pipe ended: 128 + SIGPIPE.
    const CLOSED_PIPE: i32 = 141;
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.to_string();
        if message.contains("failed printing to stdout") && message.contains("Broken pipe") {
            std::process::exit(CLOSED_PIPE);
        }
        usual(panic);
    }));
}

/// Runs the command that these words are, the program's name first, and gives its exit code. What cannot be understood ends the
/// process.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    end_quietly_with_the_reader();
    let matches = Cli::command().get_matches_from(words);
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let Err(problem) = InstructionSet::asked_for() {
        return failure::Failure::bad_input(problem).report();
    }
    match dispatch(cli, &matches) {
        Ok(()) => 0,
        Err(failure) => failure.report(),
    }
}

/// A program `name` with the command `fit` alone, whose likelihoods `engine` computes. It returns however it ends: whoever leads
/// other processes must send them home.
pub fn fit_with(name: &'static str, engine: &dyn Engine) -> ExitCode {
    let command = Cli::command();
    let fit = command.find_subcommand("fit").expect("a command of sbmds").clone();
    let about = "sbmds fit, one likelihood shared among the ranks of an MPI job: see docs/clusters.md";
    let command = clap::Command::new(name).about(about).version(env!("CARGO_PKG_VERSION")).subcommand(fit);
    let parsed = command.subcommand_required(true).try_get_matches().and_then(|matches| {
        let of_fit = matches.subcommand_matches("fit").expect("the only command").clone();
        Ok((fit::Fit::from_arg_matches(&of_fit)?, of_fit))
    });
    let (fit, of_fit) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // Nothing is left to say where the terminal is gone.
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let asked = InstructionSet::asked_for().map_err(failure::Failure::bad_input);
    match asked.and_then(|_| fit.run_with(Some(&of_fit), Some(engine))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ExitCode::from(failure.report()),
    }
}

/// Runs another command, as if it had been typed.
fn execute(words: &[String]) -> Result<(), failure::Failure> {
    let matches = Cli::command().try_get_matches_from(words).map_err(failure::Failure::bad_input)?;
    let cli = Cli::from_arg_matches(&matches).map_err(failure::Failure::bad_input)?;
    dispatch(cli, &matches)
}

fn dispatch(cli: Cli, matches: &ArgMatches) -> Result<(), failure::Failure> {
    match cli.command {
        Command::Demo(command) => command.run(),
        Command::Eval(command) => command.run(),
        Command::Simulate(command) => command.run(),
        Command::Fit(command) => command.run(matches.subcommand_matches("fit")),
        Command::Combine(command) => command.run(),
        Command::Choose(command) => command.run(),
        Command::Summary(command) => command.run(),
        Command::Report(command) => command.run(),
        Command::Plot(command) => command.run(),
        Command::Cluster(command) => command.run(),
        Command::Hdbscan(command) => command.run(),
        Command::Compare(command) => command.run(),
        Command::Predict(command) => command.run(),
        Command::Place(command) => command.run(),
        Command::Export(command) => command.run(),
        Command::FromBeast(command) => command.run(),
        Command::BeastFlags(command) => command.run(),
        Command::Calibrate(command) => command.run(),
        Command::Reproduce(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Bench(command) => Ok(command.run()?),
    }
}
