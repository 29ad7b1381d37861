//! What a fit along a tree found, as the page shows it: rates as densities, and the tree over the map.

use serde::Serialize;

use super::pack;
use crate::diagnostics::kernel_density::{bandwidth, density, thinned};
use crate::diagnostics::{quantile_of_sorted, sorted};
use crate::diffusion::NodeMap;
use crate::run::{BranchSummary, FinishedRun, RunError};

/// Points of a curve.
const CURVE_POINTS: usize = 160;
/// Draws that a curve is made of.
const MOST_DRAWS: usize = 4_000;
/// A node without a parent or an object.
const NONE: u32 = u32::MAX;

/// The diffusion along a tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TreeSection {
    /// The tree by file and number.
    pub tree: String,
    /// Its total length.
    pub total_length: f64,
    /// Rates, the most asked for first.
    pub rates: Vec<RateData>,
    /// How far locations move along the branches, if locations were kept.
    pub branches: Option<BranchSummary>,
    /// Where nodes are, if locations were kept.
    pub nodes: Option<NodeData>,
}

/// The posterior density of a rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RateData {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Posterior mean.
    pub mean: f64,
    /// Ends of the central 95% interval.
    pub interval: [f64; 2],
    /// Where the curves begin and end.
    pub range: (f64, f64),
    /// Density of all draws at evenly spaced points of that range.
    #[serde(serialize_with = "pack::f32s")]
    pub all: Vec<f64>,
    /// The same of each chain, one after another.
    #[serde(serialize_with = "pack::f32s")]
    pub chains: Vec<f64>,
}

/// Where every node is on average.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeData {
    /// Parent of every node; 4,294,967,295 for the root.
    #[serde(serialize_with = "pack::u32s")]
    pub parents: Vec<u32>,
    /// Object of every tip; 4,294,967,295 for inner nodes.
    #[serde(serialize_with = "pack::u32s")]
    pub objects: Vec<u32>,
    /// Time from the root.
    #[serde(serialize_with = "pack::f32s")]
    pub times: Vec<f64>,
    /// Mean location, node by node.
    #[serde(serialize_with = "pack::f32s")]
    pub mean: Vec<f64>,
}

/// What the page shows of the tree; `None` without one.
pub(super) fn gather(run: &FinishedRun) -> Result<Option<Box<TreeSection>>, RunError> {
    let (Some(tree), Some(diffusion)) = (run.tree()?, &run.summary().diffusion) else { return Ok(None) };
    let rates = [
        ("diffusion_rate", "Diffusion rate", "trace(Sigma) / T: expected squared distance per unit of the tree's time"),
        ("trait_trace", "trace(Sigma)", "expected squared distance along all branches of the tree together"),
    ];
    let rates = rates.into_iter().map(|(stored, name, meaning)| rate(run, stored, name, meaning));
    Ok(Some(Box::new(TreeSection {
        tree: diffusion.tree.clone(),
        total_length: diffusion.total_length,
        rates: rates.collect::<Result<_, _>>()?,
        branches: diffusion.branches.clone(),
        nodes: NodeMap::of(&run.node_draws(&tree)?)?.as_ref().map(NodeData::from),
    })))
}

fn rate(run: &FinishedRun, stored: &str, name: &'static str, meaning: &'static str) -> Result<RateData, RunError> {
    let monitored = run.quantity(stored)?;
    let chains: Vec<Vec<f64>> = monitored.chains().iter().map(|chain| thinned(chain, MOST_DRAWS).collect()).collect();
    let all = sorted(chains.concat());
    let width = bandwidth(&all);
    let range = (all[0] - 3.0 * width, all[all.len() - 1] + 3.0 * width);
    let curve = |draws: &[f64]| density(draws, bandwidth(draws), range, CURVE_POINTS).into_iter().map(|point| point.1);
    Ok(RateData {
        name,
        meaning,
        mean: all.iter().sum::<f64>() / all.len() as f64,
        interval: [0.025, 0.975].map(|share| quantile_of_sorted(&all, share)),
        range,
        all: curve(&all).collect(),
        chains: chains.iter().flat_map(|chain| curve(chain).collect::<Vec<_>>()).collect(),
    })
}

impl From<&NodeMap> for NodeData {
    fn from(map: &NodeMap) -> Self {
        let numbers = |indices: &[Option<usize>]| {
            indices.iter().map(|index| index.and_then(|index| u32::try_from(index).ok()).unwrap_or(NONE)).collect()
        };
        Self {
            parents: numbers(&map.parents),
            objects: numbers(&map.objects),
            times: map.times.clone(),
            mean: (0..map.times.len()).flat_map(|node| map.mean.object(node)).collect(),
        }
    }
}
