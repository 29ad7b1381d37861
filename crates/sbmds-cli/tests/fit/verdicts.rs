//! Two verdicts, on the chains and on the map, wherever a person looks.

use crate::kit::{Case, matrix};

#[test]
fn fit_and_summary_say_both_and_the_exit_code_follows_the_chains() {
    let case = Case::new(9);
    // Equal dissimilarities: chains may well converge, and the map says nothing.
    case.write("equal.csv", &matrix(9, |_, _| 2.0));
    let run = case.run("fit equal.csv --chains 2 --warmup 300 --draws 1500 --no-report --progress none --out run");
    let summary = case.json("run/summary.json");
    assert_eq!(run.code == Some(0), summary["converged"] == true, "{}", run.stderr);
    assert_eq!(summary["map"]["describes_data"], false);
    assert_eq!(summary["map"]["findings"][0], "equal");
    let chains = format!("Chains: {}", summary["verdict"].as_str().unwrap());
    let map = format!("Map: {}", summary["map"]["verdict"].as_str().unwrap());
    assert!(run.stderr.contains(&format!("{chains}\n{map}\n")), "{}", run.stderr);
    let shown = case.run("summary run");
    assert!(shown.stdout.starts_with(&format!("{chains}\n{map}\n")), "{}", shown.stdout);
    assert!(shown.stdout.contains("worst pairs"), "{}", shown.stdout);
}

#[test]
fn a_sparse_fit_that_does_not_carry_over_gives_the_command_that_couples_more() {
    let case = Case::new(5);
    // Random numbers: no plane fits them, and few pairs are fitted well by chance.
    let noise = |a: usize, b: usize| 1.0 + ((a * 12_345 + b * 6_789) as f64 * 0.618_033_988_75).sin().abs();
    case.write("noise.csv", &matrix(120, noise));
    let run = case
        .run("fit noise.csv --couplings dispersed:6 --chains 1 --warmup 100 --draws 50 --no-report --progress none");
    run.expect(1, &["Map: ", "do not carry over", "--couplings full"]);
    let command = "sbmds fit --config noise-fit/config.toml --couplings full --out noise-fit-full";
    assert!(run.stderr.contains(&format!("Couple more pairs with: {command}\n")), "{}", run.stderr);
    assert!(!run.stderr.contains("times longer") && !run.stderr.contains("--draws"), "{}", run.stderr);
    // It can be pasted as it is.
    case.run(&format!("{} --draws 20 --no-report --progress none", &command["sbmds ".len()..])).expect_finished();
    assert_eq!(case.json("noise-fit-full/summary.json")["n_pairs"], 120 * 119 / 2);
    assert!(run.stderr.find("Map: ") < run.stderr.find("Chains: "), "{}", run.stderr);
}
