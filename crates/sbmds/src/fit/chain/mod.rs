//! One chain at work: iterate, keep draws, checkpoint every few seconds, stop when told.

pub(crate) mod chains;
pub(crate) mod drive;
pub(crate) mod monitor;
pub(crate) mod record;

#[cfg(test)]
mod format;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use self::drive::{Follower, Interruption, Step, drive};
use self::monitor::MonitoredPairs;
use self::record::{SinceLast, motion_stats, scalars, stats};
use crate::Locations;
use crate::draws::{Buffered, Draw};
use crate::embedding::{Moments, procrustes};
use crate::error::RunError;
use crate::fit::observer::{ChainProgress, Observer};
use crate::fit::problem::Problem;
use crate::fit::sink::{ChainSink, DrawSink};
use crate::likelihood::Arithmetic;
use crate::sampler::{Chain, ChainState, StepInfo};
use crate::settings::Resolved;
use crate::settings::config::Keep;

/// Checkpoints may take at most this part of the time.
const CHECKPOINT_SHARE: u32 = 20;
/// The longest time between checkpoints; no clock counts as far as a duration may say.
const LONGEST_INTERVAL: Duration = Duration::from_secs(365 * 24 * 3600);
/// Copies of a chain, to which an interrupted iteration returns, may take at most this part of the time: iterations that are short
/// beside them are ended instead.
const COPY_SHARE: u32 = 50;
/// Coordinates of maps whose chains are copied: of larger ones memory matters more than the end of an iteration.
const MOST_COPIED: usize = 1_000_000;
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

/// How far a chain is to go.
#[derive(Clone, Copy)]
pub(crate) struct Goal {
    pub n_draws: usize,
    pub until: Option<Instant>,
}

/// A chain and what keeps its draws.
pub(crate) struct Worker<'a> {
    chain: Chain<'a>,
    keeper: Keeper<'a>,
}

/// Follows a chain of a fit: stores its draws, saves it, and says how far it is.
struct Keeper<'a> {
    shared: &'a Shared<'a>,
    number: usize,
    /// How far the chain is to go.
    goal: Goal,
    sink: Box<dyn ChainSink + 'a>,
    moments: Option<Moments>,
    tally: Tally,
    step_size: f64,
    working_since: Instant,
    next_checkpoint: Instant,
    next_report: Instant,
    next_copy: Instant,
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
        let keeper = Keeper {
            shared,
            number,
            goal: Goal { n_draws: 0, until: None },
            sink,
            moments,
            tally,
            step_size: f64::NAN,
            working_since: now,
            next_checkpoint: now + shared.checkpoint_interval.min(LONGEST_INTERVAL),
            next_report: now,
            next_copy: now,
        };
        Self { chain, keeper }
    }

    /// Works until there are as many draws as wanted, its time is up or the run is to stop, and saves.
    pub fn work(self, goal: Goal) -> Result<SavedChain, RunError> {
        let Self { mut chain, mut keeper } = self;
        keeper.goal = goal;
        let thin = keeper.shared.config.run.iterations_per_draw();
        drive(&mut chain, thin, &mut keeper)?;
        keeper.report(&chain);
        let buffered = keeper.save(&chain)?;
        let Keeper { sink, moments, tally, .. } = keeper;
        sink.finish()?;
        Ok(SavedChain { state: chain.state().clone(), buffered, moments, tally })
    }
}

impl Follower for Keeper<'_> {
    type Error = RunError;

    fn goes_on(&mut self, chain: &Chain<'_>) -> Result<bool, RunError> {
        if self.sink.n_draws() >= self.goal.n_draws || self.shared.should_stop() {
            return Ok(false);
        }
        let now = Instant::now();
        if self.goal.until.is_some_and(|until| now >= until) {
            return Ok(false);
        }
        if now >= self.next_report && self.tally.n_iterations > 0 {
            self.report(chain);
            self.next_report = now + REPORT_INTERVAL;
        }
        if now >= self.next_checkpoint {
            self.save(chain)?;
        }
        Ok(true)
    }

    fn interruption(&mut self, chain: &Chain<'_>) -> Option<Interruption<'_>> {
        let start = Instant::now();
        if start < self.next_copy || chain.x().len() > MOST_COPIED {
            return None;
        }
        let before = chain.state().clone();
        self.next_copy = start + start.elapsed() * (1 + COPY_SHARE);
        Some(Interruption { stop: self.shared.stop, before })
    }

    fn iterated(&mut self, chain: &Chain<'_>, step: Step) -> Result<(), RunError> {
        self.step_size = step.info.step_size;
        self.tally.add(&step.info, step.is_warmup);
        if step.ends_warmup {
            self.tally.end_warmup();
            self.save(chain)?;
        }
        Ok(())
    }

    fn draw(&mut self, chain: &Chain<'_>) -> Result<(), RunError> {
        let Shared { problem, config, pairs, .. } = self.shared;
        let x = problem.to_input(chain.x());
        let motion = self.shared.reference.as_ref().map(|reference| procrustes(&x, reference));
        let scalars = scalars(chain, &x, problem, config, pairs, motion.as_ref());
        let mut stats = stats(chain, &self.tally.since_last, problem).to_vec();
        stats.extend(motion.iter().flat_map(motion_stats));
        let stored = motion.map(|motion| motion.apply(&x));
        self.sink.push(&Draw { x: stored.as_ref().unwrap_or(&x), scalars: &scalars, stats: &stats })?;
        if let Some(moments) = &mut self.moments {
            add_aligned(moments, &x);
        }
        self.tally.since_last = SinceLast::default();
        Ok(())
    }
}

impl Keeper<'_> {
    /// Replaces the checkpoint; everything before it is safe on disk when this returns.
    fn save(&mut self, chain: &Chain<'_>) -> Result<Buffered, RunError> {
        let start = Instant::now();
        self.tally.seconds += (start - self.working_since).as_secs_f64();
        self.working_since = start;
        let buffered = self.sink.buffered()?;
        let (state, moments, tally) = (chain.state(), &self.moments, &self.tally);
        self.sink.save(&Snapshot { state, buffered: &buffered, moments, tally })?;
        let interval = self.shared.checkpoint_interval.min(LONGEST_INTERVAL);
        self.next_checkpoint = Instant::now() + interval.max(start.elapsed() * CHECKPOINT_SHARE);
        Ok(buffered)
    }

    fn report(&self, chain: &Chain<'_>) {
        let config = self.shared.config;
        self.shared.observer.progress(&ChainProgress {
            chain: self.number,
            iteration: chain.iteration(),
            n_iterations: config.sampler.n_warmup + self.goal.n_draws * config.run.iterations_per_draw(),
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
