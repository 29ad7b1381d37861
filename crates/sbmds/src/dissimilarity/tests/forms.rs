//! Every layout of a text that is read, each as the program that writes it leaves it, and what is said about it.

use super::super::{Names, ReadOptions, read, read_source};
use super::writers::{gzip, npy, npy_vector};
use super::{Dissimilarities, Format, InputError, Metric, names_of, read_as, read_auto};
use crate::dissimilarity::text::Source;

/// Names, and the dissimilarities 0-1, 0-2, 1-2.
fn three(input: &Dissimilarities) -> (String, [f64; 3]) {
    (names_of(input).join(" "), [input.get(0, 1), input.get(0, 2), input.get(1, 2)])
}

fn read_with(content: &str, options: &ReadOptions) -> Result<Dissimilarities, InputError> {
    read_source("input.csv".as_ref(), Source::from_bytes("input.csv", content.as_bytes()), options)
}

const NUMBERED: &str = "input.csv: there are no names; the objects are called 0 to 2";

/// Layouts without names: objects are called 0, 1, 2, and the user is told.
#[test]
fn three_objects_without_names() {
    for content in [
        // np.savetxt, and pandas to_csv(header=False, index=False)
        "0.000000e+00,1.000000e+00,2.000000e+00\n1.000000e+00,0.000000e+00,3.000000e+00\n2.000000e+00,3.000000e+00,0.000000e+00\n",
        "0,1,2\n1,0,3\n2,3,0\n",
        "0 1 2\n1 0 3\n2 3 0\n",
        "   0   1   2\n   1   0   3\n   2   3   0\n",
        "# made by numpy\n0.0 1.0 2.0\n# the second object\n1.0 0.0 3.0\n2.0 3.0 0.0\n",
        "nan,1,2\n1,nan,3\n2,3,nan\n",
        "NA,1,2\nNA,NA,3\nNA,NA,NA\n",
        // Lower triangles: with the diagonal, without it, and below the number of objects
        "0\n1 0\n2 3 0\n",
        "0\n1,0\n2,3,0\n",
        "1\n2 3\n",
        "1\n2\t3\n",
        "3\n1\n2 3\n",
        "3\n0\n1 0\n2 3 0\n",
        // scipy's pdist: in one line, in one column
        "1,2,3\n",
        "1 2 3",
        "1.0\n2.0\n3.0\n",
    ] {
        let input = read_auto("input.csv", content.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{content}"));
        assert_eq!(three(&input), ("0 1 2".into(), [1.0, 2.0, 3.0]), "{content}");
        assert_eq!((input.notes(), input.warnings().len()), (&[NUMBERED.to_owned()][..], 0), "{content}");
    }
}

/// Layouts with names on one side only.
#[test]
fn three_objects_with_names_on_one_side() {
    for content in [
        // pandas to_csv(index=False), R's write.csv(m, row.names = FALSE)
        "a,b,c\n0.0,1.0,2.0\n1.0,0.0,3.0\n2.0,3.0,0.0\n",
        "\"a\",\"b\",\"c\"\n0,1,2\n1,0,3\n2,3,0\n",
        // pandas to_csv(header=False)
        "a,0,1,2\nb,1,0,3\nc,2,3,0\n",
        "a 0 1 2\nb 1 0 3\nc 2 3 0\n",
        // Lower triangles without the number of objects
        "a\nb 1\nc 2 3\n",
        "a\nb,1\nc,2,3\n",
        "a 0\nb 1 0\nc 2 3 0\n",
        "a b c\n0\n1 0\n2 3 0\n",
        "a b c\n1\n2 3\n",
        "a,b,c\na\nb,1\nc,2,3\n",
        ",a,b,c\na,0\nb,1,0\nc,2,3,0\n",
    ] {
        let input = read_auto("input.csv", content.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{content}"));
        assert_eq!(three(&input), ("a b c".into(), [1.0, 2.0, 3.0]), "{content}");
        assert!(input.notes().is_empty() && input.warnings().is_empty(), "{content}");
    }
}

/// Numbers as names: what stands in the corner and in quotes tells them from a matrix without names.
#[test]
fn names_that_are_numbers_stay_names() {
    for (content, names) in [
        (",0,1,2\n0,0,1,2\n1,1,0,3\n2,2,3,0\n", "0 1 2"),
        ("\"\",\"434\",\"445\",\"465\"\n\"434\",0,1,2\n\"445\",1,0,3\n\"465\",2,3,0\n", "434 445 465"),
        (",0,1,2\n0,,1,2\n1,1,,3\n2,2,3,\n", "0 1 2"),
        ("id,7,8,9\n7,,1,2\n8,1,,3\n9,2,3,\n", "7 8 9"),
        ("\"5\",\"3\",\"4\"\n0,1,2\n1,0,3\n2,3,0\n", "5 3 4"),
        ("0,1,2\n0.0,1.0,2.0\n1.0,0.0,3.0\n2.0,3.0,0.0\n", "0 1 2"),
        ("id,5,3,4\n5,0,1,2\n3,1,0,3\n4,2,3,0\n", "5 3 4"),
    ] {
        let input = read_auto("input.csv", content.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{content}"));
        assert_eq!(three(&input), (names.into(), [1.0, 2.0, 3.0]), "{content}");
        assert!(input.notes().is_empty(), "{content}");
    }
}

/// The first line of a matrix without names must never become names: the first object would be lost.
#[test]
fn no_object_of_a_bare_matrix_is_lost() {
    for n in [3, 4, 5, 8, 40] {
        let value = |a: usize, b: usize| if a == b { 0.0 } else { 1.0 + ((a * b + a + b) % 17) as f64 / 7.0 };
        for (delimiter, diagonal) in [(",", "0"), (" ", "0.0"), ("\t", "nan"), (",", ""), (";", "NA")] {
            let cell = |a, b| if a == b { diagonal.to_owned() } else { value(a, b).to_string() };
            let row = |a| (0..n).map(|b| cell(a, b)).collect::<Vec<_>>().join(delimiter);
            let content = (0..n).map(row).collect::<Vec<_>>().join("\n");
            let input = read_auto("input.csv", content.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{content}"));
            assert_eq!(input.n_objects(), n, "{content}");
            for (a, b) in (0..n).flat_map(|a| (0..a).map(move |b| (a, b))) {
                assert_eq!(input.get(a, b), value(a, b), "{content}");
            }
        }
    }
}

/// Larger than what is looked at to tell the form.
#[test]
fn a_bare_matrix_larger_than_the_head_is_counted_to_its_end() {
    let n = 1_100;
    let value = |a: usize, b: usize| (a as f64 - b as f64).abs() / 64.0;
    let row = |a| (0..n).map(|b| format!("{:.6}", value(a, b))).collect::<Vec<_>>().join(",");
    let content = format!("# {n} objects\n{}\n", (0..n).map(row).collect::<Vec<_>>().join("\n"));
    assert!(content.len() > 1 << 23);
    for content in [content.clone().into_bytes(), gzip(content.as_bytes())] {
        let input = read_auto("input.csv", &content).unwrap();
        assert_eq!((input.n_objects(), input.get(0, n - 1), input.get(n - 1, 3)), (n, 17.171875, 17.125));
    }
}

/// What R prints of distances: names with blanks, columns in blocks, digits that are names.
#[test]
fn what_r_prints_is_read() {
    let row = |name: &str, first: &str, second: &str| format!("{name:<15} {first:>6} {second:>8}\n");
    let more = |name: &str, value: &str| format!("{name:<15} {value:>15}\n");
    let cities = [
        row("", "Athens", "New York"),
        row("New York", "10", ""),
        row("Hook of Holland", "20", "5.25"),
        row("Rome", "1", "NA"),
        more("", "Hook of Holland"),
        more("New York", ""),
        more("Hook of Holland", ""),
        more("Rome", "1.5"),
    ]
    .concat();
    let input = read_auto("d.txt", cities.as_bytes()).unwrap();
    assert_eq!(names_of(&input), ["Athens", "New York", "Hook of Holland", "Rome"]);
    let pairs = [(0, 1), (0, 2), (1, 2), (0, 3), (2, 3)];
    assert_eq!(pairs.map(|(a, b)| input.get(a, b)), [10.0, 20.0, 5.25, 1.0, 1.5]);
    assert!(input.get(1, 3).is_nan() && input.notes().is_empty());
    let numbered = "          1         2\n2 1.0000000          \n3 2.0000000 3.0000000\n";
    assert_eq!(three(&read_auto("d.txt", numbered.as_bytes()).unwrap()), ("1 2 3".into(), [1.0, 2.0, 3.0]));
    // print(d, diag = TRUE, upper = TRUE), and print(as.matrix(d)) in two blocks
    for content in [
        "    a b c d 1\na   0 1 2   4\nb   1 0 3   4\nc   2 3 0   4\nd 1 4 4 4   0\n",
        "  a b\na 0 1\nb 1 0\nc 2 3\n  c\na 2\nb 3\nc 0\n",
        "     [,1] [,2] [,3]\n[1,]    0    1    2\n[2,]    1    0    3\n[3,]    2    3    0\n",
    ] {
        let input = read_auto("d.txt", content.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{content}"));
        assert_eq!(three(&input).1, [1.0, 2.0, 3.0], "{content}");
    }
}

#[test]
fn decimal_commas_are_read_and_told() {
    let note = "input.csv: numbers are written with decimal commas (0,5 is read as 0.5)";
    for content in [
        ";a;b;c\na;0;1,5;2,25\nb;1,5;0;3,5\nc;2,25;3,5;0\n",
        "\ta\tb\tc\na\t0\t1,5\t2,25\nb\t1,5\t0\t3,5\nc\t2,25\t3,5\t0\n",
        "3\na\nb 1,5\nc 2,25 3,5\n",
        "a;b;1,5\na;c;2,25\nb;c;3,5\n",
    ] {
        let input = read_auto("input.csv", content.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{content}"));
        assert_eq!(three(&input), ("a b c".into(), [1.5, 2.25, 3.5]), "{content}");
        assert_eq!(input.notes(), [note], "{content}");
    }
    let features = "name;x\na;0,5\nb;1,5\nc;0\n";
    let input = read_as("input.csv", features.as_bytes(), Format::Auto, Some(Metric::Euclidean)).unwrap();
    assert_eq!((input.get(0, 1), input.notes()), (1.0, &[note.to_owned()][..]));
}

#[test]
fn edge_lists_may_have_further_columns() {
    let content = "source,target,year,distance\na,b,2001,1\na,c,2002,2\nb,c,2003,3\n";
    let with = |content: &str, value: &str| {
        read_with(content, &ReadOptions { value: Some(value.into()), ..Default::default() })
    };
    for value in ["distance", "Distance", "4"] {
        assert_eq!(three(&with(content, value).unwrap()), ("a b c".into(), [1.0, 2.0, 3.0]), "{value}");
    }
    assert_eq!(three(&with(content, "year").unwrap()).1, [2001.0, 2002.0, 2003.0]);
    let bare = "a b x 1\na c x 2\nb c x 3\n";
    assert_eq!(three(&with(bare, "4").unwrap()), ("a b c".into(), [1.0, 2.0, 3.0]));
}

#[test]
fn nearly_symmetric_values_are_averaged_and_told() {
    let content = ",a,b,c\na,0,1,2\nb,1.00005,0,3\nc,2,3.0000001,0\n";
    let input = read_auto("some/input.csv", content.as_bytes()).unwrap();
    assert_eq!(three(&input), ("a b c".into(), [1.000025, 2.0, 3.0]));
    let warning = "input.csv: 1 pair has two values that differ by up to 5.0e-5 of their size; the mean is used";
    assert_eq!(input.warnings(), [warning]);
    let rows = [vec![0.0, 1.25, 2.0], vec![1.25005, 0.0, 3.0], vec![2.0, 3.0003, 0.0]];
    for column_major in [false, true] {
        let input = read_auto("input.npy", &npy("<f8", column_major, &rows)).unwrap();
        assert_eq!(three(&input).1, [0.5 * 1.25 + 0.5 * 1.25005, 2.0, 0.5 * 3.0 + 0.5 * 3.0003]);
        assert_eq!((input.get(1, 0), input.get(2, 1)), (input.get(0, 1), input.get(1, 2)));
        let warning = "input.npy: 2 pairs have two values that differ by up to 1.0e-4 of their size; the mean is used";
        assert_eq!(input.warnings(), [warning]);
    }
    let input = read_auto("input.csv", b"a,b,1\nb,a,1.0001\na,c,2\nb,c,3\n").unwrap();
    assert_eq!((three(&input).1, input.warnings().len()), ([0.5 + 0.5 * 1.0001, 2.0, 3.0], 1));
    // Values that differ are measurements of their own.
    let repeated = read_auto("input.csv", b"a,b,1\nb,a,1.001\na,c,2\nb,c,3\n").unwrap();
    assert_eq!(repeated.warnings().len(), 1);
}

#[test]
fn condensed_arrays_and_whole_numbers_are_matrices() {
    for code in ["<f8", ">f4", "<i4", "|u1"] {
        let input = read_auto("d.npy", &npy_vector(code, &[1.0, 2.0, 3.0])).unwrap();
        assert_eq!(three(&input), ("0 1 2".into(), [1.0, 2.0, 3.0]), "{code}");
    }
    let missing = read_auto("d.npy", &npy_vector("<f8", &[1.0, f64::NAN, 3.0, 4.0, 5.0, 6.0])).unwrap();
    assert!(missing.n_objects() == 4 && missing.get(0, 2).is_nan() && missing.get(2, 3) == 6.0);
}

#[test]
fn packed_files_are_unpacked() {
    for content in [&b",a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n"[..], b"a,b,1\na,c,2\nb,c,3\n"] {
        let input = read_auto("d.csv.gz", &gzip(content)).unwrap();
        assert_eq!(three(&input), ("a b c".into(), [1.0, 2.0, 3.0]));
    }
    let rows = [vec![0.0, 1.0, 2.0], vec![1.0, 0.0, 3.0], vec![2.0, 3.0, 0.0]];
    for array in [gzip(&npy("<f8", false, &rows)), gzip(&npy_vector("<f4", &[1.0, 2.0, 3.0]))] {
        assert_eq!(three(&read_auto("d.npy.gz", &array).unwrap()), ("0 1 2".into(), [1.0, 2.0, 3.0]));
    }
    let whole = gzip(b",a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut.csv.gz");
    std::fs::write(&path, &whole[..whole.len() - 12]).unwrap();
    let message = read(&path, &ReadOptions::default()).map(|_| ()).unwrap_err().to_string();
    assert!(message.contains("cut.csv.gz: this is a damaged gzip file: "), "{message}");
    assert!(message.ends_with(". Remedy: copy or download the file again."), "{message}");
}

#[test]
fn names_files_name_what_has_no_names() {
    let directory = tempfile::tempdir().unwrap();
    let names = directory.path().join("names.txt");
    std::fs::write(&names, "#1\nb\nc\n").unwrap();
    let options = ReadOptions { names: Some(names), ..Default::default() };
    for content in ["0,1,2\n1,0,3\n2,3,0\n", "1\n2 3\n", "1,2,3\n"] {
        let input = read_with(content, &options).unwrap();
        assert_eq!(three(&input), ("#1 b c".into(), [1.0, 2.0, 3.0]), "{content}");
        assert!(input.notes().is_empty());
    }
    let features = ReadOptions { features: Some(Metric::Manhattan), no_names: true, ..options };
    let input = read_with("0\n1\n3\n", &features).unwrap();
    assert_eq!((three(&input), input.notes().len()), (("#1 b c".into(), [1.0, 3.0, 2.0]), 0));
}

/// A table of numbers alone has no names; whole numbers that are all different may be names.
#[test]
fn features_without_names() {
    let read = |content: &str, no_names: bool| {
        let options = ReadOptions { features: Some(Metric::Manhattan), no_names, ..Default::default() };
        read_with(content, &options).unwrap_or_else(|error| panic!("{error}\n{content}"))
    };
    let called = "so it is taken as a feature, not as names (as with `no_names`)";
    for (content, no_names, warning) in [
        ("0,1\n0,2\n5,3\n", false, format!("input.csv: the first column holds repeated numbers, {called}")),
        ("x,y\n0,1\n0,2\n5,3\n", false, format!("input.csv: the first column (x) holds repeated numbers, {called}")),
        ("0.5,1\n0.25,2.25\n5.5,3\n", false, format!("input.csv: the first column holds decimal numbers, {called}")),
        ("x,y\n0,1\n0,2\n5,3\n", true, String::new()),
        ("0,1\n0,2\n5,3\n", true, String::new()),
    ] {
        let input = read(content, no_names);
        let expected = if content.starts_with("0.5") { [1.5, 7.0, 6.0] } else { [1.0, 7.0, 6.0] };
        assert_eq!(three(&input), ("0 1 2".into(), expected), "{content}");
        assert_eq!(input.notes(), [NUMBERED], "{content}");
        assert_eq!(input.warnings().concat(), warning, "{content}");
    }
    let named = read("size,y\n40,1\n20,2\n30,4\n", false);
    assert_eq!(three(&named), ("40 20 30".into(), [1.0, 3.0, 2.0]));
    let warning = "input.csv: the first column (size) holds different whole numbers and is taken for names; `no_names` takes it \
                   as a feature";
    assert_eq!(named.warnings(), [warning]);
    for content in ["id,y\n40,1\n20,2\n30,4\n", "1,1\n2,2\n3,4\n", ",y\n4,1\n2,2\n3,4\n"] {
        let input = read(content, false);
        assert!(input.warnings().is_empty() && input.notes().is_empty(), "{content}");
        assert_eq!(three(&input).1, [1.0, 3.0, 2.0], "{content}");
    }
}

#[test]
fn a_format_that_is_given_decides() {
    let square = "0,1,2\n1,0,3\n2,3,0\n";
    let input = read_as("input.csv", square.as_bytes(), Format::Matrix, None).unwrap();
    assert_eq!(three(&input), ("0 1 2".into(), [1.0, 2.0, 3.0]));
    let edges = read_as("input.csv", b"0,1,2\n1,2,3\n2,0,4\n", Format::Edges, None).unwrap();
    assert_eq!(three(&edges), ("0 1 2".into(), [2.0, 4.0, 3.0]));
    assert_eq!(edges.kind(), "edge list");
    assert!(Names::numbered(3).is_numbered());
}

/// Names that look like the beginning of another format are names.
#[test]
fn tables_are_not_mistaken_for_other_files() {
    for (content, names) in [
        ("PAR1,PAR2,1\nPAR1,BZh,2\nPAR2,BZh,3\n", "PAR1 PAR2 BZh"),
        ("(km),a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n", "a b c"),
        ("[km],a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n", "a b c"),
        ("<,a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n", "a b c"),
        ("#query\ta\tb\tc\na\t0\t1\t2\nb\t1\t0\t3\nc\t2\t3\t0\n", "a b c"),
    ] {
        let input = read_auto("input.csv", content.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{content}"));
        assert_eq!(three(&input), (names.into(), [1.0, 2.0, 3.0]), "{content}");
    }
}
