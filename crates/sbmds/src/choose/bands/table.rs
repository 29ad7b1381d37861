//! The table of grown couplings.

use std::io::Write;

use serde::Serialize;

use super::{BandsChoice, Rung};

/// One number of bands in the table.
#[derive(Clone, Debug, Serialize)]
pub struct BandsRow {
    /// Bands.
    pub bands: usize,
    /// Coupled pairs.
    pub n_pairs: usize,
    /// Held-out error.
    pub rmse: f64,
    /// By what part of itself it fell from the row above.
    pub rmse_fall: Option<f64>,
    /// The standard error of that.
    pub rmse_fall_se: Option<f64>,
    /// Posterior width of distances.
    pub width: f64,
    /// How much it changed from the row above, in parts of the held-out error.
    pub width_change: Option<f64>,
    /// Share of the held-out pairs in their 95% predictive intervals.
    pub coverage: f64,
    /// Posterior mean of sigma.
    pub sigma: f64,
    /// Posterior mean of the rate of diffusion.
    pub rate: Option<f64>,
    /// Its posterior standard deviation.
    pub rate_sd: Option<f64>,
    /// What moved from the row above.
    pub moved: String,
    /// Whether the chains converged.
    pub converged: bool,
    /// Seconds of sampling.
    pub seconds: f64,
    /// Whether it is the one to take.
    pub taken: bool,
}

impl BandsChoice {
    /// The rows of the table.
    pub fn rows(&self) -> Vec<BandsRow> {
        let row = |(number, rung): (usize, &Rung)| BandsRow {
            bands: rung.bands,
            n_pairs: rung.n_pairs,
            rmse: rung.rmse,
            rmse_fall: rung.step.map(|step| step.error),
            rmse_fall_se: rung.step.map(|step| step.error_se),
            width: rung.width,
            width_change: rung.step.map(|step| step.width),
            coverage: rung.coverage,
            sigma: rung.sigma,
            rate: rung.rate.map(|rate| rate.0),
            rate_sd: rung.rate.map(|rate| rate.1),
            moved: rung.step.map_or(String::new(), |step| step.moved().join(", ")),
            converged: rung.converged,
            seconds: rung.seconds,
            taken: self.settled == Some(number),
        };
        self.rungs.iter().enumerate().map(row).collect()
    }
}

/// Writes the rows with a header: the fields of [`BandsRow`].
///
/// # Errors
/// If they cannot be written.
pub fn write_bands_csv(output: impl Write, rows: &[BandsRow]) -> Result<(), csv::Error> {
    let mut writer = csv::Writer::from_writer(output);
    rows.iter().try_for_each(|row| writer.serialize(row))?;
    Ok(writer.flush()?)
}
