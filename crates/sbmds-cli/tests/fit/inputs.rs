//! Inputs as they come: pipes, packed files, bare matrices, labels of more objects, and what is said and kept about them.

use std::io::Write;
use std::process::Stdio;

use crate::kit::{Case, dissimilarity, matrix};
use crate::program::Ended;

const SHORT: &str = "--draws 6 --warmup 10 --chains 2 --threads 1 --progress none --no-report";

/// Runs the program with `content` on its standard input.
fn piped(case: &Case, arguments: &str, content: &[u8]) -> Ended {
    let mut command = case.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that refuses its flags may not read to the end.
    let _ = child.stdin.take().unwrap().write_all(content);
    child.wait_with_output().unwrap().into()
}

/// A matrix of numbers alone.
fn bare(n_objects: usize) -> String {
    let row = |a: usize| {
        let cell = |b: usize| if a == b { 0.0 } else { dissimilarity(a.min(b), a.max(b)) };
        (0..n_objects).map(|b| format!("{:.18e}", cell(b))).collect::<Vec<_>>().join(",")
    };
    (0..n_objects).map(row).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn a_run_from_a_pipe_keeps_its_input_and_goes_on() {
    let case = Case::new(8);
    let content = case.read("matrix.csv");
    case.run(&format!("fit matrix.csv --out file {SHORT}")).expect_finished();
    piped(&case, &format!("fit - {SHORT}"), content.as_bytes()).expect_finished();
    assert_eq!(case.read("stdin-fit/input"), content);
    let config = case.read("stdin-fit/config.toml");
    assert!(config.contains("path = \"-\"\n") && config.contains("copy = \"input\"\n"), "{config}");
    assert_eq!(case.read("file/embedding.csv"), case.read("stdin-fit/embedding.csv"));
    // More draws, and the figure that needs the data: nothing comes through the pipe any more.
    case.run("fit --resume --out stdin-fit --draws 9 --no-report --threads 1").expect_finished();
    case.run("fit --resume --out file --draws 9 --no-report --threads 1").expect_finished();
    assert_eq!(case.read("file/embedding.csv"), case.read("stdin-fit/embedding.csv"));
    case.run("plot stdin-fit shepard --out s.svg").expect(0, &[]);
    // The directory may move: the copy moves with it.
    std::fs::rename(case.path("stdin-fit"), case.path("moved")).unwrap();
    case.run("plot moved shepard --out t.svg").expect(0, &[]);
    // Other data are refused.
    let other = matrix(8, |a, b| dissimilarity(a, b) + 1.0);
    piped(&case, "fit - --resume --out moved --draws 12", other.as_bytes()).expect(2, &["has changed since the run"]);
}

#[test]
fn packed_and_bare_matrices_are_fitted_under_their_names() {
    let case = Case::new(6);
    case.write("bare.csv", &bare(6));
    let answer = case.run(&format!("fit bare.csv {SHORT}"));
    answer.expect_finished();
    assert!(
        answer.stderr.starts_with("bare.csv: there are no names; the objects are called 0 to 5\n6 objects, 15 pairs")
    );
    let map = case.read("bare-fit/embedding.csv");
    assert_eq!(
        map.lines().map(|line| line.split(',').next().unwrap()).collect::<Vec<_>>(),
        ["name", "0", "1", "2", "3", "4", "5"]
    );
    let nothing: [String; 0] = [];
    assert_eq!(case.json("bare-fit/summary.json")["warnings"].as_array().unwrap().len(), nothing.len());
}

#[test]
fn averaged_values_are_told_and_kept() {
    let case = Case::new(6);
    let near = bare(6).lines().enumerate().fold(String::new(), |text, (row, line)| {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        let factor = |column: usize| if column < row { 1.0 + 2e-5 } else { 1.0 };
        let cells = cells.iter().enumerate().map(|(column, value)| (value * factor(column)).to_string());
        text + &cells.collect::<Vec<_>>().join(",") + "\n"
    });
    case.write("near.csv", &near);
    let warning = "near.csv: 15 pairs have two values that differ by up to 2.0e-5 of their size; the mean is used";
    let answer = case.run(&format!("fit near.csv {SHORT}"));
    answer.expect_finished();
    assert!(answer.stderr.contains(&format!("warning: {warning}\n")), "{}", answer.stderr);
    assert_eq!(case.json("near-fit/summary.json")["warnings"][0], warning);
    case.write("x.csv", "name,x\n0,0\n1,1\n2,2\n3,3\n4,4\n5,5\n");
    let answer = case.run("eval near.csv --positions x.csv --sigma 1");
    let note = "note: near.csv: there are no names; the objects are called 0 to 5";
    assert_eq!((answer.code, answer.stderr), (Some(0), format!("{note}\nwarning: {warning}\n")));
}

#[test]
fn labels_of_more_objects_are_a_note() {
    let case = Case::new(5);
    let rows: String = (0..9).map(|n| format!("o{n},g{}\n", n % 2)).collect();
    case.write("labels.csv", &format!("name,group\n{rows}"));
    let answer = case.run(&format!("fit matrix.csv --labels labels.csv {SHORT}"));
    answer.expect_finished();
    let note = "4 rows of the table of labels name no object and are left out: o5, o6, o7, o8\n";
    assert!(answer.stderr.starts_with(note), "{}", answer.stderr);
    let answer = case.run("report matrix-fit --labels labels.csv");
    answer.expect(0, &[&format!("note: {note}")]);
}

#[test]
fn one_column_of_labels_serves_an_array() {
    let case = Case::new(3);
    let rows = [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0_f64];
    let header = format!("{:<117}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }");
    let mut array = b"\x93NUMPY\x01\x00".to_vec();
    array.extend((header.len() as u16).to_le_bytes());
    array.extend(header.as_bytes());
    array.extend(rows.iter().flat_map(|value| value.to_le_bytes()));
    std::fs::write(case.path("d.npy"), array).unwrap();
    case.write("digits.csv", "digit\n7\n7\n1\n");
    let answer = case.run(&format!("fit d.npy --labels digits.csv {SHORT} --dims 1"));
    answer.expect_finished();
    let note = "the table of labels has one column and no names: its rows are taken in the order of the objects\n";
    assert!(answer.stderr.starts_with(note), "{}", answer.stderr);
    assert!(case.read("d-fit/embedding.csv").contains("\n2,"));
}

#[test]
fn what_cannot_be_read_is_refused_before_anything_is_written() {
    let case = Case::new(5);
    case.write("parts.csv", "a,b,1\nb,c,1\na,c,1\nx,y,1\n");
    case.write("list.edges", "0 1\n1 2\n2 3\n");
    case.write("wide.csv", "name,p,q,r\na,1,0,4\nb,0,2,1\nc,3,1,0\nd,1,1,1\n");
    let folder = case.directory.path().canonicalize().unwrap();
    let file = |name: &str| folder.join(name).display().to_string();
    for (arguments, message) in [
        (
            "matrx.csv".to_owned(),
            format!("{}: there is no such file. Remedy: did you mean matrix.csv?", file("matrx.csv")),
        ),
        (
            "matrix.csv --names nmes.txt".to_owned(),
            format!("{}: there is no such file. Remedy: check the path and its spelling.", file("nmes.txt")),
        ),
        (
            "wide.csv".to_owned(),
            format!(
                "{0}: this is no matrix of dissimilarities; it looks like a table of features (4 rows, 3 numeric columns). Remedy: \
                 say how rows are compared: sbmds fit {0} --features --metric braycurtis.",
                file("wide.csv")
            ),
        ),
        (
            "list.edges".to_owned(),
            format!(
                "{}: this looks like an edge list without values (3 pairs of names). Remedy: add a third column with the \
                 dissimilarity of each pair; for hop counts give the matrix of shortest paths; in Python: \
                 np.savetxt(\"hops.csv\", networkx.floyd_warshall_numpy(graph), delimiter=\",\").",
                file("list.edges")
            ),
        ),
    ] {
        let answer = case.run(&format!("fit {arguments} --out none {SHORT}"));
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(2), format!("error: {message}\n").as_str()));
        assert!(!case.path("none").exists(), "{arguments}");
    }
    let answer = case.run(&format!("fit parts.csv --out none {SHORT}"));
    let remedy = "Remedy: fit the parts apart, each from a file of its own, or measure pairs that join them\n";
    assert!(answer.code == Some(2) && answer.stderr.ends_with(remedy), "{}", answer.stderr);
    // With fewer pairs coupled than measured, coupling more does help.
    let answer = case.run(&format!("fit matrix.csv --couplings graph:pairs.csv --out none {SHORT}"));
    answer.expect(2, &["pairs.csv: there is no such file"]);
    case.write("pairs.csv", "o0,o1\no1,o2\no0,o2\no3,o4\n");
    let answer = case.run(&format!("fit matrix.csv --couplings graph:pairs.csv --out none {SHORT}"));
    answer.expect(2, &["Remedy: couple more pairs (--couplings dispersed:B with a larger B, or full)"]);
}

#[cfg(unix)]
#[test]
fn tables_beside_the_input_must_be_files() {
    let case = Case::new(4);
    for flag in ["--names", "--labels"] {
        let answer = piped(&case, &format!("fit matrix.csv {flag} /dev/stdin --out none {SHORT}"), b"a\nb\nc\nd\n");
        let message = format!(
            "error: {flag}: /dev/stdin is a pipe, which can be read only once. Remedy: save what it delivers as a file; only the \
             input may be a pipe\n"
        );
        assert_eq!((answer.code, answer.stderr), (Some(2), message));
    }
    piped(&case, &format!("fit - --out none {SHORT}"), b"").expect(2, &["standard input: the file is empty"]);
}
