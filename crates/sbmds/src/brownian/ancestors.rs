//! Locations of the inner nodes given those of the tips, root first (eq. 23).

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::plan::InnerNode;
use super::{BrownianPrior, BrownianWorkspace, NodeLocation, Precision, passes};

impl BrownianPrior {
    /// Draws the location of every inner node given the tips' and Sigma^-1. `ancestors` is `n_inner` * D numbers, dimension
    /// by dimension, in the order of [`crate::tree::Tree::inner_nodes`].
    pub fn draw_ancestors(
        &self,
        workspace: &mut BrownianWorkspace,
        x: &[f64],
        precision: &Precision,
        rng: &mut ChaCha8Rng,
        ancestors: &mut [f64],
    ) {
        self.fill_ancestors(workspace, x, ancestors, |noise| {
            noise.fill_with(|| rng.sample(StandardNormal));
            precision.colour(noise);
        });
    }

    /// The expected location of every inner node given the tips', whatever Sigma is.
    pub fn ancestral_means(&self, workspace: &mut BrownianWorkspace, x: &[f64], ancestors: &mut [f64]) {
        self.fill_ancestors(workspace, x, ancestors, |noise| noise.fill(0.0));
    }

    fn fill_ancestors(
        &self,
        workspace: &mut BrownianWorkspace,
        x: &[f64],
        ancestors: &mut [f64],
        mut draw: impl FnMut(&mut [f64]),
    ) {
        self.estimates(workspace, x, ancestors);
        let (n_inner, mean) = (self.n_inner(), &self.settings.root_mean);
        let noise = &mut workspace.slots[..self.n_dims()];
        for (position, node) in self.plan.inner.iter().enumerate().rev() {
            let Conditional { own_weight, sd } = self.conditional(node);
            draw(noise);
            for (dim, noise) in noise.iter().enumerate() {
                let above = node.parent.map_or(mean[dim], |parent| ancestors[dim * n_inner + parent]);
                let own = &mut ancestors[dim * n_inner + position];
                // Exactly its own estimate if that is certain, exactly its parent if the branch has no length.
                *own = if own_weight == 1.0 { *own } else { above + own_weight * (*own - above) } + sd * noise;
            }
        }
    }

    /// For every inner node its estimate from the tips below.
    fn estimates(&self, workspace: &mut BrownianWorkspace, x: &[f64], ancestors: &mut [f64]) {
        let (n_dims, n_inner) = (self.n_dims(), self.n_inner());
        let BrownianWorkspace { slots, contrasts, .. } = workspace;
        passes::gather(&self.plan.positions, x, &self.settings.root_mean, slots);
        let mut n_done = 0;
        for (position, node) in self.plan.inner.iter().enumerate() {
            let merges = &self.plan.merges[n_done..node.n_merges];
            passes::contrasts(n_dims, merges, slots, &mut contrasts[..(merges.len() + 1) * n_dims]);
            n_done = node.n_merges;
            for (dim, mean) in self.settings.root_mean.iter().enumerate() {
                ancestors[dim * n_inner + position] = mean + slots[node.slot * n_dims + dim];
            }
        }
    }

    /// How a node's location depends on its own estimate and on what is above it.
    fn conditional(&self, node: &InnerNode) -> Conditional {
        let above = if node.parent.is_some() { node.length } else { 1.0 / self.settings.root_sample_size };
        if node.variance == 0.0 {
            return Conditional { own_weight: 1.0, sd: 0.0 };
        }
        let own_weight = above / (above + node.variance);
        Conditional { own_weight, sd: (own_weight * node.variance).sqrt() }
    }
}

/// Weight of a node's own estimate against its parent's location, and the standard deviation (in units of Sigma).
struct Conditional {
    own_weight: f64,
    sd: f64,
}

/// Locations of all nodes: those of the tips with those of the inner nodes.
#[derive(Clone, Copy, Debug)]
pub struct NodeLocations<'a> {
    prior: &'a BrownianPrior,
    x: &'a [f64],
    ancestors: &'a [f64],
}

impl BrownianPrior {
    /// Puts the tips' locations `x` (by position) and the inner nodes' together.
    pub fn node_locations<'a>(&'a self, x: &'a [f64], ancestors: &'a [f64]) -> NodeLocations<'a> {
        assert_eq!((x.len(), ancestors.len()), (self.n_objects() * self.n_dims(), self.n_inner() * self.n_dims()));
        NodeLocations { prior: self, x, ancestors }
    }
}

impl NodeLocations<'_> {
    /// Number of dimensions D.
    pub fn n_dims(&self) -> usize {
        self.prior.n_dims()
    }

    /// Coordinate `dim` of a node of the tree.
    pub fn get(&self, node: usize, dim: usize) -> f64 {
        match self.prior.node_locations[node] {
            NodeLocation::Tip(position) => self.x[dim * self.prior.n_objects() + position],
            NodeLocation::Inner(index) => self.ancestors[dim * self.prior.n_inner() + index],
        }
    }
}
