//! `sbmds eval --tree`: the Brownian prior against 60 digits (`sbmds/tests/brownian_fixtures`) and BEAST, and what is refused.

use std::path::PathBuf;

use serde::Deserialize;

use crate::beast::{h3n2, logged, tip_locations};
use crate::kit::{Folder, assert_close, assert_rows_close};

#[derive(Deserialize)]
struct Expected {
    names: Vec<String>,
    cases: Vec<Values>,
}

#[derive(Deserialize)]
struct Values {
    scaling: String,
    root_sample_size: f64,
    log_density: f64,
    gradient: Vec<Vec<f64>>,
}

fn fixture(file: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../sbmds/tests/brownian_fixtures");
    std::fs::read_to_string(folder.join(file)).unwrap()
}

fn expected() -> Expected {
    serde_json::from_str(&fixture("expected.json")).unwrap()
}

/// The fixture's tree, locations and precision, with made-up dissimilarities in the order of `expected.json`.
fn folder() -> Folder {
    let names = expected().names;
    let mut distances = format!(",{}\n", names.join(","));
    for (row, name) in names.iter().enumerate() {
        let cells: Vec<String> = (0..names.len()).map(|column| row.abs_diff(column).to_string()).collect();
        distances += &format!("{name},{}\n", cells.join(","));
    }
    Folder::new()
        .with("d.csv", distances)
        .with("x.csv", fixture("positions.csv"))
        .with("t.trees", fixture("tree.trees"))
        .with("p.csv", fixture("precision.csv"))
}

const GOOD: &str = "d.csv --positions x.csv --sigma 1 --tree t.trees --trait-precision p.csv";

#[test]
fn prior_and_gradient_in_many_digits() {
    let folder = folder();
    for case in expected().cases {
        let Values { scaling, root_sample_size, .. } = &case;
        let flags = format!("--tree-index 2 --prune --branch-scaling {scaling} --root-sample-size {root_sample_size}");
        // The prior has nothing to do with couplings and their order.
        for coupling in ["--order given", "--couplings dispersed:2 --seed 5"] {
            let found = folder.eval(&format!("{GOOD} {flags} {coupling} --gradient"));
            assert_close(found.log_prior_tree.unwrap(), case.log_density, 1e-13);
            assert_rows_close(&found.gradient_prior_tree.unwrap(), &case.gradient, 1e-12);
        }
        let found = folder.eval(&format!("{GOOD} {flags}"));
        assert_close(found.log_prior_tree.unwrap(), case.log_density, 1e-13);
        assert!(found.gradient_prior_tree.is_none() && found.gradient.is_none());
    }
}

#[test]
fn without_a_tree_nothing_is_said_of_it() {
    let found = folder().sbmds("eval d.csv --positions x.csv --sigma 1 --gradient");
    assert!(found.code == Some(0) && !found.stdout.contains("tree"), "{}", found.stdout);
}

#[test]
fn the_default_tree_is_the_last_and_is_named() {
    let folder = folder();
    let answer = folder.sbmds(&format!("eval {GOOD} --prune"));
    assert_eq!(answer.stderr, "note: tree 2 of 2 in t.trees (STATE_1) is used; --tree-index chooses another\n");
    let chosen = folder.eval(&format!("{GOOD} --prune --tree-index 2"));
    assert_eq!(answer.evaluation(), chosen);
    assert_ne!(folder.eval(&format!("{GOOD} --prune --tree-index 1")).log_prior_tree, chosen.log_prior_tree);
}

#[test]
fn tips_at_distance_zero_are_warned_of() {
    let folder = folder().with("z.nwk", fixture("tree.trees").replace("8[&rate=0.5]:0.25,1:1.5e-1", "8:0,1:0"));
    let answer = folder.sbmds(&format!("eval {} --prune --tree-index 2", GOOD.replace("t.trees", "z.nwk")));
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    assert!(answer.stderr.starts_with("warning: 2 tips are at distance zero"), "{}", answer.stderr);
    assert!(answer.stderr.contains("h, A/North/1/2010"), "{}", answer.stderr);
    assert!(answer.evaluation().log_prior_tree.unwrap().is_finite());
}

#[test]
fn what_is_refused() {
    let folder = folder()
        .with("cut.trees", &fixture("tree.trees")[..450])
        .with("negative.nwk", "(a:1,b:-1);")
        .with("flat.nwk", "(c_3:0,A/North/1/2010:0,B's place:0,d:0,g:0,e:0,f:0,h:0);")
        .with("short.nwk", "(c_3:1,d:1);")
        .with("skew.csv", "1,0.5\n0.25,1\n")
        .with("indefinite.csv", "1,2\n2,1\n")
        .with("three.csv", "1,0,0\n0,1,0\n0,0,1\n");
    let base = "d.csv --positions x.csv --sigma 1";
    let cases: &[(&str, &[&str])] = &[
        ("--tree t.trees", &["--tree needs --trait-precision"]),
        ("--trait-precision p.csv", &["--tree"]),
        ("--tree-index 1", &["--tree"]),
        ("--tree t.trees --trait-precision p.csv", &["t.trees: 1 tip is not among the objects: outgroup", "--prune"]),
        ("--tree short.nwk --trait-precision p.csv", &["short.nwk: 6 objects are not in the tree: A/North/1/2010, "]),
        ("--tree nowhere --trait-precision p.csv", &["nowhere: there is no such file", "Remedy: "]),
        ("--tree cut.trees --trait-precision p.csv", &["cut.trees, line ", "column ", "Remedy: "]),
        ("--tree negative.nwk --trait-precision p.csv", &["negative.nwk, line 1, column 8", "-1 is negative"]),
        ("--tree flat.nwk --trait-precision p.csv", &["flat.nwk: all branches have length zero", "Remedy: "]),
        ("--tree t.trees --tree-index 3 --trait-precision p.csv", &["there is no tree 3; the file has 2", "Remedy: "]),
        ("--tree t.trees --prune --trait-precision skew.csv", &["skew.csv: the matrix is not symmetric", "Remedy: "]),
        ("--tree t.trees --prune --trait-precision indefinite.csv", &["not positive definite", "Remedy: "]),
        ("--tree t.trees --prune --trait-precision three.csv", &["three.csv, line 1: expected 2 numbers, found 3"]),
        ("--tree t.trees --prune --trait-precision nowhere.csv", &["nowhere.csv", "cannot be read"]),
        ("--tree t.trees --prune --trait-precision p.csv --root-sample-size 0", &["sample size of the root is 0"]),
        ("--tree t.trees --prune --trait-precision p.csv --root-sample-size -1", &["sample size of the root is -1"]),
    ];
    for (flags, parts) in cases {
        let answer = folder.sbmds(&format!("eval {base} {flags}"));
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{flags}\n{}", answer.stderr);
        for part in *parts {
            assert!(answer.stderr.contains(part), "{flags}: no {part:?} in\n{}", answer.stderr);
        }
    }
}

#[test]
fn h3n2_tree_prior_is_that_of_beast() {
    let Some(data) = h3n2() else { return };
    let read = |file| std::fs::read_to_string(data.join(file)).unwrap();
    let (trees, log) = (read("large.trees"), read("large.log"));
    let entry = |name: &str| logged(&log, &format!("loc.precision.col{name}"));
    let folder = Folder::new()
        .with("x.csv", format!("name,x,y\n{}\n", tip_locations(&trees).join("\n")))
        .with("d.txt", read("h3_Deff.txt"))
        .with("p.csv", format!("{},{}\n{},{}\n", entry("11"), entry("12"), entry("21"), entry("22")))
        .with("t.trees", trees);
    let flags = "d.txt --positions x.csv --sigma 1 --couplings band:5 --tree t.trees --trait-precision p.csv";
    let found = folder.eval(&format!("{flags} --gradient"));
    // `loc.traitLikelihood` of state 520000 in `large.log`.
    assert_close(found.log_prior_tree.unwrap(), -1751.4804054921747, 1e-12);
    assert_eq!(found.gradient_prior_tree.unwrap().len(), 372);
}
