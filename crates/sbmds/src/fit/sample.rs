//! The one loop of a fit: chains sample, in rounds if an effective sample size is wanted, and push their draws into a sink.

use std::cell::LazyCell;
use std::sync::atomic::AtomicBool;

use super::chain::chains::{self, Begin};
use super::chain::monitor::{MonitoredPairs, judge};
use super::chain::{SavedChain, Shared};
use super::control::Control;
use super::problem::Problem;
use super::sink::DrawSink;
use crate::diagnostics::Assessment;
use crate::error::RunError;
use crate::fit::start::Starts;
use crate::settings::{CheckedConfig, Resolved};

/// Why sampling ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// All draws are made.
    Done,
    /// The time was up.
    TimeUp,
    /// Somebody stopped it.
    Stopped,
}

/// What sampling left.
pub(crate) struct Sampled {
    pub end: End,
    /// The chains, if each has a draw.
    pub chains: Option<Vec<SavedChain>>,
    /// What tells whether they agree; not asked when somebody stopped them.
    pub assessment: Option<Assessment>,
}

/// What is sampled, as settings and data say, and what is monitored of it.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub config: &'a Resolved,
    pub problem: &'a Problem,
    pub pairs: &'a MonitoredPairs,
}

/// Samples from wherever the sink's chains are.
pub(crate) fn sample<'a, F: FnOnce() -> Starts<'a>>(
    task: Task<'_>,
    starts: &LazyCell<Starts<'a>, F>,
    sink: &mut dyn DrawSink,
    control: &Control,
) -> Result<Sampled, RunError> {
    let Task { config, problem, pairs } = task;
    let mut saved = (0..config.run.n_own_chains()).map(|chain| sink.saved(chain)).collect::<Result<Vec<_>, _>>()?;
    let reference = sink.reference()?;
    // A sink with more room than planned was extended by an earlier round.
    let mut n_draws = config.run.stored_draws().max(sink.room());
    loop {
        sink.extend(n_draws)?;
        let shared = Shared {
            problem,
            config,
            pairs,
            sink,
            reference: reference.clone(),
            observer: control.observer,
            checkpoint_interval: control.checkpoint_interval,
            stop: control.stop,
            deadline: control.deadline,
            has_engine: control.engine.is_some(),
            failed: AtomicBool::new(false),
        };
        saved = chains::work(&shared, begins(saved, starts), n_draws, control.n_threads)?;
        let (all, time_is_up) = (all_with(&saved, n_draws), control.time_is_up());
        if all.is_none() && shared.should_stop() {
            return Ok(Sampled { end: End::Stopped, chains: all_with(&saved, 1), assessment: None });
        }
        if all.is_none() && !time_is_up {
            // Chains that were done early left time to the others.
            continue;
        }
        let is_whole = all.is_some();
        let Some(chains) = all.or_else(|| all_with(&saved, 1)) else {
            return Ok(Sampled { end: End::TimeUp, chains: None, assessment: None });
        };
        let assessment = judge(&sink.reader()?, pairs)?;
        match more_draws(config, assessment.min_ess().map(|worst| worst.value), n_draws) {
            Some(more) if !time_is_up => n_draws = more,
            more => {
                let end = if is_whole && more.is_none() { End::Done } else { End::TimeUp };
                return Ok(Sampled { end, chains: Some(chains), assessment: Some(assessment) });
            }
        }
    }
}

fn begins<'a, 's, F: FnOnce() -> Starts<'s>>(
    saved: Vec<Option<SavedChain>>,
    starts: &'a LazyCell<Starts<'s>, F>,
) -> Vec<Begin<'a>> {
    let begin = |saved: Option<SavedChain>| match saved {
        Some(saved) => Begin::Saved(Box::new(saved)),
        None => Begin::Start(starts),
    };
    saved.into_iter().map(begin).collect()
}

/// The chains, if each has all its draws.
fn all_with(saved: &[Option<SavedChain>], n_draws: usize) -> Option<Vec<SavedChain>> {
    saved.iter().map(|saved| saved.clone().filter(|saved| saved.n_draws() >= n_draws)).collect()
}

/// A little more than what the present effective sample size says is needed.
const MARGIN: f64 = 1.05;

/// How many draws to make next to reach the effective sample size wanted (of bulk and tails, as the verdict wants it): at most
/// twice as many as there are.
pub(crate) fn more_draws(config: &CheckedConfig, smallest_ess: Option<f64>, n_draws: usize) -> Option<usize> {
    let wanted = config.run.until_ess?;
    let most = config.run.most_stored_draws();
    // Without one there are too few draws to tell: nothing moves yet.
    let smallest = smallest_ess.unwrap_or(0.0);
    if smallest >= wanted || n_draws >= most {
        return None;
    }
    let needed = (n_draws as f64 * MARGIN * wanted / smallest).ceil();
    let needed = if needed < 2.0 * n_draws as f64 { needed as usize } else { 2 * n_draws };
    Some(needed.max(n_draws + 1).min(most))
}
