//! BEAST's own values on the H3N2 data, where that is at hand: in the folder `SBMDS_SHARED_DATA`, or `shared/data` beside
//! the workspace.

use std::path::PathBuf;

use super::super::*;
use super::kit::assert_close;
use crate::tree::TreeChoice;

/// The folder of the data; says so when it is not there.
fn h3n2() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("SBMDS_SHARED_DATA").map_or(beside, PathBuf::from).join("h3n2");
    if !folder.is_dir() {
        eprintln!("skipped: {} is not here", folder.display());
        return None;
    }
    Some(folder)
}

/// The column `name` of the last row of a BEAST log.
fn logged(log: &str, name: &str) -> f64 {
    let mut rows = log.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let column = header.iter().position(|&title| title == name).unwrap();
    rows.next_back().unwrap()[column].parse().unwrap()
}

#[test]
fn h3n2_tree_prior_and_branch_statistics_are_those_of_beast() {
    let Some(data) = h3n2() else { return };
    let log = std::fs::read_to_string(data.join("large.log")).unwrap();
    let tree = Tree::read(&data.join("large.trees"), TreeChoice::Last).unwrap();
    assert_eq!(tree.source().name.as_deref(), Some("STATE_520000"));
    assert_eq!((tree.n_tips(), tree.n_nodes()), (372, 743));
    assert_close(tree.total_length(), logged(&log, "loc.treeLength"), 1e-13);

    let location = |node, dim: usize| tree.annotated_numbers(node, "loc").unwrap()[dim];
    let x: Vec<f64> =
        (0..2).flat_map(|dim| tree.tips().iter().map(move |&node| (node, dim))).map(|(n, d)| location(n, d)).collect();
    let ancestors: Vec<f64> =
        (0..2).flat_map(|dim| tree.inner_nodes().map(move |node| (node, dim))).map(|(n, d)| location(n, d)).collect();
    let in_order: Vec<usize> = (0..372).collect();
    let prior = BrownianPrior::new(&tree, &in_order, BrownianSettings::paper(2)).unwrap();
    assert!(prior.coincident_tips().is_none());
    let entries = ["11", "12", "21", "22"].map(|entry| logged(&log, &format!("loc.precision.col{entry}")));
    let precision = Precision::new(2, entries.to_vec()).unwrap();
    let found = prior.log_density(&mut prior.workspace(), &x, &precision);
    // `loc.traitLikelihood` of the log.
    assert_close(found, -1751.4804054921747, 1e-12);

    let found = BranchStatistics::of(&tree, &prior.node_locations(&x, &ancestors));
    assert_close(found.diffusion_rate, logged(&log, "loc.avDiffusionRate"), 1e-10);
    assert_close(found.weighted_diffusion_rate, logged(&log, "loc.wavdDiffusionRate"), 1e-10);
    assert_close(found.diffusion_coefficient, logged(&log, "loc.avDiffusionCoefficient"), 1e-10);
    assert_close(found.weighted_diffusion_coefficient, logged(&log, "loc.wavDiffusionCoefficient"), 1e-10);
}
