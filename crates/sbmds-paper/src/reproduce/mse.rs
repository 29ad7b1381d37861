//! Fits whose distances are compared with the true ones: what three of the experiments do in every cell.

use std::sync::atomic::AtomicBool;

use sbmds::figures::{Series, SeriesPoint};
use sbmds::simulate::Noise;

use super::data::{first_map, posterior, simulated, start};
use super::draw::{Effort, median, trace};
use super::groups::Group;
use super::measures::DistanceErrors;
use super::page::{exact, ratio, short};
use super::plot::{authors as hollow, colour, ours, point};
use super::{Cell, Method, ReproduceError, Table};

/// What [`fit`] returns, by name.
pub(super) fn measured() -> Vec<String> {
    ["mse", "mse_mcse", "median_sigma", "draws"].map(String::from).to_vec()
}

/// Simulates, fits, and gives the mean MSE over draws, its Monte Carlo error, the median of sigma and the number of draws.
/// Classical MDS has one map: no Monte Carlo error and no sigma.
pub(super) fn fit(cell: &Cell, noise: Noise, effort: &Effort, stop: &AtomicBool) -> Result<Vec<f64>, ReproduceError> {
    let data = simulated(cell, noise);
    let errors = DistanceErrors::new(data.truth());
    let map = first_map(cell, &data);
    if cell.method == Method::Classical {
        return Ok(vec![errors.mean_square(map.as_slice()), 0.0, f64::NAN, 1.0]);
    }
    let posterior = posterior(cell, &data);
    let mut sigmas = Vec::new();
    let trace = trace(cell, &posterior, start(&posterior, &map), effort, stop, |chain| {
        sigmas.push(chain.sigma());
        errors.mean_square(chain.x())
    })?;
    Ok(vec![trace.mean, trace.mcse, median(sigmas), trace.values.len() as f64])
}

/// What pages say of the length of our chains.
pub(super) fn about_draws(effort: &Effort) -> String {
    format!(
        "Each fit is one NUTS chain from the classical MDS map: {} iterations of warm-up, then draws until the Monte Carlo \
         standard error of the MSE is below {}% of it (at most {} draws). The authors' chains have 110,000 iterations of \
         HMC, of which every hundredth is kept: the same posterior, by a sampler whose draws are less correlated. \
         Objects are simulated in random order, so that none is shuffled.",
        effort.warmup,
        100.0 * effort.error,
        effort.most
    )
}

/// How the MSE is defined.
pub(super) fn about_mse() -> String {
    "MSE is the mean over all N^2 entries of the distance matrix, its diagonal included, of (distance in a draw - true \
     distance)^2, averaged over draws; the true distance is that without noise. Beyond 2,000 objects it is \
     estimated from 100,000 random pairs (the paper: 1,000)."
        .into()
}

/// Data sets from which on their standard deviation says something.
const DATA_SETS_OF_A_SPREAD: usize = 3;

/// The largest Monte Carlo standard error of a fit, and where it is.
pub(super) fn about_largest_error(groups: &[Group]) -> Option<String> {
    let relative = |group: &Group| group.of(1).into_iter().zip(group.of(0)).map(|(e, mse)| e / mse).fold(0.0, f64::max);
    let (group, error) = groups.iter().map(|g| (g, relative(g))).max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let Cell { n_objects, sd, method, count, .. } = &group.cell;
    Some(format!(
        "Chains of few bands or landmarks mix slowly. The largest Monte Carlo standard error of one fit is {:.0}% of its MSE ({method}:{count}, \
         N = {n_objects}, noise {sd}); the CSV has all of them.",
        100.0 * error
    ))
}

/// A comparison of one setting: what it is, ours with the spread between data sets and the largest Monte Carlo error of one, theirs,
/// the ratio.
pub(super) fn compared(settings: &[String], group: &Group, authors: Option<f64>) -> Vec<String> {
    let (mean, sd) = (group.mean(0), group.sd(0));
    let known = authors.filter(|_| group.len() >= DATA_SETS_OF_A_SPREAD);
    let off = known.map(|authors| group.deviations(0, authors)).filter(|off| off.is_finite());
    let numbers = [
        short(mean),
        short(sd),
        short(largest_mcse(group)),
        authors.map(short).unwrap_or_default(),
        ratio(mean, authors),
        off.map(|off| format!("{off:+.1}")).unwrap_or_default(),
    ];
    [settings.to_vec(), numbers.to_vec()].concat()
}

fn largest_mcse(group: &Group) -> f64 {
    group.of(1).into_iter().fold(0.0, f64::max)
}

/// The columns of [`compared`] after those of the settings.
pub(super) const COMPARED: [&str; 6] =
    ["ours", "sd between data sets", "Monte Carlo error", "authors", "ours / authors", "authors off by (sd)"];

/// The line of the CSV for one setting.
pub(super) fn csv_line(group: &Group, authors: Option<f64>) -> Vec<String> {
    let Cell { n_objects, true_dims, sd, method, count, .. } = &group.cell;
    let settings =
        [n_objects.to_string(), true_dims.to_string(), sd.to_string(), method.to_string(), count.to_string()];
    let numbers = [group.mean(0), group.sd(0), largest_mcse(group), group.mean(2), group.mean(3)].map(exact);
    let theirs = [authors.map(exact).unwrap_or_default(), ratio(group.mean(0), authors)];
    [settings.to_vec(), vec![group.len().to_string()], numbers.to_vec(), theirs.to_vec()].concat()
}

/// The table of [`csv_line`].
pub(super) fn csv_table() -> Table {
    Table::new(&[
        "objects",
        "true_dims",
        "noise",
        "method",
        "count",
        "data_sets",
        "mse",
        "mse_sd",
        "mse_mcse",
        "median_sigma",
        "draws",
        "authors_mse",
        "ratio",
    ])
}

/// Our series of a method, and the authors' hollow marks; `x` is where a cell lies.
pub(super) fn series(
    groups: &[&Group],
    method: Method,
    x: impl Fn(&Cell) -> f64,
    authors: impl Fn(&Cell) -> Option<f64>,
) -> Vec<Series> {
    let of_method: Vec<&&Group> = groups.iter().filter(|group| group.cell.method == method).collect();
    let found = |group: &&&Group| SeriesPoint { x: x(&group.cell), y: group.mean(0), sd: group.sd(0) };
    let quoted = |group: &&&Group| Some(point(x(&group.cell), authors(&group.cell)?));
    let theirs: Vec<SeriesPoint> = of_method.iter().filter_map(quoted).collect();
    let mut series = vec![ours(method.name(), colour(method), of_method.iter().map(found).collect())];
    if !theirs.is_empty() {
        series.push(hollow(colour(method), theirs));
    }
    series
}
