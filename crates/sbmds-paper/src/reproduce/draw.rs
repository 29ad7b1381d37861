//! One chain, as long as the precision of a number asks for.

use std::sync::atomic::{AtomicBool, Ordering};

use sbmds::diagnostics::{Chains, mcse_mean};
use sbmds::fit::{Follower, drive};
use sbmds::posterior::{Parameters, Posterior, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Chain, SamplerSettings};

use super::{Cell, ReproduceError};

/// How long to sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Effort {
    /// Iterations that adapt and are thrown away.
    pub warmup: usize,
    /// Draws before the precision is first looked at; then twice as many each time.
    pub first: usize,
    /// Draws at most.
    pub most: usize,
    /// Monte Carlo standard error of the mean to reach, in parts of the mean.
    pub error: f64,
}

/// A number along a chain.
pub(super) struct Trace {
    pub values: Vec<f64>,
    pub mean: f64,
    /// Monte Carlo standard error of the mean.
    pub mcse: f64,
}

/// The chain of a cell, at its start.
pub(super) fn chain<'a>(
    cell: &Cell,
    posterior: &'a Posterior,
    start: Parameters,
    n_warmup: usize,
    number: usize,
) -> Chain<'a> {
    let settings = SamplerSettings { sampler: cell.sampler, n_warmup, ..SamplerSettings::default() };
    let rng = stream(cell.seed(), number, Purpose::Sampling);
    Chain::start(posterior, &settings, start, rng, Workspace::serial())
}

/// An error if the user wants to stop.
pub(super) fn check(stop: &AtomicBool) -> Result<(), ReproduceError> {
    if stop.load(Ordering::Relaxed) { Err(ReproduceError::Interrupted) } else { Ok(()) }
}

/// What `value` says of `n_draws` draws after warm-up.
pub(super) fn draws<T>(
    mut chain: Chain,
    n_draws: usize,
    stop: &AtomicBool,
    value: impl FnMut(&Chain) -> T,
) -> Result<Vec<T>, ReproduceError> {
    let mut record =
        Record { values: Vec::with_capacity(n_draws), value, stop, is_enough: |values: &[T]| values.len() >= n_draws };
    drive(&mut chain, 1, &mut record)?;
    Ok(record.values)
}

/// Follows a chain until its values are enough.
struct Record<'a, T, V, E> {
    values: Vec<T>,
    value: V,
    stop: &'a AtomicBool,
    is_enough: E,
}

impl<T, V: FnMut(&Chain) -> T, E: FnMut(&[T]) -> bool> Follower for Record<'_, T, V, E> {
    type Error = ReproduceError;

    fn goes_on(&mut self, _: &Chain) -> Result<bool, ReproduceError> {
        if (self.is_enough)(&self.values) {
            return Ok(false);
        }
        check(self.stop)?;
        Ok(true)
    }

    fn draw(&mut self, chain: &Chain) -> Result<(), ReproduceError> {
        self.values.push((self.value)(chain));
        Ok(())
    }
}

/// Draws until the mean of `number` is known precisely enough.
pub(super) fn trace(
    cell: &Cell,
    posterior: &Posterior,
    start: Parameters,
    effort: &Effort,
    stop: &AtomicBool,
    number: impl FnMut(&Chain) -> f64,
) -> Result<Trace, ReproduceError> {
    let mut chain = chain(cell, posterior, start, effort.warmup, 0);
    let mut wanted = effort.first;
    let is_enough = |values: &[f64]| {
        if values.len() < wanted {
            return false;
        }
        let (mean, mcse) = mean_and_error(values);
        let is_enough = mcse <= effort.error * mean || wanted >= effort.most;
        wanted = (2 * wanted).min(effort.most);
        is_enough
    };
    let mut record = Record { values: Vec::new(), value: number, stop, is_enough };
    drive(&mut chain, 1, &mut record)?;
    let values = record.values;
    let (mean, mcse) = mean_and_error(&values);
    Ok(Trace { values, mean, mcse })
}

/// A mean along a chain and its Monte Carlo standard error.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (mean, Chains::new(&[values.to_vec()]).map_or(f64::NAN, |chains| mcse_mean(&chains)))
}

/// The median.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => 0.5 * (values[n / 2 - 1] + values[n / 2]),
    }
}
