//! What a fit found, as Python sees it.

use std::collections::HashMap;
use std::path::PathBuf;

use numpy::PyArrayDyn;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use sbmds::diagnostics::Monitored;
use sbmds::dissimilarity::{self, Dissimilarities, Labels, read_labels, read_new_objects};
use sbmds::draws::{Dtype, Variable};
use sbmds::fit;
use sbmds::place::{OldMap, PlacedObject, place};
use sbmds::predict::{Asked, AskedPair, PosteriorDraws, Prediction, asked_pairs, predict};
use sbmds::quality::KnownPairs;
use sbmds::report::{ReportData, write_html};
use sbmds::run::{FitConfig, RunError};

use crate::data::Data;
use crate::error::{detached, of_input, of_run, of_value};
use crate::memory::{array, rows};

/// What a fit found.
#[pyclass(frozen, module = "sbmds._native")]
pub struct Fitted(pub fit::Fitted);

/// Opens a finished run.
#[pyfunction]
pub fn open(py: Python<'_>, directory: PathBuf, mode: usize) -> PyResult<Fitted> {
    detached(py, || fit::Fitted::open_mode(&directory, mode).map(Fitted).map_err(of_run))
}

/// The fit in memory that was made bytes of, looked at in a mode. Its data are `data`, or are read again when they are asked for, with
/// what lies elsewhere now: `path`, `names`, `weights` and `errors`.
#[pyfunction]
pub fn from_bytes(
    py: Python<'_>,
    bytes: &[u8],
    mode: usize,
    data: Option<&Bound<'_, Data>>,
    mut paths: HashMap<String, PathBuf>,
) -> PyResult<Fitted> {
    let data = data.map(|data| data.get().0.clone());
    let mut path_of = |name: &str| paths.remove(name);
    let [path, names, weights, errors] = ["path", "names", "weights", "errors"].map(&mut path_of);
    let read = move |config: &FitConfig| -> Result<Dissimilarities, RunError> {
        if let Some(data) = &data {
            return Ok(data.clone());
        }
        let mut input = config.input.clone();
        input.path = path.clone().unwrap_or(input.path);
        input.names = names.clone().or(input.names);
        input.weights = weights.clone().or(input.weights);
        input.errors = errors.clone().or(input.errors);
        Ok(dissimilarity::read(&input.path, &input.read_options())?)
    };
    detached(py, || {
        let fitted = fit::Fitted::from_bytes(bytes, read).map_err(of_run)?;
        if mode == 1 { Ok(Fitted(fitted)) } else { fitted.in_mode(mode).map(Fitted).map_err(of_run) }
    })
}

/// Name, type and axes of a stored variable.
type Stored = (String, &'static str, Vec<(String, usize)>);

fn stored(variable: &Variable) -> Stored {
    let dtype = match variable.dtype {
        Dtype::Integer => "int64",
        Dtype::Boolean => "bool",
        // Draws are handed over as such.
        _ => "float64",
    };
    (variable.name.clone(), dtype, variable.axes.iter().map(|axis| (axis.name.clone(), axis.len)).collect())
}

/// All draws of a quantity, chain after chain.
fn of_chains(quantity: &Monitored) -> Vec<f64> {
    quantity.chains().iter().flatten().copied().collect()
}

#[pymethods]
impl Fitted {
    /// A fit in memory as bytes, all but its data.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, || self.0.to_bytes().map_err(of_run))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The summary as JSON.
    fn summary(&self) -> PyResult<String> {
        serde_json::to_string(self.0.summary()).map_err(of_value)
    }

    /// The settings as JSON.
    fn config(&self) -> PyResult<String> {
        serde_json::to_string(self.0.config()).map_err(of_value)
    }

    /// The objects.
    fn names(&self) -> Vec<String> {
        self.0.names().iter().map(|name| name.into_owned()).collect()
    }

    /// The directory of the run.
    fn path(&self) -> PathBuf {
        self.0.path().to_owned()
    }

    /// What the map is, in words.
    fn what_is_shown(&self) -> String {
        self.0.what_is_shown()
    }

    /// The mode whose map this is, from 1, and how many there are.
    fn mode(&self) -> (usize, usize) {
        self.0.mode()
    }

    /// The same fit in another mode.
    fn in_mode(&self, py: Python<'_>, mode: usize) -> PyResult<Self> {
        detached(py, || self.0.in_mode(mode).map(Self).map_err(of_run))
    }

    /// The chains that the map consists of.
    fn shown_chains(&self) -> Vec<usize> {
        self.0.shown_chains().to_vec()
    }

    /// (chains, draws of every chain, objects, dimensions).
    fn shape(&self) -> (usize, usize, usize, usize) {
        let reader = self.0.reader();
        (reader.n_chains(), reader.n_complete_in_all(), reader.names().len(), reader.n_dims())
    }

    /// Whether locations were kept.
    fn has_locations(&self) -> bool {
        self.0.reader().has_x()
    }

    /// Whether stored locations were aligned.
    fn is_stored_aligned(&self) -> PyResult<bool> {
        self.0.reader().reference().map(|map| map.is_some()).map_err(of_value)
    }

    /// Posterior variables besides the locations, and sample statistics: name, type, axes.
    fn variables(&self) -> (Vec<Stored>, Vec<Stored>) {
        let reader = self.0.reader();
        (reader.variables().map(stored).collect(), reader.stats().map(stored).collect())
    }

    /// The draws of a variable (`is_stat`: of a sample statistic), chain by chain.
    fn values<'py>(&self, py: Python<'py>, name: &str, is_stat: bool) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let reader = self.0.reader();
        let (n_chains, n_draws) = (reader.n_chains(), reader.n_complete_in_all());
        let mut variables: Box<dyn Iterator<Item = &Variable>> =
            if is_stat { Box::new(reader.stats()) } else { Box::new(reader.variables()) };
        let found = variables.find(|variable| variable.name == name);
        let axes: Vec<usize> = found.iter().flat_map(|variable| &variable.axes).map(|axis| axis.len).collect();
        let row_len: usize = axes.iter().product();
        let values = detached(py, || {
            let mut values = Vec::with_capacity(n_chains * n_draws * row_len);
            for chain in 0..n_chains {
                let of_chain = if is_stat { reader.stat(name, chain) } else { reader.scalar(name, chain) };
                values.extend_from_slice(&of_chain.map_err(of_value)?[..n_draws * row_len]);
            }
            Ok(values)
        })?;
        let shape: Vec<usize> = [n_chains, n_draws].into_iter().chain(axes).collect();
        array(py, values, &shape)
    }

    /// The draws of the locations: (chain, draw, object, dim), as stored or aligned to the map.
    fn locations<'py>(&self, py: Python<'py>, aligned: bool) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let (n_chains, n_draws, n_objects, n_dims) = self.shape();
        let values = detached(py, || {
            let mut values = Vec::with_capacity(n_chains * n_draws * n_objects * n_dims);
            for (chain, draw) in (0..n_chains).flat_map(|chain| (0..n_draws).map(move |draw| (chain, draw))) {
                let x = if aligned {
                    self.0.aligned(chain, draw).map_err(of_run)?
                } else {
                    self.0.reader().x(chain, draw).map_err(of_value)?
                };
                values.extend(rows(&x));
            }
            Ok(values)
        })?;
        array(py, values, &[n_chains, n_draws, n_objects, n_dims])
    }

    /// The map: means, covariances, 95% ellipses (major, minor, angle in degrees) and stress of the objects.
    fn embedding<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let moments = detached(py, || self.0.moments().map_err(of_run))?;
        let (map, n_objects) = (self.0.map(), self.0.names().len());
        let n_dims = map.mean.n_dims();
        let covariance = (0..n_objects).flat_map(|object| moments.covariance(object)).collect();
        let ellipse = (0..n_objects).map(|object| moments.ellipse(object));
        let ellipse = ellipse.flat_map(|ellipse| [ellipse.major, ellipse.minor, ellipse.angle_degrees]).collect();
        let found = PyDict::new(py);
        found.set_item("mean", array(py, rows(&map.mean), &[n_objects, n_dims])?)?;
        found.set_item("covariance", array(py, covariance, &[n_objects, n_dims, n_dims])?)?;
        found.set_item("ellipse", array(py, ellipse, &[n_objects, 3])?)?;
        found.set_item("stress", array(py, map.stress.clone(), &[n_objects])?)?;
        Ok(found)
    }

    /// Everything that the verdict looks at: names, and draws as (quantity, chain, draw).
    fn monitored<'py>(&self, py: Python<'py>) -> PyResult<(Vec<String>, Bound<'py, PyArrayDyn<f64>>)> {
        let monitored = detached(py, || self.0.monitored().map_err(of_run))?;
        let names: Vec<String> = monitored.iter().map(|quantity| quantity.name().into()).collect();
        let values: Vec<f64> = monitored.iter().flat_map(of_chains).collect();
        let (n_chains, n_draws, ..) = self.shape();
        let shape = [names.len(), n_chains, n_draws];
        Ok((names, array(py, values, &shape)?))
    }

    /// One quantity by name, as (chain, draw).
    fn quantity<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let found = detached(py, || self.0.quantity(name).map_err(of_run))?;
        let (n_chains, n_draws, ..) = self.shape();
        array(py, of_chains(&found), &[n_chains, n_draws])
    }

    /// The coupled pairs (a, b, dissimilarity), at most about `most`: of evenly spaced objects if there are more.
    fn coupled<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let values: Vec<f64> = detached(py, || {
            let measured = self.0.measured().map_err(of_run)?;
            let coupled = measured.coupled();
            let every = (2 * coupled.n_pairs()).div_ceil(most.max(1)).max(1);
            let wanted = (0..self.0.names().len()).step_by(every);
            let of_object = |a: usize| {
                let partners = coupled.partners(a).into_iter();
                partners.filter(move |&(b, _)| a < b || b % every != 0).flat_map(move |(b, d)| [a as f64, b as f64, d])
            };
            Ok(wanted.flat_map(of_object).collect())
        })?;
        let n_pairs = values.len() / 3;
        array(py, values, &[n_pairs, 3])
    }

    /// Predictions of the pairs `a`, `b`, or of all pairs of a kind ("measured", "coupled", "missing"): per pair (a, b, observed,
    /// distance, mean, sd, low, high, below, whether it is coupled).
    fn predict<'py>(
        &self,
        py: Python<'py>,
        kind: &str,
        a: Vec<usize>,
        b: Vec<usize>,
        level: f64,
        draws: usize,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let found = detached(py, || predictions(&self.0, kind, &a, &b, level, draws).map_err(of_run))?;
        let values: Vec<f64> = found.iter().flat_map(numbers_of).collect();
        array(py, values, &[found.len(), 10])
    }

    /// Places new objects, whose dissimilarities to all old ones are the rows of an `.npy` file, in draws of the map: means,
    /// covariances, draws, and per object (stress, pairs, modes).
    fn place<'py>(&self, py: Python<'py>, path: PathBuf, draws: usize, seed: u64) -> PyResult<Bound<'py, PyDict>> {
        let placed = detached(py, || {
            let new = read_new_objects(&path, self.0.names()).map_err(of_input)?;
            let old = OldMap::of(&self.0, draws).map_err(of_run)?;
            place(&old, self.0.pair_noise().map_err(of_run)?, &new, seed).map_err(of_run)
        })?;
        let (n_objects, n_dims) = (placed.names.len(), placed.moments.mean().n_dims());
        let covariance = (0..n_objects).flat_map(|object| placed.moments.covariance(object)).collect();
        let one = |object: &PlacedObject| [object.fit.stress, object.fit.n_pairs as f64, object.n_modes as f64];
        let found = PyDict::new(py);
        found.set_item("mean", array(py, rows(placed.moments.mean()), &[n_objects, n_dims])?)?;
        found.set_item("covariance", array(py, covariance, &[n_objects, n_dims, n_dims])?)?;
        let draws: Vec<f64> = placed.draws.iter().flat_map(rows).collect();
        found.set_item("draws", array(py, draws, &[placed.draws.len(), n_objects, n_dims])?)?;
        found.set_item("objects", array(py, placed.objects.iter().flat_map(one).collect(), &[n_objects, 3])?)?;
        Ok(found)
    }

    /// Writes the report; labels are a file.
    fn report(&self, py: Python<'_>, path: PathBuf, labels: Option<PathBuf>) -> PyResult<()> {
        detached(py, || {
            let labels = labels.or_else(|| self.0.config().input.labels.clone());
            let read = |path: PathBuf| read_labels(&path, self.0.names()).map_err(of_input);
            let labels: Option<Labels> = labels.map(read).transpose()?;
            let data = ReportData::gather(&self.0, labels.as_ref()).map_err(of_run)?;
            write_html(&data, &path).map_err(of_run)
        })
    }
}

fn predictions(
    fitted: &fit::Fitted,
    kind: &str,
    a: &[usize],
    b: &[usize],
    level: f64,
    n_draws: usize,
) -> Result<Vec<Prediction>, RunError> {
    let measured = fitted.measured()?;
    let known = measured.known();
    let draws = PosteriorDraws::of(fitted, n_draws)?;
    let noise = fitted.pair_noise()?;
    let mut all = Vec::new();
    let mut piece = |pairs: &[AskedPair]| -> Result<(), RunError> {
        all.extend(predict(&draws, noise, level, pairs));
        Ok(())
    };
    match kind {
        "listed" => {
            let pair = |(&a, &b): (&usize, &usize)| {
                let observed = known.get(a, b);
                AskedPair::new((a, b), observed, !observed.is_nan() && known.is_coupled(a, b))
            };
            piece(&a.iter().zip(b).map(pair).collect::<Vec<_>>())?;
        }
        "coupled" => asked_pairs(&known, Asked::Coupled, &mut piece)?,
        "missing" => asked_pairs(&known, Asked::Missing, &mut piece)?,
        _ => asked_pairs(&known, Asked::Measured, &mut piece)?,
    }
    Ok(all)
}

fn numbers_of(one: &Prediction) -> [f64; 10] {
    let AskedPair { a, b, observed, is_coupled, .. } = one.pair;
    let Prediction { distance, mean, sd, low, high, below, .. } = *one;
    [a as f64, b as f64, observed, distance, mean, sd, low, high, below, f64::from(u8::from(is_coupled))]
}
