//! The examples of docs/input.md, as they stand there.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

const PAGE: &str = include_str!("../../../docs/input.md");

/// The indented blocks of the page, each with the text line above it.
fn blocks() -> Vec<(&'static str, String)> {
    let mut blocks: Vec<(&str, String)> = Vec::new();
    let (mut above, mut inside) = ("", false);
    for line in PAGE.lines() {
        match line.strip_prefix("    ") {
            Some(content) if inside => blocks.last_mut().unwrap().1 += &format!("{content}\n"),
            Some(content) => {
                blocks.push((above, format!("{content}\n")));
                inside = true;
            }
            None => {
                inside = false;
                above = if line.trim().is_empty() { above } else { line };
            }
        }
    }
    blocks
}

/// The files that the page shows, by name: the last word in backquotes above a block is its name.
fn files() -> BTreeMap<&'static str, String> {
    let name = |above: &'static str| {
        let quoted = above.split('`').skip(1).step_by(2).last()?;
        let is_file = [".csv", ".tsv", ".txt", ".phy"].iter().any(|end| quoted.ends_with(end));
        (is_file && !quoted.contains(' ')).then_some(quoted)
    };
    let shown = blocks().into_iter().filter(|(_, content)| !content.starts_with("$ "));
    shown.filter_map(|(above, content)| Some((name(above)?, content))).collect()
}

/// The commands that the page shows, each with what it prints, if that is shown.
fn commands() -> Vec<(String, Vec<String>)> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    for (_, block) in blocks().into_iter().filter(|(_, block)| block.starts_with("$ ")) {
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => commands.push((command.to_owned(), Vec::new())),
                None => commands.last_mut().unwrap().1.push(line.to_owned()),
            }
        }
    }
    commands
}

fn folder() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in files() {
        std::fs::write(directory.path().join(name), content).unwrap();
    }
    directory
}

fn sbmds(directory: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sbmds"));
    command.current_dir(directory).args(arguments.split_whitespace()).output().unwrap()
}

fn evaluation(output: &Output) -> serde_json::Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{complaint}"))
}

/// Sums in another order round differently.
#[track_caller]
fn assert_same(found: &serde_json::Value, promised: &serde_json::Value, what: &str) {
    let value = |answer: &serde_json::Value| answer["log_likelihood"].as_f64().unwrap();
    let (a, b) = (value(found), value(promised));
    assert!((a - b).abs() <= 1e-12 * b.abs(), "{what}: {a}, not {b}");
    assert_eq!(found["n_pairs"], promised["n_pairs"], "{what}");
}

#[test]
fn every_form_of_the_five_cities_gives_the_same_answer() {
    let directory = folder();
    let with_names = ["bare.csv", "nameless.txt", "condensed.txt"];
    let forms = [
        "cities.csv",
        "triangle.csv",
        "beast.tsv",
        "table.txt",
        "semicolons.csv",
        "header.csv",
        "column.csv",
        "lower.txt",
        "header.txt",
        "printed.txt",
        "square.phy",
        "lower.phy",
        "edges.csv",
    ];
    let promised = serde_json::from_str(r#"{"n_pairs":9,"log_likelihood":11.929711074716637}"#).unwrap();
    let eval = |input: &str, more: &str| {
        let output = sbmds(directory.path(), &format!("eval {input} {more} --positions map.csv --sigma 0.1"));
        assert_same(&evaluation(&output), &promised, input);
        String::from_utf8(output.stderr).unwrap()
    };
    for input in forms {
        let complaint = eval(input, "");
        let note = if input == "semicolons.csv" {
            "note: semicolons.csv: numbers are written with decimal commas"
        } else {
            ""
        };
        assert!(complaint.starts_with(note) && complaint.is_empty() == note.is_empty(), "{input}: {complaint}");
    }
    for input in with_names {
        assert_eq!(eval(input, "--names names.txt"), "", "{input}");
    }
    eval("flights.csv", "--value distance");
    eval("flights.csv", "--value 4");
}

#[test]
fn commands_print_what_the_page_says() {
    let directory = folder();
    // Arrays and packed files cannot be shown, and pipes need a shell.
    let shown: Vec<_> = commands()
        .into_iter()
        .filter(|(command, _)| command.starts_with("sbmds ") && !command.contains(".npy"))
        .collect();
    let plain: Vec<_> = shown.iter().filter(|(command, _)| !command.contains(['<', '|'])).collect();
    assert!(plain.len() >= 5, "{plain:?}");
    for (command, printed) in plain {
        let output = sbmds(directory.path(), command.strip_prefix("sbmds ").unwrap());
        let found = evaluation(&output);
        let Some((json, notes)) = printed.split_last() else { continue };
        assert_same(&found, &serde_json::from_str(json).unwrap(), command);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(complaint.lines().collect::<Vec<_>>(), *notes, "{command}");
    }
}

#[cfg(unix)]
#[test]
fn the_pipes_of_the_page_work() {
    let directory = folder();
    let promised = serde_json::from_str(r#"{"n_pairs":9,"log_likelihood":11.929711074716637}"#).unwrap();
    let run = |command: &str| {
        let program = Path::new(env!("CARGO_BIN_EXE_sbmds")).parent().unwrap().to_owned();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
        Command::new("bash").env("PATH", path).current_dir(directory.path()).args(["-c", command]).output().unwrap()
    };
    assert!(run("gzip -k cities.csv").status.success());
    let pipes: Vec<_> =
        commands().into_iter().filter(|(command, _)| command.contains("| sbmds") || command.contains("<(")).collect();
    assert_eq!(pipes.len(), 2);
    for (command, _) in pipes {
        assert_same(&evaluation(&run(&command)), &promised, &command);
    }
    for command in ["sbmds eval /dev/stdin", "sbmds eval cities.csv.gz", "cat cities.csv.gz | sbmds eval -"] {
        let command = format!("{command} --positions map.csv --sigma 0.1 < cities.csv");
        let command = if command.starts_with("cat") { command.replace(" < cities.csv", "") } else { command };
        assert_same(&evaluation(&run(&command)), &promised, &command);
    }
}

#[test]
fn the_error_of_the_page_is_the_error_of_the_program() {
    let directory = folder();
    std::fs::write(directory.path().join("bad.csv"), files()["cities.csv"].replacen("1.87", "-1.87", 1)).unwrap();
    let output = sbmds(directory.path(), "eval bad.csv --positions map.csv --sigma 0.1");
    let shown = blocks().into_iter().find(|(_, block)| block.starts_with("error: bad.csv")).unwrap().1;
    assert_eq!((String::from_utf8(output.stderr).unwrap(), output.status.code()), (shown, Some(2)));
}
