//! From what was measured to terms and priors, where the kernels' one exact number per pair is not enough.

use std::sync::Arc;

use super::unit::Unit;
use crate::Locations;
use crate::brownian::{BranchScaling, BrownianPrior, BrownianSettings};
use crate::coupling::Coupling;
use crate::dissimilarity::{Dissimilarities, Names, Titers};
use crate::error::RunError;
use crate::likelihood::{Likelihood, LogLikelihood};
use crate::measurement::{Family, LevelGroup, LevelPrior, Nu, Quantity, Term, TermLikelihood, Terms, titres};
use crate::posterior::{DriftHyper, DriftPrior, LocationPrior};
use crate::settings::CheckedConfig;
use crate::settings::measurement::{Levels, VirusTree};
use crate::tree::Tree;

/// The likelihood of terms; `None` where the kernels do.
pub(crate) fn terms(
    config: &CheckedConfig,
    data: &Dissimilarities,
    coupling: &Coupling,
    coupled: &Likelihood,
    unit: Unit,
) -> Result<Option<Arc<dyn LogLikelihood>>, RunError> {
    let measurement = &config.measurement;
    let (n_dims, nu) = (config.model.n_dims, measurement.nu.map_or(Nu::Learned, Nu::Fixed));
    if let Some(titers) = data.titers() {
        return Ok(Some(Arc::new(of_titres(config, titers, coupling, nu))));
    }
    let family = measurement.family.unwrap_or(config.model.noise.into());
    let known_errors = measurement.known_errors;
    let Some(terms) = Terms::of_coupled(data, coupling, coupled, unit.0, (family, known_errors)) else {
        return Ok(None);
    };
    if let Some(term) = terms.impossible() {
        let [a, b] = [term.near, term.far].map(|position| data.names().get(coupling.order[position as usize]));
        let (problem, remedy) = family.support().refusal(term.seen.representative());
        let problem = format!("{} ({a} to {b}): {problem}", config.input.path.display());
        return Err(RunError::setting("`noise`", problem, remedy));
    }
    Ok(Some(Arc::new(TermLikelihood::of_distances(terms.in_unit(unit.0), n_dims, nu))))
}

/// Terms of titres with their levels, by position.
fn of_titres(config: &CheckedConfig, titers: &Titers, coupling: &Coupling, nu: Nu) -> TermLikelihood {
    let measurement = &config.measurement;
    let (n_viruses, order) = (titers.n_viruses(), &coupling.order);
    let seen = titres::observations(titers, measurement.reading);
    let rows = titers.rows().iter().zip(seen);
    let position = |object: usize| order.position(object).index();
    let terms: Vec<Term> =
        rows.map(|(row, seen)| Term::new(position(row.virus), position(n_viruses + row.serum), seen)).collect();
    let family = measurement.family.unwrap_or(Family::Normal);
    let terms = Terms::new(order.len(), &terms, family, Quantity::Level, measurement.known_errors);
    let groups = level_groups(titers, measurement.potencies, measurement.avidities);
    let share = if measurement.avidities.is_some() { 0.5 } else { 1.0 };
    let level_of = |&object: &usize| match object.checked_sub(n_viruses) {
        Some(serum) => Some((groups.len() - 1, serum, share)),
        None => measurement.avidities.map(|_| (0, object, share)),
    };
    let level_of = order.iter().map(level_of).collect();
    TermLikelihood::of_titres(terms, config.model.n_dims, nu, groups, level_of)
}

/// Avidities, if there are any, and potencies.
fn level_groups(titers: &Titers, potencies: Levels, avidities: Option<Levels>) -> Vec<LevelGroup> {
    let (of_viruses, of_sera) = {
        let mut largest = titers.largest();
        let of_sera = largest.split_off(titers.n_viruses());
        (largest, of_sera)
    };
    let group = |name, first: usize, largest: Vec<f64>, levels: Levels, learn_mean: bool| {
        let objects = (0..largest.len()).map(|k| titers.names().get(first + k).into_owned()).collect();
        let mean = largest.iter().sum::<f64>() / largest.len() as f64;
        let variance = largest.iter().map(|level| (level - mean).powi(2)).sum::<f64>() / largest.len() as f64;
        let prior = match levels {
            Levels::Fixed => LevelPrior::Fixed(largest.clone()),
            Levels::Estimated => LevelPrior::Normal { mean, sd: variance.sqrt().max(0.1) },
            Levels::Hierarchical => LevelPrior::Hierarchical { mean, learn_mean },
        };
        LevelGroup { name, objects, prior, start: largest }
    };
    // Only the sum of an avidity and a potency counts: the mean of one kind is enough to learn.
    let avidities = avidities.map(|levels| group("avidity", 0, of_viruses, levels, false));
    let potencies = group("potency", titers.n_viruses(), of_sera, potencies, true);
    avidities.into_iter().chain([potencies]).collect()
}

/// The prior of viruses and sera that drift or evolve; `None` where neither is asked for.
pub(crate) fn location_prior(
    config: &CheckedConfig,
    data: &Dissimilarities,
    coupling: &Coupling,
) -> Result<Option<Arc<dyn LocationPrior>>, RunError> {
    let measurement = &config.measurement;
    let Some(titers) = data.titers().filter(|_| measurement.drift || measurement.tree.is_some()) else {
        return Ok(None);
    };
    let (n_dims, n_viruses, order) = (config.model.n_dims, titers.n_viruses(), &coupling.order);
    let is_virus = |&position: &usize| order[position] < n_viruses;
    let (viruses, sera): (Vec<usize>, Vec<usize>) = (0..order.len()).partition(is_virus);
    let tree = measurement.tree.as_ref().map(|tree| virus_tree(tree, titers, &viruses, order, n_dims)).transpose()?;
    let times = if measurement.drift { times(config, titers, order)? } else { vec![0.0; order.len()] };
    let hyper = DriftHyper { drift: DriftHyper::default().drift.filter(|_| measurement.drift), ..Default::default() };
    Ok(Some(Arc::new(DriftPrior::new(n_dims, (viruses, sera), times, tree, hyper))))
}

/// Years since the earliest object, by position.
fn times(config: &CheckedConfig, titers: &Titers, order: &[usize]) -> Result<Vec<f64>, RunError> {
    let years: Vec<Option<f64>> = order.iter().map(|&object| titers.year(object)).collect();
    let without: Vec<_> =
        order.iter().zip(&years).filter(|(_, year)| year.is_none()).map(|(&object, _)| object).collect();
    if let Some(&first) = without.first() {
        let (name, n) = (titers.names().get(first), without.len());
        let problem = format!("{}: {n} objects have no year, such as {name}", config.input.path.display());
        let remedy = "give titres in the long form with the columns virusYear and serumYear, or leave `drift` out";
        return Err(RunError::setting("`drift`", problem, remedy));
    }
    let earliest = years.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    Ok(years.iter().flatten().map(|year| year - earliest).collect())
}

/// The tree of the viruses, by their number among the positions of viruses; branches in the tree's own unit, years.
fn virus_tree(
    config: &VirusTree,
    titers: &Titers,
    viruses: &[usize],
    order: &[usize],
    n_dims: usize,
) -> Result<BrownianPrior, RunError> {
    let names: Vec<String> = (0..titers.n_viruses()).map(|virus| titers.names().get(virus).into_owned()).collect();
    let names = Names::given(names).expect("names of viruses are unique");
    let matched = Tree::read(&config.path, config.index.into())?.match_tips(&names, config.prune)?;
    let virus_order: Vec<usize> = viruses.iter().map(|&position| order[position]).collect();
    let settings = BrownianSettings {
        scaling: BranchScaling::None,
        root_sample_size: config.root_sample_size,
        ..BrownianSettings::paper(n_dims)
    };
    Ok(BrownianPrior::new(matched.tree(), &matched.tip_positions(&virus_order), settings)?)
}

/// A first map of objects that drift: turned and shifted so that time goes along its first axis.
pub(crate) fn along_time(map: &Locations, data: &Dissimilarities, order: &[usize]) -> Locations {
    let years = data.titers().map(|titers| order.iter().map(|&object| titers.year(object)).collect::<Vec<_>>());
    let Some(years) = years.and_then(|years| years.into_iter().collect::<Option<Vec<f64>>>()) else {
        return map.clone();
    };
    let (n, n_dims) = (map.n_objects(), map.n_dims());
    let mean = |values: &[f64]| values.iter().sum::<f64>() / n as f64;
    let middle: Vec<f64> = (0..n_dims).map(|dim| mean(map.dim(dim))).collect();
    let year = mean(&years);
    let along = |dim: usize| (0..n).map(|k| (years[k] - year) * (map.get(k, dim) - middle[dim])).sum::<f64>();
    let direction: Vec<f64> = (0..n_dims).map(along).collect();
    let length = direction.iter().map(|part| part * part).sum::<f64>().sqrt();
    if length == 0.0 {
        return map.clone();
    }
    // The reflection that takes this direction to the first axis.
    let mut normal: Vec<f64> = direction.iter().map(|part| part / length).collect();
    normal[0] -= 1.0;
    let squared: f64 = normal.iter().map(|part| part * part).sum();
    let centred = |k: usize, dim: usize| map.get(k, dim) - middle[dim];
    let shift = length / years.iter().map(|y| (y - year).powi(2)).sum::<f64>()
        * (year - years.iter().copied().fold(f64::INFINITY, f64::min));
    Locations::from_fn(n, n_dims, |k, dim| {
        let across: f64 = (0..n_dims).map(|other| normal[other] * centred(k, other)).sum();
        let turned = centred(k, dim) - if squared > 0.0 { 2.0 * across * normal[dim] / squared } else { 0.0 };
        turned + if dim == 0 { shift } else { 0.0 }
    })
}
