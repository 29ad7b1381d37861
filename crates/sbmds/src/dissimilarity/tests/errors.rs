//! Every error by its message: file, line, column, objects, problem and remedy.

use super::super::{InputError, ReadOptions, read};
use super::writers::{Table, npy, npy_header};
use super::{Dissimilarities, Format, Metric, Names, names, read_as, read_auto, read_graph_as, read_positions_as};

fn message<T>(outcome: Result<T, InputError>) -> String {
    outcome.map(|_| "no error").unwrap_err().to_string()
}

/// The messages of small text files, all called `d.csv`.
fn check_texts(format: Format, features: Option<Metric>, cases: &[(&str, &str)]) {
    for (content, expected) in cases {
        assert_eq!(message(read_as("d.csv", content.as_bytes(), format, features)), *expected, "\n{content}");
    }
}
#[test]
fn dump() {
    let m: &[(Format, Option<Metric>, &[&str])] = &[
        (
            Format::Auto,
            None,
            &[
                "",
                " \n\n",
                ",a,b\na,0,1\nb,1,0\n",
                ",a,b,c\na,0,1,2\nb,1,0,-0.5\nc,2,3,0\n",
                ",a,b,c\na,0,inf,2\nb,1,0,3\nc,2,3,0\n",
                ",a,b,c\na,0,1e999,2\nb,1,0,3\nc,2,3,0\n",
                ";a;b;c\na;0;1,5;2\nb;1,5;0;3\nc;2;3;0\n",
                ",a,b,c\na,0,1,2\nb,1,7,3\nc,2,3,0\n",
                ",a,b,c\na,0,1,2\nb,1,0,3\nc,2,3.5,0\n",
                ",a,b,a\na,0,1,2\nb,1,0,3\nc,2,3,0\n",
                ",a,b,\na,0,1,2\nb,1,0,3\nc,2,3,0\n",
                ",a,b,c\na,0,1,2\nb,1,0\nc,2,3,0\n",
                ",a,b,c\na,0,1,2\nb,1,0,3,4\nc,2,3,0\n",
                ",a,b,c\na,0,1,2\nb,1,0,3\nx,2,3,0\n",
                ",a,b,c\na,0,1,2\nb,1,0,3\n,2,3,0\n",
                ",a,b,c\na,0,1,2\nb,1,0,3\na,0,1,2\n",
                ",a,b,c,d\na,0,1,2,3\nb,1,0,3,4\n",
                ",a,b,c\na,0,,\nb,NA,0,\nc,-,?,0\n",
                ",a,b,c\na,0,\"1,2\nb,1,0,3\nc,2,3,0\n",
                ",a,b,c\nx,1\n",
                "0,1,2\n1,0,3\n2,3,0\n",
            ],
        ),
        (
            Format::Phylip,
            None,
            &[
                "x\na 0 1 2\n",
                "2\na 0 1\nb 1 0\n",
                "4\na 0 1 2 3\nb 1 0 3 4\nc 2 3 0 5\n",
                "3\na 0 1 2\nb 1 0 3\nc 2 3 0\nd 2 3 0\n",
                "3\na 0 1 2\nb 1 0\nc 2 3 0\n",
                "3\na 0 1 2\nb 1 0 3 4\nc 2 3 0\n",
                "3\na 0 1 2\nb 1 0 3\nc 2 3\n",
                "3\na\nb -1\nc 2 3\n",
                "3\na 0 1 2\nb 1 0 x\nc 2 3 0\n",
                "3\na 0 1 2\nb 1 0 3\nc 2 9 0\n",
                "3\na 0 inf 2\nb 1 0 3\nc 2 9 0\n",
                "3\na 0\nb 1 5\nc 2 3 0\n",
                "3\na 0 1 2\nb 1 0 3\na 2 3 0\n",
                "3\na\nb -\nc - -\n",
                "900\na\nb 1\n",
            ],
        ),
        (
            Format::Edges,
            None,
            &[
                "a,b,1\nb,c\n",
                "a,b,1\n,c,2\n",
                "a,b,1\nb,c,-2\n",
                "a,b,1\nb,c,x\n",
                "a,b,1\nb,c,inf\n",
                "a,b,1\na,c,2\nb,b,3\n",
                "a,b,1\na,c,2\nb,a,1.5\n",
                "a,b,1\nb,a,1\n",
                "a,b,NA\na,c,\n",
            ],
        ),
        (
            Format::Auto,
            Some(Metric::Cosine),
            &[
                "a,1,2\nb,3,4\n",
                "a,1,2\nb,3,\nc,5,6\n",
                "a,1,2\nb,3,x\nc,5,6\n",
                "a,1,2\nb,3,inf\nc,5,6\n",
                "a,1,2\nb,3\nc,5,6\n",
                "a,1,2\nb,0,0\nc,5,6\n",
                "a,1,2\na,3,4\nc,5,6\n",
                "a,1,2\n,3,4\nc,5,6\n",
                "a\nb\nc\n",
            ],
        ),
        (Format::Auto, Some(Metric::Correlation), &["a,1,2\nb,3,3\nc,5,6\n"]),
        (Format::Phylip, Some(Metric::Correlation), &["a,1,2\nb,3,3\nc,5,6\n"]),
        (Format::Edges, Some(Metric::Correlation), &["a,1,2\nb,3,3\nc,5,6\n"]),
    ];
    for (f, x, c) in m {
        println!("== {f} {x:?}");
        for c in c.iter() {
            println!("        ({c:?},\n         \"{}\"),", message(read_as("d.csv", c.as_bytes(), *f, *x)));
        }
    }
    println!("== positions");
    let known = names(&["a", "b", "c"]);
    for c in [
        "name,x\na,1\nb,2\n",
        "name,x\na,1\nb,2\nc,3\nd,4\n",
        "name,x\na,1\nb,2\nc,3\nb,4\n",
        "name,x\na,1\nb,\nc,3\n",
        "name,x\na,1\nb,inf\nc,3\n",
        "name\na\nb\nc\n",
        "name,x\na,1\nb,2,3\nc,3\n",
        "name,x\na,1\nb,z\nc,3\n",
        "",
        "a,1\nb,1\nC,1\n",
    ] {
        println!("        ({c:?},\n         \"{}\"),", message(read_positions_as("x.csv", c.as_bytes(), &known)));
    }
    println!("== graph");
    for c in ["", "from,to\n", "a,b\na,d\n", "a,b\na,a\n", "a,b\na\n", "a,x\nb,c\n"] {
        println!("        ({c:?},\n         \"{}\"),", message(read_graph_as("g.csv", c.as_bytes(), &known)));
    }
    println!("== npy");
    let mut t = Table::example();
    let whole = t.npy("<f8", false);
    let show =
        |w: &str, b: &[u8], x: Option<Metric>| println!("{w}: {}", message(read_as("d.npy", b, Format::Auto, x)));
    show("empty", b"", None);
    show("nohead", b"hello", None);
    show("trunc", &whole[..whole.len() - 1], None);
    show("headtrunc", &whole[..50], None);
    show("long", &[&whole[..], b"x"].concat(), None);
    for d in [
        "{'descr': '<c16', 'fortran_order': False, 'shape': (3, 3), }",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3, 3), }",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (3, 3), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, -3), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
        "{'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (5000000000, 0), }",
    ] {
        show(d, &npy_header(d), None);
    }
    show("2", &npy("<f8", false, &vec![vec![0.0; 2]; 2]), None);
    show("3x2", &npy("<f8", false, &vec![vec![0.0; 2]; 3]), None);
    show("int", &npy("<i4", false, &vec![vec![0.0; 2]; 3]), Some(Metric::Euclidean));
    show("nocol", &npy("<f4", false, &vec![vec![]; 3]), Some(Metric::Euclidean));
    show("nan", &npy("<f4", false, &[vec![1.0], vec![f64::NAN], vec![1.0]]), Some(Metric::Euclidean));
    show("zero", &npy("<f4", false, &[vec![1.0], vec![0.0], vec![1.0]]), Some(Metric::Cosine));
    show("nan", &npy("<f8", false, &vec![vec![f64::NAN; 3]; 3]), None);
    t.values[2][1] = -1.0;
    show("neg", &t.npy("<f8", true), None);
    t.values[2][1] = f64::INFINITY;
    show("inf", &t.npy("<f8", false), None);
    t.values[2][1] = f64::NAN;
    t.values[2][2] = 1.0;
    show("diag", &t.npy("<f8", false), None);
    t.values[2][2] = 0.0;
    t.values[3][0] = 1.0;
    show("asym", &t.npy("<f8", false), None);
    show("latin1", b"x", None);
    println!("{}", message(read_auto("d.csv", b",a,b,c\na,0,1,2\nb\xe9,1,0,3\n")));
    println!("{}", message(read_auto("d.csv", b"\xff\xfe,\0a\0")));
    println!("{}", message(Dissimilarities::from_features(Names::numbered(3), vec![1.0; 5], 2, Metric::Euclidean)));
    println!(
        "{}",
        message(Dissimilarities::from_features(Names::numbered(3), vec![f64::NAN; 6], 2, Metric::Euclidean))
    );
    println!("{}", message(read(std::path::Path::new("/no/such"), &ReadOptions::default())));
    println!("{}", message(read(std::path::Path::new("/tmp"), &ReadOptions::default())));
    let rows = [vec![1.0, 2.0], vec![3.0, 4.0]];
    println!("{}", message(read_positions_as("x.npy", &npy("<f4", true, &rows), &known)));
    let rows = [vec![1.0, 2.0], vec![3.0, f64::NAN], vec![5.0, 6.0]];
    println!("{}", message(read_positions_as("x.npy", &npy("<f4", true, &rows), &known)));
    check_texts(Format::Auto, None, &[]);
}
