//! Errors of binary arrays, of names files and of files that cannot be opened, by their messages.

use std::path::{Path, PathBuf};

use super::super::{InputError, ReadOptions, read};
use super::writers::{Table, npy, npy_header, npy_vector};
use super::{Dissimilarities, Format, Metric, Names, names, read_as, read_positions_as};

fn message<T>(outcome: Result<T, InputError>) -> String {
    outcome.map(|_| "no error").unwrap_err().to_string()
}

fn check(content: &[u8], features: Option<Metric>, expected: &str) {
    assert_eq!(message(read_as("d.npy", content, Format::Auto, features)), expected);
}

#[test]
fn broken_files() {
    let whole = Table::example().npy("<f8", false);
    let too_long = [&whole[..], b"x"].concat();
    check(b"", None, "d.npy: the file is empty. Remedy: give a file with data.");
    for (content, what) in [
        (&b"hello"[..], "it does not begin with a .npy header"),
        (&whole[..50], "it does not begin with a .npy header"),
        (&whole[..255], "it is truncated: 4 x 4 numbers take 128 bytes, the file holds 127"),
        (&too_long, "it is longer than its header says: 4 x 4 numbers take 128 bytes, the file holds 129"),
        (&npy_header("{'fortran_order': False, 'shape': (3, 3)}"), "its header has no 'descr'"),
        (&npy_header("{'descr': '<f8', 'shape': (3, 3)}"), "its header has no valid 'fortran_order'"),
        (
            &npy_header("{'descr': '<f8', 'fortran_order': 0, 'shape': (3, 3)}"),
            "its header has no valid 'fortran_order'",
        ),
        (&npy_header("{'descr': '<f8', 'fortran_order': True, 'shape': (3, -3)}"), "its header has no valid 'shape'"),
    ] {
        let remedy = "write the file again with np.save(file, array)";
        check(content, None, &format!("d.npy: this is not a whole .npy array: {what}. Remedy: {remedy}."));
    }
}

#[test]
fn wrong_types_and_shapes() {
    let of = |descr: &str, shape: &str| {
        npy_header(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"))
    };
    for (descr, code) in [("'<c16'", "<c16"), ("'|O'", "|O"), ("[('a', '<f4')]", "records")] {
        let problem = format!("the array holds \"{code}\", not real numbers of a common size");
        let remedy = "save it as numbers, for example with: np.save(file, array.astype(\"float64\"))";
        check(&of(descr, "(3, 3)"), None, &format!("d.npy: {problem}. Remedy: {remedy}."));
    }
    check(
        &of("'<f8'", "(3, 3, 3)"),
        None,
        "d.npy: the array has shape (3, 3, 3), not one or two dimensions. \
         Remedy: save a two-dimensional array, objects x objects or objects x values, or a condensed vector.",
    );
    check(
        &npy_vector("<f8", &[1.0; 7]),
        None,
        "d.npy: this is one list of 7 numbers, but N objects have N (N - 1) / 2 pairs, and no N gives 7. \
         Remedy: give all pairs in the order of SciPy's pdist, or a square matrix.",
    );
    check(
        &npy_vector("<f4", &[1.0, -2.0, 3.0]),
        None,
        "d.npy, entry [1]: -2 is negative; dissimilarities must be zero or more. \
         Remedy: correct the value, or turn similarities into dissimilarities first.",
    );
    check(
        &of("'<f8'", "(5000000000, 0)"),
        None,
        "d.npy: 5000000000 objects are more than the 4294967295 that can be numbered. Remedy: split the input.",
    );
    check(
        &npy("<f8", false, &vec![vec![0.0; 2]; 2]),
        None,
        "d.npy: the number of objects is 2; a map needs at least 3. \
         Remedy: give more objects, and check the format of the file.",
    );
    check(
        &npy("<f8", false, &vec![vec![0.0; 2]; 3]),
        None,
        "d.npy: the array is 3 x 2, not square; it looks like features of 3 objects. \
         Remedy: say how rows are compared: sbmds fit d.npy --features --metric euclidean.",
    );
}

#[test]
fn entries_that_cannot_be_dissimilarities() {
    let mut spoilt = Vec::new();
    for (row, column, value, expected) in [
        (2, 1, -1.0, "d.npy, entry [2, 1] (2 to 1): -1 is negative; dissimilarities must be zero or more. Remedy: "),
        (
            1,
            2,
            f64::INFINITY,
            "d.npy, entry [1, 2] (1 to 2): inf is infinite; dissimilarities must be finite. Remedy: ",
        ),
        (2, 2, 1.0, "d.npy, entry [2, 2] (2 to 2): 1 stands on the diagonal; the dissimilarity of an object to itself"),
        (3, 0, 1.0, "d.npy, entry [3, 0] (3 to 0): 1 here, but 0.375 in the other direction; dissimilarities must be"),
    ] {
        let mut table = Table::example();
        table.values[row][column] = value;
        spoilt.push((table, expected));
    }
    for (table, expected) in &spoilt {
        for column_major in [false, true] {
            let message = message(read_as("d.npy", &table.npy("<f8", column_major), Format::Auto, None));
            assert!(message.starts_with(expected), "{message}");
        }
    }
    let nothing = npy("<f8", false, &vec![vec![f64::NAN; 3]; 3]);
    check(&nothing, None, "d.npy: every pair is missing. Remedy: give a file with at least some dissimilarities.");
}

/// The check runs over tiles: a wrong entry must be found wherever it is.
#[test]
fn one_wrong_entry_is_found_anywhere() {
    let names: Vec<String> = (0..70).map(|object| object.to_string()).collect();
    for (row, column) in [(0, 31), (63, 5), (33, 63), (0, 69), (69, 0), (31, 32), (32, 31), (64, 65), (68, 69), (40, 5)]
    {
        let mut table = Table::new(names.clone(), |a, b| (a + b) as f64);
        table.values[row][column] = -2.0;
        let message = message(read_as("d.npy", &table.npy("<f4", false), Format::Auto, None));
        assert!(message.starts_with(&format!("d.npy, entry [{row}, {column}] ({row} to {column}): -2")), "{message}");
    }
}

#[test]
fn features_that_cannot_be_compared() {
    let column = |values: [f64; 3]| npy("<f4", false, &values.map(|value| vec![value]));
    check(
        &npy("<f4", false, &vec![vec![]; 3]),
        Some(Metric::Euclidean),
        "d.npy: the objects have no features. Remedy: give at least one number per object.",
    );
    check(
        &column([1.0, f64::NAN, 1.0]),
        Some(Metric::Manhattan),
        "d.npy, entry [1, 0] (1): there is no value; features must be complete. \
         Remedy: fill the gap or leave the object out.",
    );
    check(
        &column([1.0, 1.0, f64::NEG_INFINITY]),
        Some(Metric::SqEuclidean),
        "d.npy, entry [2, 0] (2): -inf is too large for a feature; distances would overflow. \
         Remedy: correct the value or rescale the feature.",
    );
    check(
        &column([1.0, 0.0, 1.0]),
        Some(Metric::Cosine),
        "d.npy (1): all features are zero; such an object has no direction for metric cosine. \
         Remedy: leave the object out or choose metric euclidean.",
    );
    check(
        &npy("<f8", true, &vec![vec![0.1; 5]; 3]),
        Some(Metric::Correlation),
        "d.npy (0): all features are equal; such an object has no correlation with others. \
         Remedy: leave the object out or choose metric euclidean.",
    );
}

#[test]
fn features_in_memory() {
    let from = |rows, n_columns| {
        message(Dissimilarities::from_features(Names::numbered(3), rows, n_columns, Metric::Euclidean))
    };
    assert_eq!(from(vec![1.0; 5], 2), "features: 5 numbers are not 3 rows of 2. Remedy: give one row per object.");
    assert!(from(vec![], 0).starts_with("features: the objects have no features."));
    assert!(from(vec![f64::NAN; 6], 2).starts_with("features, entry [0, 0] (0): there is no value;"));
}

#[test]
fn positions_in_arrays() {
    let known = names(&["a", "b", "c"]);
    let read = |rows: &[Vec<f64>]| message(read_positions_as("x.npy", &npy("<f4", true, rows), &known));
    assert_eq!(
        read(&[vec![1.0], vec![3.0]]),
        "x.npy: the array has 2 rows, the input has 3 objects. \
         Remedy: give one row per object, in the order of the input, or a CSV with names."
    );
    assert_eq!(
        read(&[vec![1.0, 2.0], vec![3.0, f64::NAN], vec![5.0, 6.0]]),
        "x.npy, entry [1, 1] (b): a coordinate is missing. \
         Remedy: give every object a finite number in every dimension."
    );
}

#[test]
fn names_files() {
    let directory = tempfile::tempdir().unwrap();
    let (array, list) = (directory.path().join("d.npy"), directory.path().join("names.txt"));
    std::fs::write(&array, Table::example().npy("<f8", false)).unwrap();
    let read_with =
        |names: Option<PathBuf>, path: &Path| message(read(path, &ReadOptions { names, ..Default::default() }));
    for (content, expected) in [
        ("a\nb\nc\n", ": 3 names for 4 rows. Remedy: give one name per row, each on a line of its own, or a table"),
        ("a\nb\nc\na\n", ", line 4: the name a is given twice, to objects 1 and 4. Remedy: "),
        ("a\n\nc\nd\n", ", line 2: a name is empty. Remedy: "),
        ("a\nb\nc\nd\ne\nf\n", ": 6 names for 4 rows. Remedy: "),
        (
            "digit\n0\n1\n0\n2\n",
            ", line 4, column 1: the name 0 is given twice, to objects 1 and 3 (the first line, digit, is taken for a \
             header). Remedy: give every object a name of its own.",
        ),
        (
            "id,group\na,1\nb,1\na,2\nd,2\n",
            ", line 4, column 1: the name a is given twice, to objects 1 and 3. Remedy: ",
        ),
        ("id,group\na,1\nb,1\n", ": 3 names for 4 rows. Remedy: "),
    ] {
        std::fs::write(&list, content).unwrap();
        let message = read_with(Some(list.clone()), &array);
        assert!(message.starts_with(&format!("{}{expected}", list.display())), "{message}");
    }
    std::fs::write(&list, "id,group\na,1\n\"b, c\",1\nc,2\nd,2\n\n").unwrap();
    let table = read(&array, &ReadOptions { names: Some(list.clone()), ..Default::default() }).unwrap();
    assert_eq!(table.names().iter().collect::<Vec<_>>(), ["a", "b, c", "c", "d"]);
    std::fs::write(&list, "name\nw\nx\ny\nz\n").unwrap();
    let column = read(&array, &ReadOptions { names: Some(list.clone()), ..Default::default() }).unwrap();
    assert_eq!(column.names().iter().collect::<Vec<_>>(), ["w", "x", "y", "z"]);
    let matrix = directory.path().join("d.csv");
    std::fs::write(&matrix, ",a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n").unwrap();
    let message = read_with(Some(list), &matrix);
    assert!(
        message.ends_with(
            "d.csv: this file names its objects itself, so a names file has no place. \
         Remedy: leave the names file out."
        ),
        "{message}"
    );
}

#[test]
fn files_that_cannot_be_opened() {
    let directory = tempfile::tempdir().unwrap();
    let message = |path: &Path| message(read(path, &ReadOptions::default()));
    let absent = directory.path().join("absent.csv");
    let expected = format!("{}: there is no such file. Remedy: check the path and its spelling.", absent.display());
    assert_eq!(message(&absent), expected);
    let found = message(directory.path());
    assert!(found.ends_with(": this is a directory, not a file. Remedy: give the path of a file in it."), "{found}");
}

/// A copy job that is still writing, or anybody, may cut a file short while it is read.
#[test]
fn an_array_cut_short_after_it_was_opened_is_still_read() {
    let file = tempfile::NamedTempFile::with_suffix(".npy").unwrap();
    let n_objects = 300;
    let header = format!(
        "{:<117}\n",
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({n_objects}, {n_objects}), }}")
    );
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    let number = |a: usize, b: usize| (a.abs_diff(b)) as f64;
    bytes.extend((0..n_objects * n_objects).flat_map(|k| number(k / n_objects, k % n_objects).to_le_bytes()));
    std::fs::write(file.path(), &bytes).unwrap();
    let data = crate::dissimilarity::read(file.path(), &Default::default()).unwrap();
    file.as_file().set_len(200).unwrap();
    assert_eq!(data.get(0, n_objects - 1), number(0, n_objects - 1));
    let message = crate::dissimilarity::read(file.path(), &Default::default()).err().unwrap().to_string();
    assert!(message.contains("truncated"), "{message}");
}
