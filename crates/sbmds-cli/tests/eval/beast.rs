//! BEAST's own value on the H3N2 data, where that is at hand: in the folder `SBMDS_SHARED_DATA`, or `shared/data` beside
//! the workspace.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::kit::{Folder, assert_close};

/// `mdsLikelihood` of state 520000 in `large.log` (BEAST 1.9.0pre, MassiveMDS R package).
const BEAST_LOG_LIKELIHOOD: f64 = -84558.87175353881;

/// The folder of the data; says so when it is not there.
pub fn h3n2() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("SBMDS_SHARED_DATA").map_or(beside, PathBuf::from).join("h3n2");
    if !folder.is_dir() {
        eprintln!("skipped: {} is not here", folder.display());
        return None;
    }
    Some(folder)
}

/// The column `name` of the last row of a BEAST log.
pub fn logged(log: &str, name: &str) -> f64 {
    let mut rows = log.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let column = header.iter().position(|&title| title == name).unwrap();
    rows.next_back().unwrap()[column].parse().unwrap()
}

/// The sampled location of every tip, as rows of a CSV: `1[&loc={x,y}]` in the tree, `1 name,` in the translate block.
pub fn tip_locations(trees: &str) -> Vec<String> {
    let (before_trees, tree) = trees.split_once("tree STATE_").unwrap();
    let names: HashMap<&str, &str> = before_trees
        .split_once("Translate")
        .unwrap()
        .1
        .lines()
        .filter_map(|line| line.trim().trim_end_matches(',').split_once(' '))
        .collect();
    let pieces: Vec<&str> = tree.split("[&loc={").collect();
    let mut rows = Vec::new();
    for two in pieces.windows(2) {
        let label = two[0].rsplit(['(', ',']).next().unwrap();
        if let Some(name) = names.get(label) {
            rows.push(format!("{name},{}", two[1].split_once('}').unwrap().0));
        }
    }
    rows
}

#[test]
pub fn h3n2_log_likelihood_is_that_of_beast() {
    let Some(data) = h3n2() else { return };
    let read = |file| std::fs::read_to_string(data.join(file)).unwrap();
    let rows = tip_locations(&read("large.trees"));
    assert_eq!(rows.len(), 372);
    let log = read("large.log");
    assert_eq!(logged(&log, "mdsLikelihood"), BEAST_LOG_LIKELIHOOD);
    let sigma = 1.0 / logged(&log, "mds.residual.precision").sqrt();
    let folder =
        Folder::new().with("x.csv", format!("name,x,y\n{}\n", rows.join("\n"))).with("d.txt", read("h3_Deff.txt"));
    for order in ["given", "shuffle"] {
        let found = folder
            .eval(&format!("d.txt --positions x.csv --sigma {sigma} --noise normal --couplings full --order {order}"));
        assert_eq!((found.n_objects, found.n_pairs), (372, 69_006));
        assert_close(found.log_likelihood, BEAST_LOG_LIKELIHOOD, 1e-10);
    }
}
