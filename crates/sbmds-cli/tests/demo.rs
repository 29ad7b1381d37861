//! `sbmds demo` through the binary: the README's first command.

use std::process::Command;

#[test]
fn the_demo_ends_in_a_map_a_person_recognises() {
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sbmds"))
        .args(["demo", "--out"])
        .arg(directory.path().join("demo"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(directory.path().join("demo/cities/embedding.csv").exists());
    let line_of = |city: &str| text.lines().position(|line| line.contains(city)).expect(city);
    let column_of = |city: &str| text.lines().find_map(|line| line.find(city)).expect(city);
    // Seen from above the northern hemisphere: Africa below, the Pacific above, America left, Australia right.
    assert!(line_of("Johannesburg") > line_of("London"));
    assert!(line_of("London") > line_of("Honolulu"));
    assert!(column_of("Toronto") < column_of("Sydney"));
}

#[test]
fn simulated_data_can_be_read_back() {
    let directory = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_sbmds")).current_dir(directory.path()).args(arguments).output().unwrap()
    };
    let made = run(&["simulate", "--objects", "12", "--dims", "3", "--noise", "none", "--out", "sim"]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    // Without noise the truth explains every distance: the log-likelihood is that of zero residuals.
    let sigma = 1e-3_f64;
    let evaluated =
        run(&["eval", "sim/distances.csv", "--positions", "sim/truth.csv", "--sigma", "0.001", "--couplings", "full"]);
    let json: serde_json::Value = serde_json::from_slice(&evaluated.stdout).unwrap();
    let perfect = -66.0 * 0.5 * (2.0 * std::f64::consts::PI * sigma * sigma).ln();
    assert!((json["log_likelihood"].as_f64().unwrap() - perfect).abs() < 1e-6, "{json}");
    assert_eq!(run(&["simulate", "--objects", "2", "--out", "sim2"]).status.code(), Some(2));
    assert!(!directory.path().join("sim2").exists());
}
