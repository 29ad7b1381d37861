//! How ranks wait for each other.
//!
//! MPI's own calls wait by looking again and again. Where there are more ranks and threads than cores, whoever waits so keeps the core from
//! those it waits for.
//! So every exchange is begun, looked after, and slept on if it takes long.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use mpi::request::{Request, Scope};
use mpi::traits::{Communicator, CommunicatorCollectives};

/// With a core for everybody: between gradients rank 0 needs microseconds to milliseconds; while it makes a start map or a report the
/// cores belong to others.
const EAGER: Duration = Duration::from_millis(2);
/// Without: the others may need this core at once.
const EAGER_IN_A_CROWD: Duration = Duration::from_micros(20);
const PAUSE: Duration = Duration::from_micros(50);

/// How long to look without a pause, in microseconds.
static EAGERNESS: AtomicU64 = AtomicU64::new(EAGER_IN_A_CROWD.as_micros() as u64);

/// Waits until a request is done.
pub fn until_done<'a, D: ?Sized, S: Scope<'a>>(mut request: Request<'a, D, S>) {
    let eagerness = Duration::from_micros(EAGERNESS.load(Ordering::Relaxed));
    let start = Instant::now();
    while let Err(waiting) = request.test() {
        request = waiting;
        if start.elapsed() < eagerness { thread::yield_now() } else { thread::sleep(PAUSE) }
    }
}

/// The cores on which this rank may run, and the ranks that may run on the same.
#[derive(Clone, Copy, Debug)]
pub struct Cores {
    n_cores: usize,
    n_ranks: usize,
}

impl Cores {
    /// All ranks ask together.
    pub fn ask(world: &impl Communicator) -> Self {
        let node = world.split_shared(world.rank());
        let mine = allowed_cores();
        let mut all = vec![0_u64; node.size() as usize];
        node.all_gather_into(&mine, &mut all[..]);
        let n_ranks = all.iter().filter(|&&cores| cores == mine).count();
        Self { n_cores: thread::available_parallelism().map_or(1, usize::from), n_ranks }
    }

    /// Threads of a rank that leave the others theirs.
    pub fn per_rank(self) -> usize {
        (self.n_cores / self.n_ranks).max(1)
    }

    /// From now on waits as suits this many threads of each rank.
    pub fn wait_beside(self, n_threads: usize) {
        let eagerness = if self.n_ranks * n_threads > self.n_cores { EAGER_IN_A_CROWD } else { EAGER };
        EAGERNESS.store(eagerness.as_micros() as u64, Ordering::Relaxed);
    }
}

/// A number that is equal for ranks of a node that are bound to the same cores. Systems without such a file bind nobody.
fn allowed_cores() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    status.lines().find(|line| line.starts_with("Cpus_allowed:")).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_shared_out() {
        let per_rank = |n_cores, n_ranks| Cores { n_cores, n_ranks }.per_rank();
        assert_eq!([per_rank(16, 1), per_rank(16, 4), per_rank(1, 1), per_rank(2, 4)], [16, 4, 1, 1]);
    }
}
