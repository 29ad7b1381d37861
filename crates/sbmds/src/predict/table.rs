//! The table of predictions, written row by row.

use std::io::Write;

use super::Prediction;
use crate::dissimilarity::Names;

/// Writes `a,b,observed,coupled,distance,mean,sd,low,high,below,z`; unknown numbers are empty, the others read back to the same bits.
pub struct PredictionTable<'a, W: Write> {
    writer: csv::Writer<W>,
    names: &'a Names,
}

impl<'a, W: Write> PredictionTable<'a, W> {
    /// A table with its header.
    ///
    /// # Errors
    /// If the header cannot be written.
    pub fn new(output: W, names: &'a Names) -> Result<Self, csv::Error> {
        let mut writer = csv::Writer::from_writer(output);
        writer
            .write_record(["a", "b", "observed", "coupled", "distance", "mean", "sd", "low", "high", "below", "z"])?;
        Ok(Self { writer, names })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, prediction: &Prediction) -> Result<(), csv::Error> {
        let Prediction { pair, distance, mean, sd, low, high, below } = *prediction;
        let text = |number: f64| if number.is_nan() { String::new() } else { number.to_string() };
        let (a, b) = (self.names.get(pair.a), self.names.get(pair.b));
        let numbers = [distance, mean, sd, low, high, below, prediction.z()].map(text);
        let observed = pair.limit.map_or_else(|| text(pair.observed), |limit| limit.to_string());
        let first = [a.as_ref(), b.as_ref(), &observed, if pair.is_coupled { "true" } else { "false" }];
        self.writer.write_record(first.into_iter().chain(numbers.iter().map(String::as_str)))
    }

    /// Writes what is still held back.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> Result<(), csv::Error> {
        Ok(self.writer.flush()?)
    }
}
