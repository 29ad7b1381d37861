//! What the draws of a fit say: the map, both verdicts and the summary.

use std::collections::BTreeMap;

use super::dimensions::DimensionsUsed;
use super::titres;
use super::{Diffusion, Interval, StressSummary, Summary, known};
use crate::Locations;
use crate::diagnostics::{Assessment, bfmi};
use crate::draws::DrawReader;
use crate::embedding::{Moments, ObjectFit, object_fits, principal_axes, procrustes};
use crate::error::RunError;
use crate::fit::anchor::check::AnchorCheck;
use crate::fit::chain::SavedChain;
use crate::fit::chain::monitor::{MonitoredPairs, TRACE};
use crate::fit::problem::Problem;
use crate::fit::shown::central::SampledPairs;
use crate::fit::shown::summary::{MapSummary, ShownSummary, embedding_file};
use crate::fit::shown::{ShownMap, chains_by_mode, shown_map};
use crate::fit::verdicts::ChainsVerdict;
use crate::fit::verdicts::map_verdict::judge_shown;
use crate::fit::verdicts::prior_check::{self, FitOfPairs};
use crate::likelihood::Arithmetic;
use crate::quality::MapVerdict;
use crate::settings::Resolved;
use crate::settings::config::{Keep, TreeConfig};

/// Everything a fit says of its draws.
pub(crate) struct Results {
    /// The map of every mode that chains are in, the one to show first.
    pub maps: Vec<ShownMap>,
    /// How well each map fits each object.
    pub fits: Vec<Vec<ObjectFit>>,
    /// The numbers a person asks for first.
    pub summary: Summary,
}

impl Results {
    /// What the draws of `reader` say; `chains` made them.
    pub fn of(
        config: &Resolved,
        problem: &Problem,
        chains: &[SavedChain],
        assessment: &Assessment,
        reader: &DrawReader,
    ) -> Result<Self, RunError> {
        let maps = maps(config, problem, chains, assessment, reader)?;
        let fits: Vec<Vec<ObjectFit>> = maps.iter().map(|map| fits(&map.moments, problem)).collect();
        let mut summary = summarise(config, problem, chains, assessment, reader, &fits[0])?;
        if let (Some(edge), Some(sigma)) = (problem.noise_edge, summary.sigma.mean) {
            summary.dimensions = Some(DimensionsUsed::of(reader, &maps[0].chains, edge, sigma)?);
        }
        summary.titres = titres::summarise(config, problem.data.titers(), reader, &maps[0].chains)?;
        summary.shown = shown(config, problem, reader, &maps, &fits)?;
        // Titres and other noise than the kernels' are no distances with normal errors, which that verdict is about.
        let is_judged = !config.input.titers && config.measurement.family.is_none();
        let judge = || judge_shown(config, problem, &maps[0].moments, &maps[0].chains, reader);
        add_verdicts(&mut summary, assessment, is_judged.then(judge).transpose()?);
        let pairs = MonitoredPairs::choose(problem.data.n_objects(), config.run.seed);
        add_anchor(&mut summary, AnchorCheck::of(config, problem, &pairs, reader)?, problem.anchor.is_some());
        if !is_judged {
            return Ok(Self { maps, fits, summary });
        }
        let sigma = summary.sigma.mean.unwrap_or(f64::NAN);
        let fitted = FitOfPairs::new(sigma, maps[0].moments.mean(), &problem.coupled());
        summary.warnings.extend(prior_check::warnings(config, &maps[0].moments, fitted));
        Ok(Self { maps, fits, summary })
    }
}

/// The verdict on the map, and that on the chains in its light.
fn add_verdicts(summary: &mut Summary, assessment: &Assessment, map: Option<MapVerdict>) {
    let chains = ChainsVerdict::new(assessment, map.as_ref());
    summary.verdict.clone_from(&chains.verdict);
    (summary.chains, summary.map) = (Some(chains), map);
}

/// What the check of an anchored fit says; chains that agree on another posterior than that of all pairs have not converged to it.
fn add_anchor(summary: &mut Summary, check: Option<AnchorCheck>, is_anchored: bool) {
    if let Some(check) = check.as_ref().filter(|check| !check.holds) {
        summary.converged = false;
        summary.verdict = format!("{} {}", check.sentence(), summary.verdict);
        summary.chains.iter_mut().for_each(|chains| {
            (chains.converged, chains.verdict) = (false, summary.verdict.clone());
        });
    }
    if is_anchored && check.is_none() {
        summary.warnings.push(UNCHECKED.into());
    }
    summary.anchor = check;
}

const UNCHECKED: &str =
    "the anchored posterior was not compared with that of all pairs, because no draws of the locations were kept";

/// The map of every mode that chains are in, the one to show first.
fn maps(
    config: &Resolved,
    problem: &Problem,
    saved: &[SavedChain],
    assessment: &Assessment,
    reader: &DrawReader,
) -> Result<Vec<ShownMap>, RunError> {
    let groups = chains_by_mode(&assessment.verdict, saved.len(), |chain| reader.n_complete(chain));
    let pairs = SampledPairs::new(&problem.coupled(), reader.names().len());
    let mut maps: Vec<ShownMap> = Vec::new();
    for chains in groups {
        let first = maps.first().map(|map| map.locations().clone());
        maps.push(match config.run.keep {
            Keep::Summary => map_of_moments(saved, chains, reader, first.as_ref()),
            Keep::All | Keep::Thin(_) => shown_map(reader, chains, &pairs, first.as_ref())?,
        });
    }
    Ok(maps)
}

fn map_of_moments(
    saved: &[SavedChain],
    chains: Vec<usize>,
    reader: &DrawReader,
    first: Option<&Locations>,
) -> ShownMap {
    let moments = merged(chains.iter().filter_map(|&chain| saved.get(chain)));
    let moments = moments.unwrap_or_else(|| Moments::new(reader.names().len(), reader.n_dims()));
    let moments = first.map_or_else(|| moments.clone(), |first| moments.moved(&procrustes(moments.mean(), first)));
    ShownMap::of_moments(chains, moments)
}

/// What the summary says of the maps.
fn shown(
    config: &Resolved,
    problem: &Problem,
    reader: &DrawReader,
    maps: &[ShownMap],
    fits: &[Vec<ObjectFit>],
) -> Result<ShownSummary, RunError> {
    let mut summaries = Vec::new();
    for (mode, (map, fits)) in (1..).zip(maps.iter().zip(fits)) {
        let mut densities = Vec::new();
        for &chain in &map.chains {
            densities.extend(reader.stat("lp", chain)?);
        }
        let log_density = densities.iter().sum::<f64>() / densities.len() as f64;
        let numbers = (log_density, rms_stress(problem, fits));
        summaries.push(MapSummary::of(mode, map, embedding_file(mode), problem.data.names(), numbers));
    }
    let unknown = match config.run.keep {
        Keep::Summary => vec![WITHOUT_DRAWS.to_owned()],
        _ if maps.iter().all(|map| map.looked_for_modes) => Vec::new(),
        _ => vec![TOO_FEW_DRAWS.to_owned()],
    };
    Ok(ShownSummary { maps: summaries, unknown })
}

const WITHOUT_DRAWS: &str = "No draws of the locations were kept (`keep` summary): whether single objects have several modes, and \
                             whether the mean map fits worse than a typical draw, cannot be told.";
const TOO_FEW_DRAWS: &str = "Too few draws of the locations to tell whether single objects have several modes (100 or more are \
                             needed, and their numbers must fit into memory).";

/// Mean and covariances from the running moments of chains, each aligned to the first; `None` if no chain has any.
pub(crate) fn merged<'a>(chains: impl Iterator<Item = &'a SavedChain>) -> Option<Moments> {
    merged_moments(chains.filter_map(|saved| saved.moments.as_ref()))
}

/// Moments of several chains as one, on its principal axes.
pub(crate) fn merged_moments<'a>(mut of_chains: impl Iterator<Item = &'a Moments>) -> Option<Moments> {
    let first = of_chains.next()?;
    let mut all = first.moved(&principal_axes(first.mean()));
    for moments in of_chains {
        all.merge(&moments.moved(&procrustes(moments.mean(), all.mean())));
    }
    Some(all.moved(&principal_axes(all.mean())))
}

fn fits(moments: &Moments, problem: &Problem) -> Vec<ObjectFit> {
    let coupled = problem.coupled();
    object_fits(moments.mean(), |object| coupled.partners(object))
}

fn summarise(
    config: &Resolved,
    problem: &Problem,
    chains: &[SavedChain],
    assessment: &Assessment,
    reader: &DrawReader,
    fits: &[ObjectFit],
) -> Result<Summary, RunError> {
    let tallies = || chains.iter().map(|saved| &saved.tally);
    let n_iterations: usize = tallies().map(|tally| tally.n_iterations).sum();
    let likelihood = problem.posterior.likelihood();
    let path = || reader.path().to_owned();
    let diagnosis = |name: &str| assessment.diagnoses.iter().find(|diagnosis| diagnosis.name == name);
    let sigma = diagnosis("sigma");
    let trace = diagnosis(TRACE).map(Interval::from);
    let mut summary = Summary {
        converged: assessment.verdict.is_converged(),
        verdict: assessment.verdict.to_string(),
        chains: None,
        map: None,
        anchor: None,
        dimensions: None,
        verdict_details: serde_json::to_value(&assessment.verdict)
            .map_err(|error| RunError::Damaged { path: path(), what: error.to_string() })?,
        max_rhat: assessment.max_rhat().map(Into::into),
        min_ess: assessment.min_ess().map(Into::into),
        sigma: sigma.map(Interval::from).ok_or_else(|| RunError::Damaged { path: path(), what: "no sigma".into() })?,
        titres: None,
        diffusion: config.tree.as_ref().zip(trace).map(|(tree, trace)| diffusion(tree, trace)),
        stress: stress(problem, fits),
        log_likelihood: mean_log_likelihood(reader)?,
        n_objects: likelihood.n_objects(),
        n_dims: likelihood.n_dims(),
        n_pairs: likelihood.n_pairs(),
        couplings: problem.coupling.couplings.to_string(),
        sampler: config.sampler.sampler.resolve().to_string(),
        arithmetic: arithmetic(chains),
        unit: problem.unit.0,
        n_chains: chains.len(),
        n_warmup: config.sampler.n_warmup,
        n_draws: reader.n_complete_in_all(),
        acceptance: known(tallies().map(|tally| tally.acceptance).sum::<f64>() / n_iterations as f64),
        divergences: tallies().map(|tally| tally.divergences).sum(),
        n_gradients: tallies().map(|tally| tally.gradients).sum(),
        n_warmup_gradients: tallies().map(|tally| tally.warmup_gradients).sum(),
        bfmi: energy_diagnostics(config, reader)?,
        sbmds_version: config.sbmds_version.clone(),
        files: BTreeMap::new(),
        seconds: tallies().map(|tally| tally.seconds).sum(),
        warnings: problem.warnings.clone(),
        shown: ShownSummary::default(),
    };
    summary.warnings.extend(summary.sampler_warnings());
    Ok(summary)
}

/// The arithmetic of the chains by name.
fn arithmetic(chains: &[SavedChain]) -> String {
    let used = |arithmetic: &Arithmetic| chains.iter().any(|chain| chain.arithmetic() == *arithmetic);
    let names: Vec<String> =
        Arithmetic::ALL.iter().filter(|arithmetic| used(arithmetic)).map(ToString::to_string).collect();
    names.join(" and ")
}

/// Energy BFMI of each chain; random walks have no momentum and none of this.
fn energy_diagnostics(config: &Resolved, reader: &DrawReader) -> Result<Vec<Option<f64>>, RunError> {
    if !config.sampler.sampler.has_gradients() {
        return Ok(Vec::new());
    }
    (0..reader.n_chains()).map(|chain| Ok(known(bfmi(&reader.stat("energy", chain)?)))).collect()
}

/// The mean over all draws of all chains.
fn mean_log_likelihood(reader: &DrawReader) -> Result<Option<f64>, RunError> {
    let mut draws = Vec::new();
    for chain in 0..reader.n_chains() {
        draws.extend(reader.stat("log_likelihood", chain)?);
    }
    Ok(known(draws.iter().sum::<f64>() / draws.len() as f64))
}

fn diffusion(tree: &TreeConfig, trait_trace: Interval) -> Diffusion {
    let file = tree.path.file_name().unwrap_or_default().to_string_lossy();
    Diffusion {
        diffusion_rate: trait_trace.map(|trace| tree.diffusion_rate(trace)),
        trait_trace,
        branches: None,
        total_length: tree.total_length,
        tree: format!("tree {} of {file}", tree.index.unwrap_or(1)),
    }
}

fn stress(problem: &Problem, fits: &[ObjectFit]) -> StressSummary {
    let mut by_size: Vec<(f64, usize)> = fits
        .iter()
        .enumerate()
        .map(|(object, fit)| (fit.stress, object))
        .filter(|(stress, _)| !stress.is_nan())
        .collect();
    by_size.sort_by(|a, b| a.0.total_cmp(&b.0));
    let worst = by_size.last().copied();
    StressSummary {
        rms: known(rms_stress(problem, fits)),
        median: by_size.get(by_size.len() / 2).map(|&(stress, _)| stress),
        worst_object: worst.map(|(_, object)| problem.data.names().get(object).into_owned()),
        worst: worst.map(|(stress, _)| stress),
    }
}

/// Over all pairs: each is seen from both its ends, so the objects' sums of squares count every pair twice.
fn rms_stress(problem: &Problem, fits: &[ObjectFit]) -> f64 {
    let by_position = problem.coupling.order.iter().map(|&object| &fits[object]).filter(|fit| fit.n_pairs > 0);
    let squares: f64 = by_position.map(|fit| fit.stress.powi(2) * fit.n_pairs as f64).sum();
    (squares / (2.0 * problem.pairs.n_pairs() as f64)).sqrt()
}
