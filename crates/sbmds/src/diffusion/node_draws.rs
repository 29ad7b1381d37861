//! The draws of a run, with a location for every node of its tree.

use crate::Locations;
use crate::brownian::{BranchStatistics, BrownianPrior, NodeLocations, Precision};
use crate::draws::{DrawReader, X_SHIFT};
use crate::embedding::Alignment;
use crate::error::RunError;
use crate::random::{Purpose, stream};
use crate::tree::Tree;

/// The draws of a run along a tree.
pub struct NodeDraws<'a> {
    tree: &'a Tree,
    /// In input order of the objects.
    prior: BrownianPrior,
    reader: &'a DrawReader,
    /// What aligns draws to the map shown.
    alignment: Alignment,
    /// The chains that the map shown consists of.
    shown: Vec<usize>,
    seed: u64,
}

/// Where every node of the tree is in one draw, aligned to the map shown, in input units.
pub struct NodeDraw<'a> {
    /// Its chain.
    pub chain: usize,
    /// Its number in the chain.
    pub draw: usize,
    /// Its number among all draws, chain after chain.
    pub index: usize,
    tips: Locations,
    ancestors: Locations,
    draws: &'a NodeDraws<'a>,
}

impl<'a> NodeDraws<'a> {
    /// Draws of `reader` along `tree`, whose prior is in input order of the objects; the map shown, which they are aligned to,
    /// consists of the chains `shown`; `seed` is the run's.
    pub fn new(
        tree: &'a Tree,
        prior: BrownianPrior,
        reader: &'a DrawReader,
        alignment: Alignment,
        shown: Vec<usize>,
        seed: u64,
    ) -> Self {
        Self { tree, prior, reader, alignment, shown, seed }
    }

    /// The tree.
    pub fn tree(&self) -> &'a Tree {
        self.tree
    }

    /// The draws as stored.
    pub fn reader(&self) -> &'a DrawReader {
        self.reader
    }

    /// Number of stored draws of the locations, in all chains.
    pub fn n_draws(&self) -> usize {
        let stored = |chain| self.reader.n_complete(chain);
        if self.reader.has_x() { (0..self.reader.n_chains()).map(stored).sum() } else { 0 }
    }

    /// Visits the draws whose index `is_wanted`; memory holds one of them. Ancestors are drawn given the tips and Sigma (eq.
    /// 23), the same ones whenever a draw is visited.
    ///
    /// # Errors
    /// If the store is damaged or the visitor fails.
    pub fn for_each(
        &self,
        is_wanted: impl Fn(usize) -> bool,
        mut visit: impl FnMut(&NodeDraw<'_>) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        if !self.reader.has_x() {
            return Ok(());
        }
        let mut workspace = self.prior.workspace();
        let n_dims = self.prior.n_dims();
        let mut index = 0;
        for chain in 0..self.reader.n_chains() {
            let covariances = self.reader.scalar("trait_covariance", chain)?;
            let origins = self.origins(chain)?;
            for (draw, covariance) in covariances.chunks_exact(n_dims * n_dims).enumerate() {
                if is_wanted(index) {
                    let origin = origins.as_ref().map(|origins| &origins[draw * n_dims..(draw + 1) * n_dims]);
                    let x = centred(self.reader.x(chain, draw)?, origin);
                    let precision =
                        Precision::of_covariance(n_dims, covariance).ok_or_else(|| self.damaged(chain, draw))?;
                    let mut ancestors = Locations::zeros(self.prior.n_inner(), n_dims);
                    let rng = &mut stream(self.seed, index, Purpose::Ancestors);
                    self.prior.draw_ancestors(&mut workspace, x.as_slice(), &precision, rng, ancestors.as_mut_slice());
                    let motion = self.alignment.motion(&x);
                    let (tips, ancestors) = (motion.apply(&x), motion.apply(&ancestors));
                    visit(&NodeDraw { chain, draw, index, tips, ancestors, draws: self })?;
                }
                index += 1;
            }
        }
        Ok(())
    }

    /// Where the root is expected in the frame of each stored draw of a chain; `None` if it is the origin, as in raw draws.
    fn origins(&self, chain: usize) -> Result<Option<Vec<f64>>, RunError> {
        let is_moved = self.reader.stats().any(|stat| stat.name == X_SHIFT);
        Ok(if is_moved { Some(self.reader.stat(X_SHIFT, chain)?) } else { None })
    }

    /// The indices, among all draws, of those that the map shown consists of.
    pub(super) fn shown_indices(&self) -> Vec<usize> {
        let all = (0..self.reader.n_chains())
            .flat_map(|chain| (0..self.reader.n_complete(chain)).map(move |_| chain))
            .enumerate();
        all.filter(|(_, chain)| self.shown.contains(chain)).map(|(index, _)| index).collect()
    }

    /// Whether the map shown consists of draws such as this.
    pub fn is_shown(&self, draw: &NodeDraw<'_>) -> bool {
        self.shown.contains(&draw.chain)
    }

    /// Locations of all nodes: the tips at the map shown, inner nodes at `ancestors`.
    pub(super) fn node_locations<'s>(&'s self, ancestors: &'s Locations) -> NodeLocations<'s> {
        self.prior.node_locations(self.alignment.reference().as_slice(), ancestors.as_slice())
    }

    fn damaged(&self, chain: usize, draw: usize) -> RunError {
        let what = format!("trait_covariance of draw {draw} of chain {chain} is no covariance");
        RunError::Damaged { path: self.reader.path().to_owned(), what }
    }
}

/// Locations seen from the origin that the prior of the root is centred at.
fn centred(mut x: Locations, origin: Option<&[f64]>) -> Locations {
    for (dim, shift) in origin.into_iter().flatten().enumerate() {
        x.dim_mut(dim).iter_mut().for_each(|x| *x -= shift);
    }
    x
}

impl NodeDraw<'_> {
    /// Locations of the inner nodes, in the order of [`Tree::inner_nodes`].
    pub fn ancestors(&self) -> &Locations {
        &self.ancestors
    }

    /// Locations of all nodes of the tree.
    pub fn nodes(&self) -> NodeLocations<'_> {
        self.draws.prior.node_locations(self.tips.as_slice(), self.ancestors.as_slice())
    }

    /// How far locations move along the branches.
    pub fn branch_statistics(&self) -> BranchStatistics {
        BranchStatistics::of(self.draws.tree, &self.nodes())
    }
}
