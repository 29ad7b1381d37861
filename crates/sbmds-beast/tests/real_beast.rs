//! BEAST itself, as Debian packages it, with its Java core and with this library. `scripts/test_beast` runs these.

mod kit;

use std::path::Path;
use std::process::Command;

use kit::{Analysis, Data, Proposals, beast, library};
use sbmds::beast::BeastFlags;
use sbmds::coupling::LayOptions;
use sbmds::tree::{Tree, TreeChoice};

/// All pairs, as most people will ask for.
const ALL_PAIRS: i64 = 1;

fn analysis(data: &Data, truncated: bool, tree: bool) -> Analysis<'_> {
    let proposals = Proposals::RandomWalk;
    Analysis { data, truncated, precision: 4.0, tree, proposals, n_states: 5_000, log_every: 10 }
}

/// The log-likelihood of the state BEAST starts from.
fn first_likelihood(analysis: &Analysis, flags: Option<i64>) -> f64 {
    let run = beast(&Analysis { n_states: 1, log_every: 1, ..*analysis }.xml(), &analysis.data.table(), flags);
    assert!(run.success, "{}", run.output);
    run.log.column("mdsLikelihood")[0]
}

/// The same proposals are accepted and rejected for 5,000 states, alone and along a tree.
#[test]
fn chains_are_those_of_the_java_core() {
    if library().is_none() {
        return;
    }
    for (truncated, tree) in [(false, false), (true, false), (true, true)] {
        let data = Data::simulated(10, 0.0, 1);
        let (xml, table) = (analysis(&data, truncated, tree).xml(), data.table());
        let (java, ours) = (beast(&xml, &table, None), beast(&xml, &table, Some(ALL_PAIRS)));
        assert!(java.success && ours.success, "{}{}", java.output, ours.output);
        assert!(ours.output.contains("MDS library loaded"), "{}", ours.output);
        assert_eq!(java.log.rows.len(), 501);
        let difference = java.log.largest_difference(&ours.log);
        println!("truncated {truncated}, tree {tree}: largest relative difference {difference:e}");
        assert!(difference < 1e-9, "{difference}");
        let locations = ours.log.column("t01");
        assert!(locations.first() != locations.last(), "nothing moved");
    }
}

/// BEAST's Java core has no gradient: with it a Hamiltonian operator ends the run.
#[test]
fn hamiltonian_operators_work() {
    if library().is_none() {
        return;
    }
    for (tree, truncated) in [(false, false), (false, true), (true, true)] {
        let data = Data::simulated(20, 0.0, 2);
        let hamiltonian = Analysis { proposals: Proposals::Hamiltonian, ..analysis(&data, truncated, tree) };
        let run = beast(&hamiltonian.xml(), &data.table(), Some(ALL_PAIRS));
        assert!(run.success, "{}", run.output);
        let acceptance = acceptance(&run.output, "Vanilla HMC operator");
        println!("tree {tree}, truncated {truncated}: acceptance {acceptance}");
        // BEAST adapts the step to an acceptance of 0.8; a wrong gradient gives next to none.
        assert!((0.6..0.97).contains(&acceptance), "{}", run.output);
    }
    let data = Data::simulated(20, 0.0, 2);
    let hamiltonian = Analysis { proposals: Proposals::Hamiltonian, ..analysis(&data, false, false) };
    let java = beast(&hamiltonian.xml(), &data.table(), None);
    assert!(java.output.contains("Not yet implemented"), "{}", java.output);
}

/// The last number in the line of an operator.
fn acceptance(output: &str, operator: &str) -> f64 {
    let line = output.lines().find(|line| line.starts_with(operator)).expect(operator);
    line.split_whitespace().last().unwrap().parse().unwrap()
}

/// Pairs that are missing are not counted, and whatever is not coupled is not either.
#[test]
fn likelihoods_are_those_of_sbmds_eval() {
    if library().is_none() {
        return;
    }
    for (couplings, missing, seed) in
        [("full", 0.2, 1), ("band:3", 0.0, 2), ("landmark:6", 0.1, 3), ("dispersed:4", 0.1, 4), ("auto", 0.2, 5)]
    {
        let data = Data::simulated(30, missing, 10 + seed);
        for truncated in [false, true] {
            let lay = LayOptions { seed, ..LayOptions::default() };
            let flags = BeastFlags { couplings: couplings.parse().ok(), lay, ..BeastFlags::default() };
            let found = first_likelihood(&analysis(&data, truncated, false), flags.to_number().ok());
            let noise = if truncated { "truncated-normal" } else { "normal" };
            let expected = evaluated(&data, &format!("--couplings {couplings} --seed {seed} --noise {noise}"));
            assert!((found - expected).abs() < 1e-9 * expected.abs(), "{couplings} {noise}: {found} {expected}");
        }
    }
}

/// `sbmds eval` of the starting map at precision 4.
fn evaluated(data: &Data, arguments: &str) -> f64 {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("d.tsv"), data.table()).unwrap();
    std::fs::write(directory.path().join("map.csv"), data.positions()).unwrap();
    let program = std::env::var("SBMDS_PROGRAM").expect("scripts/test_beast sets SBMDS_PROGRAM");
    let output = Command::new(program)
        .args("eval d.tsv --positions map.csv --sigma 0.5".split(' ').chain(arguments.split(' ')))
        .current_dir(directory.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let number = text.split("\"log_likelihood\":").nth(1).and_then(|rest| rest.split(['}', ',']).next());
    number.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr))).parse().unwrap()
}

/// A chain over sparse couplings runs; BEAST's own test of stored states would stop it.
#[test]
fn sparse_chains_run() {
    if library().is_none() {
        return;
    }
    let data = Data::simulated(60, 0.05, 3);
    let flags = BeastFlags { couplings: "dispersed:6".parse().ok(), ..BeastFlags::default() };
    let run = beast(&analysis(&data, true, false).xml(), &data.table(), flags.to_number().ok());
    assert!(run.success && !run.output.contains("State was not correctly"), "{}", run.output);
    assert!(run.log.rows.len() == 501);
}

/// Wrong flags end BEAST with a sentence, not with a crash.
#[test]
fn wrong_flags_are_an_exception() {
    if library().is_none() {
        return;
    }
    let data = Data::simulated(10, 0.0, 1);
    let run = beast(&analysis(&data, true, false).xml(), &data.table(), Some(1 << 50));
    assert!(!run.success);
    assert!(run.output.contains("name no couplings. Remedy: use 1 for all pairs"), "{}", run.output);
    assert!(!run.output.contains("SIGSEGV"), "{}", run.output);
}

/// The published analysis of influenza H3N2: BEAST's own log of 2017 says -84558.87175353881 (without truncation). The
/// truncated value is that of BEAST's Java core at the same state.
#[test]
fn the_published_likelihood_comes_out() {
    let Some(shared) = std::env::var_os("SBMDS_SHARED_DATA").filter(|_| library().is_some()) else {
        eprintln!("not tested: the data of h3n2 are looked for in SBMDS_SHARED_DATA");
        return;
    };
    let folder = Path::new(&shared).join("h3n2");
    if !folder.exists() {
        eprintln!("not tested: {} is not there", folder.display());
        return;
    }
    let tree = Tree::read(&folder.join("large.trees"), TreeChoice::Last).unwrap();
    let table = std::fs::read_to_string(folder.join("h3_Deff.txt")).unwrap();
    let names: Vec<String> =
        table.lines().next().unwrap().split('\t').skip(1).map(|name| name.trim().to_owned()).collect();
    let location = |name: &String| {
        let node = *tree.tips().iter().find(|&&node| tree.label(node) == Some(name)).unwrap();
        <[f64; 2]>::try_from(tree.annotated_numbers(node, "loc").unwrap()).unwrap()
    };
    let map = names.iter().map(location).collect();
    let data = Data { names, values: Vec::new(), map };
    let precision = logged(&folder.join("large.log"), "mds.residual.precision");
    for (truncated, expected) in [(false, -84_558.871_753_538_81), (true, -81_264.755_608_268_66)] {
        let start = Analysis { precision, n_states: 1, log_every: 1, ..analysis(&data, truncated, false) };
        let run = beast(&start.xml(), &table, Some(ALL_PAIRS));
        assert!(run.success, "{}", run.output);
        let found = run.log.column("mdsLikelihood")[0];
        println!("truncated {truncated}: {found} for {expected}");
        assert!((found - expected).abs() < 1e-9 * expected.abs(), "{found}");
    }
}

/// One number of a log file.
fn logged(path: &Path, column: &str) -> f64 {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let at = lines.next().unwrap().split('\t').position(|name| name == column).unwrap();
    lines.next().unwrap().split('\t').nth(at).unwrap().parse().unwrap()
}
