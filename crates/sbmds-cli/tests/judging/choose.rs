//! `sbmds choose`: the number of dimensions of simulated data, and going on after an interruption.

use super::folder::Folder;

const FLAGS: &str = "--chains 2 --warmup 150 --draws 150 --seed 1";

fn json(printed: &str) -> serde_json::Value {
    serde_json::from_str(printed).unwrap()
}

#[test]
fn two_dimensions_are_found_and_fits_are_not_made_twice() {
    let folder = Folder::new();
    folder.ok("simulate --objects 25 --dims 2 --noise truncated-normal --sd 0.2 --seed 3 -o simulated");
    let command = format!("choose simulated/distances.csv --dims 1-3 {FLAGS} -o chosen");
    let printed = folder.ok(&command);
    assert!(printed.contains("Take 2 dimensions") && printed.contains("MDSIC"), "{printed}");
    assert_eq!(folder.column("chosen/choose.csv", "taken")["2"], "true");
    assert!(folder.read("chosen/choose.svg").contains("Choice of dimensions"));
    // Again: the fits are there, so that nothing is sampled.
    let again = folder.run(&command);
    assert!(!again.stderr.contains("fitting") && again.stdout == printed, "{}", again.stderr);
    folder.refuses(&format!("{command} --priors paper"), &["other settings"]);
}

/// Candidates and folds are fitted side by side: what they say is the same for any number of threads, to the last bit.
#[test]
fn threads_change_no_bit_of_a_choice() {
    let folder = Folder::new();
    folder.ok("simulate --objects 10 --dims 2 --noise truncated-normal --sd 0.2 --seed 3 -o simulated");
    let answer = |threads: usize| {
        let command =
            format!("choose simulated/distances.csv --dims 1-3 --folds 2 {FLAGS} --threads {threads} -o by-{threads}");
        folder.ok(&command);
        let draws = ["dims-1", "dims-3-fold-2"].map(|fit| folder.read(&format!("by-{threads}/{fit}/embedding.csv")));
        (folder.read(&format!("by-{threads}/choose.csv")), draws)
    };
    let one = answer(1);
    assert!(one.0.lines().count() == 4, "{}", one.0);
    assert_eq!(one, answer(2));
    assert_eq!(one, answer(5));
}

#[test]
fn bands_are_grown_until_nothing_moves_and_fits_are_not_made_twice() {
    let folder = Folder::new();
    folder.ok("simulate --objects 40 --dims 2 --noise truncated-normal --sd 0.2 --seed 3 -o simulated");
    let command = format!("choose simulated/distances.csv --bands {FLAGS} -o grown --json");
    let printed = folder.ok(&command);
    let chosen = json(&printed);
    let rows = chosen["rows"].as_array().unwrap();
    let bands: Vec<u64> = rows.iter().map(|row| row["bands"].as_u64().unwrap()).collect();
    assert!(bands.starts_with(&[4, 8]) && *bands.last().unwrap() <= 18, "{chosen}");
    let of = |row: usize, column: &str| rows[row][column].as_f64().unwrap();
    assert!(of(1, "width") < of(0, "width") && of(1, "n_pairs") == 320.0, "{chosen}");
    assert!(chosen["rule"] == 13 && chosen["n_held_out"] == 40, "{chosen}");
    assert!(chosen["advice"].as_str().unwrap().contains("D sqrt(N) says 13"), "{chosen}");
    assert!(folder.read("grown/bands.svg").contains("Enough pairs?"));
    let again = folder.run(&command);
    assert!(!again.stderr.contains("fitting") && again.stdout == printed, "{}", again.stderr);
    // Fits of one's own choice, in the same directory.
    let some = folder.ok(&format!("choose simulated/distances.csv --bands=4,6 {FLAGS} -o grown"));
    assert!(some.contains("bands") && !some.contains("\n  18"), "{some}");
    folder.refuses("choose simulated/distances.csv --bands=19", &["--bands", "at most 18"]);
    folder.refuses("choose simulated/distances.csv --bands --dims 1-3", &["dimensions"]);
    folder.refuses("choose simulated/distances.csv --bands --couplings full", &["--couplings"]);
}

#[test]
fn superfluous_dimensions_vanish_in_one_fit() {
    let folder = Folder::new();
    folder.ok("simulate --objects 40 --dims 2 --noise truncated-normal --sd 0.1 --seed 5 -o simulated");
    let flags = "--chains 2 --warmup 400 --draws 1500 --seed 1 --progress none";
    let fit = format!("fit simulated/distances.csv --dims 4 --shrinkage half-cauchy {flags} --out run");
    // What is identified has converged: the verdict does not look at the density of what has vanished.
    assert_eq!(folder.run(&fit).code, Some(0));
    assert!(!folder.read("run/diagnostics.csv").contains("log density"));
    assert!(folder.read("run/diagnostics.csv").contains("dimensions used"));
    let summary = json(&folder.read("run/summary.json"));
    let used = &summary["dimensions"];
    assert!(used["mode"] == 2 && used["probabilities"][2].as_f64().unwrap() > 0.9, "{used}");
    let sd = |axis: usize| used["axis_sd"][axis]["mean"].as_f64().unwrap();
    assert!(sd(1) > 0.5 && sd(2) < used["noise_sd"].as_f64().unwrap(), "{used}");
    assert!(folder.run("summary run").stdout.contains("dims used      2 ("));
    for (flags, word) in [("--learn-scale", "--learn-scale"), ("--sampler mh", "--sampler")] {
        let fit = format!("fit simulated/distances.csv --shrinkage half-cauchy {flags} --out no");
        folder.refuses(&fit, &["--shrinkage", word]);
    }
}

#[test]
fn noise_families_are_compared_and_folds_are_exact() {
    let folder = Folder::new();
    folder.ok("simulate --objects 12 --dims 1 --noise truncated-normal --sd 0.1 --seed 3 -o simulated");
    let printed =
        folder.ok(&format!("choose simulated/distances.csv -D 1,2 --noise normal,truncated-normal {FLAGS} --json"));
    let chosen = json(&printed);
    assert_eq!(chosen["rows"].as_array().unwrap().len(), 4, "{chosen}");
    let folds = json(&folder.ok(&format!("choose simulated/distances.csv -D 1-2 --folds 4 {FLAGS} -o folds --json")));
    assert_eq!(folds["rows"][0]["taken"], true, "{folds}");
    assert_eq!(folds["rows"][0]["n_pairs"], 66);
    // Exact folds and weights answer about the same.
    let elpd = |chosen: &serde_json::Value, row: usize| chosen["rows"][row]["elpd"].as_f64().unwrap();
    assert!((elpd(&folds, 0) - elpd(&chosen, 1)).abs() < 6.0, "{folds} {chosen}");
    folder.refuses("choose simulated/distances.csv --folds 1", &["--folds 1"]);
    folder.refuses("choose simulated/distances.csv --dims 0", &["1-6"]);
}
