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
