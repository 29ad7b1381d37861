//! All chains at work, a few at a time, each on its own thread or threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::chain::{Saved, Shared, Worker};
use super::error::RunError;
use super::starts::Starts;
use crate::draws::DrawStore;
use crate::posterior::Workspace;
use crate::random::{Purpose, stream};
use crate::sampler::Chain;

/// Pairs from which one likelihood keeps several threads busy.
const PAIRS_FOR_THREADS: usize = 65_536;

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
        let at_once = n_threads.clamp(1, n_chains);
        let threads = if n_pairs >= PAIRS_FOR_THREADS { (n_threads / at_once).max(1) } else { 1 };
        Self { at_once, threads }
    }
}

/// Where a chain begins its work.
pub(super) enum Begin<'a> {
    /// At its start.
    Start(&'a Starts<'a>),
    /// Where it was saved.
    Saved(Box<Saved>),
}

/// Brings every chain to `n_draws` draws, or as far as it gets before the run is to stop (`None`: not even begun).
///
/// The draws depend neither on the number of threads nor on which chain runs when.
pub(super) fn work(
    shared: &Shared,
    store: &DrawStore,
    begins: Vec<Begin>,
    n_draws: usize,
    n_threads: usize,
) -> Result<Vec<Option<Saved>>, RunError> {
    let n_chains = begins.len();
    let shares = Shares::new(n_threads, n_chains, shared.problem.posterior.likelihood().n_pairs());
    let begins: Vec<_> = begins.into_iter().map(|begin| Mutex::new(Some(begin))).collect();
    let results: Vec<_> = (0..n_chains).map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work_on_next = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(begin) = begins.get(number).and_then(|begin| lock(begin).take()) else { return };
        if shared.should_stop() {
            return;
        }
        let result = work_on_one(shared, store, number, begin, n_draws, shares.threads);
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
    results.iter().map(|result| lock(result).take().transpose()).collect()
}

/// A lock whose holder panicked still guards a whole value; the panic itself ends the run.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn work_on_one(
    shared: &Shared,
    store: &DrawStore,
    number: usize,
    begin: Begin,
    n_draws: usize,
    threads: usize,
) -> Result<Saved, RunError> {
    if threads == 1 {
        return worker(shared, store, number, begin, Workspace::serial())?.work(n_draws);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| RunError::Threads(error.to_string()))?;
    pool.install(|| worker(shared, store, number, begin, Workspace::parallel())?.work(n_draws))
}

fn worker<'a>(
    shared: &'a Shared<'a>,
    store: &DrawStore,
    number: usize,
    begin: Begin,
    workspace: Workspace,
) -> Result<Worker<'a>, RunError> {
    let (posterior, surrogate) = (&shared.problem.posterior, shared.problem.surrogate.clone());
    let writer = store.writer(number)?;
    match begin {
        Begin::Start(starts) => {
            let rng = stream(shared.config.run.seed, number, Purpose::Sampling);
            let start = starts.chain(number);
            let chain = Chain::start(posterior, surrogate, &shared.config.sampler, start, rng, workspace);
            Ok(Worker::new(shared, chain, writer))
        }
        Begin::Saved(saved) => {
            Worker::resume(shared, *saved, writer, |state| Chain::resume(posterior, surrogate, state, workspace))
        }
    }
}

#[cfg(test)]
mod tests {
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
    }
}
