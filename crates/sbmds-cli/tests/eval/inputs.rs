//! The same data in every format gives the same answer; features give the distances computed by hand.

use sbmds::likelihood::Noise;

use crate::array::npy;
use crate::kit::{Folder, assert_close, assert_rows_close};
use crate::table::Table;

const FULL: &str = "--sigma 0.4 --couplings full --order given --gradient";

/// Missing values must survive every format too.
fn table() -> Table {
    Table::new(8, 2).without(&[(1, 4), (0, 7)])
}

#[test]
fn every_matrix_format_gives_the_same_json() {
    let table = table();
    let folder = table
        .folder()
        .with("d.tsv", table.matrix("\t", "TAXA"))
        .with("semicolons.txt", table.matrix(";", "name"))
        .with("square.phy", table.phylip(|_| 8))
        .with("lower.phy", table.phylip(|k| k))
        .with("d.npy", table.npy())
        .with("names.txt", table.names.join("\n"));
    let expected = folder.sbmds(&format!("eval d.csv --positions x.csv {FULL}"));
    assert_eq!(expected.evaluation().n_pairs, 26);
    for input in ["d.tsv", "semicolons.txt", "square.phy", "lower.phy", "d.npy --names names.txt"] {
        let answer = folder.sbmds(&format!("eval {input} --positions x.csv {FULL}"));
        assert_eq!((answer.code, &answer.stderr), (Some(0), &String::new()), "{input}");
        assert_eq!(answer.stdout, expected.stdout, "{input}");
    }
    for (format, input) in [("matrix", "d.csv"), ("phylip", "lower.phy"), ("npy", "d.npy --names names.txt")] {
        let answer = folder.sbmds(&format!("eval {input} --format {format} --positions x.csv {FULL}"));
        assert_eq!(answer.stdout, expected.stdout, "{format}");
    }
}

/// An edge list is summed in another order, so the last digits may differ.
#[test]
fn an_edge_list_gives_the_same_numbers() {
    let table = table();
    let all = table.all_pairs();
    let folder = table
        .folder()
        .with("all.csv", table.edges(&all))
        .with("header.csv", format!("from,to,distance\n{}", table.edges(&all)))
        .with(
            "measured.txt",
            table.edges(&all).lines().filter(|line| !line.ends_with("NA")).collect::<Vec<_>>().join("\n"),
        );
    let expected = folder.eval(&format!("d.csv --positions x.csv {FULL}"));
    for input in ["all.csv", "header.csv", "measured.txt", "measured.txt --format edges"] {
        let found = folder.eval(&format!("{input} --positions x.csv {FULL}"));
        assert_eq!(found.n_pairs, 26, "{input}");
        assert_close(found.log_likelihood, expected.log_likelihood, 1e-13);
        assert_rows_close(&found.gradient.unwrap(), expected.gradient.as_ref().unwrap(), 1e-12);
    }
}

#[test]
fn positions_are_joined_by_name() {
    let table = table();
    let folder = table
        .folder()
        .with("shuffled.csv", table.positions(&[3, 7, 0, 5, 1, 6, 2, 4]))
        .with("tabs.tsv", table.positions(&[6, 5, 4, 3, 2, 1, 0, 7]).replace(',', "\t"))
        .with("x.npy", npy(&table.x));
    let expected = folder.sbmds(&format!("eval d.csv --positions x.csv {FULL}")).stdout;
    assert!(expected.starts_with('{'));
    for positions in ["shuffled.csv", "tabs.tsv", "x.npy"] {
        assert_eq!(folder.sbmds(&format!("eval d.csv --positions {positions} {FULL}")).stdout, expected, "{positions}");
    }
}

/// Numbered objects of a bare array are called 0, 1, 2, ...
#[test]
fn rows_of_an_array_go_by_their_number() {
    let mut table = Table::new(6, 2);
    let expected = table.folder().eval(&format!("d.csv --positions x.csv {FULL}"));
    table.names = (0..6).map(|n| n.to_string()).collect();
    let folder = Folder::new().with("d.npy", table.npy()).with("x.csv", table.positions(&[5, 3, 1, 0, 2, 4]));
    assert_eq!(folder.eval(&format!("d.npy --positions x.csv {FULL}")), expected);
}

/// Distances of (1, 2, 2), (2, 0, 1) and (0, 3, 4), worked out on paper: first-second, first-third, second-third.
#[test]
fn features_are_compared_by_each_metric() {
    let rows = [vec![1.0, 2.0, 2.0], vec![2.0, 0.0, 1.0], vec![0.0, 3.0, 4.0]];
    let metrics: [(&str, [f64; 3]); 5] = [
        ("euclidean", [6_f64.sqrt(), 6_f64.sqrt(), 22_f64.sqrt()]),
        ("sqeuclidean", [6.0, 6.0, 22.0]),
        ("manhattan", [4.0, 4.0, 8.0]),
        ("cosine", [1.0 - 4.0 / (3.0 * 5_f64.sqrt()), 1.0 - 14.0 / 15.0, 1.0 - 4.0 / (5.0 * 5_f64.sqrt())]),
        ("correlation", [1.0 + 3_f64.sqrt() / 2.0, 1.0 - 21.0 / 468_f64.sqrt(), 1.0 + 9.0 / 156_f64.sqrt()]),
    ];
    let mut table = Table::new(3, 2);
    table.names = ["0", "1", "2"].map(String::from).to_vec();
    let folder = table.folder().with("f.csv", "name,p,q,r\n0,1,2,2\n1,2,0,1\n2,0,3,4\n").with("f.npy", npy(&rows));
    let sigma = 0.8;
    for (metric, [first, second, third]) in metrics {
        table.deltas = vec![vec![0.0, first, second], vec![first, 0.0, third], vec![second, third, 0.0]];
        let (value, gradient) = table.plain(&table.all_pairs(), Noise::TruncatedNormal, sigma);
        for input in ["f.csv", "f.npy"] {
            let arguments =
                format!("{input} --features --metric {metric} --positions x.csv --sigma {sigma} --gradient");
            let found = folder.eval(&arguments);
            assert_close(found.log_likelihood, value, 1e-13);
            assert_rows_close(&found.gradient.unwrap(), &gradient, 1e-12);
        }
    }
    let default = folder.eval("f.csv --features --positions x.csv --sigma 0.8").log_likelihood;
    let euclidean = folder.eval("f.csv --features --metric euclidean --positions x.csv --sigma 0.8").log_likelihood;
    assert_eq!(default, euclidean);
}
