//! The one loop of every chain: iterate, hand over every k-th state after warm-up, until its follower has had enough.

use std::convert::Infallible;
use std::sync::atomic::AtomicBool;

use crate::sampler::{Chain, ChainState, StepInfo};

/// Who follows a chain: a fit that stores draws and saves the chain, a calibration, a study, a bench.
pub trait Follower {
    /// Why it gives up.
    type Error;

    /// Before each iteration: whether to make it.
    ///
    /// # Errors
    /// If the follower gives up.
    fn goes_on(&mut self, chain: &Chain<'_>) -> Result<bool, Self::Error>;

    /// Before each iteration that is made: what may end it early, if anything may.
    fn interruption(&mut self, _chain: &Chain<'_>) -> Option<Interruption<'_>> {
        None
    }

    /// After each iteration, of warm-up or not.
    ///
    /// # Errors
    /// If the follower gives up.
    fn iterated(&mut self, _chain: &Chain<'_>, _step: Step) -> Result<(), Self::Error> {
        Ok(())
    }

    /// After an iteration whose state is a draw.
    ///
    /// # Errors
    /// If the follower gives up.
    fn draw(&mut self, chain: &Chain<'_>) -> Result<(), Self::Error>;
}

/// What ends an iteration early, and what the chain is then again.
pub struct Interruption<'a> {
    /// Ends it when it becomes true.
    pub stop: &'a AtomicBool,
    /// The chain before the iteration.
    pub before: ChainState,
}

/// An iteration just made.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// How it went.
    pub info: StepInfo,
    /// Whether it was one of warm-up.
    pub is_warmup: bool,
    /// Whether it was the last one of warm-up.
    pub ends_warmup: bool,
}

/// Iterates until the follower has had enough or an iteration is interrupted; after warm-up every `thin`-th state is a draw.
///
/// # Errors
/// What the follower says.
pub fn drive<F: Follower + ?Sized>(chain: &mut Chain<'_>, thin: usize, follower: &mut F) -> Result<(), F::Error> {
    while follower.goes_on(chain)? {
        let is_warmup = chain.is_warming_up();
        let info = match follower.interruption(chain) {
            None => chain.step(),
            Some(Interruption { stop, before }) => match chain.step_unless(stop, before) {
                Some(info) => info,
                None => return Ok(()),
            },
        };
        let step = Step { info, is_warmup, ends_warmup: is_warmup && !chain.is_warming_up() };
        follower.iterated(chain, step)?;
        if !is_warmup && chain.sampled_iterations().is_multiple_of(thin) {
            follower.draw(chain)?;
        }
    }
    Ok(())
}

/// What `value` says of `n_draws` draws of a chain, every `thin`-th state after warm-up.
pub fn collect<T>(chain: &mut Chain<'_>, n_draws: usize, thin: usize, value: impl FnMut(&Chain<'_>) -> T) -> Vec<T> {
    let mut collector = Collector { values: Vec::with_capacity(n_draws), n_draws, value };
    let Ok(()) = drive(chain, thin, &mut collector);
    collector.values
}

struct Collector<T, V> {
    values: Vec<T>,
    n_draws: usize,
    value: V,
}

impl<T, V: FnMut(&Chain<'_>) -> T> Follower for Collector<T, V> {
    type Error = Infallible;

    fn goes_on(&mut self, _: &Chain<'_>) -> Result<bool, Infallible> {
        Ok(self.values.len() < self.n_draws)
    }

    fn draw(&mut self, chain: &Chain<'_>) -> Result<(), Infallible> {
        self.values.push((self.value)(chain));
        Ok(())
    }
}
