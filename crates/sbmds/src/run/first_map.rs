//! A first map within seconds: optimised, without error bars, for whoever does not want to wait for the sampler.

use std::time::Instant;

use super::directory::RunDirectory;
use crate::Locations;
use crate::dissimilarity::Names;
use crate::embedding::{ObjectFit, object_fits, principal_axes};
use crate::error::RunError;
use crate::fit::Control;
use crate::fit::problem::Problem;
use crate::fit::start::Starts;
use crate::fit::summary::lines::digits;
use crate::fit::verdicts::prior_check::FitOfPairs;
use crate::settings::check::CheckedConfig;

/// Fits that take less than this many seconds are over before a first map would be looked at.
const WORTH_A_FIRST_MAP: f64 = 10.0;

/// Writes the optimised map as a preliminary `embedding.csv` and shows it to the observer, if sampling will take a while.
pub(crate) fn show(
    run: &RunDirectory,
    config: &CheckedConfig,
    problem: &Problem,
    starts: &Starts,
    control: &Control,
) -> Result<(), RunError> {
    let start = Instant::now();
    let n_pairs = problem.pairs.n_pairs();
    if config.effort().seconds(n_pairs, config.model.n_dims, control.n_threads) < WORTH_A_FIRST_MAP {
        return Ok(());
    }
    let Some(map) = starts.optimised().filter(|_| !control.is_stopped()) else { return Ok(()) };
    let map = problem.to_input(map.as_slice());
    let map = principal_axes(&map).apply(&map);
    let coupled = problem.coupled();
    let fits = object_fits(&map, |object| coupled.partners(object));
    let fitted = FitOfPairs::new(f64::NAN, &map, &coupled);
    run.replace(&run.embedding(), &table(problem.data.names(), &map, &fits))?;
    control.observer.note(&format!(
        "a first map after {:.1} s of optimising, without error bars, is in {} (preliminary; Stress-1 {}; `sbmds report {}` shows \
         it). Sampling goes on.",
        start.elapsed().as_secs_f64(),
        run.embedding().display(),
        digits((fitted.residuals / fitted.dissimilarities).sqrt()),
        run.path().display()
    ));
    control.observer.first_map(problem.data.names(), &map);
    Ok(())
}

/// The columns that a map without draws has, and a last one that says what it is.
fn table(names: &Names, map: &Locations, fits: &[ObjectFit]) -> Vec<u8> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let axes = (1..=map.n_dims()).map(|dim| format!("x{dim}"));
    let header = std::iter::once("name".to_owned()).chain(axes).chain(["stress".to_owned(), "status".to_owned()]);
    // Writing into memory does not fail.
    let _ = table.write_record(header);
    for (object, name) in names.iter().enumerate() {
        let numbers = map.object(object).into_iter().chain([fits[object].stress]);
        let cells = numbers.map(|x| if x.is_nan() { String::new() } else { x.to_string() });
        let row = std::iter::once(name.into_owned()).chain(cells).chain(["preliminary".to_owned()]);
        let _ = table.write_record(row);
    }
    table.into_inner().unwrap_or_default()
}
