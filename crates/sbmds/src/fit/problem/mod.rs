//! What is to be sampled: the data, the coupled pairs and the posterior, in the model's unit.

pub(crate) mod connections;
pub(crate) mod coupled;
pub(crate) mod instructions;
pub(crate) mod known;
pub(crate) mod measured;
pub(crate) mod memory;
pub(crate) mod prepare;
pub(crate) mod tree;
pub(crate) mod unit;

use std::sync::Arc;

use self::connections::{disconnection, underdetermination};
use self::coupled::CoupledPairs;
use self::tree::RunTree;
use self::unit::{Unit, rms_dissimilarity};
use crate::Locations;
use crate::coupling::{self, Coupling, Couplings};
use crate::dissimilarity::{Dissimilarities, read_positions};
use crate::error::RunError;
use crate::fit::anchor::Anchor;
use crate::fit::summary::dimensions::noise_edge;
use crate::likelihood::{Likelihood, LogLikelihood, Share};
use crate::posterior::{HalfCauchy, Posterior, ShrunkTreePrior, TreePrior};
use crate::settings::{CheckedConfig, FitConfig, Resolved, Shrinkage, Start};

/// Everything the chains share.
pub(crate) struct Problem {
    pub data: Dissimilarities,
    pub coupling: Coupling,
    /// The coupled pairs with their dissimilarities.
    pub pairs: Arc<dyn LogLikelihood>,
    pub posterior: Posterior,
    /// Where couplings stand for all pairs, if they do.
    pub anchor: Option<Anchor>,
    /// The map that chains start from, if the user gave one (by coupling position, in the model's unit).
    pub start: Option<Locations>,
    pub unit: Unit,
    /// The variance along an axis that noise alone would make, per sigma, in input units: where axes may vanish.
    pub noise_edge: Option<f64>,
    /// Whether sigma is in that unit, too.
    pub sigma_has_unit: bool,
    /// The tree along which locations diffuse, if there is one.
    pub tree: Option<Arc<RunTree>>,
    /// What the user was told about data and coupling though the run went on.
    pub warnings: Vec<String>,
}

/// Lays the coupling that the settings ask for.
pub(crate) fn lay(config: &CheckedConfig, data: &Dissimilarities) -> Result<Coupling, RunError> {
    let (n_dims, n_objects) = (config.model.n_dims, data.n_objects());
    if n_dims >= n_objects {
        let problem = format!("{n_dims} dimensions for {n_objects} objects");
        return Err(RunError::setting("`dims`", problem, "give fewer dimensions than objects"));
    }
    Ok(coupling::lay(&config.model.couplings, data, n_dims, &config.lay_options())?)
}

/// Arranges the coupled dissimilarities, in input units, for the kernels.
pub(crate) fn likelihood(config: &CheckedConfig, data: &Dissimilarities, coupling: &Coupling) -> Likelihood {
    let (model, order) = (&config.model, &coupling.order);
    Likelihood::new(data.n_objects(), model.n_dims, &coupling.pairs, model.noise, model.storage, |a, b| {
        data.get(order[a], order[b])
    })
}

/// The same of which only a share is held, in the model's unit.
pub(crate) fn share_of_likelihood(
    config: &FitConfig,
    data: &Dissimilarities,
    coupling: &Coupling,
    share: Share,
) -> Likelihood {
    let (model, order) = (&config.model, &coupling.order);
    let delta = |a: usize, b: usize| data.get(order[a], order[b]);
    let pairs = &coupling.pairs;
    Likelihood::shared(data.n_objects(), model.n_dims, pairs, model.noise, model.storage, share, delta)
        .in_unit(model.unit)
}

/// The same of which nothing is held, in input units.
pub(crate) fn asked_likelihood(config: &FitConfig, data: &Dissimilarities, coupling: &Coupling) -> Likelihood {
    let (model, order, measured) = (&config.model, coupling.order.clone(), data.clone());
    let delta = Box::new(move |a: usize, b: usize| measured.get(order[a], order[b]));
    Likelihood::asked(data.n_objects(), model.n_dims, &coupling.pairs, model.noise, model.storage, delta)
}

/// Stops when the coupled pairs cannot make one map; gives a warning when they leave doubt about objects.
pub(crate) fn check_connections(
    likelihood: &Likelihood,
    coupling: &Coupling,
    data: &Dissimilarities,
) -> Result<Option<String>, RunError> {
    let connections = likelihood.connections();
    if let Some(problem) = disconnection(&connections, coupling, data.names()) {
        return Err(RunError::Disconnected(problem));
    }
    Ok(underdetermination(&connections, coupling, data.names()))
}

/// Shrinkage of the eigenvalues of the diffusion: about a scale that would spread the tips as wide as the data.
fn shrunk(tree: TreePrior) -> ShrunkTreePrior {
    let scale = tree.brownian.tip_variance().sqrt().recip();
    ShrunkTreePrior::new(tree.brownian, HalfCauchy { scale })
}

/// The map of the user's own that chains are to start from.
fn given_start(config: &Resolved, data: &Dissimilarities, coupling: &Coupling) -> Result<Option<Locations>, RunError> {
    let Start::Map(path) = &config.run.start else { return Ok(None) };
    let (map, n_dims) = (read_positions(path, data.names())?, config.model.n_dims);
    if map.n_dims() != n_dims {
        let problem = format!("{} has {} coordinates per object, and the map {n_dims}", path.display(), map.n_dims());
        return Err(RunError::setting(
            "`start`",
            problem,
            "give a table with a name and as many coordinates as `dims`",
        ));
    }
    let in_unit = Locations::from_fn(map.n_objects(), n_dims, |object, dim| map.get(object, dim) / config.model.unit);
    Ok(Some(coupling.order.to_positions(&in_unit)))
}

impl Problem {
    /// Puts likelihood and priors together; warns of tips at distance zero.
    pub fn new(
        config: &Resolved,
        data: Dissimilarities,
        coupling: Coupling,
        pairs: Arc<dyn LogLikelihood>,
        tree: Option<RunTree>,
    ) -> Result<Self, RunError> {
        let unit = Unit(config.model.unit);
        let mut posterior = Posterior::new(Arc::clone(&pairs), config.priors());
        if let Some(locations) = measured::location_prior(config, &data, &coupling)? {
            posterior = posterior.with_locations(locations);
        }
        if let Some(tree) = &tree {
            let prior = tree.prior(&coupling.order, config.model.n_dims)?;
            posterior = match config.priors.shrinkage {
                Shrinkage::None => posterior.with_tree(prior),
                Shrinkage::HalfCauchy => posterior.with_locations(Arc::new(shrunk(prior))),
            };
        }
        let warnings = posterior.locations().warnings();
        let edge = || noise_edge(rms_dissimilarity(&*pairs) * unit.0, data.n_objects(), pairs.n_pairs());
        let noise_edge = (!config.priors.shrinkage.is_none()).then(edge);
        let start = given_start(config, &data, &coupling)?;
        let sigma_has_unit = config.measurement.sigma_has_unit();
        let tree = tree.map(Arc::new);
        Ok(Self {
            data,
            coupling,
            pairs,
            posterior,
            anchor: None,
            start,
            unit,
            noise_edge,
            sigma_has_unit,
            tree,
            warnings,
        })
    }

    /// Whether couplings are to stand for all pairs, and the search for their anchor was stopped.
    pub fn lacks_anchor(&self) -> bool {
        matches!(self.coupling.couplings, Couplings::Anchored(_)) && self.anchor.is_none()
    }

    /// Locations by position in the model's unit, as locations in input order and units.
    pub fn to_input(&self, x: &[f64]) -> Locations {
        self.coupling.order.to_scaled_objects(x, self.unit.0)
    }

    /// The coupled dissimilarities, in input order and units.
    pub fn coupled(&self) -> CoupledPairs<'_> {
        CoupledPairs::new(&self.coupling.order, &*self.pairs, self.unit)
    }
}
