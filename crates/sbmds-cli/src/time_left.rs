//! How long a run will still take, from how fast its chains are now.

use std::time::{Duration, Instant};

use sbmds::run::ChainProgress;

/// The pace of a chain is measured over at least this long: iterations differ in length.
const OVER: Duration = Duration::from_secs(10);

/// What is known of every chain.
pub struct TimeLeft {
    n_chains: usize,
    chains: Vec<Option<Pace>>,
}

/// Where a chain was, and where it is.
#[derive(Clone, Copy)]
struct Pace {
    since: (Instant, usize),
    now: (Instant, usize),
    n_iterations: usize,
    seconds_per_iteration: Option<f64>,
}

impl TimeLeft {
    pub fn new(n_chains: usize) -> Self {
        Self { n_chains, chains: Vec::new() }
    }

    /// Takes note of how far a chain is.
    pub fn note(&mut self, progress: &ChainProgress, at: Instant) {
        if self.chains.len() <= progress.chain {
            self.chains.resize(progress.chain + 1, None);
        }
        let here = (at, progress.iteration);
        let n_iterations = progress.n_iterations;
        let fresh = Pace { since: here, now: here, n_iterations, seconds_per_iteration: None };
        let pace = self.chains[progress.chain].get_or_insert(fresh);
        (pace.now, pace.n_iterations) = (here, n_iterations);
        let (elapsed, made) = (at - pace.since.0, progress.iteration - pace.since.1.min(progress.iteration));
        if elapsed >= OVER && made > 0 {
            pace.seconds_per_iteration = Some(elapsed.as_secs_f64() / made as f64);
            pace.since = here;
        }
    }

    /// Seconds until the last chain has all its draws; `None` before the pace is known.
    pub fn seconds(&self) -> Option<f64> {
        let known: Vec<&Pace> = self.chains.iter().flatten().collect();
        let at_work: Vec<f64> =
            known.iter().filter(|pace| pace.left() > 0).filter_map(|pace| pace.seconds_per_iteration).collect();
        if at_work.is_empty() {
            return None;
        }
        let per_iteration = at_work.iter().sum::<f64>() / at_work.len() as f64;
        let not_begun = self.n_chains.saturating_sub(known.len()) * known.first().map_or(0, |pace| pace.n_iterations);
        let left: usize = known.iter().map(|pace| pace.left()).sum::<usize>() + not_begun;
        Some(left as f64 * per_iteration / at_work.len() as f64)
    }

    /// Iterations done, of all that there will be.
    pub fn share(&self) -> f64 {
        let known = self.chains.iter().flatten();
        let done: usize = known.clone().map(|pace| pace.now.1).sum();
        let of_one = known.map(|pace| pace.n_iterations).max().unwrap_or(1);
        done as f64 / (of_one * self.n_chains.max(self.chains.len())).max(1) as f64
    }
}

impl Pace {
    fn left(&self) -> usize {
        self.n_iterations.saturating_sub(self.now.1)
    }
}

/// A time as people say it.
pub fn spoken(seconds: f64) -> String {
    match seconds {
        _ if seconds < 90.0 => format!("{seconds:.0} s"),
        _ if seconds < 5400.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(chain: usize, iteration: usize) -> ChainProgress {
        ChainProgress {
            chain,
            iteration,
            n_iterations: 1_000,
            n_warmup: 500,
            acceptance: 0.8,
            step_size: 0.1,
            divergences: 0,
            seconds: 0.0,
        }
    }

    #[test]
    fn chains_at_work_share_what_is_left_of_all() {
        let start = Instant::now();
        let mut left = TimeLeft::new(4);
        for chain in 0..2 {
            left.note(&at(chain, 0), start);
        }
        assert_eq!(left.seconds(), None);
        for chain in 0..2 {
            left.note(&at(chain, 100), start + Duration::from_secs(20));
        }
        // 0.2 s an iteration, two chains at once, 900 left of each and 2,000 of those not begun.
        assert!((left.seconds().unwrap() - 0.2 * 3_800.0 / 2.0).abs() < 1e-9);
        assert!((left.share() - 0.05).abs() < 1e-12);
        // One is done: the other works on, and the two that follow.
        left.note(&at(0, 1_000), start + Duration::from_secs(40));
        assert!((left.seconds().unwrap() - 0.2 * 2_900.0).abs() < 1e-9);
    }

    #[test]
    fn a_resumed_chain_counts_only_what_it_makes_now() {
        let start = Instant::now();
        let mut left = TimeLeft::new(1);
        left.note(&at(0, 600), start);
        left.note(&at(0, 700), start + Duration::from_secs(10));
        assert!((left.seconds().unwrap() - 30.0).abs() < 1e-9);
    }
}
