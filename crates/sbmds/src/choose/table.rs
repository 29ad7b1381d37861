//! The table of a choice.

use std::io::Write;

use serde::Serialize;

use super::{Choice, Judged};
use crate::loo::Difference;

/// One candidate in the table.
#[derive(Clone, Debug, Serialize)]
pub struct ChoiceRow {
    /// Dimensions.
    pub dims: usize,
    /// Noise family, if several are compared.
    pub noise: Option<String>,
    /// Expected log predictive density of the pairs left out.
    pub elpd: f64,
    /// Its standard error.
    pub se: f64,
    /// How much less it is than that of the best candidate.
    pub behind: f64,
    /// The standard error of that difference.
    pub behind_se: f64,
    /// Effective number of parameters.
    pub p_loo: f64,
    /// Root mean squared error of the pairs left out.
    pub rmse: f64,
    /// Stress-1 over the pairs fitted.
    pub stress1: Option<f64>,
    /// MDSIC of Oh and Raftery.
    pub mdsic: Option<f64>,
    /// Pairs left out.
    pub n_pairs: usize,
    /// Of these, pairs whose answer is not reliable (Pareto k).
    pub n_unreliable: usize,
    /// Whether the chains converged.
    pub converged: bool,
    /// Whether it is the one to take.
    pub taken: bool,
}

/// The rows of a choice.
pub fn rows(choice: &Choice) -> Vec<ChoiceRow> {
    let best = &choice.judged[choice.advice.best];
    let row = |(number, judged): (usize, &Judged)| {
        let behind = Difference::of(&best.left_out, &judged.left_out);
        ChoiceRow {
            dims: judged.candidate.n_dims,
            noise: judged.candidate.noise.map(|noise| noise.to_string()),
            elpd: judged.score.elpd,
            se: judged.score.se,
            behind: behind.elpd,
            behind_se: behind.se,
            p_loo: judged.score.p_loo,
            rmse: judged.score.rmse,
            stress1: judged.stress1,
            mdsic: judged.mdsic,
            n_pairs: judged.score.n_pairs,
            n_unreliable: judged.score.n_unreliable,
            converged: judged.converged,
            taken: number == choice.advice.taken,
        }
    };
    choice.judged.iter().enumerate().map(row).collect()
}

/// Writes the rows with a header: the fields of [`ChoiceRow`].
///
/// # Errors
/// If they cannot be written.
pub fn write_choice_csv(output: impl Write, rows: &[ChoiceRow]) -> Result<(), csv::Error> {
    let mut writer = csv::Writer::from_writer(output);
    rows.iter().try_for_each(|row| writer.serialize(row))?;
    Ok(writer.flush()?)
}
