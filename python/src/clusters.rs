//! Clusters of draws, with their uncertainty.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray4};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sbmds::cluster::{HdbscanSettings, RunClusters, cluster_run};
use sbmds::dissimilarity::Names;
use sbmds::draws::{Draw, DrawReader, MemoryStore, StorePlan};

use crate::error::{detached, of_clusters, of_value};
use crate::fitted::Fitted;
use crate::memory::{array, locations};

/// What is clustered: a fit, or its draws (chain, draw, object, dim).
#[derive(FromPyObject)]
pub enum Drawn<'py> {
    Fit(Bound<'py, Fitted>),
    Draws(PyReadonlyArray4<'py, f64>),
}

/// Clusters draws: labels of every draw looked at, the consensus, and a summary as JSON.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn cluster_draws<'py>(
    py: Python<'py>,
    drawn: Drawn<'py>,
    names: Option<Vec<String>>,
    min_points: usize,
    min_samples: usize,
    selection: &str,
    n_draws: usize,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let selection = selection.parse().map_err(of_value)?;
    let settings = HdbscanSettings { min_cluster_size: min_points, min_samples, selection };
    let own;
    let reader = match &drawn {
        Drawn::Fit(fitted) => fitted.get().0.reader(),
        Drawn::Draws(draws) => {
            own = stored(draws, names)?;
            &own
        }
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build().map_err(of_value)?;
    let clusters =
        detached(py, || pool.install(|| cluster_run(reader, &settings, n_draws, seed, None)).map_err(of_clusters))?;
    found(py, &clusters)
}

/// Draws of Python in a store.
fn stored(draws: &PyReadonlyArray4<'_, f64>, names: Option<Vec<String>>) -> PyResult<DrawReader> {
    use numpy::PyUntypedArrayMethods;
    let &[n_chains, n_draws, n_objects, n_dims] = draws.shape() else { unreachable!("four dimensions") };
    let values = draws.as_slice()?;
    let names = match names {
        Some(names) => Names::given(names).map_err(|_| of_value("two objects have one name"))?,
        None => Names::numbered(n_objects),
    };
    let plan = StorePlan {
        n_chains,
        n_draws,
        names: &names,
        n_dims,
        keep_x: true,
        reference: None,
        variables: Vec::new(),
        stats: Vec::new(),
    };
    let store = MemoryStore::new(&plan).map_err(of_value)?;
    for (index, x) in values.chunks_exact((n_objects * n_dims).max(1)).enumerate() {
        store.push(index / n_draws, &Draw { x: &locations(x, n_objects, n_dims), scalars: &[], stats: &[] });
    }
    Ok(store.reader())
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
