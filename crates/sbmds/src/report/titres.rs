//! What a fit of titres found, as the page shows it: which objects are viruses, levels, and the titres that fit worst.

use serde::Serialize;

use crate::dissimilarity::{Titer, Titers};
use crate::fit::summary::titres::{TitreDraws, miss};
use crate::run::{FinishedRun, RunError};

/// Titres that are listed because they fit worst.
const N_WORST: usize = 12;

/// Titres on the page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TitreSection {
    /// Number of viruses, the first objects; sera follow.
    pub n_viruses: usize,
    /// Mean absolute difference of measured and expected log2 titres, numbers only.
    pub mean_absolute_error: f64,
    /// Potencies of sera and avidities of viruses, if the input is still there.
    pub levels: Vec<LevelData>,
    /// The titres that fit worst, likewise.
    pub worst: Vec<WorstTitre>,
}

/// The level of an object, in log2 titres.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelData {
    /// `avidity` or `potency`.
    pub level: &'static str,
    /// The object.
    pub object: usize,
    /// Posterior mean.
    pub mean: f64,
    /// Ends of the central 95% interval.
    pub interval: (f64, f64),
}

/// A titre far from what is expected.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstTitre {
    /// The virus.
    pub virus: usize,
    /// The serum.
    pub serum: usize,
    /// As it was written.
    pub measured: String,
    /// Expected titre, as it would be written.
    pub expected: f64,
    /// Squared difference in log2 titres.
    pub stress: f64,
}

/// The section; `None` for other runs.
pub(super) fn gather(run: &FinishedRun, titers: Option<&Titers>) -> Result<Option<Box<TitreSection>>, RunError> {
    let Some(summary) = &run.summary().titres else { return Ok(None) };
    let (n_viruses, mean_absolute_error) = (summary.n_viruses, summary.mean_absolute_error);
    let mut section = TitreSection { n_viruses, mean_absolute_error, levels: Vec::new(), worst: Vec::new() };
    if let Some(titers) = titers.filter(|_| run.reader().has_x()) {
        let draws = TitreDraws::new(run.config(), titers, run.reader(), run.shown_chains())?;
        section.levels = levels(&draws, titers, run.config().measurement.avidities.is_some());
        section.worst = worst(&draws, titers);
    }
    Ok(Some(Box::new(section)))
}

fn levels(draws: &TitreDraws, titers: &Titers, has_avidities: bool) -> Vec<LevelData> {
    let first = if has_avidities { 0 } else { titers.n_viruses() };
    let of = |object: usize| {
        let level = if object < titers.n_viruses() { "avidity" } else { "potency" };
        let (mean, interval) = draws.levels(object, has_avidities);
        LevelData { level, object, mean, interval }
    };
    (first..titers.names().len()).map(of).collect()
}

fn worst(draws: &TitreDraws, titers: &Titers) -> Vec<WorstTitre> {
    let expected: Vec<f64> = draws.cells().map(|cell| cell.expected).collect();
    let of = |row: &crate::dissimilarity::TiterRow| {
        let expected = expected[row.virus * titers.n_sera() + row.serum];
        let stress = miss(row.titer, expected).powi(2);
        let measured = Titer::to_string(&row.titer);
        WorstTitre {
            virus: row.virus,
            serum: titers.n_viruses() + row.serum,
            measured,
            expected: expected.exp2(),
            stress,
        }
    };
    let mut all: Vec<WorstTitre> = titers.rows().iter().map(of).collect();
    all.sort_by(|a, b| b.stress.total_cmp(&a.stress));
    all.truncate(N_WORST);
    all
}
