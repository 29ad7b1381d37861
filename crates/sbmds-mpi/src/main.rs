//! `sbmds-mpi`: `sbmds fit` whose likelihood is shared among the ranks of an MPI job.
//!
//! Rank 0 is the program `sbmds`: it reads, samples, saves and writes. All other ranks hold a share of the pairs and add them up
//! when they are asked to. The sums run along a tree that the problem alone fixes, so that every number of ranks gives the same bits.

mod engine;
mod exchange;
mod message;
mod remote;
mod worker;

use std::process::ExitCode;

use mpi::Threading;
use mpi::traits::{Communicator, CommunicatorCollectives};

use engine::MpiEngine;
use exchange::world;

fn main() -> ExitCode {
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Serialized) else {
        eprintln!("error: MPI was initialised twice");
        return ExitCode::from(2);
    };
    if threading < Threading::Serialized {
        eprintln!("error: this MPI cannot be called from several threads in turn (MPI_THREAD_SERIALIZED). Remedy: use another MPI");
        return ExitCode::from(2);
    }
    end_all_ranks_on_panic();
    let code = if world().rank() == 0 { coordinate() } else { worker::serve() };
    // Nobody leaves before all are done: an early end looks like a failure to mpirun.
    world().barrier();
    drop(universe);
    code
}

/// Rank 0: the program itself, with an engine that has the other ranks work.
fn coordinate() -> ExitCode {
    let engine = MpiEngine::new();
    let code = sbmds_cli::fit_with(&engine);
    engine.dismiss();
    code
}

/// A rank that is gone leaves the others waiting for ever: whoever panics ends the job.
fn end_all_ranks_on_panic() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        eprintln!("error: rank {} failed, and the run ends. Go on with: sbmds-mpi fit --resume --out RUN", world().rank());
        world().abort(101);
    }));
}
