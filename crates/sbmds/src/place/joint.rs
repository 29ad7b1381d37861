//! New objects fitted together with the old ones: what such a fit reads, and where it starts.

use std::path::{Path, PathBuf};

use super::Placed;
use crate::Locations;
use crate::coupling::Couplings;
use crate::dissimilarity::NewObjects;
use crate::error::RunError;
use crate::quality::KnownPairs;
use crate::run::{FinishedRun, FitConfig, InputConfig, Start};

/// Writes into `directory` what a joint fit reads: `pairs.csv`, the pairs that the old fit used and those of the new objects; `start.csv`, the old map with
/// the new objects where they were placed (or at their nearest partner); and `labels.csv`, who is new. Returns the settings: those of the old fit, with half
/// its warm-up, since chains start where they belong.
///
/// # Errors
/// If the old fit was along a tree or of more than one number per pair, its input is gone, or the disk refuses.
pub fn joint_config(
    run: &FinishedRun,
    new: &NewObjects,
    placed: Option<&Placed>,
    directory: &Path,
) -> Result<FitConfig, RunError> {
    let base = run.config().clone().as_asked();
    refuse(&base, run)?;
    let directory = std::path::absolute(directory).map_err(RunError::io("find", directory))?;
    std::fs::create_dir_all(&directory).map_err(RunError::io("create", &directory))?;
    let pairs = write_table(directory.join("pairs.csv"), &["from", "to", "value"], pairs(run, new)?)?;
    let n_dims = base.model.n_dims;
    let coordinates: Vec<String> = (1..=n_dims).map(|dim| format!("x{dim}")).collect();
    let header: Vec<&str> = std::iter::once("name").chain(coordinates.iter().map(String::as_str)).collect();
    let start = write_table(directory.join("start.csv"), &header, starts(run, new, placed))?;
    let names = |names: &crate::dissimilarity::Names| names.iter().map(|name| name.into_owned()).collect::<Vec<_>>();
    let kinds = names(run.names()).into_iter().map(|name| vec![name, "old".into()]);
    let kinds = kinds.chain(names(&new.names).into_iter().map(|name| vec![name, "new".into()]));
    let labels = write_table(directory.join("labels.csv"), &["name", "kind"], kinds.collect())?;
    let mut config = base;
    config.input = InputConfig { path: pairs, labels: Some(labels), ..InputConfig::default() };
    config.model.couplings = Couplings::Full;
    config.run.start = Start::Map(start);
    config.run.chain = None;
    config.sampler.n_warmup = config.sampler.n_warmup.div_ceil(2);
    Ok(config)
}

fn refuse(config: &FitConfig, run: &FinishedRun) -> Result<(), RunError> {
    let problem = if config.tree.is_some() {
        "the old fit is along a tree, and the new objects are no tips of it"
    } else if config.input.titers
        || config.measurement != Default::default()
        || run.measured()?.data().measurements().is_some()
    {
        "the old fit knows more of a pair than one exact number (limits, repeats, weights, errors or noise of another family)"
    } else {
        return Ok(());
    };
    Err(RunError::setting("`joint`", problem, "put old and new into one input, and fit that with `sbmds fit`"))
}

/// Old pairs that the fit used, then those of new objects.
fn pairs(run: &FinishedRun, new: &NewObjects) -> Result<Vec<Vec<String>>, RunError> {
    let measured = run.measured()?;
    let known = measured.known();
    let old = |object: usize| run.names().get(object).into_owned();
    let mut rows = Vec::new();
    for a in 0..known.n_objects() {
        let later = known.partners(a).into_iter().filter(|&(b, _)| a < b);
        rows.extend(later.map(|(b, delta)| vec![old(a), old(b), delta.to_string()]));
    }
    for object in 0..new.names.len() {
        let name = new.names.get(object).into_owned();
        rows.extend(new.old_partners(object).map(|(b, delta)| vec![name.clone(), old(b), delta.to_string()]));
        let is_there = |other: usize| new.new_partners(other).any(|(back, _)| back == object);
        // A pair of two new objects may stand in the rows of both: the first counts.
        let others = new.new_partners(object).filter(|&(other, _)| other > object || !is_there(other));
        rows.extend(others.map(|(b, delta)| vec![name.clone(), new.names.get(b).into_owned(), delta.to_string()]));
    }
    Ok(rows)
}

fn starts(run: &FinishedRun, new: &NewObjects, placed: Option<&Placed>) -> Vec<Vec<String>> {
    let map = &run.embedding().mean;
    let row = |name: String, at: Vec<f64>| std::iter::once(name).chain(at.iter().map(f64::to_string)).collect();
    let nearest = |object: usize| {
        let nearest = new.old_partners(object).min_by(|a, b| a.1.total_cmp(&b.1));
        map.object(nearest.map_or(0, |(partner, _)| partner))
    };
    let place = |object: usize| placed.map_or_else(|| nearest(object), |placed| location(placed, object));
    let old = run.names().iter().enumerate().map(|(object, name)| row(name.into_owned(), map.object(object)));
    let new = new.names.iter().enumerate().map(|(object, name)| row(name.into_owned(), place(object)));
    old.chain(new).collect()
}

fn location(placed: &Placed, object: usize) -> Vec<f64> {
    let mean: &Locations = placed.moments.mean();
    mean.object(object)
}

fn write_table(path: PathBuf, header: &[&str], rows: Vec<Vec<String>>) -> Result<PathBuf, RunError> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let written = table.write_record(header).and_then(|()| rows.iter().try_for_each(|row| table.write_record(row)));
    let bytes = written.and_then(|()| table.into_inner().map_err(|error| error.into_error().into()));
    let bytes = bytes.map_err(|error| RunError::Damaged { path: path.clone(), what: error.to_string() })?;
    crate::files::replace_with(&path, |writer| writer.write_all(&bytes)).map_err(RunError::io("write", &path))?;
    Ok(path)
}
