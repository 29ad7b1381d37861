//! Clusters of draws, with their uncertainty.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sbmds::cluster::{HdbscanSettings, RunClusters, cluster_run};

use crate::error::{detached, of_clusters, of_value};
use crate::fitted::Fitted;
use crate::memory::array;

/// Clusters the draws of a fit: labels of every draw looked at, the consensus, and a summary as JSON.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn cluster_draws<'py>(
    py: Python<'py>,
    fitted: &Bound<'py, Fitted>,
    min_points: usize,
    min_samples: usize,
    selection: &str,
    n_draws: usize,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let selection = selection.parse().map_err(of_value)?;
    let settings = HdbscanSettings { min_cluster_size: min_points, min_samples, selection };
    let reader = fitted.get().0.reader();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build().map_err(of_value)?;
    let clusters =
        detached(py, || pool.install(|| cluster_run(reader, &settings, n_draws, seed, None)).map_err(of_clusters))?;
    found(py, &clusters)
}

fn found<'py>(py: Python<'py>, clusters: &RunClusters) -> PyResult<Bound<'py, PyDict>> {
    let (draws, consensus) = (&clusters.draws, &clusters.consensus);
    let (n_draws, n_objects) = (draws.labels.n_draws(), draws.labels.n_objects());
    let labels: Vec<i32> = draws.labels.iter().flatten().copied().collect();
    let ids: Vec<(usize, usize)> = draws.ids.iter().map(|id| (id.chain, id.draw)).collect();
    let found = PyDict::new(py);
    found.set_item("draw_labels", PyArray1::from_vec(py, labels).reshape([n_draws, n_objects])?)?;
    found.set_item("draw_ids", ids)?;
    found.set_item("labels", PyArray1::from_slice(py, &consensus.labels))?;
    found.set_item("confidence", array(py, consensus.confidence.clone(), &[n_objects])?)?;
    found.set_item("membership", array(py, draws.membership.clone(), &[n_objects])?)?;
    found.set_item("summary", serde_json::to_string(&clusters.summary).map_err(of_value)?)?;
    Ok(found)
}
