//! What the page shows, as it is written into it. Packed arrays are object by object; NaN is unknown.

use serde::Serialize;

use super::clusters::ClusterSection;
use super::draw_sample::DrawSample;
use super::neighbours::Neighbours;
use super::pack;
use super::shepard;
use super::titres::TitreSection;
use super::traces::{Trace, TraceDiagnosis};
use super::tree::TreeSection;
use crate::dissimilarity::{LabelColumn, LabelValues};
use crate::fit::Shepard;
use crate::quality::MapVerdict;

/// Everything that the page shows of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReportData {
    /// Version of this format.
    pub format: u32,
    /// Version of sbmds that made the run.
    pub sbmds_version: String,
    /// The name of the run's directory.
    pub title: String,
    /// Whether to trust the chains.
    pub verdict: VerdictData,
    /// Whether the map describes the data; `None` for runs of earlier versions.
    pub map_verdict: Option<MapVerdict>,
    /// The lines of `sbmds summary`, label and text.
    pub summary: Vec<(String, String)>,
    /// The settings as TOML; of paths the last part.
    pub config: String,
    /// The seed.
    pub seed: u64,
    /// How to cite.
    pub citation: String,
    /// Objects.
    pub n_objects: usize,
    /// Dimensions.
    pub n_dims: usize,
    /// Chains.
    pub n_chains: usize,
    /// Stored draws of each chain.
    pub n_draws: usize,
    /// Coupled pairs.
    pub n_pairs: usize,
    /// The objects, in input order.
    pub names: Vec<String>,
    /// What else is known of them.
    pub labels: Vec<LabelData>,
    /// What the map is: "posterior mean" or "a central draw".
    pub shown: String,
    /// The mode it is of and the chains it consists of, if chains are in different modes.
    pub mode: Option<String>,
    /// Locations shown, on principal axes, N x D.
    #[serde(serialize_with = "pack::f32s")]
    pub mean: Vec<f64>,
    /// Covariance of each object's location, upper triangle row by row, N x D (D + 1) / 2; `None` if unknown.
    #[serde(serialize_with = "pack::known_f32s")]
    pub covariance: Option<Vec<f64>>,
    /// Share of the map's variance on each axis.
    pub axis_share: Vec<f64>,
    /// Objects that have several modes.
    pub object_modes: Vec<ObjectModesData>,
    /// How well objects fit.
    pub fit: Fit,
    /// Draws aligned to the map, if there are any and not too many objects.
    pub draws: Option<DrawSample>,
    /// Who is whose neighbour, likewise.
    pub neighbours: Option<Neighbours>,
    /// Observed against fitted, if the input is still there.
    #[serde(serialize_with = "shepard::known")]
    pub shepard: Option<Shepard>,
    /// The maps of the other modes that chains are in.
    pub other_maps: Vec<MapData>,
    /// sigma, the log density and the distances that mix worst.
    pub traces: Vec<Trace>,
    /// The table of diagnoses, worst first.
    pub diagnostics: Vec<TraceDiagnosis>,
    /// Monitored quantities in all.
    pub n_monitored: usize,
    /// What some runs have beside all this; the page ignores kinds that it does not know.
    pub sections: Vec<Section>,
}

/// The map of another mode: what the page shows in place of what [`ReportData`] has by the same names.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs, reason = "as in `ReportData`")]
pub struct MapData {
    pub shown: String,
    pub mode: Option<String>,
    #[serde(serialize_with = "pack::f32s")]
    pub mean: Vec<f64>,
    #[serde(serialize_with = "pack::known_f32s")]
    pub covariance: Option<Vec<f64>>,
    pub axis_share: Vec<f64>,
    pub object_modes: Vec<ObjectModesData>,
    pub fit: Fit,
    pub draws: Option<DrawSample>,
    pub neighbours: Option<Neighbours>,
    #[serde(serialize_with = "shepard::known")]
    pub shepard: Option<Shepard>,
}

/// The modes of an object that has several, the heaviest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObjectModesData {
    /// The object.
    pub object: usize,
    /// The mode that is part of the map.
    pub shown: usize,
    /// The modes.
    pub modes: Vec<ModeData>,
}

/// A mode of an object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModeData {
    /// Share of the draws.
    pub share: f64,
    /// Mean location.
    pub mean: Vec<f64>,
    /// Covariance, upper triangle row by row; `None` if one draw has none.
    pub covariance: Vec<Option<f64>>,
}

/// A part that some runs have.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Section {
    /// What `sbmds cluster` found.
    Clusters(Box<ClusterSection>),
    /// What a fit along a tree found.
    Tree(Box<TreeSection>),
    /// What a fit of titres found.
    Titres(Box<TitreSection>),
}

/// Whether to trust the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerdictData {
    /// Whether the verdict is good.
    pub converged: bool,
    /// The verdict in words.
    pub text: String,
    /// What else a reader should know.
    pub warnings: Vec<String>,
}

/// How well each object fits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// Root mean squared residual over the object's pairs.
    #[serde(serialize_with = "pack::f32s")]
    pub stress: Vec<f64>,
    /// Mean residual, observed minus fitted, if the input is still there.
    #[serde(serialize_with = "pack::known_f32s")]
    pub residual: Option<Vec<f64>>,
    /// With how many objects it is coupled, likewise.
    #[serde(serialize_with = "pack::known_u32s")]
    pub partners: Option<Vec<u32>>,
}

/// A column of labels.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum LabelData {
    /// Words.
    Categorical {
        /// Name of the column.
        name: String,
        /// The different words.
        levels: Vec<String>,
        /// The index of each object's word among them; 65,535 if it has none.
        #[serde(serialize_with = "pack::u16s")]
        codes: Vec<u16>,
    },
    /// Numbers.
    Numeric {
        /// Name of the column.
        name: String,
        /// One per object; NaN if missing.
        #[serde(serialize_with = "pack::f32s")]
        values: Vec<f64>,
    },
}

impl From<&LabelColumn> for LabelData {
    fn from(LabelColumn { name, values }: &LabelColumn) -> Self {
        let name = name.clone();
        match values.clone() {
            LabelValues::Categorical { levels, codes } => Self::Categorical { name, levels, codes },
            LabelValues::Numeric(values) => Self::Numeric { name, values },
        }
    }
}
