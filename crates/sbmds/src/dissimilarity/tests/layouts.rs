//! Files as people have them: each small, each with one habit of some other program.

use super::{Format, Metric, names, names_of, read_as, read_auto, read_graph_as, read_positions_as};

fn numbers(content: &str) -> (Vec<String>, [f64; 3]) {
    let input = read_auto("input", content.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{content}"));
    (names_of(&input), [input.get(0, 1), input.get(0, 2), input.get(1, 2)])
}

#[test]
fn three_objects_in_many_layouts() {
    for content in [
        ",a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n",
        "TAXA\ta\tb\tc\na\t 0.0\t 1.0\t 2.0\nb\t 1.0\t 0.0\t 3.0\nc\t 2.0\t 3.0\t 0.0",
        "\"a\" \"b\" \"c\"\n\"a\" 0 1 2\n\"b\" 1 0 3\n\"c\" 2 3 0\n",
        "x;a;b;c\r\nc;2;3;0\r\na;0;1;2\r\nb;1;0;3\r\n",
        "\n,a,b,c\n\na,,,\nb,1,,\nc,2,3,\n\n\n",
        ",a,b,c\na,NA,1,2\nb,-,?,3\nc,nan,N/A,NaN\n",
        "3\na\nb 1\nc 2 3\n",
        "3\na 0\nb 1 0\nc 2 3 0\n",
        "3\na 0 1 2\nb 1 0 3\nc 2 3 0\n",
        "3\na 0 1\n  2\nb 1 0\n  3\nc 2 3\n  0\n",
        "3\na\n  0 1 2\nb\n  1 0 3\nc\n  2 3 0\n",
        "   3\na         0.00  1.00  2.00\nb         1.00  0.00  3.00\nc         2.00  3.00  0.00\n",
        "a,b,1\na,c,2\nb,c,3\n",
        "from\tto\tvalue\na\tb\t1\nc\ta\t2\nb\tc\t3\nb\ta\t1\na\ta\t0\n",
        "a b 1\na c 2\nb c 3\n",
    ] {
        assert_eq!(numbers(content), (["a", "b", "c"].map(String::from).to_vec(), [1.0, 2.0, 3.0]), "{content}");
    }
}

#[test]
fn strict_phylip_names_may_touch_their_numbers() {
    let (names, values) = numbers("3\nHomo sapie0.0 1.0 2.0\nAAAAAAAAAA1.0 0.0 3.0\nTaxon 1   2.0 3.0 0.0\n");
    assert_eq!((names.join("|").as_str(), values), ("Homo sapie|AAAAAAAAAA|Taxon 1", [1.0, 2.0, 3.0]));
}

#[test]
fn numeric_names_are_names() {
    let expected = (["1", "2", "3"].map(String::from).to_vec(), [1.0, 2.0, 3.0]);
    for content in [
        ",1,2,3\n1,0,1,2\n2,1,0,3\n3,2,3,0\n",
        "3\n1\n2 1\n3 2 3\n",
        "3\n1 0\n2 1 0\n3 2 3 0\n",
        "1,2,1\n1,3,2\n2,3,3\n",
    ] {
        assert_eq!(numbers(content), expected, "{content}");
    }
}

#[test]
fn edge_lists_list_what_was_measured() {
    let input = read_auto("input", b"b,a,1\nc,b,2\nd,c,NA\n").unwrap();
    assert_eq!(names_of(&input), ["b", "a", "c", "d"]);
    assert_eq!(input.measured_pairs(), Some(&[(0, 1, 1.0), (0, 2, 2.0)][..]));
    assert!(input.get(1, 2).is_nan() && input.get(3, 2).is_nan() && input.get(3, 3) == 0.0);
    assert_eq!((input.kind(), input.is_dense_matrix()), ("edge list", false));
}

#[test]
fn names_joined_from_their_own_file() {
    let directory = tempfile::tempdir().unwrap();
    let (array, names) = (directory.path().join("d.npy"), directory.path().join("names.txt"));
    std::fs::write(&array, super::writers::Table::example().npy("<f4", false)).unwrap();
    std::fs::write(&names, "w\r\nx y\r\nz\r\nü\r\n\r\n").unwrap();
    let options = crate::dissimilarity::ReadOptions { names: Some(names), ..Default::default() };
    let input = crate::dissimilarity::read(&array, &options).unwrap();
    assert_eq!(names_of(&input), ["w", "x y", "z", "ü"]);
    assert_eq!((input.get(3, 0), input.kind(), input.is_dense_matrix()), (0.375, "matrix", true));
    assert!(input.measured_pairs().is_none() && input.get(1, 2).is_nan());
}

#[test]
fn feature_tables_with_and_without_header() {
    for content in ["a,0,0\nb,3,4\nc,0,1\n", "id;0;1\na;0;0\nb;3;4\nc;0;1\n", "x y\na 0 0\nb 3 4\nc 0 1\n"] {
        let input = read_as("input", content.as_bytes(), Format::Auto, Some(Metric::Euclidean)).unwrap();
        assert_eq!((names_of(&input).join(""), input.get(0, 1), input.kind()), ("abc".into(), 5.0, "features"));
    }
}

#[test]
fn positions_are_joined_by_name() {
    let known = names(&["a", "b", "c"]);
    for content in ["name,x,y\nc,5,6\na,1,2\nb,3,4\n", "c\t5\t6\na\t1\t2\nb\t3\t4\n", "x y\nb 3 4\na 1 2\nc 5 6"] {
        let locations = read_positions_as("x.csv", content.as_bytes(), &known).unwrap();
        assert_eq!(locations.as_slice(), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    }
    let rows = [vec![1.0, 2.0], vec![3.0, 4.0], vec![5.0, 6.0]];
    let locations = read_positions_as("x.npy", &super::writers::npy("<f4", true, &rows), &known).unwrap();
    assert_eq!(locations.as_slice(), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
}

#[test]
fn graphs_are_sorted_and_merged() {
    let known = names(&["a", "b", "c"]);
    for content in ["c,a\nb,a,0.5\na,c\n", "from,to\nc,a\na,b\n", "c a\na b"] {
        assert_eq!(read_graph_as("g.csv", content.as_bytes(), &known).unwrap(), [(0, 1), (0, 2)], "{content}");
    }
}

#[test]
fn graphs_may_have_a_header() {
    let known = names(&["k", "l", "to"]);
    for header in ["from,to2", "Source,TARGET", "name1,name2,weight", "object_1,object_2", "i,j", "one,other,Distance"]
    {
        let content = format!("{header}\nk,l\nl,to\n");
        assert_eq!(read_graph_as("g.csv", content.as_bytes(), &known).unwrap(), [(0, 1), (1, 2)], "{header}");
    }
    // A header word that is an object's name is that object.
    assert_eq!(read_graph_as("g.csv", b"k,to\nk,l\n", &known).unwrap(), [(0, 1), (0, 2)]);
    assert!(read_graph_as("g.csv", b"from,to\nk,l\n", &known).is_err());
}
