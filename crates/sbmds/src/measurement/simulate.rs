//! Simulated titres: viruses and sera that drift, read from a twofold dilution series with limits at both ends.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use crate::Locations;
use crate::dissimilarity::{Titer, TiterRow};

/// What is simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct TitreSimulation {
    /// Number of viruses.
    pub n_viruses: usize,
    /// Number of sera.
    pub n_sera: usize,
    /// Dimensions of the map.
    pub n_dims: usize,
    /// Standard deviation of the noise, in log2 titres.
    pub sigma: f64,
    /// Drift along the first axis, in units per year.
    pub drift: f64,
    /// Years that pass between the first and the last virus.
    pub years: f64,
}

/// Simulated titres with their truth.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedTitres {
    /// Locations of viruses, then of sera.
    pub truth: Locations,
    /// Years since the first virus, of viruses and of sera.
    pub years: Vec<f64>,
    /// Potencies of the sera, in log2 titres.
    pub potencies: Vec<f64>,
    /// What was measured.
    pub rows: Vec<TiterRow>,
}

/// The first dilution of the series, and how many there are.
const FIRST_DILUTION: f64 = 10.0;
const N_DILUTIONS: i32 = 11;
/// Standard deviation of locations around the drift.
const SPREAD: f64 = 1.5;
/// Mean and standard deviation of potencies.
const POTENCY: (f64, f64) = (11.5, 0.8);
/// Viruses and sera of strains this many years apart are mostly measured together.
const SPAN: f64 = 12.0;

impl TitreSimulation {
    /// Draws locations, potencies and titres.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> SimulatedTitres {
        let mut normal = |mean: f64, sd: f64| mean + sd * rng.sample::<f64, _>(StandardNormal);
        let evenly = |k: usize, n: usize| (self.years * k as f64 / (n.max(2) - 1) as f64).round();
        let years: Vec<f64> = (0..self.n_viruses)
            .map(|k| evenly(k, self.n_viruses))
            .chain((0..self.n_sera).map(|k| evenly(k, self.n_sera)))
            .collect();
        let along = |dim: usize, year: f64| if dim == 0 { self.drift * year } else { 0.0 };
        let truth = Locations::from_fn(years.len(), self.n_dims, |n, dim| normal(along(dim, years[n]), SPREAD));
        let potencies: Vec<f64> = (0..self.n_sera).map(|_| normal(POTENCY.0, POTENCY.1)).collect();
        let mut rows = Vec::new();
        for virus in 0..self.n_viruses {
            for serum in 0..self.n_sera {
                let apart = (years[virus] - years[self.n_viruses + serum]).abs();
                let share = if apart <= SPAN { 0.8 } else { 0.15 };
                let n_repeats =
                    usize::from(rng.random::<f64>() < share) + usize::from(rng.random::<f64>() < 0.2 * share);
                for _ in 0..n_repeats {
                    let noise = self.sigma * rng.sample::<f64, _>(StandardNormal);
                    let log2 = potencies[serum] - truth.distance(virus, self.n_viruses + serum) + noise;
                    rows.push(TiterRow { virus, serum, titer: diluted(log2) });
                }
            }
        }
        SimulatedTitres { truth, years, potencies, rows }
    }
}

/// What a dilution series shows of a log2 titre: the last dilution that still inhibits.
fn diluted(log2: f64) -> Titer {
    let steps = (log2 - FIRST_DILUTION.log2()).floor() as i32;
    let dilution = |steps: i32| FIRST_DILUTION * 2_f64.powi(steps);
    match steps {
        ..0 => Titer::Below(FIRST_DILUTION),
        N_DILUTIONS.. => Titer::Above(dilution(N_DILUTIONS - 1)),
        steps => Titer::Number(dilution(steps)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_shows_the_last_dilution_that_inhibits() {
        assert_eq!(diluted(3.0), Titer::Below(10.0));
        assert_eq!(diluted(10_f64.log2() + 0.01), Titer::Number(10.0));
        assert_eq!(diluted(1000_f64.log2()), Titer::Number(640.0));
        assert_eq!(diluted(30.0), Titer::Above(10_240.0));
    }
}
