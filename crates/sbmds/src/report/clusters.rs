//! What `sbmds cluster` found, as the page shows it.

use serde::Serialize;

use super::heat_map::HeatMap;
use super::pack;
use crate::cluster::{Axes, ClusterSummary, DrawId, Outline, SavedClusters, outlines};
use crate::dissimilarity::NO_LEVEL;
use crate::run::{FinishedRun, RunError};

/// Axes whose pairs get outlines; nobody looks at later ones.
const MOST_AXES: usize = 10;

/// The clusters of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClusterSection {
    /// All of it in numbers.
    pub summary: ClusterSummary,
    /// The consensus cluster of each object; 65,535 is noise.
    #[serde(serialize_with = "pack::u16s")]
    pub codes: Vec<u16>,
    /// How sure that is.
    #[serde(serialize_with = "pack::f32s")]
    pub confidence: Vec<f64>,
    /// The consensus clusters.
    pub clusters: Vec<ClusterData>,
    /// The objects of no cluster.
    pub noise: ClusterData,
    /// Chain and index of the draws that have outlines.
    pub draws: Vec<(usize, usize)>,
    /// The pairs of axes, from 0, of the outlines' corners; (0, 0) on a map of one dimension.
    pub axes: Vec<(usize, usize)>,
    /// The outlines of the clusters of these draws.
    pub outlines: Vec<OutlineData>,
    /// Who shares a cluster with whom.
    pub heat_map: HeatMap,
}

/// A consensus cluster in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClusterData {
    /// Its objects.
    pub size: usize,
    /// Their mean confidence; absent without objects.
    pub confidence: Option<f64>,
}

/// The outline of a cluster of a draw.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutlineData {
    /// Which of the draws it is of, from 0.
    pub draw: usize,
    /// The consensus cluster that most of its members are of; -1 if all are noise there.
    pub cluster: i32,
    /// The corners of its convex hull on each pair of axes, across and up in turns.
    pub corners: Vec<Corners>,
}

/// Corners, across and up in turns.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Corners(#[serde(serialize_with = "pack::f32s")] pub Vec<f64>);

/// The clusters of a run, if it has any; what cannot be read is left out with a warning.
pub(super) fn gather(run: &FinishedRun, warnings: &mut Vec<String>) -> Option<Box<ClusterSection>> {
    let read = SavedClusters::read(&run.clusters(), run.names()).map_err(|error| error.to_string());
    let section = read.and_then(|saved| match saved {
        Some(saved) => ClusterSection::new(run, &saved).map(Some).map_err(|error| error.to_string()),
        None => Ok(None),
    });
    section
        .unwrap_or_else(|problem| {
            // Paths of the machine stay out of the page.
            let problem = problem.replace(&format!("{}/", run.clusters().display()), "");
            warnings.push(format!("The clusters cannot be shown: {problem}."));
            None
        })
        .map(Box::new)
}

impl ClusterSection {
    fn new(run: &FinishedRun, saved: &SavedClusters) -> Result<Self, RunError> {
        let axes = pairs_of_axes(run.reader().n_dims());
        let (ids, outlines) = outlines(run, saved, &axes)?;
        let code = |&label: &i32| u16::try_from(label).unwrap_or(NO_LEVEL);
        Ok(Self {
            summary: saved.summary.clone(),
            codes: saved.consensus.iter().map(code).collect(),
            confidence: saved.confidence.clone(),
            clusters: (0..saved.summary.consensus.n_clusters as i32).map(|label| of_label(saved, label)).collect(),
            noise: of_label(saved, -1),
            draws: ids.iter().map(|&DrawId { chain, draw }| (chain, draw)).collect(),
            axes: axes.iter().map(|&(first, second)| (first, second.unwrap_or(first))).collect(),
            outlines: outlines.into_iter().map(Into::into).collect(),
            heat_map: HeatMap::new(&saved.labels, &saved.consensus, &saved.confidence),
        })
    }
}

fn pairs_of_axes(n_dims: usize) -> Vec<Axes> {
    if n_dims == 1 {
        return vec![(0, None)];
    }
    let n_axes = n_dims.min(MOST_AXES);
    (0..n_axes).flat_map(|first| (first + 1..n_axes).map(move |second| (first, Some(second)))).collect()
}

fn of_label(saved: &SavedClusters, label: i32) -> ClusterData {
    let members = saved.consensus.iter().zip(&saved.confidence).filter(|(other, _)| **other == label);
    let (size, sum) = members.fold((0, 0.0), |(size, sum), (_, confidence)| (size + 1, sum + confidence));
    ClusterData { size, confidence: (size > 0).then(|| sum / size as f64) }
}

impl From<Outline> for OutlineData {
    fn from(Outline { draw, cluster, corners }: Outline) -> Self {
        let flat = |corners: Vec<(f64, f64)>| Corners(corners.into_iter().flat_map(|(x, y)| [x, y]).collect());
        Self { draw, cluster, corners: corners.into_iter().map(flat).collect() }
    }
}
