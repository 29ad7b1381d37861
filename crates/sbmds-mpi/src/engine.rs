//! Rank 0's side: has every rank take its share of a likelihood.

use std::sync::{Arc, Mutex};

use sbmds::fit::{Engine, Job};
use sbmds::likelihood::{Arithmetic, LogLikelihood, Share};
use sbmds::run::RunError;

use crate::exchange::{Exchanges, gather_texts, n_ranks, spread_bytes, tell};
use crate::message::{Command, Description, Held};
use crate::remote::{Remote, State};
use crate::wait::Cores;

/// Shares likelihoods among all ranks.
pub struct MpiEngine {
    /// Those of rank 0.
    pub cores: Cores,
}

impl MpiEngine {
    /// Sends the other ranks home.
    pub fn dismiss(&self) {
        tell(Command::End);
    }
}

impl Engine for MpiEngine {
    /// The cores of this process, shared with the ranks that may run on the same.
    fn n_threads(&self) -> Option<usize> {
        Some(self.cores.per_rank())
    }

    fn likelihood(&self, job: Job<'_>) -> Result<Arc<dyn LogLikelihood>, RunError> {
        let unusable = |problem: String, remedy: &str| RunError::Engine { problem, remedy: remedy.into() };
        if job.config.input.copy.is_some() {
            let problem = "an input that comes through a pipe reaches rank 0 only".into();
            return Err(unusable(problem, "save it as a file that all ranks can read"));
        }
        let size = job.partners.n_objects() * job.partners.n_dims();
        let description = Description {
            config: toml::to_string(job.config).map_err(|error| unusable(error.to_string(), "rename the file"))?,
            instructions: job.partners.instruction_set().to_string(),
            n_threads: job.n_threads,
        };
        let text = toml::to_string(&description).map_err(|error| unusable(error.to_string(), "rename the file"))?;
        self.cores.wait_beside(job.n_threads);
        tell(Command::Hold(text.len()));
        spread_bytes(&mut text.into_bytes());
        let share = (job.build)(Share { rank: 0, n_ranks: n_ranks() });
        let mine = Held::of(&share);
        let held = gather(&mine);
        if let Some((rank, problem)) = first_problem(&held) {
            let problem = format!("rank {rank} cannot take its share: {problem}");
            return Err(unusable(problem, "give all ranks the same files, program and processor features"));
        }
        let n_pairs = held.iter().map(|held| held.n_pairs).sum::<usize>();
        if n_pairs != job.partners.n_pairs() || held.iter().any(|held| held.n_leaves != mine.n_leaves) {
            let problem = format!("the ranks hold {n_pairs} of {} pairs", job.partners.n_pairs());
            return Err(unusable(problem, "give all ranks the same files and the same program"));
        }
        job.observer.note(&described(&held));
        let mut exchanges = Exchanges::of(&share);
        let most = |arithmetic| exchanges.get(arithmetic).most_branches();
        let most_branches = Arithmetic::ALL.map(most).into_iter().max().unwrap_or(0);
        if i32::try_from(size * most_branches).is_err() {
            let problem = format!("messages of {most_branches} x {size} numbers are longer than MPI 3 can send");
            return Err(unusable(problem, "use a power of two of ranks, or fit fewer objects"));
        }
        let state = Mutex::new(State { exchanges, branches: Vec::new(), x: Vec::new() });
        Ok(Arc::new(Remote { share, partners: job.partners, state }))
    }
}

fn gather(mine: &Held) -> Vec<Held> {
    let texts = gather_texts(&toml::to_string(mine).unwrap_or_default());
    let unreadable = |error: toml::de::Error| Held { n_pairs: 0, n_leaves: [0; 2], problem: Some(error.to_string()) };
    texts.iter().map(|text| toml::from_str(text).unwrap_or_else(unreadable)).collect()
}

fn first_problem(held: &[Held]) -> Option<(usize, &str)> {
    held.iter().enumerate().find_map(|(rank, held)| Some((rank, held.problem.as_deref()?)))
}

/// Who holds how much, in a sentence.
fn described(held: &[Held]) -> String {
    let pairs = held.iter().map(|held| held.n_pairs);
    let (least, most) = (pairs.clone().min().unwrap_or(0), pairs.max().unwrap_or(0));
    let idle = held.iter().filter(|held| held.n_pairs == 0).count();
    let ranks = if held.len() == 1 { "1 rank holds".into() } else { format!("{} ranks hold", held.len()) };
    let idle = match idle {
        0 => String::new(),
        _ => format!("; {idle} of them have nothing to do, because the sum has only {} parts", held[0].n_leaves[0]),
    };
    if least == most {
        format!("{ranks} {most} pairs each{idle}")
    } else {
        format!("{ranks} {least} to {most} pairs each{idle}")
    }
}
