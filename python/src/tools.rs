//! Tools beside fits: HDBSCAN, simulated data, the log-likelihood, comparisons, diagnostics, and the program itself.

use std::ffi::OsString;

use numpy::{PyArray1, PyArrayDyn, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sbmds::Locations;
use sbmds::cluster::{HdbscanSettings, hdbscan as hdbscan_of};
use sbmds::coupling::{self, Effort, LayOptions};
use sbmds::diagnostics::{Diagnosis, Monitored};
use sbmds::likelihood::{Likelihood, Storage, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::simulate::{Noise, Simulation};

use crate::data::Data;
use crate::error::{detached, of_run, of_value};
use crate::fitted::Fitted;
use crate::memory::{array, locations, rows};

/// Rows of an array as a map.
fn map_of(points: &PyReadonlyArray2<'_, f64>) -> PyResult<Locations> {
    Ok(locations(points.as_slice()?, points.shape()[0], points.shape()[1]))
}

/// Clusters of points: labels, probabilities and outlier scores.
#[pyfunction]
pub fn hdbscan<'py>(
    py: Python<'py>,
    points: PyReadonlyArray2<'py, f64>,
    min_cluster_size: usize,
    min_samples: usize,
    selection: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let settings = HdbscanSettings { min_cluster_size, min_samples, selection: selection.parse().map_err(of_value)? };
    settings.check().map_err(of_value)?;
    let points = map_of(&points)?;
    let clusters = detached(py, || hdbscan_of(&points, &settings).map_err(of_value))?;
    let found = PyDict::new(py);
    found.set_item("labels", PyArray1::from_vec(py, clusters.labels))?;
    found.set_item("probabilities", PyArray1::from_vec(py, clusters.probabilities))?;
    found.set_item("outlier_scores", PyArray1::from_vec(py, clusters.outlier_scores))?;
    Ok(found)
}

/// Simulated dissimilarities (N x N), true locations (N x D) and true distances (N x N).
#[pyfunction]
pub fn simulate<'py>(
    py: Python<'py>,
    objects: usize,
    dims: usize,
    noise: &str,
    sd: f64,
    seed: u64,
) -> PyResult<Vec<Bound<'py, PyArrayDyn<f64>>>> {
    let noise = match noise {
        "half-normal" => Noise::HalfNormal { sd },
        "truncated-normal" => Noise::TruncatedNormal { sd },
        "log-normal" => Noise::LogNormal { sd },
        "none" => Noise::None,
        other => {
            let known = "half-normal, truncated-normal, log-normal or none";
            return Err(of_value(format!("noise: {other:?} is not known. Remedy: give {known}")));
        }
    };
    let [deltas, truth, distances] = detached(py, || {
        let simulation = Simulation::new(objects, dims, noise, &mut stream(seed, 0, Purpose::Simulation));
        let square = |value: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            let cells = (0..objects * objects).map(|k| (k / objects, k % objects));
            cells.map(|(a, b)| if a == b { 0.0 } else { value(a.min(b), a.max(b)) }).collect()
        };
        let deltas = square(&|a, b| simulation.delta(a, b));
        Ok([deltas, rows(simulation.truth()), square(&|a, b| simulation.distance(a, b))])
    })?;
    Ok(vec![
        array(py, deltas, &[objects, objects])?,
        array(py, truth, &[objects, dims])?,
        array(py, distances, &[objects, objects])?,
    ])
}

/// The log-likelihood, its gradient if asked for, and the number of pairs.
type Evaluation<'py> = (f64, Option<Bound<'py, PyArrayDyn<f64>>>, usize);

/// Log-likelihood of locations, its gradient if asked for, and the number of pairs.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn log_likelihood<'py>(
    py: Python<'py>,
    data: &Bound<'py, Data>,
    x: PyReadonlyArray2<'py, f64>,
    sigma: f64,
    gradient: bool,
    couplings: &str,
    order: &str,
    noise: &str,
    seed: u64,
) -> PyResult<Evaluation<'py>> {
    let (x, data) = (map_of(&x)?, &data.get().0);
    let couplings = couplings.parse().map_err(of_value)?;
    let noise = noise.parse().map_err(of_value)?;
    let order = match order {
        "given" => coupling::Order::Given,
        "shuffle" => coupling::Order::Shuffle,
        other => return Err(of_value(format!("order: {other:?} is not known. Remedy: give shuffle or given"))),
    };
    let (n_objects, n_dims) = (x.n_objects(), x.n_dims());
    let (value, slope, n_pairs) = detached(py, || {
        let options = LayOptions { order, seed, effort: Effort { n_iterations: 1 }, landmarks: Default::default() };
        let coupling = coupling::lay(&couplings, data, n_dims, &options).map_err(of_value)?;
        let positions = &coupling.order;
        let delta = |a: usize, b: usize| data.get(positions[a], positions[b]);
        let likelihood = Likelihood::new(n_objects, n_dims, &coupling.pairs, noise, Storage::F64, delta);
        let (moved, mut slope) = (coupling.order.to_positions(&x), Locations::zeros(n_objects, n_dims));
        let mut workspace = Workspace::parallel();
        let value = match gradient {
            true => likelihood.log_likelihood_and_gradient(&mut workspace, &moved, sigma, &mut slope),
            false => likelihood.log_likelihood(&mut workspace, &moved, sigma),
        };
        Ok((value, coupling.order.to_objects(&slope), likelihood.n_pairs()))
    })?;
    let slope = if gradient { Some(array(py, rows(&slope), &[n_objects, n_dims])?) } else { None };
    Ok((value, slope, n_pairs))
}

/// One quantity in several fits, as JSON.
#[pyfunction]
pub fn compare(py: Python<'_>, fits: Vec<Bound<'_, Fitted>>, quantity: &str) -> PyResult<String> {
    let fits: Vec<_> = fits.iter().map(|fit| fit.get().0.clone()).collect();
    detached(py, || {
        let comparison = sbmds::run::compare(&fits, quantity).map_err(of_run)?;
        serde_json::to_string(&comparison).map_err(of_value)
    })
}

/// Mean, sd, quantiles (5, 50, 95%), R-hat, bulk and tail ESS and MCSE of a quantity's draws (chain, draw).
#[pyfunction]
pub fn diagnose(py: Python<'_>, draws: PyReadonlyArray2<'_, f64>) -> PyResult<[f64; 9]> {
    let chains: Vec<Vec<f64>> = draws.as_slice()?.chunks_exact(draws.shape()[1].max(1)).map(<[f64]>::to_vec).collect();
    let d = detached(py, || Ok(Diagnosis::new(&Monitored::new("", chains).map_err(of_value)?)))?;
    Ok([d.mean, d.sd, d.q5, d.median, d.q95, d.rhat, d.ess_bulk, d.ess_tail, d.mcse_mean])
}

/// Runs the program `sbmds` with these words; gives its exit code.
#[pyfunction]
pub fn run_command(py: Python<'_>, words: Vec<OsString>) -> PyResult<u8> {
    detached(py, || Ok(sbmds_cli::run(words)))
}
