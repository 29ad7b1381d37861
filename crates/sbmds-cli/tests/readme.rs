//! The README's example, as it stands there.

use std::process::Command;

const README: &str = include_str!("../../../README.md");

/// The indented block that starts with `first`, without its indentation.
fn block(first: &str) -> String {
    let lines = README.lines().skip_while(|line| *line != format!("    {first}"));
    lines.map_while(|line| line.strip_prefix("    ")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_evaluation_prints_what_the_readme_says() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("five.csv"), block(",Berlin,London,Madrid,Paris,Rome")).unwrap();
    std::fs::write(directory.path().join("map.csv"), block("name,east,north")).unwrap();
    let command = block("sbmds eval five.csv --positions map.csv --sigma 0.1");
    let output = Command::new(env!("CARGO_BIN_EXE_sbmds"))
        .current_dir(directory.path())
        .args(command.split_whitespace().skip(1))
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let promised: serde_json::Value =
        serde_json::from_str(&block(r#"{"n_objects":5,"n_dims":2,"n_pairs":9,"log_likelihood":11.929711074716637}"#))
            .unwrap();
    let found: serde_json::Value = serde_json::from_str(&printed).unwrap();
    // Other instruction sets round the last digits differently.
    let (a, b) = (promised["log_likelihood"].as_f64().unwrap(), found["log_likelihood"].as_f64().unwrap());
    assert!((a - b).abs() < 1e-12 * a.abs(), "{printed}");
    assert_eq!(promised["n_pairs"], found["n_pairs"]);
}
