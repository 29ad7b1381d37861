//! What the page shows, as it is written into it. Packed arrays are object by object; NaN is unknown.

use serde::Serialize;

use super::clusters::ClusterSection;
use super::draw_sample::DrawSample;
use super::neighbours::Neighbours;
use super::pack;
use super::shepard::Shepard;
use super::traces::{Trace, TraceDiagnosis};
use super::tree::TreeSection;
use crate::dissimilarity::{LabelColumn, LabelValues};
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
    /// Posterior mean on principal axes, N x D.
    #[serde(serialize_with = "pack::f32s")]
    pub mean: Vec<f64>,
    /// Covariance of each object's location, upper triangle row by row, N x D (D + 1) / 2; `None` if unknown.
    #[serde(serialize_with = "pack::known_f32s")]
    pub covariance: Option<Vec<f64>>,
    /// Share of the mean map's variance on each axis.
    pub axis_share: Vec<f64>,
    /// How well objects fit.
    pub fit: Fit,
    /// Draws laid over the mean map, if there are any and not too many objects.
    pub draws: Option<DrawSample>,
    /// Who is whose neighbour, likewise.
    pub neighbours: Option<Neighbours>,
    /// Observed against fitted, if the input is still there.
    pub shepard: Option<Shepard>,
    /// sigma, the log density and the distances that mix worst.
    pub traces: Vec<Trace>,
    /// The table of diagnoses, worst first.
    pub diagnostics: Vec<TraceDiagnosis>,
    /// Monitored quantities in all.
    pub n_monitored: usize,
    /// What some runs have beside all this; the page ignores kinds that it does not know.
    pub sections: Vec<Section>,
}

/// A part that some runs have.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Section {
    /// What `sbmds cluster` found.
    Clusters(Box<ClusterSection>),
    /// What a fit along a tree found.
    Tree(Box<TreeSection>),
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
        /// The place of each object's word among them; 65,535 if it has none.
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
