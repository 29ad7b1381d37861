//! What a calibration found: a table of p-values, the ranks, and a picture of them.

use std::fmt;
use std::io::{self, Write};

use super::histogram::Histograms;
use super::uniformity::UniformityTest;
use super::{CalibrationSettings, Rank, quantity_names};
use crate::random::{Purpose, stream};

/// A quantity with the ranks of its truth.
#[derive(Clone, Debug)]
pub struct RankedQuantity {
    /// What it is.
    pub name: String,
    /// Draws below the truth, for each replicate.
    pub ranks: Vec<usize>,
    /// Probability of ranks as uneven as these, if the fits are right.
    pub p_value: f64,
    /// Mean effective number of the draws of a fit.
    pub ess: f64,
    /// Effective number that one fit in twenty falls short of.
    pub low_ess: f64,
}

/// What the p-value of a quantity says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Nothing against uniform ranks.
    Uniform,
    /// Below 5%: as one quantity in twenty is by chance.
    Look,
    /// Too uneven for chance, considering the number of quantities.
    NotUniform,
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Uniform => "uniform",
            Self::Look => "look",
            Self::NotUniform => "NOT UNIFORM",
        })
    }
}

/// The ranks of all quantities in all replicates.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// What was simulated, in words.
    pub title: String,
    /// Draws L among which the truth was ranked.
    pub n_draws: usize,
    /// Fits that were ranked.
    pub n_replicates: usize,
    /// What was ranked.
    pub quantities: Vec<RankedQuantity>,
}

/// What the fits assume wrongly, on purpose.
fn assumed_in_words(settings: &CalibrationSettings) -> String {
    settings.assumed.map_or_else(String::new, |family| format!(", fitted as {family}"))
}

/// p-value below which a person should look.
const LOOK: f64 = 0.05;
/// Probability that right fits fail, over all quantities.
const FAIL: f64 = 0.01;

impl Calibration {
    pub(super) fn of(settings: &CalibrationSettings, ranks: &[Vec<Rank>]) -> Self {
        // A chain number no replicate has.
        let mut rng = stream(settings.seed, settings.n_replicates, Purpose::Monitoring);
        let test = UniformityTest::new(settings.n_draws, ranks.len(), &mut rng);
        let quantity = |(k, name): (usize, String)| {
            let below: Vec<usize> = ranks.iter().map(|ranks| ranks[k].below).collect();
            let mut ess: Vec<f64> = ranks.iter().map(|ranks| ranks[k].ess).collect();
            ess.sort_by(f64::total_cmp);
            let (mean, low) = (ess.iter().sum::<f64>() / ess.len() as f64, ess[ess.len() / 20]);
            RankedQuantity { name, p_value: test.p_value(&below), ranks: below, ess: mean, low_ess: low }
        };
        let sampler = settings.sampler.sampler.resolve();
        let left_out = match settings.n_replicates - ranks.len() {
            0 => String::new(),
            n => format!(" ({n} more say that they are not the posterior of all pairs)"),
        };
        Self {
            title: format!(
                "{} fits{left_out} of {} objects in {} dimensions, {}, {sampler}{}",
                ranks.len(),
                settings.n_objects,
                settings.n_dims,
                settings.measured.pairs_in_words(&settings.couplings),
                assumed_in_words(settings),
            ),
            n_draws: settings.n_draws,
            n_replicates: ranks.len(),
            quantities: quantity_names(settings).into_iter().enumerate().map(quantity).collect(),
        }
    }

    /// What a p-value says, considering that there are several.
    pub fn judge(&self, quantity: &RankedQuantity) -> Judgement {
        match quantity.p_value {
            p if p < FAIL / self.quantities.len() as f64 => Judgement::NotUniform,
            p if p < LOOK => Judgement::Look,
            _ => Judgement::Uniform,
        }
    }

    /// Whether no quantity is ranked too unevenly.
    pub fn is_uniform(&self) -> bool {
        self.quantities.iter().all(|quantity| self.judge(quantity) != Judgement::NotUniform)
    }

    /// One row per replicate, one column per quantity.
    pub fn write_ranks_csv(&self, mut out: impl Write) -> io::Result<()> {
        let names: Vec<&str> = self.quantities.iter().map(|quantity| quantity.name.as_str()).collect();
        writeln!(out, "replicate,{}", names.join(","))?;
        for replicate in 0..self.n_replicates {
            write!(out, "{}", replicate + 1)?;
            for quantity in &self.quantities {
                write!(out, ",{}", quantity.ranks[replicate])?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Rank histograms with the band of uniform ranks, as SVG.
    pub fn histograms_svg(&self) -> String {
        Histograms::of(self).svg()
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: ranks of the truth among {} draws", self.title, self.n_draws)?;
        writeln!(f, "{:24}{:>10}{:>12}{:>10}{:>10}", "quantity", "mean rank", "eff. draws", "worst 5%", "p-value")?;
        for quantity in &self.quantities {
            let mean = quantity.ranks.iter().sum::<usize>() as f64 / self.n_replicates as f64;
            let RankedQuantity { name, ess, low_ess, p_value, .. } = quantity;
            let judgement = self.judge(quantity);
            writeln!(f, "{name:24}{mean:10.1}{ess:12.0}{low_ess:10.0}{p_value:10.4}   {judgement}")?;
        }
        Ok(())
    }
}
