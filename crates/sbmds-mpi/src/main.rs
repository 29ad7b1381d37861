//! `sbmds-mpi`: `sbmds fit` whose likelihood is shared among the ranks of an MPI job.
//!
//! Rank 0 is the program `sbmds`: it reads, samples, saves and writes. All other ranks hold a share of the pairs and add them up
//! when they are asked to. The sums run along a tree that the problem alone fixes, so that every number of ranks gives the same bits.

mod engine;
mod exchange;
mod message;
mod remote;
mod wait;
mod worker;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mpi::Threading;
use mpi::traits::Communicator;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};

use engine::MpiEngine;
use exchange::{meet, world};
use wait::Cores;

fn main() -> ExitCode {
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Serialized) else {
        eprintln!("error: MPI was initialised twice");
        return ExitCode::from(2);
    };
    if threading < Threading::Serialized {
        eprintln!(
            "error: this MPI cannot be called from several threads in turn (MPI_THREAD_SERIALIZED). Remedy: use another MPI"
        );
        return ExitCode::from(2);
    }
    end_all_ranks_on_panic();
    let cores = Cores::ask(&world());
    let code = if world().rank() == 0 { coordinate(cores) } else { work(cores) };
    // Nobody leaves before all are done: an early end looks like a failure to mpirun.
    meet();
    drop(universe);
    code
}

/// Rank 0: the program itself, with an engine that has the other ranks work.
fn coordinate(cores: Cores) -> ExitCode {
    let engine = MpiEngine { cores };
    let code = sbmds_cli::fit_with("sbmds-mpi", &engine);
    engine.dismiss();
    code
}

/// All other ranks. Signals are for rank 0 to answer: the others go on until it sends them home.
fn work(cores: Cores) -> ExitCode {
    let unheard = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGUSR1] {
        if let Err(error) = signal_hook::flag::register(signal, Arc::clone(&unheard)) {
            eprintln!("warning: rank {} cannot ignore signals: {error}", world().rank());
        }
    }
    worker::serve(cores)
}

/// A rank that is gone leaves the others waiting for ever: whoever panics ends the job.
fn end_all_ranks_on_panic() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        eprintln!(
            "error: rank {} failed, and the run ends. Go on with: sbmds-mpi fit --resume --out RUN",
            world().rank()
        );
        world().abort(101);
    }));
}
