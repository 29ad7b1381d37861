//! From a finished run to what the page shows, in one pass over the draws.

use std::path::Path;

use super::clusters;
use super::data::{Fit, MapData, ModeData, ObjectModesData, ReportData, Section, VerdictData};
use super::draw_sample::{self, DrawSample};
use super::neighbours::{self, Neighbours};
use super::titres;
use super::traces::Movement;
use super::tree;
use super::warnings;
use crate::Locations;
use crate::coupling::Couplings;
use crate::dissimilarity::Labels;
use crate::embedding::{Moments, ObjectModes, axis_share, object_fits};
use crate::fit::Shepard;
use crate::fit::summary::shepard::Collector;
use crate::run::{CoupledPairs, FinishedRun, FitConfig, Keep, MapSummary, RunError};

/// The version of the data's format.
const FORMAT: u32 = 1;

impl ReportData {
    /// Collects what the page shows of a run. What cannot be known any more is left out, with a warning in the verdict.
    ///
    /// # Errors
    /// If the run's own files cannot be read.
    pub fn gather(run: &FinishedRun, labels: Option<&Labels>) -> Result<Self, RunError> {
        let summary = run.summary();
        let mut warnings = run.summary().warnings.clone();
        warnings.extend(labels.and_then(Labels::warning));
        let measured = run.measured().map_err(|error| warnings.push(warnings::of_input(run, &error))).ok();
        let coupled = measured.as_ref().map(|measured| measured.coupled());
        warnings.extend(summary.shown.sentences());
        let map = gather_map(run, coupled.as_ref(), &mut warnings)?;
        let other_maps = (2..=run.mode().1)
            .map(|mode| gather_map(&run.in_mode(mode)?, coupled.as_ref(), &mut warnings))
            .collect::<Result<_, RunError>>()?;
        let clusters = clusters::gather(run, &mut warnings);
        let titres = titres::gather(run, measured.as_ref().and_then(|measured| measured.data().titers()))?;
        let monitored = run.monitored()?;
        let movement = Movement::new(&monitored);
        let mean = &run.embedding().mean;
        Ok(Self {
            format: FORMAT,
            sbmds_version: summary.sbmds_version.clone(),
            title: run.name(),
            verdict: VerdictData { converged: summary.converged, text: summary.verdict.clone(), warnings },
            map_verdict: summary.map.clone(),
            summary: summary.lines().into_iter().map(|(label, text)| (label.into(), text)).collect(),
            config: config_without_paths(run.config()),
            seed: run.config().run.seed,
            citation: citation(&summary.sbmds_version),
            n_objects: mean.n_objects(),
            n_dims: mean.n_dims(),
            n_chains: summary.n_chains,
            n_draws: summary.n_draws,
            n_pairs: summary.n_pairs,
            names: run.names().iter().map(Into::into).collect(),
            labels: labels.iter().flat_map(|labels| &labels.columns).map(Into::into).collect(),
            shown: map.shown,
            mode: map.mode,
            mean: map.mean,
            covariance: map.covariance,
            axis_share: map.axis_share,
            object_modes: map.object_modes,
            fit: map.fit,
            draws: map.draws,
            neighbours: map.neighbours,
            shepard: map.shepard,
            other_maps,
            traces: movement.traces,
            diagnostics: movement.diagnostics,
            n_monitored: monitored.len(),
            sections: titres
                .map(Section::Titres)
                .into_iter()
                .chain(tree::gather(run)?.map(Section::Tree))
                .chain(clusters.map(Section::Clusters))
                .collect(),
        })
    }
}

/// What the page shows of one map.
fn gather_map(
    run: &FinishedRun,
    coupled: Option<&CoupledPairs<'_>>,
    warnings: &mut Vec<String>,
) -> Result<MapData, RunError> {
    let seen = OnePass::over(run, coupled, warnings)?;
    let (mean, (mode, n_modes)) = (&run.embedding().mean, run.mode());
    let label = run.summary().shown.maps.get(mode - 1).filter(|_| n_modes > 1).map(MapSummary::label);
    Ok(MapData {
        shown: run.what_is_shown(),
        mode: label,
        mean: by_object(mean),
        covariance: upper_triangles(&seen.moments),
        axis_share: axis_share(mean),
        object_modes: seen.object_modes.iter().map(object_modes).collect(),
        fit: fit(run, coupled),
        draws: seen.draws,
        neighbours: seen.neighbours,
        shepard: seen.shepard,
    })
}

fn object_modes(modes: &ObjectModes) -> ObjectModesData {
    let known = |triangle: Vec<f64>| triangle.into_iter().map(|x| x.is_finite().then_some(x)).collect();
    let mode = |(number, moments): (usize, &Moments)| ModeData {
        share: modes.share(number),
        mean: moments.mean().object(0),
        covariance: upper_triangles(moments).map_or_else(Vec::new, known),
    };
    ObjectModesData {
        object: modes.object,
        shown: modes.shown,
        modes: modes.modes.iter().enumerate().map(mode).collect(),
    }
}

/// What one pass over the draws collects.
struct OnePass {
    moments: Moments,
    object_modes: Vec<ObjectModes>,
    draws: Option<DrawSample>,
    neighbours: Option<Neighbours>,
    shepard: Option<Shepard>,
}

impl OnePass {
    fn over(
        run: &FinishedRun,
        coupled: Option<&CoupledPairs<'_>>,
        warnings: &mut Vec<String>,
    ) -> Result<Self, RunError> {
        let (n_objects, n_dims, n_draws) = (run.names().len(), run.reader().n_dims(), run.n_locations());
        let mut mixed = run.no_moments();
        let film = draw_sample::choose(n_draws, n_objects, n_dims, run.mode().1);
        let mut draws = draw_sample::Collector::new(film, n_dims);
        let mut neighbours = neighbours::Counter::new(neighbours::choose(n_draws, n_objects), n_objects);
        let mut shepard = coupled.map(|coupled| Collector::new(run, coupled));
        run.for_each_aligned(
            |_| true,
            |index, draw| {
                mixed.add(draw);
                draws.visit(index, draw);
                neighbours.visit(index, draw);
                shepard.iter_mut().for_each(|shepard| shepard.visit(index, draw));
            },
        )?;
        let (mut moments, object_modes) = run.seen(&mixed);
        if run.config().run.keep == Keep::Summary {
            match run.moments() {
                Ok(kept) => moments = kept,
                Err(_) => {
                    warnings.push("The checkpoints that hold the covariances cannot be read: no ellipses.".into())
                }
            }
        }
        let mean = &run.embedding().mean;
        let (draws, neighbours) = (draws.finish(), neighbours.finish());
        Ok(Self { moments, object_modes, draws, neighbours, shepard: shepard.map(|shepard| shepard.finish(mean)) })
    }
}

fn fit(run: &FinishedRun, coupled: Option<&CoupledPairs<'_>>) -> Fit {
    let embedding = run.embedding();
    let fits = coupled.map(|coupled| object_fits(&embedding.mean, |object| coupled.partners(object)));
    Fit {
        stress: embedding.stress.clone(),
        residual: fits.as_ref().map(|fits| fits.iter().map(|fit| fit.mean_residual).collect()),
        partners: fits.as_ref().map(|fits| fits.iter().map(|fit| fit.n_pairs as u32).collect()),
    }
}

/// Locations object by object.
fn by_object(x: &Locations) -> Vec<f64> {
    (0..x.n_objects()).flat_map(|object| x.object(object)).collect()
}

fn upper_triangles(moments: &Moments) -> Option<Vec<f64>> {
    // One draw has no covariance.
    if moments.n_draws() < 2 {
        return None;
    }
    let (n_objects, n_dims) = (moments.mean().n_objects(), moments.mean().n_dims());
    let mut triangles = Vec::with_capacity(n_objects * n_dims * (n_dims + 1) / 2);
    for object in 0..n_objects {
        let covariance = moments.covariance(object);
        triangles.extend((0..n_dims).flat_map(|row| covariance[row * n_dims + row..(row + 1) * n_dims].to_vec()));
    }
    Some(triangles)
}

/// The settings with the last part of every path only: where files are is nobody's business.
fn config_without_paths(config: &FitConfig) -> String {
    let last = |path: &Path| path.file_name().unwrap_or_default().into();
    let mut config = config.clone();
    config.input.path = last(&config.input.path);
    config.input.names = config.input.names.as_deref().map(last);
    config.input.labels = config.input.labels.as_deref().map(last);
    config.tree.iter_mut().for_each(|tree| tree.path = last(&tree.path));
    if let Couplings::Graph(path) = &config.model.couplings {
        config.model.couplings = Couplings::Graph(last(path));
    }
    toml::to_string(&config).unwrap_or_default()
}

fn citation(version: &str) -> String {
    format!(
        "Sheth, A., Smith, A. and Holbrook, A. J. (2024). Sparse Bayesian multidimensional scaling(s). arXiv:2406.15573. \
         Fitted with sbmds {version}."
    )
}
