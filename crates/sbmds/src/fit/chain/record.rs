//! What is stored of every draw, in input order and units.

use super::monitor::{DISTANCES, MonitoredPairs};
use crate::Locations;
use crate::brownian::Precision;
use crate::draws::{StorePlan, Variable, X_ROTATION, X_SHIFT};
use crate::embedding::RigidMotion;
use crate::fit::problem::Problem;
use crate::fit::summary::dimensions::{AXIS_VARIANCE, N_DIMS_USED, axis_variances};
use crate::sampler::{Chain, StepInfo};
use crate::settings::check::CheckedConfig;
use crate::settings::config::{Keep, TreeConfig};

/// trace(Sigma), in the store.
pub(crate) const TRAIT_TRACE: &str = "trait_trace";
/// log |Sigma|, in the store.
pub(crate) const TRAIT_LOGDET: &str = "trait_logdet";
/// trace(Sigma) per unit of the tree's time, in the store.
pub(crate) const DIFFUSION_RATE: &str = "diffusion_rate";

/// The plan of the store of a run; draws are aligned to `reference`, if there is one.
pub(crate) fn plan<'a>(
    problem: &'a Problem,
    config: &CheckedConfig,
    pairs: &MonitoredPairs,
    reference: Option<&'a Locations>,
) -> StorePlan<'a> {
    let n_dims = config.model.n_dims;
    let mut variables = vec![Variable::float("sigma")];
    if config.priors.learn_scale {
        variables.push(Variable::float("lambda").with_axis("dim", n_dims));
    }
    if !config.priors.shrinkage.is_none() {
        variables.push(Variable::float(AXIS_VARIANCE).with_axis("axis", n_dims));
        variables.push(Variable::float(N_DIMS_USED));
    }
    if config.tree.is_some() {
        variables.extend([TRAIT_TRACE, TRAIT_LOGDET, DIFFUSION_RATE].map(Variable::float));
        variables.push(Variable::float("trait_covariance").with_axis("dim", n_dims).with_axis("dim_2", n_dims));
    }
    variables.extend(own_variables(&own_names(problem)));
    variables.push(Variable::float(DISTANCES).with_axis("pair", pairs.len()));
    let mut stats = vec![
        Variable::float("lp"),
        Variable::float("log_likelihood"),
        Variable::float("acceptance_rate"),
        Variable::float("step_size"),
        Variable::float("energy"),
        Variable::boolean("diverging"),
        Variable::integer("n_gradients"),
        Variable::integer("tree_depth"),
    ];
    if reference.is_some() {
        stats.push(Variable::float(X_ROTATION).with_axis("dim", n_dims).with_axis("dim_2", n_dims));
        stats.push(Variable::float(X_SHIFT).with_axis("dim", n_dims));
    }
    StorePlan {
        n_chains: config.run.n_own_chains(),
        n_draws: config.run.stored_draws(),
        names: problem.data.names(),
        n_dims,
        keep_x: config.run.keep != Keep::Summary,
        reference,
        variables,
        stats,
    }
}

/// The posterior variables of the present draw, in the order of the plan. Sigma of the diffusion turns with the locations
/// (`motion`, if they are aligned), so that the two belong together in the store.
pub(crate) fn scalars(
    chain: &Chain,
    x: &Locations,
    problem: &Problem,
    config: &CheckedConfig,
    pairs: &MonitoredPairs,
    motion: Option<&RigidMotion>,
) -> Vec<f64> {
    let unit = problem.unit.0;
    let mut scalars = vec![chain.sigma() * config.sigma_unit()];
    if let (true, Some(scales)) = (config.priors.learn_scale, chain.spread().scales()) {
        scalars.extend(scales.iter().map(|variance| variance * unit * unit));
    }
    if let Some(edge) = problem.noise_edge {
        let variances = axis_variances(x);
        let n_used = variances.iter().filter(|&&variance| variance > edge * scalars[0]).count();
        scalars.extend(variances);
        scalars.push(n_used as f64);
    }
    if let (Some(tree), Some(precision)) = (&config.tree, chain.spread().precision()) {
        scalars.extend(diffusion(precision, unit, tree, motion));
    }
    let posterior = &problem.posterior;
    scalars.extend(posterior.likelihood().own().iter().flat_map(|own| own.reported(chain.own())));
    scalars.extend(posterior.locations().reported(chain.spread(), unit));
    scalars.extend(pairs.distances(x));
    scalars
}

/// Names of the numbers that the measurement and the prior of the locations bring.
fn own_names(problem: &Problem) -> Vec<String> {
    let of_measurement = problem.posterior.likelihood().own().map_or_else(Vec::new, |own| own.names());
    of_measurement.into_iter().chain(problem.posterior.locations().names()).collect()
}

/// Numbers called `potency[A]`, `potency[B]`, ... are one variable, in the order of these objects; all others are one each.
fn own_variables(names: &[String]) -> Vec<Variable> {
    let stem = |name: &str| name.split_once('[').map(|(stem, _)| stem.to_owned());
    let alike = |a: &String, b: &String| stem(a).is_some() && stem(a) == stem(b);
    let variable = |group: &[String]| match stem(&group[0]) {
        Some(stem) => Variable::float(&stem).with_axis(&format!("{stem}_object"), group.len()),
        None => Variable::float(&group[0]),
    };
    names.chunk_by(alike).map(variable).collect()
}

/// trace(Sigma), log |Sigma|, the rate per unit of time, and Sigma itself, in input units.
fn diffusion(precision: &Precision, unit: f64, tree: &TreeConfig, motion: Option<&RigidMotion>) -> Vec<f64> {
    let n_dims = precision.n_dims() as f64;
    let trace = precision.trace_covariance() * unit * unit;
    let log_det = 2.0 * n_dims * unit.ln() - precision.log_det();
    let mut values = vec![trace, log_det, tree.diffusion_rate(trace)];
    let covariance: Vec<f64> = precision.covariance().iter().map(|entry| entry * unit * unit).collect();
    values.extend(motion.map_or_else(|| covariance.clone(), |motion| motion.apply_to_covariance(&covariance)));
    values
}

/// How a stored draw was moved, in the order of the plan.
pub(crate) fn motion_stats(motion: &RigidMotion) -> Vec<f64> {
    [motion.rotation(), motion.shift()].concat()
}

/// The sample statistics of the present draw, in the order of the plan. Energies stay in the model's unit.
pub(crate) fn stats(chain: &Chain, since_last: &SinceLast, problem: &Problem) -> [f64; 8] {
    let likelihood = problem.posterior.likelihood();
    let (n_dims, n_pairs) = (likelihood.n_dims() as f64, likelihood.n_densities());
    let n_locations = likelihood.n_objects() as f64 * n_dims;
    // Variances scale with the square of the unit, and the D (D + 1) / 2 numbers of a precision with its inverse.
    let has_unit = problem.posterior.noise().known().is_none() && problem.sigma_has_unit;
    let of_noise = if has_unit { 2.0 } else { 0.0 };
    let of_spread = problem.posterior.locations().power_of_unit(chain.spread());
    let n_unknown = n_locations + of_noise + of_spread;
    let info = &since_last.latest;
    [
        chain.log_density() + problem.unit.log_jacobian(n_pairs + n_unknown),
        chain.log_likelihood() + problem.unit.log_jacobian(n_pairs),
        since_last.acceptance / since_last.n_iterations.max(1) as f64,
        info.step_size,
        info.energy,
        f64::from(since_last.diverging),
        since_last.n_gradients as f64,
        since_last.tree_depth as f64,
    ]
}

/// What happened in the iterations since the last stored draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct SinceLast {
    n_iterations: usize,
    /// Sum of acceptance rates.
    acceptance: f64,
    n_gradients: usize,
    diverging: bool,
    tree_depth: usize,
    latest: StepInfo,
}

impl SinceLast {
    pub fn add(&mut self, info: &StepInfo) {
        self.n_iterations += 1;
        self.acceptance += info.acceptance;
        self.n_gradients += info.n_gradients;
        self.diverging |= info.diverging;
        self.tree_depth = self.tree_depth.max(info.tree_depth);
        self.latest = *info;
    }
}
