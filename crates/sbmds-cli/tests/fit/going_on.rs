//! The same command again, settings from a file, and advice that can be pasted.

use crate::kit::{Case, dissimilarity, matrix};

const SHORT: &str = "--chains 2 --warmup 60 --draws 40 --no-report";

#[test]
fn the_same_command_with_resume_goes_on_or_is_finished() {
    let case = Case::new(12);
    let command = format!("fit matrix.csv --out run --dims 2 --couplings auto --sampler nuts --seed 5 {SHORT}");
    case.run(&command).expect_finished();
    let again = case.run(&format!("{command} --resume"));
    again.expect(1, &["this run is finished", "sbmds fit --resume --out run --draws"]);
    // As after a kill before the last file.
    std::fs::remove_file(case.path("run/summary.json")).unwrap();
    case.run(&format!("{command} --resume")).expect_finished();
    case.run(&command.replace("--out run", "--out other")).expect_finished();
    case.assert_same_results("run", "other");
    // What `auto` came to is not a change either.
    case.run(&format!("{command} --resume").replace("auto", "full")).expect(1, &["this run is finished"]);
}

/// What was decided before sampling is written down at once and kept.
#[test]
fn a_resumed_run_keeps_its_arithmetic() {
    let case = Case::new(12);
    case.run(&format!("fit matrix.csv --out run {SHORT}")).expect_finished();
    let decided = case.read("run/config.toml");
    assert!(decided.contains("arithmetic = [\"f32\"]\n"), "{decided}");
    // Without the checksum in its first line, so that it can be changed.
    let settings = decided.split_once('\n').unwrap().1;
    case.write("run/config.toml", &settings.replace("arithmetic = [\"f32\"]", "arithmetic = [\"f64\"]"));
    case.run("fit --resume --out run --draws 50 --no-report").expect_finished();
    assert!(case.read("run/config.toml").contains("arithmetic = [\"f64\"]\n"));
}

#[test]
fn changed_settings_are_refused_by_name_with_both_values() {
    let case = Case::new(12);
    case.run(&format!("fit matrix.csv --out run {SHORT}")).expect_finished();
    let before = case.read("run/config.toml");
    for (flags, words) in [
        ("--dims 3", "--dims cannot be changed when a run is resumed: the run has 2, and 3 is asked for"),
        ("-D 1", "--dims cannot be changed when a run is resumed: the run has 2, and 1 is asked for"),
        ("--couplings band:4", "the run has full (from auto), and band:4 is asked for"),
        ("--chains 3", "the run has 2, and 3 is asked for"),
        ("--warmup 100", "--warmup cannot be changed when a run is resumed: the run has 60, and 100"),
        ("--sigma 0.5", "--sigma cannot be changed when a run is resumed: the run has none, and 0.5"),
        ("--no-mode-jumps", "--no-mode-jumps cannot be changed when a run is resumed: the run has true, and false"),
        ("--priors paper", "the run has weak, and paper is asked for"),
        ("--features", "--features cannot be changed when a run is resumed: the run has none, and euclidean"),
        ("--keep thin:2", "the run has all, and thin:2 is asked for"),
        ("--sampler hmc", "the run has nuts (from auto), and hmc is asked for"),
    ] {
        case.run(&format!("fit --out run --resume {flags}")).expect(2, &[words, "Remedy: leave it out", "--overwrite"]);
    }
    assert_eq!(case.read("run/config.toml"), before);
    case.run("fit --out run --resume --config run/config.toml").expect(2, &["cannot be used with"]);
}

#[test]
fn moved_files_and_other_labels_are_no_changed_settings() {
    let case = Case::new(10);
    case.write("tree.nwk", "((((o0:1,o1:1):1,(o2:1,o3:1):1):1,((o4:1,o5:1):1,(o6:1,o7:1):1):1):1,(o8:1,o9:1):3);\n");
    case.run(&format!("fit matrix.csv --out run --tree tree.nwk --tree-index 1 {SHORT}")).expect_finished();
    case.run(&format!("fit matrix.csv --out long --tree tree.nwk {SHORT}").replace("40", "60")).expect_finished();
    for (from, to) in [("matrix.csv", "moved.csv"), ("tree.nwk", "moved.nwk")] {
        std::fs::rename(case.path(from), case.path(to)).unwrap();
    }
    case.write("labels.csv", "name,group\no1,x\no2,y\n");
    let more = "fit moved.csv --out run --resume --tree moved.nwk --labels labels.csv --draws 60 --no-report";
    case.run(more).expect_finished();
    assert_eq!(case.read("run/embedding.csv"), case.read("long/embedding.csv"));
    let config = case.read("run/config.toml");
    assert!(config.contains("moved.csv") && config.contains("moved.nwk") && config.contains("labels.csv"), "{config}");
    case.write("moved.nwk", "((((o0:2,o1:1):1,(o2:1,o3:1):1):1,((o4:1,o5:1):1,(o6:1,o7:1):1):1):1,(o8:1,o9:1):3);\n");
    case.run("fit --out run --resume --draws 80").expect(2, &["moved.nwk has changed"]);
}

#[test]
fn settings_of_a_run_repeat_it_to_the_bit() {
    let case = Case::new(12);
    let settings = "--dims 3 --couplings dispersed:4 --sampler hmc --thin 2 --seed 7";
    case.run(&format!("fit matrix.csv --out run {settings} {SHORT}")).expect_finished();
    case.run("fit --config run/config.toml --out again --no-report").expect_finished();
    case.assert_same_results("run", "again");
    assert_eq!(case.read("run/config.toml"), case.read("again/config.toml"));
    // Flags win; what is not given stays.
    case.run("fit --config run/config.toml --seed 8 -D 2 --out other --no-report").expect_finished();
    let mut direct = format!("fit matrix.csv --out direct {settings} {SHORT}");
    direct = direct.replace("--seed 7", "--seed 8").replace("--dims 3", "--dims 2");
    case.run(&direct).expect_finished();
    case.assert_same_results("other", "direct");
}

#[test]
fn settings_are_found_anew_for_other_data() {
    let case = Case::new(12);
    case.write("large.csv", &matrix(14, |a, b| 100.0 * dissimilarity(a, b)));
    case.run(&format!("fit matrix.csv --out run {SHORT}")).expect_finished();
    case.run("fit large.csv --config run/config.toml --no-report").expect_finished();
    case.run(&format!("fit large.csv --out direct {SHORT}")).expect_finished();
    case.assert_same_results("large-fit", "direct");
    assert!(case.read("large-fit/config.toml").contains("\"model.couplings\" = \"auto\""));
}

#[test]
fn what_came_through_a_pipe_comes_with_the_settings() {
    let case = Case::new(10);
    let mut command = case.command(&format!("fit - --out run {SHORT}"));
    command.stdin(std::fs::File::open(case.path("matrix.csv")).unwrap());
    crate::program::Ended::from(command.output().unwrap()).expect_finished();
    for arguments in ["--out again", "--out run --overwrite"] {
        case.run(&format!("fit --config run/config.toml {arguments} --no-report")).expect_finished();
    }
    case.assert_same_results("run", "again");
    assert_eq!((case.read("run/input"), case.read("again/input")), (case.read("matrix.csv"), case.read("matrix.csv")));
    case.run("fit --resume --out run --draws 60 --no-report").expect_finished();
    case.run("fit matrix.csv --config run/config.toml --out file --no-report").expect_finished();
    assert!(!case.path("file/input").exists());
}

#[test]
fn settings_can_be_written_by_hand() {
    let case = Case::new(10);
    case.write("my.toml", "[model]\nn_dims = 1\n[run]\nchains = 2\ndraws = 40\n[sampler]\nn_warmup = 60\n");
    let ended = case.run("fit matrix.csv --config my.toml --out run --no-report");
    ended.expect_finished();
    assert!(ended.stderr.contains("45 pairs (full), 1 dimension\n"), "{}", ended.stderr);
    case.run("fit --config my.toml --out other").expect(2, &["--config: the file names no input", "Remedy"]);
    for (text, word) in
        [("[model]\ndims = 1\n", "dims"), ("[model\n", "my.toml"), ("[run]\nchains = \"two\"\n", "chains")]
    {
        case.write("my.toml", text);
        case.run("fit matrix.csv --config my.toml --out other").expect(2, &["my.toml", word, "Remedy"]);
    }
    case.run("fit matrix.csv --config none.toml --out other").expect(2, &["none.toml"]);
    assert!(!case.path("other").exists());
}

/// The command after "Go on with: sbmds" in what a run said.
fn advised(stderr: &str) -> String {
    let command = stderr.split("Go on with: sbmds ").nth(1).unwrap_or_else(|| panic!("no advice in {stderr}"));
    command.lines().next().unwrap().to_owned()
}

#[test]
fn advice_can_be_pasted() {
    let case = Case::new(10);
    let ended = case.run("fit matrix.csv --out run --chains 2 --warmup 100 --draws 20 --no-report");
    ended.expect(1, &["Not converged yet: run about"]);
    let command = advised(&ended.stderr);
    assert!(command.starts_with("fit --resume --out run --draws "), "{command}");
    let printed = case.run("summary run");
    assert!(printed.stdout.contains(&format!("Go on with: sbmds {command}\n")), "{}", printed.stdout);
    case.run(&command).expect_finished();
    let wanted: u64 = command.rsplit(' ').next().unwrap().parse().unwrap();
    assert_eq!(case.json("run/summary.json")["n_draws"], wanted);
}

#[test]
fn an_effective_sample_size_is_pursued_again_and_its_limit_is_named() {
    let case = Case::new(10);
    let command =
        "fit matrix.csv --out run --chains 2 --warmup 200 --draws 30 --until-ess 250 --max-draws 60 --no-report";
    let ended = case.run(command);
    ended.expect_finished();
    assert_eq!(case.json("run/summary.json")["n_draws"], 60);
    assert!(ended.stderr.contains("effective sample size asked for, 250, is not reached"), "{}", ended.stderr);
    // The same again: the limit is still there. A higher one is obeyed.
    let again = case.run(&format!("{command} --resume"));
    assert!(again.stderr.contains("this run is finished"), "{}", again.stderr);
    let limit = again.stderr.rsplit("Go on with: sbmds ").next().unwrap().lines().next().unwrap().to_owned();
    assert!(limit.starts_with("fit --resume --out run --max-draws "), "{limit}");
    case.run(&limit).expect_finished();
    let ess = case.json("run/summary.json")["min_ess"]["value"].as_f64().unwrap();
    assert!(ess >= 250.0 || case.json("run/summary.json")["n_draws"].as_u64().unwrap() > 60, "{ess}");
    // A summary that has less than is wanted is no end: an older version stopped at bulk alone.
    let config = case.read("run/config.toml").replace("until_ess = 250.0", "until_ess = 2500.0");
    // Without the checksum in its first line, as that version wrote it.
    let config: String = config.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    case.write("run/config.toml", &config.replace("max_draws = ", "max_draws = 1"));
    let more = case.run("fit --resume --out run --no-report");
    more.expect_finished();
    assert!(!more.stderr.contains("this run is finished"), "{}", more.stderr);
}

#[test]
fn what_is_not_there_is_said() {
    let case = Case::new(10);
    for flag in ["--nonmetric", "--non-metric"] {
        let words = ["there is no non-metric scaling", "When not to use it"];
        case.run(&format!("fit matrix.csv {flag}")).expect(2, &words);
    }
    case.run("fit --resume").expect(2, &["which run", "--out DIR"]);
    assert!(!case.path("matrix-fit").exists());
}
