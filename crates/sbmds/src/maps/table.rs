//! The table of a comparison of maps.

use std::io::Write;

use super::{MapComparison, Residual, Spread};

/// Writes one row per object that both maps have: `name`, its location in the first map (`x1` ...) and in the second, laid onto it
/// (`to1` ...), the `residual` between them, over draws its `mean`, `sd`, `low` and `high` (95%), and `p_same`. Unknown numbers are empty.
///
/// # Errors
/// If the table cannot be written.
pub fn write_maps_csv(output: impl Write, comparison: &MapComparison) -> Result<(), csv::Error> {
    let n_dims = comparison.first.n_dims();
    let mut writer = csv::Writer::from_writer(output);
    let numbered = |letters: &'static str| (1..=n_dims).map(move |dim| format!("{letters}{dim}"));
    let rest = ["residual", "mean", "sd", "low", "high", "p_same"].map(String::from);
    writer.write_record(std::iter::once("name".to_owned()).chain(numbered("x")).chain(numbered("to")).chain(rest))?;
    for (object, name) in comparison.names.iter().enumerate() {
        let Residual { shown, length: Spread { mean, sd, low, high }, p_same } = comparison.residuals[object];
        let mut numbers = [comparison.first.object(object), comparison.second.object(object)].concat();
        numbers.extend([shown, mean, sd, low, high, p_same]);
        let fields = numbers.iter().map(|x| if x.is_nan() { String::new() } else { x.to_string() });
        writer.write_record(std::iter::once(name.into_owned()).chain(fields))?;
    }
    writer.flush()?;
    Ok(())
}
