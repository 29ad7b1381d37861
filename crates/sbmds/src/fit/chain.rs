//! One chain at work: iterate, keep draws, checkpoint every few seconds, stop when told.

#[cfg(test)]
mod format;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::monitor::MonitoredPairs;
use super::observer::{ChainProgress, Observer};
use super::problem::Problem;
use super::record::{SinceLast, motion_stats, scalars, stats};
use super::sink::{ChainSink, DrawSink};
use crate::Locations;
use crate::draws::{Buffered, Draw};
use crate::embedding::{Moments, procrustes};
use crate::error::RunError;
use crate::likelihood::Arithmetic;
use crate::sampler::{Chain, ChainState, StepInfo};
use crate::settings::Resolved;
use crate::settings::config::Keep;

/// Checkpoints may take at most this part of the time.
const CHECKPOINT_SHARE: u32 = 20;
/// The longest time between checkpoints; no clock counts as far as a duration may say.
const LONGEST_INTERVAL: Duration = Duration::from_secs(365 * 24 * 3600);
/// Time between reports to the observer.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// What all chains of a run work with.
pub(crate) struct Shared<'a> {
    pub problem: &'a Problem,
    pub config: &'a Resolved,
    pub pairs: &'a MonitoredPairs,
    pub sink: &'a dyn DrawSink,
    /// The map that draws are aligned to before they are stored; `None`: they are stored as they are.
    pub reference: Option<Locations>,
    pub observer: &'a dyn Observer,
    /// Time between checkpoints: what a kill can cost.
    pub checkpoint_interval: Duration,
    /// The user wants the run to stop.
    pub stop: &'a AtomicBool,
    /// When every chain is to end with the draws it has.
    pub deadline: Option<Instant>,
    /// Whether others compute the likelihood: then chains take turns, each with all of them.
    pub has_engine: bool,
    /// A chain has failed and the others need not go on.
    pub failed: AtomicBool,
}

impl Shared<'_> {
    pub fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed)
    }
}

/// Everything that a chain needs to go on.
#[derive(Clone, Debug, Deserialize)]
pub struct SavedChain {
    state: ChainState,
    buffered: Buffered,
    /// Running moments of the aligned draws, if the draws themselves are not kept.
    pub(crate) moments: Option<Moments>,
    pub(crate) tally: Tally,
}

impl SavedChain {
    /// In which it computes its gradients.
    pub fn arithmetic(&self) -> Arithmetic {
        self.state.arithmetic()
    }

    /// Draws made.
    pub fn n_draws(&self) -> usize {
        self.buffered.n_draws()
    }

    /// The same chain in another sink, which has not stored `buffered` yet.
    pub(crate) fn moved<'a>(&'a self, buffered: &'a Buffered) -> Snapshot<'a> {
        Snapshot { state: &self.state, buffered, moments: &self.moments, tally: &self.tally }
    }
}

/// The same, borrowed from a chain at work.
#[derive(Serialize)]
pub struct Snapshot<'a> {
    state: &'a ChainState,
    /// What the sink has not stored yet.
    buffered: &'a Buffered,
    moments: &'a Option<Moments>,
    tally: &'a Tally,
}

/// Counts over a whole chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// Gradients during warm-up.
    pub warmup_gradients: usize,
    /// Gradients after warm-up.
    pub gradients: usize,
    /// Divergences after warm-up.
    pub divergences: usize,
    /// Iterations since the acceptance rate was last set to zero: at the start and at the end of warm-up.
    pub n_iterations: usize,
    /// Sum of their acceptance rates.
    pub acceptance: f64,
    /// Time spent.
    pub seconds: f64,
    since_last: SinceLast,
}

impl Tally {
    fn add(&mut self, info: &StepInfo, warming_up: bool) {
        self.n_iterations += 1;
        self.acceptance += info.acceptance;
        if warming_up {
            self.warmup_gradients += info.n_gradients;
        } else {
            self.gradients += info.n_gradients;
            self.divergences += usize::from(info.diverging);
            self.since_last.add(info);
        }
    }

    fn end_warmup(&mut self) {
        (self.n_iterations, self.acceptance) = (0, 0.0);
    }
}

/// A chain with its writer.
pub(crate) struct Worker<'a> {
    shared: &'a Shared<'a>,
    number: usize,
    chain: Chain<'a>,
    sink: Box<dyn ChainSink + 'a>,
    moments: Option<Moments>,
    tally: Tally,
    step_size: f64,
    working_since: Instant,
    next_checkpoint: Instant,
    next_report: Instant,
}

impl<'a> Worker<'a> {
    /// A chain at its start.
    pub fn new(shared: &'a Shared<'a>, number: usize, chain: Chain<'a>, sink: Box<dyn ChainSink + 'a>) -> Self {
        let likelihood = shared.problem.posterior.likelihood();
        let moments = (shared.config.run.keep == Keep::Summary)
            .then(|| Moments::new(likelihood.n_objects(), likelihood.n_dims()));
        Self::with(shared, number, chain, sink, moments, Tally::default())
    }

    /// A chain where it was saved; `resume` makes the chain from its state.
    pub fn resume(
        shared: &'a Shared<'a>,
        number: usize,
        saved: SavedChain,
        mut sink: Box<dyn ChainSink + 'a>,
        resume: impl FnOnce(ChainState) -> Chain<'a>,
    ) -> Result<Self, RunError> {
        sink.restore(saved.buffered)?;
        Ok(Self::with(shared, number, resume(saved.state), sink, saved.moments, saved.tally))
    }

    fn with(
        shared: &'a Shared<'a>,
        number: usize,
        chain: Chain<'a>,
        sink: Box<dyn ChainSink + 'a>,
        moments: Option<Moments>,
        tally: Tally,
    ) -> Self {
        let now = Instant::now();
        Self {
            shared,
            number,
            chain,
            sink,
            moments,
            tally,
            step_size: f64::NAN,
            working_since: now,
            next_checkpoint: now + shared.checkpoint_interval.min(LONGEST_INTERVAL),
            next_report: now,
        }
    }

    /// Works until there are `n_draws` draws, its time is up or the run is to stop, and saves.
    pub fn work(mut self, n_draws: usize, deadline: Option<Instant>) -> Result<SavedChain, RunError> {
        while self.sink.n_draws() < n_draws && !self.shared.should_stop() {
            let now = Instant::now();
            if deadline.is_some_and(|deadline| now >= deadline) {
                break;
            }
            if now >= self.next_report && self.tally.n_iterations > 0 {
                self.report(n_draws);
                self.next_report = now + REPORT_INTERVAL;
            }
            if now >= self.next_checkpoint {
                self.save()?;
            }
            self.iterate()?;
        }
        self.report(n_draws);
        let buffered = self.save()?;
        self.sink.finish()?;
        Ok(SavedChain { state: self.chain.state().clone(), buffered, moments: self.moments, tally: self.tally })
    }

    fn iterate(&mut self) -> Result<(), RunError> {
        let warming_up = self.chain.is_warming_up();
        let info = self.chain.step();
        self.step_size = info.step_size;
        self.tally.add(&info, warming_up);
        if warming_up && !self.chain.is_warming_up() {
            self.tally.end_warmup();
            self.save()?;
        } else if !warming_up && self.is_draw() {
            self.keep()?;
        }
        Ok(())
    }

    /// Whether the iteration just made is one to keep.
    fn is_draw(&self) -> bool {
        let sampled = self.chain.iteration() - self.shared.config.sampler.n_warmup;
        sampled.is_multiple_of(self.shared.config.run.iterations_per_draw())
    }

    fn keep(&mut self) -> Result<(), RunError> {
        let Shared { problem, config, pairs, .. } = self.shared;
        let x = problem.to_input(self.chain.x());
        let motion = self.shared.reference.as_ref().map(|reference| procrustes(&x, reference));
        let scalars = scalars(&self.chain, &x, problem, config, pairs, motion.as_ref());
        let mut stats = stats(&self.chain, &self.tally.since_last, problem).to_vec();
        stats.extend(motion.iter().flat_map(motion_stats));
        let stored = motion.map(|motion| motion.apply(&x));
        self.sink.push(&Draw { x: stored.as_ref().unwrap_or(&x), scalars: &scalars, stats: &stats })?;
        if let Some(moments) = &mut self.moments {
            add_aligned(moments, &x);
        }
        self.tally.since_last = SinceLast::default();
        Ok(())
    }

    /// Replaces the checkpoint; everything before it is safe on disk when this returns.
    fn save(&mut self) -> Result<Buffered, RunError> {
        let start = Instant::now();
        self.tally.seconds += (start - self.working_since).as_secs_f64();
        self.working_since = start;
        let buffered = self.sink.buffered()?;
        let (state, moments, tally) = (self.chain.state(), &self.moments, &self.tally);
        self.sink.save(&Snapshot { state, buffered: &buffered, moments, tally })?;
        let interval = self.shared.checkpoint_interval.min(LONGEST_INTERVAL);
        self.next_checkpoint = Instant::now() + interval.max(start.elapsed() * CHECKPOINT_SHARE);
        Ok(buffered)
    }

    fn report(&self, n_draws: usize) {
        let config = self.shared.config;
        self.shared.observer.progress(&ChainProgress {
            chain: self.number,
            iteration: self.chain.iteration(),
            n_iterations: config.sampler.n_warmup + n_draws * config.run.iterations_per_draw(),
            n_warmup: config.sampler.n_warmup,
            acceptance: self.tally.acceptance / self.tally.n_iterations as f64,
            step_size: self.step_size,
            divergences: self.tally.divergences,
            seconds: self.tally.seconds + self.working_since.elapsed().as_secs_f64(),
        });
    }
}

/// Adds a draw, aligned to the mean of those before it.
fn add_aligned(moments: &mut Moments, x: &Locations) {
    if moments.n_draws() == 0 {
        moments.add(x);
    } else {
        let motion = procrustes(x, moments.mean());
        moments.add(&motion.apply(x));
    }
}
