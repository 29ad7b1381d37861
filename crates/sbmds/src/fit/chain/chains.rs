//! All chains at work, a few at a time, each on its own thread or threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::{Goal, SavedChain, Shared, Worker};
use crate::error::RunError;
use crate::fit::start::Starts;
use crate::posterior::Workspace;
use crate::random::{Purpose, stream};
use crate::sampler::Chain;

/// Pairs from which one likelihood keeps several threads busy.
const PAIRS_FOR_THREADS: usize = 65_536;

/// Pairs from which chains take turns, each with all threads: the trajectories of one take as much memory as all pairs.
const PAIRS_FOR_ALL_THREADS: usize = 20_000_000;

/// How the threads are shared out among the chains.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shares {
    /// Chains at work at the same time.
    at_once: usize,
    /// Threads of each.
    threads: usize,
}

impl Shares {
    fn new(n_threads: usize, n_chains: usize, n_pairs: usize) -> Self {
        if n_pairs >= PAIRS_FOR_ALL_THREADS {
            return Self { at_once: 1, threads: n_threads };
        }
        let at_once = n_threads.clamp(1, n_chains);
        let threads = if n_pairs >= PAIRS_FOR_THREADS { (n_threads / at_once).max(1) } else { 1 };
        Self { at_once, threads }
    }
}

/// When a chain is to end that is the first of `n_waiting` to begin, `at_once` of them at a time: all get the same share of the
/// time that is left.
fn share_of_time(deadline: Option<Instant>, now: Instant, n_waiting: usize, at_once: usize) -> Option<Instant> {
    let n_turns = n_waiting.div_ceil(at_once).max(1);
    deadline.map(|deadline| now + deadline.saturating_duration_since(now) / n_turns as u32)
}

/// Where a chain begins its work.
pub(crate) enum Begin<'a> {
    /// At its start.
    Start(&'a Starts<'a>),
    /// Where it was saved.
    Saved(Box<SavedChain>),
}

/// Brings every chain to `n_draws` draws, or as far as it gets before the run is to stop (`None`: not even begun).
///
/// The draws depend neither on the number of threads nor on which chain runs when.
pub(crate) fn work(
    shared: &Shared,
    begins: Vec<Begin>,
    n_draws: usize,
    n_threads: usize,
) -> Result<Vec<Option<SavedChain>>, RunError> {
    let n_chains = begins.len();
    let shares = if shared.has_engine {
        Shares { at_once: 1, threads: n_threads }
    } else {
        Shares::new(n_threads, n_chains, shared.problem.pairs.n_pairs())
    };
    let begins: Vec<_> = begins.into_iter().map(|begin| Mutex::new(Some(begin))).collect();
    let results: Vec<_> = (0..n_chains).map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work_on_next = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(begin) = begins.get(number).and_then(|begin| lock(begin).take()) else { return };
        if shared.should_stop() {
            return;
        }
        let (now, n_waiting) = (Instant::now(), n_chains - number);
        let until = share_of_time(shared.deadline, now, n_waiting, shares.at_once);
        let goal = Goal { n_draws, until };
        let result = work_on_one(shared, number, begin, goal, shares.threads);
        if result.is_err() {
            shared.failed.store(true, Ordering::Relaxed);
        }
        *lock(&results[number]) = Some(result);
    };
    std::thread::scope(|scope| {
        for _ in 0..shares.at_once {
            // Where the system refuses a thread, those there are do the work; this one, if there are none.
            if std::thread::Builder::new().spawn_scoped(scope, work_on_next).is_err() {
                work_on_next();
                break;
            }
        }
    });
    results.iter().map(|result| lock(result).take().transpose().map(Option::flatten)).collect()
}

/// A lock whose holder panicked still guards a whole value; the panic itself ends the run.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Brings one chain on; `None` if it was stopped before it had begun.
fn work_on_one(
    shared: &Shared,
    number: usize,
    begin: Begin,
    goal: Goal,
    threads: usize,
) -> Result<Option<SavedChain>, RunError> {
    let work = |workspace: Workspace| {
        let worker = worker(shared, number, begin, workspace)?;
        worker.map(|worker| worker.work(goal)).transpose()
    };
    if threads == 1 {
        return work(Workspace::serial());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| RunError::Threads(error.to_string()))?;
    pool.install(|| work(Workspace::parallel()))
}

fn worker<'a>(
    shared: &'a Shared<'a>,
    number: usize,
    begin: Begin,
    workspace: Workspace,
) -> Result<Option<Worker<'a>>, RunError> {
    let posterior = &shared.problem.posterior;
    let sink = shared.sink.chain(number)?;
    match begin {
        Begin::Start(starts) => {
            let run = &shared.config.run;
            let rng = stream(run.seed, run.chain_number(number), Purpose::Sampling);
            let start = starts.chain(run.chain_number(number));
            let settings = shared.config.chain_settings();
            let chain = Chain::start_unless(posterior, &settings, start, rng, workspace, shared.stop);
            Ok(chain.map(|chain| Worker::new(shared, number, chain, sink)))
        }
        Begin::Saved(saved) => {
            Worker::resume(shared, number, *saved, sink, |state| Chain::resume(posterior, state, workspace)).map(Some)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn threads_go_to_chains_first_and_then_into_them() {
        let shares = |n_threads, n_chains, n_pairs| {
            let Shares { at_once, threads } = Shares::new(n_threads, n_chains, n_pairs);
            (at_once, threads)
        };
        assert_eq!(shares(2, 4, 1_000_000), (2, 1));
        assert_eq!(shares(16, 4, 1_000_000), (4, 4));
        assert_eq!(shares(6, 4, 1_000_000), (4, 1));
        assert_eq!(shares(16, 4, 1_000), (4, 1));
        assert_eq!(shares(1, 1, 1_000_000), (1, 1));
        assert_eq!(shares(2, 4, 50_000_000), (1, 2));
    }

    #[test]
    fn chains_that_take_turns_share_the_time() {
        let now = Instant::now();
        let seconds = |after, n_waiting, at_once| {
            let (now, deadline) = (now + Duration::from_secs(after), now + Duration::from_secs(60));
            share_of_time(Some(deadline), now, n_waiting, at_once).unwrap().duration_since(now).as_secs()
        };
        // Four chains, two at a time: half the time each; the last two get what is left.
        assert_eq!([seconds(0, 4, 2), seconds(0, 3, 2), seconds(30, 2, 2), seconds(31, 1, 2)], [30, 30, 30, 29]);
        assert_eq!((seconds(0, 4, 4), seconds(0, 3, 1), seconds(70, 1, 1)), (60, 20, 0));
        assert_eq!(share_of_time(None, now, 4, 2), None);
    }
}
