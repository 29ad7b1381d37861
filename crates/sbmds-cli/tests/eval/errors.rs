//! Bad input and usage: exit code 2, a message that says where and what to do, nothing on stdout.

use crate::kit::Folder;
use crate::program::Ended;
use crate::table::Table;

/// Files of four objects, and ones with one thing wrong.
fn folder() -> Folder {
    let table = Table::new(4, 2);
    let (good, x) = (table.matrix(",", ""), table.positions(&[0, 1, 2, 3]));
    let small = |row_b: &str| format!(",a,b,c\na,0,1,2\n{row_b}\nc,2,3,0\n");
    table
        .folder()
        .with("ragged.csv", small("b,1,0"))
        .with("negative.csv", small("b,1,0,-3"))
        .with("asymmetric.csv", small("b,1,0,5"))
        .with("diagonal.csv", small("b,1,7,3"))
        .with("infinite.csv", small("b,1,0,inf"))
        .with("words.csv", small("b,1,0,three"))
        .with("twice.csv", ",a,b,a\na,0,1,2\nb,1,0,3\na,2,3,0\n")
        .with("two.csv", ",a,b\na,0,1\nb,1,0\n")
        .with("empty.csv", "")
        .with("latin1.csv", b",a,b,c\na,0,1,\xe9\n")
        .with("broken.npy", &table.npy()[..200])
        .with("names.txt", "p\nq\n")
        .with("d.npy", table.npy())
        .with("zero.csv", "name,p,q\na,1,2\nb,0,0\nc,3,1\n")
        .with("unknown.csv", x.replace("object/2", "object/9"))
        .with("short.csv", x.lines().take(4).collect::<Vec<_>>().join("\n"))
        .with("extra.csv", format!("{x}object/4,1,1\n"))
        .with("again.csv", format!("{x}object/3,1,1\n"))
        .with("hole.csv", "name,x,y\nobject/0,1,2\nobject/1,,2\nobject/2,1,1\nobject/3,2,2\n")
        .with("graph.csv", "object/0,object/1\nobject/1,elsewhere\n")
        .with("typos.csv", "objekt/0,objekt/1\nobject/1,object/2\n")
        .with("loop.csv", "object/0,object/0\n")
        .with("good.csv", good)
}

/// Runs `eval` and checks that it refuses, with every part in its message.
#[track_caller]
fn refused(folder: &Folder, arguments: &str, parts: &[&str]) {
    let answer = folder.sbmds(&format!("eval {arguments}"));
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{arguments}\n{}", answer.stderr);
    assert!(answer.stderr.starts_with("error: "), "{}", answer.stderr);
    for part in parts {
        assert!(answer.stderr.contains(part), "{arguments}: no {part:?} in\n{}", answer.stderr);
    }
}

#[test]
fn inputs_that_cannot_be_used() {
    let folder = folder();
    let cases: &[(&str, &[&str])] = &[
        ("nowhere.csv", &["nowhere.csv", "Remedy: "]),
        ("ragged.csv", &["ragged.csv, line 3", "b", "Remedy: "]),
        ("negative.csv", &["negative.csv, line 3, column 4 (b to c)", "-3", "Remedy: "]),
        ("asymmetric.csv", &["asymmetric.csv, line 4, column 3", "(c to b)", "3", "5", "Remedy: "]),
        ("diagonal.csv", &["diagonal.csv, line 3, column 3", "7", "Remedy: "]),
        ("infinite.csv", &["infinite.csv, line 3, column 4 (b to c)", "Remedy: "]),
        ("words.csv", &["words.csv, line 3, column 4 (b to c)", "three", "Remedy: "]),
        ("twice.csv", &["twice.csv, line 1", "the name a is given twice", "Remedy: "]),
        ("two.csv", &["two.csv", "at least 3", "Remedy: "]),
        ("empty.csv", &["empty.csv", "empty", "Remedy: "]),
        ("latin1.csv", &["latin1.csv, line 2", "UTF-8", "Remedy: "]),
        ("broken.npy", &["broken.npy", "Remedy: "]),
        ("d.npy --names names.txt", &["names.txt", "2 names", "4 rows", "Remedy: "]),
        ("good.csv --names names.txt", &["good.csv", "names file", "Remedy: "]),
        ("zero.csv --features --metric cosine", &["zero.csv, line 3", "b", "Remedy: "]),
    ];
    for (input, parts) in cases {
        refused(&folder, &format!("{input} --positions x.csv --sigma 1"), parts);
    }
}

#[test]
fn positions_that_do_not_fit() {
    let folder = folder();
    let cases: &[(&str, &[&str])] = &[
        ("nowhere.csv", &["nowhere.csv", "Remedy: "]),
        ("unknown.csv", &["unknown.csv, line 4", "object/9", "not among the objects", "Remedy: "]),
        ("short.csv", &["short.csv", "no position: object/3", "Remedy: "]),
        ("extra.csv", &["extra.csv, line 6", "object/4", "Remedy: "]),
        ("again.csv", &["again.csv, line 6", "object/3 is given twice", "Remedy: "]),
        ("hole.csv", &["hole.csv, line 3, column 2 (object/1)", "missing", "Remedy: "]),
    ];
    for (positions, parts) in cases {
        refused(&folder, &format!("d.csv --positions {positions} --sigma 1"), parts);
    }
}

#[test]
fn noise_must_be_positive() {
    let folder = folder();
    for sigma in ["0", "-1", "nan", "inf", "-0.0"] {
        refused(&folder, &format!("d.csv --positions x.csv --sigma={sigma}"), &["--sigma", "above zero"]);
    }
    refused(&folder, "d.csv --positions x.csv --sigma wide", &["--sigma", "wide"]);
    refused(&folder, "d.csv --positions x.csv", &["--sigma"]);
    refused(&folder, "d.csv --sigma 1", &["--positions"]);
}

#[test]
fn flags_that_mean_nothing() {
    let folder = folder();
    for (flags, parts) in [
        ("--couplings ring", &["--couplings", "\"ring\" is no coupling", "dispersed:B"][..]),
        ("--couplings band", &["band:20"]),
        ("--couplings band:0", &["1 or more", "band:20"]),
        ("--couplings band:-2", &["1 or more"]),
        ("--couplings landmark:x", &["landmark:20"]),
        ("--couplings graph:", &["graph:pairs.csv"]),
        ("--features --metric mahalanobis", &["mahalanobis", "euclidean", "cosine"]),
        ("--metric cosine", &["--features"]),
        ("--noise cauchy", &["cauchy", "truncated-normal"]),
        ("--format xls", &["xls", "phylip"]),
        ("--order sorted", &["sorted", "shuffle", "given"]),
        ("--storage f16", &["f16", "f32", "f64"]),
        ("--seed -1", &["-1"]),
        ("--frobnicate", &["--frobnicate"]),
    ] {
        refused(&folder, &format!("d.csv --positions x.csv --sigma 1 {flags}"), parts);
    }
}

#[test]
fn graphs_that_name_others() {
    let folder = folder();
    let cases: &[(&str, &[&str])] = &[
        ("graph:nowhere.csv", &["nowhere.csv", "Remedy: "]),
        ("graph:graph.csv", &["graph.csv, line 2, column 2", "\"elsewhere\" is not among the objects", "Remedy: "]),
        ("graph:typos.csv", &["typos.csv, line 1, column 1", "\"objekt/0\" is not among the objects", "Remedy: "]),
        ("graph:loop.csv", &["loop.csv, line 1", "joins an object to itself", "Remedy: "]),
    ];
    for (couplings, parts) in cases {
        refused(&folder, &format!("d.csv --positions x.csv --sigma 1 --couplings {couplings}"), parts);
    }
}

/// A name that is misspelt would otherwise silently measure something else.
#[test]
fn an_unknown_instruction_set_is_refused() {
    let folder = folder();
    let ended = |set: &str| -> Ended {
        let mut eval = folder.command("eval d.csv --positions x.csv --sigma 1");
        eval.env("SBMDS_SIMD", set).output().unwrap().into()
    };
    let portable = ended("portable");
    assert_eq!(portable.code, Some(0), "{portable:?}");
    let refused = ended("avx-2");
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
    assert!(refused.stderr.contains("SBMDS_SIMD") && refused.stderr.contains("use avx512, avx2 or portable"));
}
