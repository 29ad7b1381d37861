//! The side of all ranks but 0: hold a share of a likelihood, and add it up when asked to.

use std::process::ExitCode;

use sbmds::likelihood::{AskedSums, InstructionSet, Likelihood, Share, Workspace};
use sbmds::run::{FitConfig, share_of};

use crate::exchange::{Exchanges, gather_texts, listen, n_ranks, rank, spread, spread_bytes};
use crate::message::{Command, Description, Held};
use crate::wait::Cores;

/// Works until rank 0 has nothing more to do.
pub fn serve(cores: Cores) -> ExitCode {
    let mut holder = None;
    loop {
        match listen() {
            Command::End => return ExitCode::SUCCESS,
            Command::Hold(length) => holder = hold(length, cores),
            Command::Sum(asked) => match &mut holder {
                Some(holder) => holder.sum(asked),
                None => unreachable!("rank 0 asks for the sum of a share that this rank does not hold"),
            },
        }
    }
}

/// A share with the memory to add it up.
struct Holder {
    share: Likelihood,
    threads: rayon::ThreadPool,
    workspace: Workspace,
    exchanges: Exchanges,
    x: Vec<f64>,
    branches: Vec<f64>,
}

/// Takes the share that is described next and tells rank 0 about it.
fn hold(length: usize, cores: Cores) -> Option<Holder> {
    let mut bytes = vec![0; length];
    spread_bytes(&mut bytes);
    let holder = Holder::of(&String::from_utf8_lossy(&bytes), cores);
    let held = match &holder {
        Ok(Holder { share, .. }) => Held::of(share),
        Err(problem) => Held { n_pairs: 0, n_leaves: [0; 2], problem: Some(problem.clone()) },
    };
    gather_texts(&toml::to_string(&held).unwrap_or_default());
    holder.ok()
}

impl Holder {
    fn of(description: &str, cores: Cores) -> Result<Self, String> {
        let Description { config, instructions, n_threads } =
            toml::from_str(description).map_err(|error| error.to_string())?;
        let config: FitConfig = toml::from_str(&config).map_err(|error| error.to_string())?;
        let instructions = InstructionSet::ALL.into_iter().find(|set| set.to_string() == instructions);
        let instructions = instructions.ok_or("rank 0 is another version of sbmds")?;
        if !instructions.is_available() {
            return Err(format!("its machine has no {instructions}, which rank 0 uses (SBMDS_SIMD chooses another)"));
        }
        cores.wait_beside(n_threads);
        let threads = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build();
        let threads = threads.map_err(|error| error.to_string())?;
        let share = Share { rank: rank(), n_ranks: n_ranks() };
        let share = threads.install(|| share_of(config, share)).map_err(|error| error.to_string())?;
        let share = share.with_instruction_set(instructions);
        let (exchanges, x) = (Exchanges::of(&share), vec![0.0; share.n_objects() * share.n_dims()]);
        let workspace = if n_threads > 1 { Workspace::parallel() } else { Workspace::serial() };
        Ok(Self { share, threads, workspace, exchanges, x, branches: Vec::new() })
    }

    fn sum(&mut self, asked: AskedSums) {
        let Self { share, threads, workspace, exchanges, x, branches } = self;
        spread(x);
        let exchange = exchanges.get(asked.arithmetic);
        exchange.make_room(asked.want, branches);
        let sums = threads.install(|| share.partial_sums(workspace, asked, exchange.parts(), x, branches));
        exchange.join(asked.want, branches, &sums, &mut []);
    }
}
