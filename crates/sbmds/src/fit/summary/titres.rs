//! What the draws of an antigenic map say: levels, titres of every cell, distances of strains.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use super::Interval;
use crate::Locations;
use crate::dissimilarity::{Titer, Titers};
use crate::draws::{DrawReader, Spaced};
use crate::error::RunError;
use crate::measurement::{NoiseScale, titres};
use crate::random::{Purpose, stream};
use crate::settings::{CheckedConfig, FitConfig, Levels};

/// Draws that tables are made of: enough for a quantile of 2.5%.
const MOST_DRAWS: usize = 400;
/// A drop of more than this many twofold dilutions is what vaccines are updated for.
pub const LARGE_DROP: f64 = 2.0;

/// What was measured and learned of titres, for the summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TitreSummary {
    /// Number of viruses, the first objects.
    pub n_viruses: usize,
    /// Number of sera, the objects after them.
    pub n_sera: usize,
    /// Number of titres.
    pub n_titres: usize,
    /// Limits among them: `<` and `>`.
    pub n_limits: usize,
    /// Mean absolute difference of measured and expected log2 titres, numbers only.
    pub mean_absolute_error: f64,
    /// What is learned beside the map: standard deviations of levels, drift per year, variances.
    pub learned: Vec<(String, Interval)>,
    /// Years of viruses, then of sera, where they are known; runs of earlier versions have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub years: Vec<Option<f64>>,
}

/// One draw of an antigenic map.
pub(crate) struct TitreDraw {
    pub x: Locations,
    /// What each object adds to a log2 titre.
    pub levels: Vec<f64>,
    pub noise: NoiseScale,
}

impl TitreDraw {
    /// The noise of one measurement: a standard normal number, which Student's t divides by the root of chi^2 / nu.
    fn error(&self, rng: &mut ChaCha8Rng) -> f64 {
        let NoiseScale { sigma, nu } = self.noise;
        let normal: f64 = rng.sample(StandardNormal);
        match ChiSquared::new(nu).ok().filter(|_| nu.is_finite()) {
            Some(chi_squared) => sigma * normal * (nu / chi_squared.sample(rng)).sqrt(),
            None => sigma * normal,
        }
    }
}

/// A cell of the table, measured or not.
pub(crate) struct Cell {
    pub virus: usize,
    pub serum: usize,
    /// Expected log2 titre, as it would be written: the lower end of an interval.
    pub expected: f64,
    /// 95% interval of a new measurement.
    pub interval: (f64, f64),
}

/// Draws of the map and the levels.
pub(crate) struct TitreDraws<'a> {
    titers: &'a Titers,
    draws: Vec<TitreDraw>,
    /// What a written titre is below the middle of what it stands for.
    below_middle: f64,
    seed: u64,
}

impl<'a> TitreDraws<'a> {
    /// Evenly spaced draws of some chains.
    pub fn new(
        config: &FitConfig,
        titers: &'a Titers,
        reader: &DrawReader,
        chains: &[usize],
    ) -> Result<Self, RunError> {
        let (n_viruses, largest) = (titers.n_viruses(), titers.largest());
        let total: usize = chains.iter().map(|&chain| reader.n_complete(chain)).sum();
        let spaced = Spaced::new(total, MOST_DRAWS);
        let (mut draws, mut index) = (Vec::with_capacity(spaced.count), 0);
        for &chain in chains {
            let sigma = reader.scalar("sigma", chain)?;
            let nu = match reader.variables().any(|variable| variable.name == "nu") {
                true => reader.scalar("nu", chain)?,
                false => vec![config.measurement.nu.unwrap_or(f64::INFINITY); sigma.len()],
            };
            let of = |name: &str, levels: Levels| match levels {
                Levels::Fixed => Ok(None),
                _ => reader.scalar(name, chain).map(Some),
            };
            let potencies = of("potency", config.measurement.potencies)?;
            let avidities = match config.measurement.avidities {
                Some(levels) => of("avidity", levels)?,
                None => None,
            };
            for draw in 0..reader.n_complete(chain) {
                if spaced.contains(index) {
                    let row = |all: &Option<Vec<f64>>, fixed: &[f64]| match all {
                        Some(all) => all[draw * fixed.len()..(draw + 1) * fixed.len()].to_vec(),
                        None => fixed.to_vec(),
                    };
                    let potencies = row(&potencies, &largest[n_viruses..]);
                    let avidities = config.measurement.avidities.map(|_| row(&avidities, &largest[..n_viruses]));
                    let levels = titres::levels(n_viruses, &potencies, avidities.as_deref());
                    let noise = NoiseScale { sigma: sigma[draw], nu: nu[draw] };
                    draws.push(TitreDraw { x: reader.x(chain, draw)?, levels, noise });
                }
                index += 1;
            }
        }
        let observations = titres::observations(titers, config.measurement.reading);
        let is_interval = observations.iter().any(|seen| matches!(seen, crate::dissimilarity::Observation::Within(..)));
        let below_middle = if is_interval { 0.5 } else { 0.0 };
        Ok(Self { titers, draws, below_middle, seed: config.run.seed })
    }

    fn expected(&self, draw: &TitreDraw, virus: usize, serum: usize) -> f64 {
        let serum = self.titers.n_viruses() + serum;
        draw.levels[virus] + draw.levels[serum] - draw.x.distance(virus, serum) - self.below_middle
    }

    /// Every cell of the table, row by row.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let mut rng = stream(self.seed, 0, Purpose::MapVerdict);
        let pairs =
            (0..self.titers.n_viruses()).flat_map(|virus| (0..self.titers.n_sera()).map(move |serum| (virus, serum)));
        pairs.map(move |(virus, serum)| {
            let expected: Vec<f64> = self.draws.iter().map(|draw| self.expected(draw, virus, serum)).collect();
            let mean = expected.iter().sum::<f64>() / expected.len() as f64;
            let noisy = |(mu, draw): (&f64, &TitreDraw)| mu + draw.error(&mut rng);
            let drawn: Vec<f64> = expected.iter().zip(&self.draws).map(noisy).collect();
            Cell { virus, serum, expected: mean, interval: central(drawn) }
        })
    }

    /// Two strains: mean distance, its 95% interval, and the probability that it is more than [`LARGE_DROP`].
    pub fn strains(&self, a: usize, b: usize) -> (f64, (f64, f64), f64) {
        let distances: Vec<f64> = self.draws.iter().map(|draw| draw.x.distance(a, b)).collect();
        let n = distances.len() as f64;
        let mean = distances.iter().sum::<f64>() / n;
        let share = distances.iter().filter(|&&distance| distance > LARGE_DROP).count() as f64 / n;
        (mean, central(distances), share)
    }

    /// Levels of the kind `avidity` (viruses) or `potency` (sera): mean and 95% interval, in log2 titres.
    pub fn levels(&self, object: usize, has_avidities: bool) -> (f64, (f64, f64)) {
        let factor = if has_avidities { 2.0 } else { 1.0 };
        let levels: Vec<f64> = self.draws.iter().map(|draw| factor * draw.levels[object]).collect();
        (levels.iter().sum::<f64>() / levels.len() as f64, central(levels))
    }
}

/// How far a titre is from what is expected, in log2; a limit that the expected titre keeps is not missed.
pub(crate) fn miss(titer: Titer, expected: f64) -> f64 {
    match titer {
        Titer::Number(_) => titer.log2() - expected,
        Titer::Below(_) => (titer.log2() - expected).min(0.0),
        Titer::Above(_) => (titer.log2() - expected).max(0.0),
    }
}

/// The 2.5% and 97.5% quantiles.
fn central(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    (at(0.025), at(0.975))
}

/// The summary of titres, if they were measured.
pub(crate) fn summarise(
    config: &CheckedConfig,
    titers: Option<&Titers>,
    reader: &DrawReader,
    chains: &[usize],
) -> Result<Option<TitreSummary>, RunError> {
    let Some(titers) = titers.filter(|_| reader.has_x()) else { return Ok(None) };
    let draws = TitreDraws::new(config, titers, reader, chains)?;
    let (mut sum, mut n_numbers) = (0.0, 0_u32);
    let cells: Vec<Cell> = draws.cells().collect();
    for row in titers.rows() {
        if let Titer::Number(_) = row.titer {
            sum += (row.titer.log2() - cells[row.virus * titers.n_sera() + row.serum].expected).abs();
            n_numbers += 1;
        }
    }
    let names = ["potency_mean", "potency_sd", "avidity_sd", "nu", "drift", "virus_variance", "serum_variance"];
    let known: Vec<&str> = reader.variables().map(|variable| variable.name.as_str()).collect();
    let mut learned = Vec::new();
    for name in names.into_iter().filter(|name| known.contains(name)) {
        let drawn = chains.iter().map(|&chain| reader.scalar(name, chain)).collect::<Result<Vec<_>, _>>()?.concat();
        learned.push((name.to_owned(), Interval::of_draws(drawn)));
    }
    Ok(Some(TitreSummary {
        n_viruses: titers.n_viruses(),
        n_sera: titers.n_sera(),
        n_titres: titers.rows().len(),
        n_limits: titers.rows().len() - n_numbers as usize,
        mean_absolute_error: sum / f64::from(n_numbers.max(1)),
        learned,
        years: years(titers),
    }))
}

/// The years of all objects, if any is known.
fn years(titers: &Titers) -> Vec<Option<f64>> {
    let years: Vec<Option<f64>> = (0..titers.names().len()).map(|object| titers.year(object)).collect();
    if years.iter().all(Option::is_none) { Vec::new() } else { years }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With nu = 3 the 2.5% quantiles are at -+3.1824 (scipy 1.15, t.ppf), with none at -+1.96.
    #[test]
    fn measurements_scatter_as_the_family_does() {
        let mut rng = stream(5, 0, Purpose::Simulation);
        for (nu, quantile) in [(3.0, 3.182_446), (f64::INFINITY, 1.959_964)] {
            let noise = NoiseScale { sigma: 0.5, nu };
            let draw = TitreDraw { x: Locations::zeros(1, 1), levels: Vec::new(), noise };
            let (low, high) = central((0..40_000).map(|_| draw.error(&mut rng)).collect());
            // The standard error of such a quantile is 0.02 to 0.03 of sigma: sqrt(0.025 / 40,000) over the density there.
            assert!((low / 0.5 + quantile).abs() < 0.12 && (high / 0.5 - quantile).abs() < 0.12, "{nu}: {low} {high}");
        }
    }
}
