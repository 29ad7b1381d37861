//! From dissimilarities and settings to what is to be sampled.

use std::sync::Arc;

use super::instructions;
use super::measured;
use super::memory;
use super::tree::RunTree;
use super::unit::Scale;
use super::{Problem, asked_likelihood, check_connections, lay, likelihood, share_of_likelihood};
use crate::coupling::{Coupling, Couplings};
use crate::dissimilarity::Dissimilarities;
use crate::error::RunError;
use crate::fit::anchor::{FoundAnchor, anchor};
use crate::fit::control::Control;
use crate::fit::engine::Job;
use crate::fit::summary::lines::dimensions;
use crate::likelihood::LogLikelihood;
use crate::sampler::Sampler;
use crate::settings::resolved::{FileFindings, Findings};
use crate::settings::{CheckedConfig, Resolved};

/// Couples the data and builds the posterior; the settings come back resolved. `found` is the anchor of the run, if it has one.
pub(crate) fn prepare(
    config: CheckedConfig,
    data: Dissimilarities,
    tree: Option<RunTree>,
    files: FileFindings,
    found: Option<FoundAnchor>,
    control: &Control,
) -> Result<(Resolved, Problem), RunError> {
    let reading = data.warnings().to_vec();
    let coupling = lay(&config, &data)?;
    let likelihood = match control.engine {
        // Others hold the pairs.
        Some(_) => asked_likelihood(&config, &data, &coupling),
        None => {
            memory::check_fit_memory(&config, &coupling, control.force)?;
            likelihood(&config, &data, &coupling)
        }
    };
    let doubt = check_connections(&likelihood, &coupling, &data)?;
    let scale = Scale::of(&config, &data, &coupling, &likelihood)?;
    let likelihood = likelihood.in_unit(scale.unit.0);
    let sampler = auto_sampler(&config, &data, &coupling.couplings);
    let config = config.resolve(Findings {
        instructions: likelihood.instruction_set(),
        unit: scale.unit.0,
        sigma_floor: scale.sigma_floor,
        rounded_to: scale.rounded_to,
        couplings: coupling.couplings.clone(),
        sampler,
        tree: tree.as_ref().map(RunTree::resolved),
        files,
    });
    control.observer.note(&describe(&config, &data, &coupling, likelihood.n_pairs(), control.n_threads));
    let terms = measured::terms(&config, &data, &coupling, &likelihood, scale.unit)?;
    let is_anchored = matches!(coupling.couplings, Couplings::Anchored(_));
    if is_anchored && (data.titers().is_some() || control.engine.is_some()) {
        let problem = "anchored couplings are for dissimilarities on one machine, not for titres or under MPI";
        return Err(RunError::setting("`couplings`", problem, "use full, or dispersed:B"));
    }
    let likelihood: Arc<dyn LogLikelihood> = match (terms, control.engine) {
        (Some(terms), None) => terms,
        (Some(_), Some(_)) => {
            let problem = "weights, limits, titres and this noise are computed on one machine";
            return Err(RunError::setting("`noise`", problem, "leave MPI out, or use the normal families"));
        }
        (None, None) => Arc::new(likelihood),
        (None, Some(engine)) => engine.likelihood(Job {
            config: &config,
            n_threads: control.n_threads,
            observer: control.observer,
            partners: likelihood,
            build: &|share| share_of_likelihood(&config, &data, &coupling, share),
        })?,
    };
    let mut problem = Problem::new(&config, data, coupling, likelihood, tree)?;
    let warnings = reading.into_iter().chain(doubt).chain(scale.warning).chain(instructions::warning(&config));
    problem.warnings.extend(warnings);
    let problem = if is_anchored { anchor(problem, &config, found, control)? } else { problem };
    for warning in &problem.warnings {
        control.observer.warn(warning);
    }
    Ok((config, problem))
}

/// Coordinates from which on `auto` takes trajectories of random length. They give two to five times the effective draws per gradient;
/// small maps cost nothing either way, and have more modes for their objects.
const REGULAR: usize = 200;

/// What `auto` stands for: `jhmc` where posteriors are known to be regular (docs/model.md, "Trajectories"), else `nuts`.
fn auto_sampler(config: &CheckedConfig, data: &Dissimilarities, couplings: &Couplings) -> Sampler {
    use Couplings::{Anchored, Dispersed, Full, Nested};
    let spreads_pairs =
        matches!(couplings, Full | Dispersed(_) | Anchored(_) | Nested(_)) && data.measured_pairs().is_none();
    let is_plain = config.measurement.family.is_none() && data.measurements().is_none() && data.titers().is_none();
    let has_plain_prior = config.tree.is_none() && config.priors.shrinkage.is_none();
    // On a line objects can hardly pass each other, and a least depth asks for long trajectories.
    let n_dims = config.model.n_dims;
    let is_regular = n_dims > 1 && data.n_objects() * n_dims >= REGULAR && config.sampler.min_depth == 0;
    if spreads_pairs && is_plain && has_plain_prior && is_regular { Sampler::Jhmc } else { Sampler::Nuts }
}

/// What is fitted, and where that takes a while about how long; where not all pairs are coupled, what all would cost.
fn describe(
    config: &CheckedConfig,
    data: &Dissimilarities,
    coupling: &Coupling,
    n_pairs: usize,
    n_threads: usize,
) -> String {
    let n_dims = config.model.n_dims;
    let what =
        format!("{} objects, {n_pairs} pairs ({}), {}", data.n_objects(), coupling.couplings, dimensions(n_dims));
    let seconds = |n_pairs| config.effort().seconds_for(data.n_objects(), n_pairs, n_dims, n_threads);
    if seconds(n_pairs) < WORTH_A_WORD {
        return what;
    }
    let all = data.n_objects() * (data.n_objects() - 1) / 2;
    let of_all = if matches!(coupling.couplings, Couplings::Dispersed(_)) && data.measured_pairs().is_none() {
        format!("; all {all} pairs would take about {} (`couplings` full)", duration(seconds(all)))
    } else {
        String::new()
    };
    format!("{what}, about {}{of_all}", duration(seconds(n_pairs)))
}

/// Fits that take less need no estimate.
const WORTH_A_WORD: f64 = 10.0;

/// A time in the unit people would use: nobody plans by more digits.
fn duration(seconds: f64) -> String {
    match seconds {
        _ if seconds < 90.0 => format!("{:.0} s", (seconds / 10.0).ceil() * 10.0),
        _ if seconds < 5400.0 => format!("{:.0} min", (seconds / 60.0).ceil()),
        _ if seconds < 172_800.0 => format!("{:.0} h", (seconds / 3600.0).ceil()),
        _ => format!("{:.0} days", (seconds / 86_400.0).ceil()),
    }
}
