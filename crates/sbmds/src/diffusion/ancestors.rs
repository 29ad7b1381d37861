//! `ancestors.csv`: where every inner node of the tree was.

use crate::embedding::Moments;
use crate::tree::Tree;

/// The table: one row per inner node, the root last. A node is the last common ancestor of the two tips named.
pub(super) fn table(tree: &Tree, moments: &Moments) -> Result<Vec<u8>, csv::Error> {
    let n_dims = moments.mean().n_dims();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let numbered = |letters: &'static str| (1..=n_dims).map(move |dim| format!("{letters}{dim}"));
    let first = ["node", "parent", "tips", "tip_a", "tip_b", "time_from_root"].map(String::from);
    writer.write_record(first.into_iter().chain(numbered("x")).chain(numbered("sd")))?;
    let (below, times) = (Below::of(tree), times_from_root(tree));
    for (index, node) in tree.inner_nodes().enumerate() {
        let children = tree.children(node);
        let tip = |child: Option<&usize>| {
            child.map_or_else(String::new, |&child| tree.label(below.first_tip[child]).unwrap_or_default().into())
        };
        let parent = tree.parent(node).map_or_else(String::new, |parent| (parent + 1).to_string());
        let about = [
            (node + 1).to_string(),
            parent,
            below.n_tips[node].to_string(),
            tip(children.first()),
            tip(children.last()),
            times[node].to_string(),
        ];
        let mean = (0..n_dims).map(|dim| moments.mean().get(index, dim));
        let numbers = mean.chain((0..n_dims).map(|dim| moments.sd(index, dim)));
        let cells = numbers.map(|number| if number.is_nan() { String::new() } else { number.to_string() });
        writer.write_record(about.into_iter().chain(cells))?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// What is below every node.
struct Below {
    n_tips: Vec<usize>,
    first_tip: Vec<usize>,
}

impl Below {
    fn of(tree: &Tree) -> Self {
        let n_nodes = tree.n_nodes();
        let mut below = Self { n_tips: vec![1; n_nodes], first_tip: (0..n_nodes).collect() };
        // Children come before their parents.
        for node in tree.inner_nodes() {
            below.n_tips[node] = tree.children(node).iter().map(|&child| below.n_tips[child]).sum();
            below.first_tip[node] = below.first_tip[tree.children(node)[0]];
        }
        below
    }
}

/// Time from the root to every node.
pub(crate) fn times_from_root(tree: &Tree) -> Vec<f64> {
    let mut times = vec![0.0; tree.n_nodes()];
    for node in (0..tree.n_nodes()).rev() {
        times[node] = tree.parent(node).map_or(0.0, |parent| times[parent] + tree.length(node));
    }
    times
}
