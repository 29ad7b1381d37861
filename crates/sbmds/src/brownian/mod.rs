//! Brownian motion along a tree as the prior of the locations: X ~ MN(mu0, V, Sigma) with V = C/T + J/kappa.
//!
//! V is never formed. The pass up the tree turns the N locations into N independent contrasts (Felsenstein 1973); the
//! density is a sum over them, and the gradient comes from the transpose of that pass. Both take time and memory O(N D).
//! Equations 11 to 24 of `docs/model.md` say what is computed.

mod ancestors;
mod branches;
mod centre;
mod close;
mod collapsed;
mod passes;
mod plan;
mod precision;
mod reading;
mod whitening;

#[cfg(test)]
mod tests;

use std::f64::consts::PI;
use std::fmt;

pub use ancestors::NodeLocations;
pub use branches::BranchStatistics;
pub use close::CloseMerge;
pub use plan::COINCIDENT_TIP_LENGTH;
pub use precision::{NotAPrecision, Precision, WishartPrior};
pub use reading::PrecisionFileError;

use crate::tree::{Tree, listed};
use passes::BLOCK;
use plan::{Lengths, Plan};

/// The unit of branch lengths in V.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BranchScaling {
    /// The total length of the tree, as in the paper's code: Sigma is the variance collected over the whole tree.
    #[default]
    TotalLength,
    /// The tree's own unit: Sigma is the variance collected in one unit of time.
    None,
}

/// What the prior leaves open.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BrownianSettings {
    /// Unit of branch lengths.
    pub scaling: BranchScaling,
    /// Prior sample size kappa of the root: its location is N(mu0, Sigma / kappa).
    pub root_sample_size: f64,
    /// mu0, one number per dimension.
    pub root_mean: Vec<f64>,
}

impl BrownianSettings {
    /// The paper's: lengths by total length, kappa = 0.001, mu0 = 0.
    pub fn paper(n_dims: usize) -> Self {
        Self { scaling: BranchScaling::TotalLength, root_sample_size: 1e-3, root_mean: vec![0.0; n_dims] }
    }
}

/// Why there is no such prior.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BrownianError {
    /// All branches have length zero.
    #[error("{tree}: all branches have length zero. Remedy: give a tree with branch lengths.")]
    NoLength {
        /// Which tree.
        tree: String,
    },
    /// The root's variance is not a positive number.
    #[error("the prior sample size of the root is {0}; it must be a number above zero. Remedy: the paper uses 0.001.")]
    RootSampleSize(f64),
}

/// The prior of the locations given a tree; immutable and shared by all chains.
#[derive(Clone, Debug)]
pub struct BrownianPrior {
    plan: Plan,
    settings: BrownianSettings,
    log_det: f64,
    coincident: Option<CoincidentTips>,
    tip_variance: f64,
    /// Of every node of the tree.
    node_locations: Vec<NodeLocation>,
}

/// Where a node's location is kept.
#[derive(Clone, Copy, Debug)]
enum NodeLocation {
    /// A tip: its coupling position.
    Tip(usize),
    /// An inner node: its index among them.
    Inner(usize),
}

/// Scratch memory of the passes; one per thread.
#[derive(Clone, Debug)]
pub struct BrownianWorkspace {
    slots: Vec<f64>,
    contrasts: Vec<f64>,
    weighed: Vec<f64>,
    /// Three D x D matrices.
    square: Vec<f64>,
    factor: Vec<f64>,
    inverse: Vec<f64>,
    /// One of them, in blocks of columns.
    blocks: Vec<[f64; BLOCK]>,
}

/// Tips at distance zero from each other, which would need equal locations. Print it as a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoincidentTips(Vec<String>);

impl CoincidentTips {
    /// Their names.
    pub fn names(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for CoincidentTips {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n_tips, names) = (self.0.len(), listed(&self.0));
        write!(
            out,
            "{n_tips} tips are at distance zero from another tip, where locations have no density; their branches "
        )?;
        write!(out, "are given {COINCIDENT_TIP_LENGTH:e} of the mean branch length: {names}")
    }
}

impl BrownianPrior {
    /// The prior on `tree`, when tip t (an index into [`Tree::tips`]) is the object at position `tip_positions[t]`.
    ///
    /// # Panics
    /// If the positions are not 0 to N - 1, each once.
    pub fn new(tree: &Tree, tip_positions: &[usize], settings: BrownianSettings) -> Result<Self, BrownianError> {
        assert_positions(tree, tip_positions);
        let kappa = settings.root_sample_size;
        if !(kappa > 0.0 && kappa.is_finite() && (1.0 / kappa).is_finite()) {
            return Err(BrownianError::RootSampleSize(kappa));
        }
        let total = tree.total_length();
        // A length whose reciprocal is infinite is no unit either.
        if !(1.0 / total).is_finite() {
            return Err(BrownianError::NoLength { tree: tree.source().to_string() });
        }
        let scale = if settings.scaling == BranchScaling::TotalLength { total } else { 1.0 };
        let Lengths { lengths, coincident } = Lengths::new(tree, scale);
        let plan = Plan::new(tree, &lengths, 1.0 / kappa, tip_positions);
        let names: Vec<String> = coincident.iter().map(|&tip| tree.tip_name(tip).to_owned()).collect();
        Ok(Self {
            log_det: plan.variances.iter().map(|variance| variance.ln()).sum(),
            tip_variance: tip_variance(tree, &lengths),
            plan,
            settings,
            coincident: (!names.is_empty()).then_some(CoincidentTips(names)),
            node_locations: node_locations(tree, tip_positions),
        })
    }

    /// Number of objects N.
    pub fn n_objects(&self) -> usize {
        self.plan.positions.len()
    }

    /// Number of dimensions D.
    pub fn n_dims(&self) -> usize {
        self.settings.root_mean.len()
    }

    /// Number of inner nodes.
    pub fn n_inner(&self) -> usize {
        self.plan.inner.len()
    }

    /// What was chosen.
    pub fn settings(&self) -> &BrownianSettings {
        &self.settings
    }

    /// log |V|
    pub fn log_det(&self) -> f64 {
        self.log_det
    }

    /// Expected mean variance of the tips about their centre, for Sigma = I.
    pub fn tip_variance(&self) -> f64 {
        self.tip_variance
    }

    /// Tips whose branches had to be lengthened, to be told to the user.
    pub fn coincident_tips(&self) -> Option<&CoincidentTips> {
        self.coincident.as_ref()
    }

    /// Scratch memory for this prior.
    pub fn workspace(&self) -> BrownianWorkspace {
        let (numbers, square) = (vec![0.0; self.n_objects() * self.n_dims()], vec![0.0; self.n_dims() * self.n_dims()]);
        BrownianWorkspace {
            slots: numbers.clone(),
            contrasts: numbers.clone(),
            weighed: numbers,
            square: square.clone(),
            factor: square.clone(),
            inverse: square,
            blocks: vec![[0.0; BLOCK]; self.n_dims() * self.n_dims().div_ceil(BLOCK)],
        }
    }

    /// S = (X - mu0)' V^-1 (X - mu0), row by row. `x` is N * D numbers, dimension by dimension, by position.
    pub fn quadratic<'w>(&self, workspace: &'w mut BrownianWorkspace, x: &[f64]) -> &'w [f64] {
        self.pass_up(workspace, x);
        let BrownianWorkspace { contrasts, square, .. } = workspace;
        passes::sum_of_outer_products(self.n_dims(), contrasts, &self.plan.precisions, square);
        square
    }

    /// Log density of the locations given Sigma^-1 (eq. 12).
    pub fn log_density(&self, workspace: &mut BrownianWorkspace, x: &[f64], precision: &Precision) -> f64 {
        let square = self.weighed_contrasts(workspace, x, precision);
        self.log_density_from(square, precision)
    }

    /// The same; adds the gradient with respect to `x` (eq. 17) to `gradient`.
    pub fn log_density_and_gradient(
        &self,
        workspace: &mut BrownianWorkspace,
        x: &[f64],
        precision: &Precision,
        gradient: &mut [f64],
    ) -> f64 {
        let square = self.weighed_contrasts(workspace, x, precision);
        self.add_gradient(workspace, 1.0, gradient);
        self.log_density_from(square, precision)
    }

    /// -1/2 [N D log 2 pi + D log |V| - N log |P| + tr(P S)]
    fn log_density_from(&self, square: f64, precision: &Precision) -> f64 {
        let (n_objects, n_dims) = (self.n_objects() as f64, self.n_dims() as f64);
        let constant = n_objects * n_dims * (2.0 * PI).ln() + n_dims * self.log_det;
        -0.5 * (constant - n_objects * precision.log_det() + square)
    }

    /// The contrasts of `x` into `workspace.contrasts`.
    fn pass_up(&self, workspace: &mut BrownianWorkspace, x: &[f64]) {
        let BrownianWorkspace { slots, contrasts, .. } = workspace;
        passes::gather(&self.plan.positions, x, &self.settings.root_mean, slots);
        passes::contrasts(self.n_dims(), &self.plan.merges, slots, contrasts);
    }

    /// P u / v for every contrast into `workspace.weighed`; returns tr(P S).
    fn weighed_contrasts(&self, workspace: &mut BrownianWorkspace, x: &[f64], precision: &Precision) -> f64 {
        assert_eq!(precision.n_dims(), self.n_dims(), "a precision of the locations' dimensions");
        self.pass_up(workspace, x);
        self.weigh(workspace, precision.as_slice())
    }

    /// M u / v for every contrast in `workspace.contrasts` into `workspace.weighed`; returns tr(M S).
    fn weigh(&self, workspace: &mut BrownianWorkspace, matrix: &[f64]) -> f64 {
        let BrownianWorkspace { contrasts, weighed, blocks, .. } = workspace;
        passes::padded(self.n_dims(), matrix, blocks);
        passes::weigh(self.n_dims(), contrasts, &self.plan.precisions, blocks, weighed)
    }

    /// Adds -`factor` times the tips' share of `workspace.weighed`.
    fn add_gradient(&self, workspace: &mut BrownianWorkspace, factor: f64, gradient: &mut [f64]) {
        let BrownianWorkspace { slots, weighed, .. } = workspace;
        passes::contrasts_transposed(self.n_dims(), &self.plan.merges, weighed, slots);
        passes::scatter(self.n_dims(), &self.plan.positions, slots, -factor, gradient);
    }
}

/// Half the mean squared distance of two tips, each of the N^2 pairs once: a branch of length t with k tips below parts 2 k (N - k) of them.
fn tip_variance(tree: &Tree, lengths: &[f64]) -> f64 {
    let mut n_below = vec![0.0; tree.n_nodes()];
    for &tip in tree.tips() {
        let mut node = Some(tip);
        while let Some(at) = node {
            n_below[at] += 1.0;
            node = tree.parent(at);
        }
    }
    let n_tips = tree.n_tips() as f64;
    n_below.iter().zip(lengths).map(|(k, length)| length * k * (n_tips - k)).sum::<f64>() / (n_tips * n_tips)
}

fn assert_positions(tree: &Tree, tip_positions: &[usize]) {
    let mut taken = vec![false; tree.n_tips()];
    assert_eq!(tip_positions.len(), taken.len(), "a position for every tip");
    for &position in tip_positions {
        assert!(!std::mem::replace(&mut taken[position], true), "position {position} is given once");
    }
}

fn node_locations(tree: &Tree, tip_positions: &[usize]) -> Vec<NodeLocation> {
    let mut node_locations = vec![NodeLocation::Tip(0); tree.n_nodes()];
    tree.tips()
        .iter()
        .zip(tip_positions)
        .for_each(|(&node, &position)| node_locations[node] = NodeLocation::Tip(position));
    tree.inner_nodes().enumerate().for_each(|(index, node)| node_locations[node] = NodeLocation::Inner(index));
    node_locations
}
