//! One chain, as long as the precision of a number asks for.

use std::sync::atomic::{AtomicBool, Ordering};

use sbmds::diagnostics::{Chains, mcse_mean};
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

/// The chain of a cell, warmed up.
pub(super) fn chain<'a>(
    cell: &Cell,
    posterior: &'a Posterior,
    start: Parameters,
    n_warmup: usize,
    number: usize,
    stop: &AtomicBool,
) -> Result<Chain<'a>, ReproduceError> {
    let settings = SamplerSettings { sampler: cell.sampler, n_warmup, ..SamplerSettings::default() };
    let rng = stream(cell.seed(), number, Purpose::Sampling);
    let mut chain = Chain::start(posterior, &settings, start, rng, Workspace::serial());
    while chain.is_warming_up() {
        step(&mut chain, stop)?;
    }
    Ok(chain)
}

/// One iteration, unless the user wants to stop.
pub(super) fn step(chain: &mut Chain, stop: &AtomicBool) -> Result<(), ReproduceError> {
    if stop.load(Ordering::Relaxed) {
        return Err(ReproduceError::Interrupted);
    }
    chain.step();
    Ok(())
}

/// Draws until the mean of `number` is known precisely enough.
pub(super) fn trace(
    cell: &Cell,
    posterior: &Posterior,
    start: Parameters,
    effort: &Effort,
    stop: &AtomicBool,
    mut number: impl FnMut(&Chain) -> f64,
) -> Result<Trace, ReproduceError> {
    let mut chain = chain(cell, posterior, start, effort.warmup, 0, stop)?;
    let mut values = Vec::new();
    let mut wanted = effort.first;
    loop {
        while values.len() < wanted {
            step(&mut chain, stop)?;
            values.push(number(&chain));
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let mcse = Chains::new(std::slice::from_ref(&values)).map_or(f64::NAN, |chains| mcse_mean(&chains));
        if mcse <= effort.error * mean || wanted >= effort.most {
            return Ok(Trace { values, mean, mcse });
        }
        wanted = (2 * wanted).min(effort.most);
    }
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
