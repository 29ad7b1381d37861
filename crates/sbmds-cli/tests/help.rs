//! What the program says of itself: help, examples and completions.

use std::process::Command;

fn printed(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_sbmds")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Accept a wanted change with `INSTA_UPDATE=always cargo nextest run -p sbmds-cli help`.
#[test]
fn help_is_as_it_was() {
    insta::assert_snapshot!("sbmds", printed(&["-h"]));
    for command in [
        "fit",
        "combine",
        "summary",
        "report",
        "plot",
        "cluster",
        "compare",
        "choose",
        "predict",
        "place",
        "export",
        "eval",
        "simulate",
        "hdbscan",
        "completions",
    ] {
        insta::assert_snapshot!(command, printed(&[command, "-h"]));
    }
    insta::assert_snapshot!("fit-long", printed(&["fit", "--help"]));
}

#[test]
fn every_command_of_the_examples_is_one() {
    for command in [
        "fit", "report", "plot", "cluster", "compare", "choose", "predict", "place", "export", "eval", "simulate",
        "hdbscan", "summary",
    ] {
        let help = printed(&[command, "-h"]);
        let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{command} has no examples"));
        for line in examples.lines().filter_map(|line| line.strip_prefix("  sbmds ")) {
            let mut words = line.split_whitespace();
            let of = words.next().unwrap();
            let known = printed(&[of, "-h"]);
            // Flags end where a remark begins, if there is one.
            for flag in words.filter(|word| word.starts_with('-')) {
                let is_known = known.lines().any(|line| line.split([' ', ',', '[']).any(|word| word == flag));
                assert!(is_known, "{flag} is no flag of {of}: {line}");
            }
        }
    }
}

#[test]
fn shells_learn_commands_and_flags() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&["completions", shell]);
        for word in ["until-ess", "overwrite", "hdbscan", "min-points"] {
            assert!(script.contains(word), "{shell}: no {word}");
        }
    }
}
