//! Which clusters of the condensed tree become the answer.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::condensed::CondensedTree;

/// How clusters are selected from the hierarchy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Selection {
    /// Excess of mass: the clusters that last longest, none within another.
    #[default]
    Eom,
    /// The leaves of the hierarchy: more and finer clusters.
    Leaf,
}

impl fmt::Display for Selection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Eom => "eom",
            Self::Leaf => "leaf",
        })
    }
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "eom" => Ok(Self::Eom),
            "leaf" => Ok(Self::Leaf),
            _ => Err(format!("{text:?} is no selection; there are eom (excess of mass) and leaf")),
        }
    }
}

/// For each cluster, the selected cluster it lies in (itself or above it), if any. The root is never selected: one
/// cluster of everything is no answer.
pub fn select(tree: &CondensedTree, selection: Selection) -> Vec<Option<u32>> {
    let is_chosen = match selection {
        Selection::Eom => excess_of_mass(tree),
        Selection::Leaf => tree.clusters.iter().map(|cluster| !cluster.is_split).collect(),
    };
    let mut within: Vec<Option<u32>> = vec![None; tree.clusters.len()];
    // Parents come before their children, and the uppermost chosen cluster wins.
    for cluster in 1..tree.clusters.len() {
        let above = tree.clusters[cluster].parent.and_then(|parent| within[parent as usize]);
        within[cluster] = above.or(is_chosen[cluster].then_some(cluster as u32));
    }
    within
}

/// A cluster is chosen if it is at least as stable as the best choice below it (docs/clustering.md, eq. 6).
fn excess_of_mass(tree: &CondensedTree) -> Vec<bool> {
    let mut below = vec![0.0; tree.clusters.len()];
    let mut is_chosen = vec![false; tree.clusters.len()];
    for (number, cluster) in tree.clusters.iter().enumerate().rev() {
        is_chosen[number] = cluster.stability >= below[number];
        if let Some(parent) = cluster.parent {
            below[parent as usize] += cluster.stability.max(below[number]);
        }
    }
    is_chosen
}
