//! The tables of an antigenic map: `levels.csv`, `titers.csv` (every cell, measured or not) and `drops.csv` (every two strains).

use std::path::Path;

use super::directory::RunDirectory;
use crate::dissimilarity::{Titer, Titers};
use crate::draws::DrawReader;
use crate::error::RunError;
use crate::fit::ShownMap;
use crate::fit::summary::titres::{TitreDraws, miss};
use crate::settings::Resolved;

/// Strains beyond which the table of all pairs would be too large to read.
const MOST_STRAINS: usize = 500;

/// Writes the tables.
pub(super) fn write(
    run: &RunDirectory,
    config: &Resolved,
    titers: &Titers,
    reader: &DrawReader,
    map: &ShownMap,
) -> Result<(), RunError> {
    if !reader.has_x() {
        return Ok(());
    }
    let draws = TitreDraws::new(config, titers, reader, &map.chains)?;
    let mut tables = vec![
        ("levels.csv", levels(titers, &draws, config.measurement.avidities.is_some())),
        ("titers.csv", cells(titers, &draws)),
    ];
    if titers.n_viruses() <= MOST_STRAINS {
        tables.push(("drops.csv", drops(titers, &draws)));
    }
    for (file, table) in tables {
        let path = run.path().join(file);
        run.replace(&path, &table.map_err(|error| damaged(&path, &error))?)?;
    }
    Ok(())
}

fn damaged(path: &Path, what: &dyn std::fmt::Display) -> RunError {
    RunError::Damaged { path: path.to_owned(), what: what.to_string() }
}

fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<Vec<u8>, csv::Error> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(header)?;
    for row in rows {
        table.write_record(row)?;
    }
    table.into_inner().map_err(|error| error.into_error().into())
}

fn digits(value: f64) -> String {
    format!("{value:.4}")
}

fn name(titers: &Titers, object: usize) -> String {
    titers.names().get(object).into_owned()
}

/// Potencies of sera and avidities of viruses, in log2 titres.
fn levels(titers: &Titers, draws: &TitreDraws, has_avidities: bool) -> Result<Vec<u8>, csv::Error> {
    let n_viruses = titers.n_viruses();
    let first = if has_avidities { 0 } else { n_viruses };
    let row = |object: usize| {
        let kind = if object < n_viruses { "avidity" } else { "potency" };
        let (mean, (lower, upper)) = draws.levels(object, has_avidities);
        vec![kind.into(), name(titers, object), digits(mean), digits(lower), digits(upper)]
    };
    table(&["level", "name", "mean", "lower", "upper"], (first..titers.names().len()).map(row))
}

/// Every cell: what was measured, what is expected, the 95% interval of a new measurement, residual and stress.
fn cells(titers: &Titers, draws: &TitreDraws) -> Result<Vec<u8>, csv::Error> {
    let mut measured = vec![Vec::new(); titers.n_viruses() * titers.n_sera()];
    titers.rows().iter().for_each(|row| measured[row.virus * titers.n_sera() + row.serum].push(row.titer));
    let header = [
        "virus",
        "serum",
        "measured",
        "expected_titer",
        "expected_log2",
        "lower_log2",
        "upper_log2",
        "residual",
        "stress",
    ];
    let row = |cell: crate::fit::summary::titres::Cell| {
        let of_cell = &measured[cell.virus * titers.n_sera() + cell.serum];
        let numbers: Vec<f64> = of_cell.iter().filter_map(|titer| titer.number_log2()).collect();
        let residual = numbers.iter().map(|log2| log2 - cell.expected).sum::<f64>() / numbers.len() as f64;
        // A limit that the expected titre keeps has no stress.
        let stress: f64 = of_cell.iter().map(|titer| miss(*titer, cell.expected).powi(2)).sum();
        let known = |value: f64| if value.is_nan() { String::new() } else { digits(value) };
        vec![
            name(titers, cell.virus),
            name(titers, titers.n_viruses() + cell.serum),
            of_cell.iter().map(Titer::to_string).collect::<Vec<_>>().join(" "),
            format!("{:.0}", cell.expected.exp2()),
            digits(cell.expected),
            digits(cell.interval.0),
            digits(cell.interval.1),
            known(residual),
            if of_cell.is_empty() { String::new() } else { digits(stress) },
        ]
    };
    table(&header, draws.cells().map(row))
}

/// Distances of every two strains and the probability of a drop of more than two twofold dilutions.
fn drops(titers: &Titers, draws: &TitreDraws) -> Result<Vec<u8>, csv::Error> {
    let pairs = (0..titers.n_viruses()).flat_map(|a| (a + 1..titers.n_viruses()).map(move |b| (a, b)));
    let row = |(a, b): (usize, usize)| {
        let (mean, (lower, upper), share) = draws.strains(a, b);
        vec![name(titers, a), name(titers, b), digits(mean), digits(lower), digits(upper), digits(share)]
    };
    table(&["virus", "other_virus", "distance", "lower", "upper", "p_drop_of_more_than_2"], pairs.map(row))
}
