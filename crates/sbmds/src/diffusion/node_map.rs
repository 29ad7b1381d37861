//! The tree over the map: where every node is on average, and when.

use super::NodeDraws;
use super::ancestors::times_from_root;
use crate::Locations;
use crate::draws::Spaced;
use crate::embedding::Moments;
use crate::error::RunError;

/// Draws over which ancestors are averaged; more change nothing that can be seen.
const MOST_DRAWS: usize = 500;

/// Where every node of a tree is on average. Nodes are in the tree's order, children before parents.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeMap {
    /// The parent of every node; the root, which is last, has none.
    pub parents: Vec<Option<usize>>,
    /// The object (input order) of every tip; inner nodes have none.
    pub objects: Vec<Option<usize>>,
    /// Time from the root.
    pub times: Vec<f64>,
    /// Posterior mean location, aligned to the mean map.
    pub mean: Locations,
}

impl NodeMap {
    /// Averages over the draws; `None` if the run kept none.
    ///
    /// # Errors
    /// If the store is damaged.
    pub fn of(draws: &NodeDraws<'_>) -> Result<Option<Self>, RunError> {
        let tree = draws.tree();
        let shown = draws.shown_indices();
        let chosen = Spaced::new(shown.len(), MOST_DRAWS);
        let wanted: Vec<usize> =
            shown.iter().enumerate().filter(|(index, _)| chosen.contains(*index)).map(|(_, &index)| index).collect();
        let mut moments = Moments::new(tree.n_inner(), draws.reader().n_dims());
        draws.for_each(
            |index| wanted.binary_search(&index).is_ok(),
            |draw| {
                moments.add(draw.ancestors());
                Ok(())
            },
        )?;
        if moments.n_draws() == 0 {
            return Ok(None);
        }
        let nodes = draws.node_locations(moments.mean());
        let names = draws.reader().names();
        let object = |node| tree.label(node).filter(|_| tree.is_tip(node)).and_then(|name| names.find(name));
        Ok(Some(Self {
            parents: (0..tree.n_nodes()).map(|node| tree.parent(node)).collect(),
            objects: (0..tree.n_nodes()).map(object).collect(),
            times: times_from_root(tree),
            mean: Locations::from_fn(tree.n_nodes(), nodes.n_dims(), |node, dim| nodes.get(node, dim)),
        }))
    }
}
