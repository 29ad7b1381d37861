//! How far locations move along the branches, as BEAST logs it.

use super::NodeLocations;
use crate::tree::Tree;

/// Mean rate and coefficient of diffusion over the branches (eq. 24), in the tree's own unit of time. Branches of length zero
/// are left out, as in BEAST.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BranchStatistics {
    /// Mean over the branches of distance / time (BEAST: average `diffusionRate`).
    pub diffusion_rate: f64,
    /// All distance / all time (weighted average).
    pub weighted_diffusion_rate: f64,
    /// Mean over the branches of distance^2 / (4 time) (average `diffusionCoefficient`).
    pub diffusion_coefficient: f64,
    /// Sum of distance^2 / 4, divided by all time (weighted average).
    pub weighted_diffusion_coefficient: f64,
}

impl BranchStatistics {
    /// Over all branches of the tree.
    pub fn of(tree: &Tree, locations: &NodeLocations<'_>) -> Self {
        let (mut n_branches, mut time, mut way, mut square) = (0.0, 0.0, 0.0, 0.0);
        let (mut rates, mut coefficients) = (0.0, 0.0);
        for node in 0..tree.n_nodes() {
            let length = tree.length(node);
            let Some(parent) = tree.parent(node).filter(|_| length > 0.0) else { continue };
            let step = |dim| locations.get(node, dim) - locations.get(parent, dim);
            let distance_squared: f64 = (0..locations.n_dims()).map(|dim| step(dim).powi(2)).sum();
            let distance = distance_squared.sqrt();
            n_branches += 1.0;
            time += length;
            way += distance;
            square += distance_squared;
            rates += distance / length;
            coefficients += distance_squared / (4.0 * length);
        }
        Self {
            diffusion_rate: rates / n_branches,
            weighted_diffusion_rate: way / time,
            diffusion_coefficient: coefficients / n_branches,
            weighted_diffusion_coefficient: square / (4.0 * time),
        }
    }
}
