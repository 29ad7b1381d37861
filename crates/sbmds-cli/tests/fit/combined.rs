//! Chains that run one by one (`fit --chain`) and the run that `combine` makes of them.

use crate::kit::Case;

const SHORT: &str = "--chains 3 --warmup 60 --draws 40 --seed 5 --no-report";

/// Runs the chains one by one into `NAME-1`, `NAME-2`, ..., the last first.
fn run_chains(case: &Case, name: &str, settings: &str) {
    for chain in [3, 1, 2] {
        let ended = case.run(&format!("fit matrix.csv --out {name}-{chain} --chain {chain} {settings}"));
        ended.expect(0, &[&format!("chain {chain} of 3"), "sbmds combine"]);
    }
}

#[test]
fn chains_that_ran_one_by_one_are_the_run_they_would_have_been_together() {
    let case = Case::new(12);
    for (name, flags) in [
        ("all", "--threads 2"),
        ("summary", "--keep summary --couplings dispersed:4 --threads 1"),
        ("thin", "--keep thin:3 --raw-draws --sampler hmc -D 3"),
    ] {
        let settings = format!("{SHORT} {flags}");
        case.run(&format!("fit matrix.csv --out {name} {settings}")).expect_finished();
        run_chains(&case, name, &settings);
        case.run(&format!("combine {name}-2 {name}-3 {name}-1 --out {name}-joint --no-report")).expect_finished();
        case.assert_same_results(name, &format!("{name}-joint"));
        assert_eq!(case.read(&format!("{name}/config.toml")), case.read(&format!("{name}-joint/config.toml")));
    }
    // It goes on like any other run, and has a report.
    for run in ["all", "all-joint"] {
        case.run(&format!("fit --resume --out {run} --draws 60 --no-report")).expect_finished();
    }
    case.assert_same_results("all", "all-joint");
    case.run("report all-joint").expect(0, &[]);
}

#[test]
fn a_killed_chain_goes_on_before_it_is_combined() {
    let case = Case::new(12);
    let settings = SHORT.replace("--draws 40", "--draws 30");
    run_chains(&case, "part", &settings);
    let more = "fit --resume --draws 40 --no-report";
    case.run(&format!("{more} --out part-1")).expect(0, &[]);
    let refused = case.run("combine part-1 part-2 part-3 --out joint");
    refused.expect(2, &["part-1 and part-2 are no chains of one fit", "run.draws is 40 in one and 30 in the other"]);
    case.run(&format!("{more} --out part-2")).expect(0, &[]);
    case.run(&format!("{more} --out part-3")).expect(0, &[]);
    case.run("combine part-1 part-2 part-3 --out joint --no-report").expect_finished();
    case.run(&format!("fit matrix.csv --out together {SHORT}")).expect_finished();
    assert_eq!(case.read("joint/embedding.csv"), case.read("together/embedding.csv"));
    assert_eq!(case.summary("joint"), case.summary("together"));
}

#[test]
fn what_does_not_belong_together_is_refused_with_the_reason() {
    let case = Case::new(10);
    run_chains(&case, "part", SHORT);
    case.run(&format!("fit matrix.csv --out whole {SHORT}")).expect_finished();
    case.write("other.csv", &case.read("matrix.csv").replacen("o9", "last", 2));
    for (name, flags) in [
        ("seed", "matrix.csv --seed 6"),
        ("noise", "matrix.csv --noise normal"),
        ("data", "other.csv"),
        ("again", "matrix.csv"),
        ("long", "matrix.csv --warmup 61"),
    ] {
        let settings = if flags.contains("--seed") { SHORT.replace("--seed 5", "") } else { SHORT.to_owned() };
        let settings = if flags.contains("--warmup") { settings.replace("--warmup 60", "") } else { settings };
        case.run(&format!("fit {flags} --out {name} --chain 3 {settings}")).expect(0, &[]);
    }
    for (runs, words) in [
        ("part-1 part-2", "of 3 chains 1 are missing: 3"),
        ("part-1", "of 3 chains 2 are missing: 2, 3"),
        ("part-1 part-2 part-3 again", "part-3 and again are both chain 3"),
        ("part-1 part-2 whole", "whole holds all 3 chains of its fit"),
        ("part-1 part-2 seed", "run.seed is 5 in one and 6 in the other"),
        ("part-1 part-2 noise", "model.noise is \"truncated-normal\" in one and \"normal\" in the other"),
        ("part-1 part-2 long", "sampler.n_warmup is 60 in one and 61 in the other"),
        ("part-1 part-2 data", "part-1 and data are no chains of one fit: their data differ"),
        ("part-1 part-2 nothing", "nothing holds no run"),
    ] {
        case.run(&format!("combine {runs} --out joint")).expect(2, &[words]);
        assert!(!case.path("joint").exists(), "{runs}");
    }
    case.run("combine part-1 part-2 part-3 --out whole").expect(2, &["whole holds a run already"]);
    std::fs::rename(case.path("matrix.csv"), case.path("moved.csv")).unwrap();
    case.run("combine part-1 part-2 part-3 --out joint").expect(2, &["matrix.csv"]);
    case.run("combine part-1 part-2 part-3 --out joint --input other.csv").expect(2, &["other.csv has changed"]);
    case.run("combine part-1 part-2 part-3 --out joint --input moved.csv --no-report").expect_finished();
}

#[test]
fn a_chain_that_does_not_exist_is_refused() {
    let case = Case::new(10);
    for (flags, words) in [
        ("--chain 4 --chains 3", "there is no chain 4 of 3"),
        ("--chain 0", "there is no chain 0 of 4"),
        ("--chain 2 --until-ess 400", "the effective sample size is that of all chains together"),
    ] {
        case.run(&format!("fit matrix.csv --out run {flags}")).expect(2, &[words, "Remedy"]);
    }
    case.run(&format!("fit matrix.csv --chain 2 {SHORT}")).expect(0, &["matrix-fit-chain-2"]);
    case.run("fit --resume --out matrix-fit-chain-2 --chain 3").expect(2, &["--chain cannot be changed"]);
    assert!(!case.path("run").exists());
}
