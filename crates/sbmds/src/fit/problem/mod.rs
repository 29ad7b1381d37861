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
use self::unit::Unit;
use crate::Locations;
use crate::coupling::{self, Coupling};
use crate::dissimilarity::Dissimilarities;
use crate::error::RunError;
use crate::likelihood::{Anchored, Likelihood, LogLikelihood, Share};
use crate::posterior::Posterior;
use crate::settings::{CheckedConfig, FitConfig, Resolved};

/// Everything the chains share.
pub(crate) struct Problem {
    pub data: Dissimilarities,
    pub coupling: Coupling,
    /// The coupled pairs with their dissimilarities.
    pub pairs: Arc<dyn LogLikelihood>,
    pub posterior: Posterior,
    /// The map at which couplings stand for all pairs, if they do (by coupling position, in the model's unit).
    pub anchor: Option<Locations>,
    /// The likelihood there.
    pub anchored: Option<Arc<Anchored>>,
    pub unit: Unit,
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
            posterior = posterior.with_tree(tree.prior(&coupling.order, config.model.n_dims)?);
        }
        let warnings = posterior.locations().warnings();
        let sigma_has_unit = config.measurement.sigma_has_unit();
        let tree = tree.map(Arc::new);
        Ok(Self {
            data,
            coupling,
            pairs,
            posterior,
            anchor: None,
            anchored: None,
            unit,
            sigma_has_unit,
            tree,
            warnings,
        })
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
