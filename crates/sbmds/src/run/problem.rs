//! What is to be sampled: the data, the coupled pairs and the posterior, in the model's unit.

use std::path::Path;
use std::sync::Arc;

use super::check::CheckedConfig;
use super::connections::{disconnection, underdetermination};
use super::coupled::CoupledPairs;
use super::error::RunError;
use super::tree::RunTree;
use crate::Locations;
use crate::coupling::{self, Connections, Coupling, Couplings};
use crate::dissimilarity::{Dissimilarities, input_hash};
use crate::likelihood::Likelihood;
use crate::posterior::Posterior;
use crate::sampler::Sampler;

/// Everything the chains share.
pub(super) struct Problem {
    pub data: Dissimilarities,
    pub coupling: Coupling,
    pub posterior: Posterior,
    /// The sparse likelihood of the surrogate sampler.
    pub surrogate: Option<Arc<Likelihood>>,
    pub unit: Unit,
    /// The tree along which locations diffuse, if there is one.
    pub tree: Option<RunTree>,
    /// What the user was told about data and coupling though the run went on.
    pub warnings: Vec<String>,
}

/// What dissimilarities are divided by before the model sees them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit(pub f64);

impl Unit {
    /// The log density of numbers in input units is that in the model's less log(unit) for each of them, where a number that
    /// scales with the k-th power of the unit counts k times.
    pub fn log_jacobian(self, n_numbers: f64) -> f64 {
        -n_numbers * self.0.ln()
    }
}

/// Hashes of the files a run depends on.
pub(super) struct Hashes {
    pub input: String,
    pub names: Option<String>,
    pub couplings: Option<String>,
    pub tree: Option<String>,
}

impl Hashes {
    pub fn of(config: &CheckedConfig) -> Result<Self, RunError> {
        let hash = |path: &Path| input_hash(path).map_err(RunError::io("read", path));
        let couplings = match &config.model.couplings {
            Couplings::Graph(path) => Some(hash(path)?),
            _ => None,
        };
        let names = config.input.names.as_deref().map(hash).transpose()?;
        let tree = config.tree.as_ref().map(|tree| hash(&tree.path)).transpose()?;
        Ok(Self { input: hash(&config.input.path)?, names, couplings, tree })
    }

    /// Refuses to go on with other data than the run was started with.
    pub fn check(&self, config: &CheckedConfig) -> Result<(), RunError> {
        if self.input != config.input.hash {
            return Err(RunError::Changed(config.input.path.clone()));
        }
        if let (Some(path), true) = (&config.input.names, self.names != config.input.names_hash) {
            return Err(RunError::Changed(path.clone()));
        }
        if let (Couplings::Graph(path), true) = (&config.model.couplings, self.couplings != config.model.couplings_hash)
        {
            return Err(RunError::Changed(path.clone()));
        }
        match &config.tree {
            Some(tree) if self.tree.as_ref() != Some(&tree.hash) => Err(RunError::Changed(tree.path.clone())),
            _ => Ok(()),
        }
    }
}

/// Lays the coupling that the settings ask for.
pub(super) fn lay(config: &CheckedConfig, data: &Dissimilarities) -> Result<Coupling, RunError> {
    let (n_dims, n_objects) = (config.model.n_dims, data.n_objects());
    if n_dims >= n_objects {
        let problem = format!("{n_dims} dimensions for {n_objects} objects");
        return Err(RunError::setting("--dims", problem, "give fewer dimensions than objects"));
    }
    // The surrogate exists to sample the posterior of all pairs.
    let couplings = match (&config.model.couplings, config.sampler.sampler) {
        (Couplings::Auto, Sampler::Surrogate) => &Couplings::Full,
        (couplings, _) => couplings,
    };
    Ok(coupling::lay(couplings, data, n_dims, &config.lay_options())?)
}

/// Arranges the coupled dissimilarities, divided by `unit`, for the kernels.
pub(super) fn likelihood(
    config: &CheckedConfig,
    data: &Dissimilarities,
    coupling: &Coupling,
    Unit(unit): Unit,
) -> Likelihood {
    let (model, order) = (&config.model, &coupling.order);
    Likelihood::new(data.n_objects(), model.n_dims, &coupling.pairs, model.noise, model.storage, |a, b| {
        data.get(order[a], order[b]) / unit
    })
}

/// Stops when the coupled pairs cannot make one map; gives a warning when they leave doubt about objects.
pub(super) fn check_connections(
    likelihood: &Likelihood,
    coupling: &Coupling,
    data: &Dissimilarities,
) -> Result<Option<String>, RunError> {
    let connections = Connections::of(likelihood);
    if let Some(problem) = disconnection(&connections, coupling, data.names()) {
        return Err(RunError::Disconnected(problem));
    }
    Ok(underdetermination(&connections, coupling, data.names()))
}

/// Root mean squared dissimilarity of the coupled pairs.
pub(super) fn rms_dissimilarity(likelihood: &Likelihood) -> f64 {
    let mut squares = 0.0;
    for place in 0..likelihood.n_objects() {
        likelihood.for_each_partner(place, |_, delta| {
            squares += delta * delta;
            true
        });
    }
    // Every pair is seen from both its ends.
    (squares / (2.0 * likelihood.n_pairs() as f64)).sqrt()
}

/// Beyond so many times the distance the prior expects, dissimilarities do not fit it.
const TOO_LARGE: f64 = 5.0;
/// Below this part of the distance the prior expects, dissimilarities do not fit it.
const TOO_SMALL: f64 = 0.05;

/// The unit of the model: that of the input, or with `--standardize` the one in which dissimilarities are as large as
/// the prior expects distances to be. With a warning when they do not fit the prior.
///
/// # Errors
/// If all are zero: where everything is one place, there is no unit.
pub(super) fn choose_unit(config: &CheckedConfig, likelihood: &Likelihood) -> Result<(Unit, Option<String>), RunError> {
    let rms = rms_dissimilarity(likelihood);
    if rms == 0.0 {
        return Err(RunError::AllZero(config.input.path.clone()));
    }
    if !rms.is_finite() {
        return Err(RunError::TooLarge {
            problem: format!("{}: the squares of the dissimilarities overflow", config.input.path.display()),
            remedy: "divide the input by a common number, or choose another --metric".into(),
        });
    }
    // E |x - y|^2 = 2 D S^2 for x, y ~ N(0, S^2 I).
    let expected = config.priors.scale * (2.0 * config.model.n_dims as f64).sqrt();
    let ratio = rms / expected;
    if config.model.standardize {
        return Ok((Unit(ratio), None));
    }
    if config.tree.is_some() {
        // Sigma is learned, but its prior is no help where everything is tiny.
        let warning = (ratio < TOO_SMALL).then(|| {
            format!(
                "the dissimilarities are small (root mean square {rms:.3e}) for the Wishart(D, I) prior of the diffusion's \
                 precision and the prior of the noise: they will count as more diffuse than they are. Remedy: --standardize \
                 (fits in a unit of its own and reports in yours)"
            )
        });
        return Ok((Unit(1.0), warning));
    }
    let misfit = !(TOO_SMALL..=TOO_LARGE).contains(&ratio) && !config.priors.learn_scale;
    let warning = misfit.then(|| {
        let size = if ratio > TOO_LARGE { "larger" } else { "smaller" };
        format!(
            "the dissimilarities are much {size} (root mean square {rms:.3e}) than the prior expects distances to be \
             ({expected:.3e} for locations with standard deviation {}): it will distort the map. Remedy: --standardize \
             (fits in a unit of its own and reports in yours), --prior-scale {:.3e} or --learn-scale",
            config.priors.scale,
            ratio * config.priors.scale
        )
    });
    Ok((Unit(1.0), warning))
}

/// The sparse likelihood whose gradient surrogate trajectories follow; `None` for other samplers.
fn surrogate(
    config: &CheckedConfig,
    data: &Dissimilarities,
    coupling: &Coupling,
    unit: Unit,
) -> Result<Option<Arc<Likelihood>>, RunError> {
    if config.sampler.sampler != Sampler::Surrogate {
        return Ok(None);
    }
    let bands = (config.model.n_dims as f64 * (data.n_objects() as f64).sqrt()).ceil() as usize;
    let mut sparse = coupling::lay(&Couplings::Dispersed(bands), data, config.model.n_dims, &config.lay_options())?;
    if sparse.order != coupling.order {
        // Max-min landmarks come first in their coupling; both must speak of the same places.
        sparse.order.clone_from(&coupling.order);
    }
    let likelihood = likelihood(config, data, &sparse, unit);
    Ok((likelihood.n_pairs() > 0).then(|| Arc::new(likelihood)))
}

impl Problem {
    /// Puts likelihood, priors and surrogate together; warns of tips at distance zero.
    pub fn new(
        config: &CheckedConfig,
        data: Dissimilarities,
        coupling: Coupling,
        likelihood: Likelihood,
        tree: Option<RunTree>,
    ) -> Result<Self, RunError> {
        let unit = Unit(config.model.unit);
        let surrogate = surrogate(config, &data, &coupling, unit)?;
        let mut posterior = Posterior::new(Arc::new(likelihood), config.priors());
        if let Some(tree) = &tree {
            posterior = posterior.with_tree(tree.prior(&coupling.order, config.model.n_dims)?);
        }
        let coincident = posterior.tree().and_then(|tree| tree.brownian.coincident_tips());
        let warnings = coincident.iter().map(ToString::to_string).collect();
        Ok(Self { data, coupling, posterior, surrogate, unit, tree, warnings })
    }

    /// Locations by place in the model's unit, as locations in input order and units.
    pub fn to_input(&self, x: &[f64]) -> Locations {
        let (n_objects, n_dims) = (self.data.n_objects(), self.posterior.likelihood().n_dims());
        let mut by_object = Locations::zeros(n_objects, n_dims);
        for (dim, values) in x.chunks_exact(n_objects).enumerate() {
            let target = by_object.dim_mut(dim);
            for (&object, &value) in self.coupling.order.iter().zip(values) {
                target[object] = value * self.unit.0;
            }
        }
        by_object
    }

    /// The coupled dissimilarities, in input order and units.
    pub fn coupled(&self) -> CoupledPairs<'_> {
        CoupledPairs::new(&self.coupling.order, self.posterior.likelihood(), self.unit)
    }
}
