//! Precisions from files.

use super::super::*;

fn read(content: &str) -> Result<Precision, String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    let name = file.path().display().to_string();
    Precision::read(file.path(), 2).map_err(|error| error.to_string().replace(&name, "p.csv"))
}

#[test]
fn cells_may_be_separated_in_every_usual_way() {
    let expected = Precision::new(2, vec![2.0, 0.5, 0.5, 1.0]).unwrap();
    for content in ["2,0.5\n0.5,1\n", "\u{feff}2;.5\r\n\r\n5e-1; 1", "2\t0.5\n0.5\t1", " 2  0.5\n 0.5  1 \n\n"] {
        assert_eq!(read(content).unwrap(), expected, "{content:?}");
    }
}

#[test]
fn faults_are_named_with_their_position() {
    for (content, message) in [
        ("2,0.5\n0.5,x\n", "p.csv, line 2, column 2: expected a number, found \"x\". Remedy: "),
        ("2,\n0.5,1\n", "p.csv, line 1, column 2: expected a number, found \"\". Remedy: "),
        ("2,inf\n0.5,1\n", "p.csv, line 1, column 2: expected a number, found \"inf\". Remedy: "),
        ("a,b\n2,0.5\n0.5,1\n", "p.csv, line 1, column 1: expected a number, found \"a\". Remedy: "),
        ("2,0.5,1\n0.5,1,1\n", "p.csv, line 1: expected 2 numbers, found 3. Remedy: "),
        ("2,0.5\n", "p.csv: expected 2 rows, found 1. Remedy: "),
        ("", "p.csv: expected 2 rows, found 0. Remedy: "),
        ("2,0.5\n0.4,1\n", "p.csv: the matrix is not symmetric: entries (2, 1) and (1, 2) differ. Remedy: "),
        ("1,2\n2,1\n", "p.csv: the matrix is not positive definite. Remedy: "),
    ] {
        let found = read(content).unwrap_err();
        assert!(found.starts_with(message), "{content:?}: {found}");
    }
    let error = Precision::read(std::path::Path::new("/nowhere/p.csv"), 2).unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/p.csv: the file cannot be read"), "{error}");
}
