//! Whether predictive intervals hold as often as they say: many simulated data sets, each with pairs kept from the fit.

use std::sync::atomic::{AtomicUsize, Ordering};

use rand::RngExt;
use rayon::prelude::*;

use super::{AskedPair, PosteriorDraws, Tally, predict};
use crate::dissimilarity::{Dissimilarities, Names};
use crate::error::RunError;
use crate::fit::Fit;
use crate::likelihood;
use crate::random::{Purpose, stream};
use crate::simulate::{Noise, Simulation};

/// What to simulate and how to fit it.
#[derive(Clone, Copy, Debug)]
pub struct CoverageStudy {
    /// Data sets.
    pub n_replicates: usize,
    /// Objects of each.
    pub n_objects: usize,
    /// Dimensions of truth and fit.
    pub n_dims: usize,
    /// Standard deviation of the noise; locations are standard normal.
    pub noise_sd: f64,
    /// Share of the pairs that fits do not see.
    pub share_held_out: f64,
    /// Iterations of warm-up, and draws, of the one chain of each fit.
    pub n_warmup: usize,
    /// Draws of each fit.
    pub n_draws: usize,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for CoverageStudy {
    fn default() -> Self {
        Self {
            n_replicates: 200,
            n_objects: 20,
            n_dims: 2,
            noise_sd: 0.2,
            share_held_out: 0.2,
            n_warmup: 300,
            n_draws: 200,
            seed: 1,
        }
    }
}

/// Coverage of the 95% intervals of pairs that fits did not see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverageFound {
    /// Mean over data sets of the share of pairs in their intervals.
    pub share: f64,
    /// Its standard error, from data set to data set.
    pub standard_error: f64,
    /// Pairs in all.
    pub n_pairs: usize,
}

impl CoverageStudy {
    /// Simulates, fits and counts, in parallel; `on_progress` hears the number of data sets done.
    ///
    /// # Errors
    /// If the settings cannot be fitted.
    pub fn run(&self, on_progress: &(dyn Fn(usize) + Sync)) -> Result<CoverageFound, RunError> {
        let n_done = AtomicUsize::new(0);
        let one = |replicate| {
            let tally = self.replicate(replicate)?;
            on_progress(n_done.fetch_add(1, Ordering::Relaxed) + 1);
            Ok(tally)
        };
        let tallies: Vec<Tally> = (0..self.n_replicates).into_par_iter().map(one).collect::<Result<_, RunError>>()?;
        let shares: Vec<f64> = tallies.iter().filter_map(Tally::coverage).collect();
        let n = shares.len() as f64;
        let share = shares.iter().sum::<f64>() / n;
        let variance = shares.iter().map(|one| (one - share).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        let n_pairs = tallies.iter().map(Tally::n_pairs).sum();
        Ok(CoverageFound { share, standard_error: (variance / n).sqrt(), n_pairs })
    }

    fn replicate(&self, replicate: usize) -> Result<Tally, RunError> {
        let mut rng = stream(self.seed, replicate, Purpose::Simulation);
        let noise = Noise::TruncatedNormal { sd: self.noise_sd };
        let simulation = Simulation::new(self.n_objects, self.n_dims, noise, &mut rng);
        let mut held_out = Vec::new();
        let data = Dissimilarities::from_fn(Names::numbered(self.n_objects), |a, b| {
            if rng.random::<f64>() >= self.share_held_out {
                return simulation.delta(a, b);
            }
            held_out.push(AskedPair::new((a, b), simulation.delta(a, b), false));
            f64::NAN
        });
        let seed = self.seed.wrapping_mul(1_000_003).wrapping_add(replicate as u64);
        let fit = Fit::of(&data).dims(self.n_dims).chains(1).warmup(self.n_warmup).draws(self.n_draws);
        let fitted = fit.seed(seed).threads(1).run()?;
        let draws = PosteriorDraws::of(&fitted, self.n_draws)?;
        let mut tally = Tally::new(0);
        predict(&draws, likelihood::Noise::TruncatedNormal, 0.95, &held_out).iter().for_each(|one| tally.add(one));
        Ok(tally)
    }
}
