//! Whatever the bytes, the readers answer: with dissimilarities that can be used or with an error.

use proptest::prelude::*;

use super::super::name_files::names_from;
use super::super::text::Source;
use super::super::{ReadOptions, read_source};
use super::writers::{Table, gzip};
use super::{Format, Metric, names, read_as, read_graph_as, read_positions_as};

/// Every reader on the same bytes.
fn read_in_every_way(content: &[u8]) {
    for format in [Format::Auto, Format::Matrix, Format::Phylip, Format::Npy, Format::Edges] {
        for features in [None].into_iter().chain(Metric::ALL.map(Some)) {
            check(read_as("input", content, format, features));
        }
    }
    for (value, no_names) in [(Some("value"), false), (Some("3"), false), (None, true)] {
        let features = no_names.then_some(Metric::Manhattan);
        let options = ReadOptions { value: value.map(Into::into), no_names, features, ..Default::default() };
        check(read_source("input".as_ref(), Source::from_bytes("input", content), &options));
    }
    check(read_as("input", &gzip(content), Format::Auto, None));
    let known = names(&["A/Texas/21", "A/Ohio/3", "B", "C"]);
    if let Ok(locations) = read_positions_as("input", content, &known) {
        assert!(locations.n_objects() == 4 && locations.as_slice().iter().all(|value| value.is_finite()));
    }
    if let Ok(edges) = read_graph_as("input", content, &known) {
        assert!(edges.is_sorted() && edges.iter().all(|&(a, b)| a < b && b < 4));
    }
    if let Ok(names) = names_from(Source::from_bytes("input", content), 3) {
        assert_eq!(names.len(), 3);
    }
}

/// The answer is usable, or an error that says what to do, in one line of moderate length.
fn check(answer: Result<super::Dissimilarities, super::InputError>) {
    match answer {
        Ok(input) => check_usable(&input),
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("input") && message.contains("Remedy: ") && message.len() < 2000, "{message}");
            assert!(!message.contains(char::is_control), "{message:?}");
        }
    }
}

/// What was accepted keeps the promises of `Dissimilarities::get`.
fn check_usable(input: &super::Dissimilarities) {
    let n_objects = input.n_objects();
    assert!(n_objects >= 3);
    for a in 0..n_objects.min(40) {
        for b in 0..n_objects.min(40) {
            let value = input.get(a, b);
            assert!(value.is_nan() || (value >= 0.0 && value.is_finite()), "({a}, {b}): {value}");
            assert_eq!(value.to_bits(), input.get(b, a).to_bits());
            assert!(a != b || value == 0.0);
        }
    }
}

/// One change to the bytes of a file; positions are taken modulo its length.
#[derive(Clone, Debug)]
enum Change {
    Flip(usize, u8),
    Delete(usize, usize),
    Insert(usize, Vec<u8>),
    Repeat(usize, usize),
    Cut(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<usize>();
    let telling = prop::sample::select(vec![
        ",",
        "\t",
        ";",
        "\n",
        "\r\n",
        "\"",
        " ",
        "NA",
        "-",
        "?",
        "1e999",
        "-1",
        "inf",
        "\u{feff}",
        "\0",
        "9999999999",
        "#",
        "# ",
        "0,5",
        "3,313",
        "12%",
        "<10",
        "[",
        "value",
    ]);
    prop_oneof![
        (at, any::<u8>()).prop_map(|(at, byte)| Change::Flip(at, byte)),
        (at, 1_usize..9).prop_map(|(at, n)| Change::Delete(at, n)),
        (at, prop::collection::vec(any::<u8>(), 1..5)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (at, telling).prop_map(|(at, text)| Change::Insert(at, text.into())),
        (at, 1_usize..40).prop_map(|(at, n)| Change::Repeat(at, n)),
        at.prop_map(Change::Cut),
    ]
}

fn apply(mut bytes: Vec<u8>, change: Change) -> Vec<u8> {
    let n = bytes.len().max(1);
    let span = |at: usize, n_bytes: usize, length: usize| (at % n).min(length)..(at % n + n_bytes).min(length);
    let length = bytes.len();
    match change {
        Change::Flip(at, with) => bytes.iter_mut().skip(at % n).take(1).for_each(|byte| *byte ^= with),
        Change::Delete(at, n_bytes) => drop(bytes.drain(span(at, n_bytes, length))),
        Change::Insert(at, new) => drop(bytes.splice(span(at, 0, length), new)),
        Change::Repeat(at, n_bytes) => {
            let again = bytes[span(at, n_bytes, length)].to_vec();
            bytes.splice(span(at, 0, length), again);
        }
        Change::Cut(at) => bytes.truncate(at % n),
    }
    bytes
}

/// Valid files of every format.
fn valid_files() -> Vec<Vec<u8>> {
    let table = Table::example();
    vec![
        table.delimited(",", "", &[0, 1, 2, 3], |_, _| true),
        table.delimited("\t", "TAXA", &[2, 1, 0, 3], |a, b| a > b),
        table.like_r(),
        table.phylip(10, 4, |_| 4),
        table.phylip(11, 2, |_| 4),
        table.phylip(11, 4, |k| k),
        table.phylip(10, 4, |k| k + 1),
        table.edges("from,to,value\n"),
        table.npy("<f8", false),
        table.npy(">f4", true),
        table.npy("<i4", false),
        b"name,x,y\nB,1,2\nA/Ohio/3,-1,0.5\nC,0,7\nA/Texas/21,3,3\n".to_vec(),
        b"0,1,2,3\n1,0,3,4\n2,3,0,5\n3,4,5,0\n".to_vec(),
        b"a,b,c\n0,1,2\n1,0,3\n2,3,0\n".to_vec(),
        b"# comment\na 0 1 2\nb 1 0 3\n# another\nc 2 3 0\n".to_vec(),
        b"0\n1 0\n2 3 0\n4 5 6 0\n".to_vec(),
        b"a\nb,1\nc,2,3\n".to_vec(),
        b"  a b\nb 1  \nc 2 3\nd 4 5\n  c\nb  \nc  \nd 6\n".to_vec(),
        b"1,2,3,4,5,6\n".to_vec(),
        b";a;b;c\na;0;0,5;2,25\nb;0,5;0;3\nc;2,25;3;0\n".to_vec(),
        b"from,to,year,value\na,b,2001,1\nb,c,2002,2\na,c,2003,3\n".to_vec(),
        b",s,t,u\nv,640,<10,*\nw,80,1280,40\n".to_vec(),
        b"[[0, 1], [1, 0]]".to_vec(),
        super::writers::npy_vector("<f4", &[1.0, 2.0, 3.0]),
        table.npy("<f2", true),
    ]
}

#[test]
fn valid_files_are_usable() {
    for content in valid_files() {
        read_in_every_way(&content);
    }
}

#[test]
fn sizes_that_overflow_are_refused() {
    let huge = u64::MAX.to_string();
    for count in ["4294967295", "4294967296", huge.as_str(), "99999999999999999999999"] {
        read_in_every_way(format!("{count}\nA 0 1 2\nB 1 0 2\n").as_bytes());
        for shape in [format!("({count}, {count})"), format!("({count}, 0)"), format!("(0, {count})")] {
            let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
            read_in_every_way(&super::writers::npy_header(&header));
        }
    }
    let wide = format!(",{}\n{},0\n", vec!["x"; 5000].join(","), "x");
    read_in_every_way(wide.as_bytes());
    let numbers: Vec<String> = (0..20_000).map(|number| format!("n{number}")).collect();
    read_in_every_way(format!("{}\nn0{}\n", numbers.join(","), ",0".repeat(19_999)).as_bytes());
}

proptest! {
    #![proptest_config(super::cases(1024))]

    #[test]
    fn arbitrary_bytes(content in prop::collection::vec(any::<u8>(), 0..300)) {
        read_in_every_way(&content);
    }

    #[test]
    fn arbitrary_text(content in "[0-9A-C,;\t \n\r\"?.NAe+#<%-]{0,200}") {
        read_in_every_way(content.as_bytes());
    }

    #[test]
    fn arbitrary_array(header in "[ -~]{0,80}", data in prop::collection::vec(any::<u8>(), 0..80)) {
        let mut content = super::writers::npy_header(&header);
        content.extend(data);
        read_in_every_way(&content);
    }

    #[test]
    fn damaged_files(which in 0_usize..25, changes in prop::collection::vec(change(), 1..6)) {
        let content = changes.into_iter().fold(valid_files().swap_remove(which), apply);
        read_in_every_way(&content);
    }
}
