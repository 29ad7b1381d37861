//! Names with control characters and endless names are shown escaped and cut, and figures stay well-formed.

use crate::kit::Case;

/// An escape sequence that would colour a terminal, a NUL and a bell.
const COLOURED: &str = "a\u{1b}[31m\u{7}";

fn is_harmless(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() && c != '\n')
}

#[test]
fn control_characters_of_names_never_reach_a_terminal_or_a_figure() {
    let case = Case::new(3);
    let long = "x".repeat(100_000);
    case.write("edges.csv", &format!("{COLOURED},b,1\nb,c,1\nc,{COLOURED},1.5\nc,{long},2\n"));
    let fit = case.run("fit edges.csv --out run --draws 5 --warmup 5 --chains 1");
    fit.expect_finished();
    assert!(is_harmless(&fit.stderr) && fit.stderr.contains("a\\u{1b}[31m"), "{:?}", fit.stderr);
    assert!(fit.stderr.len() < 5_000, "a flood of {} bytes", fit.stderr.len());
    for command in ["summary run", "summary run --map", "cluster run --min-points 2", "plot run map --out m.svg"] {
        let ended = case.run(command);
        assert!(is_harmless(&ended.stdout) && is_harmless(&ended.stderr), "{command}: {ended:?}");
        assert!(ended.stdout.len() < 20_000, "{command}");
    }
    for figure in ["run/map.svg", "m.svg"] {
        // Characters that XML does not have, escaped or not.
        let svg = case.read(figure);
        assert!(!svg.chars().any(|c| c.is_control() && !"\n\r\t".contains(c)), "{figure}");
        assert!(svg.contains("a\\u{1b}[31m\\u{7}"), "{figure}");
    }
    let table = case.read("run/embedding.csv");
    assert!(table.contains(COLOURED) && table.contains(&long), "data stay as they are");
}

#[test]
fn errors_about_a_config_are_escaped_and_cut() {
    let case = Case::new(6);
    std::fs::create_dir(case.path("run")).unwrap();
    case.write("run/config.toml", &format!("sbmds_version = \"{COLOURED}{}\nx", "y".repeat(100_000)));
    let ended = case.run("summary run");
    ended.expect(2, &["config.toml"]);
    assert!(is_harmless(&ended.stderr) && ended.stderr.len() < 10_000, "{} bytes", ended.stderr.len());
}

#[test]
fn parts_of_a_coupling_graph_are_named_escaped() {
    let case = Case::new(3);
    case.write("edges.csv", &format!("{COLOURED},b,1\nc,d,1\nd,e,1\n"));
    let ended = case.run("fit edges.csv --out run");
    ended.expect(2, &["a\\u{1b}[31m"]);
    assert!(is_harmless(&ended.stderr), "{:?}", ended.stderr);
}
