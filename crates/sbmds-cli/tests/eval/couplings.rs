//! Which pairs are used, in which order, and that results come back in the order of the input.

use sbmds::likelihood::Noise;

use crate::array::npy;
use crate::kit::{Folder, assert_close, assert_rows_close};
use crate::table::Table;

/// Pairs of a graph over 12 objects in which every object has three partners or more.
const EDGES: [(usize, usize); 20] = [
    (0, 1),
    (0, 5),
    (0, 7),
    (1, 2),
    (1, 9),
    (2, 3),
    (2, 11),
    (3, 4),
    (3, 8),
    (4, 5),
    (4, 10),
    (5, 6),
    (6, 7),
    (6, 11),
    (7, 8),
    (8, 9),
    (9, 10),
    (10, 11),
    (1, 6),
    (2, 7),
];

fn folder(table: &Table) -> Folder {
    let line = |(a, b): (usize, usize)| format!("{},{}\n", table.names[a], table.names[b]);
    table.folder().with("g.csv", format!("from,to\n{}", EDGES.map(line).concat()))
}

#[test]
fn shuffling_a_full_coupling_changes_nothing() {
    let folder = Table::new(12, 2).folder();
    let eval =
        |order: &str| folder.eval(&format!("d.csv --positions x.csv --sigma 0.5 --couplings full --gradient {order}"));
    let given = eval("--order given");
    for seed in 1..5 {
        let shuffled = eval(&format!("--order shuffle --seed {seed}"));
        assert_close(shuffled.log_likelihood, given.log_likelihood, 1e-12);
        assert_rows_close(&shuffled.gradient.unwrap(), given.gradient.as_ref().unwrap(), 1e-12);
    }
}

/// Against the double loop over the pairs that the library couples, in the order of the input.
#[test]
fn the_gradient_is_in_input_order_under_every_coupling() {
    let table = Table::new(12, 2);
    let folder = folder(&table);
    for couplings in ["band:3", "landmark:3", "dispersed:3", "full"] {
        for seed in [1, 2] {
            let found = folder
                .eval(&format!("d.csv --positions x.csv --sigma 0.5 --couplings {couplings} --seed {seed} --gradient"));
            let pairs = table.shuffled_pairs(couplings, seed);
            let (value, gradient) = table.plain(&pairs, Noise::TruncatedNormal, 0.5);
            assert_eq!(found.n_pairs, pairs.len(), "{couplings}");
            assert_close(found.log_likelihood, value, 1e-12);
            assert_rows_close(&found.gradient.unwrap(), &gradient, 1e-12);
        }
    }
}

#[test]
fn a_graph_couples_its_pairs_in_any_order() {
    let table = Table::new(12, 2);
    let folder = folder(&table);
    let (value, gradient) = table.plain(&EDGES, Noise::TruncatedNormal, 0.5);
    for order in ["--order given", "--order shuffle", "--order shuffle --seed 7"] {
        let answer = folder
            .sbmds(&format!("eval d.csv --positions x.csv --sigma 0.5 --couplings graph:g.csv --gradient {order}"));
        let found = answer.evaluation();
        assert_eq!(found.n_pairs, EDGES.len());
        assert_close(found.log_likelihood, value, 1e-12);
        assert_rows_close(&found.gradient.unwrap(), &gradient, 1e-12);
    }
}

#[test]
fn the_seed_decides_the_shuffle() {
    let folder = Table::new(12, 2).folder();
    for couplings in ["band:3", "landmark:3", "dispersed:3"] {
        let eval = |rest: &str| {
            let answer =
                folder.sbmds(&format!("eval d.csv --positions x.csv --sigma 0.5 --couplings {couplings} {rest}"));
            assert_eq!(answer.code, Some(0));
            answer.stdout
        };
        assert_eq!(eval("--seed 1"), eval("--seed 1"), "{couplings}");
        assert_eq!(eval("--seed 1"), eval("--order shuffle"), "{couplings}: the default seed is 1");
        assert_ne!(eval("--seed 1"), eval("--seed 2"), "{couplings}");
        if couplings != "dispersed:3" {
            assert_eq!(eval("--order given --seed 1"), eval("--order given --seed 2"), "{couplings}");
        }
    }
}

#[test]
fn pairs_are_as_many_as_the_coupling_has() {
    let folder = Table::new(12, 1).folder();
    for (couplings, n_pairs) in [
        ("full", 66),
        ("band:2", 11 + 10),
        ("band:11", 66),
        ("band:500", 66),
        ("landmark:2", 11 + 10),
        ("landmark:2 --landmarks maxmin", 11 + 10),
        ("landmark:12", 66),
        ("dispersed:2", 24),
        ("dispersed:500", 66),
        ("auto", 66),
    ] {
        let found = folder.eval(&format!("d.csv --positions x.csv --sigma 0.5 --couplings {couplings}"));
        assert_eq!(found.n_pairs, n_pairs, "{couplings}");
    }
}

/// `auto`, the default: one evaluation affords all pairs.
#[test]
fn auto_couples_what_can_be_afforded() {
    let table = Table::new(600, 2);
    let folder = Folder::new().with("f.npy", npy(&table.x)).with("x.npy", npy(&table.x));
    let eval = |rest: &str| folder.eval(&format!("f.npy --features --positions x.npy --sigma 0.5 {rest}"));
    assert_eq!(eval("").n_pairs, 600 * 599 / 2);
    assert_eq!(eval("--couplings auto"), eval("--couplings full"));
}

/// What was not measured cannot enter the likelihood, whatever the coupling.
#[test]
fn an_edge_list_uses_what_was_measured() {
    let table = Table::new(12, 2);
    let folder = table.folder().with("edges.csv", table.edges(&EDGES));
    let (value, _) = table.plain(&EDGES, Noise::TruncatedNormal, 0.5);
    let found = folder.sbmds("eval edges.csv --positions x.csv --sigma 0.5").evaluation();
    assert_eq!(found.n_pairs, EDGES.len());
    assert_close(found.log_likelihood, value, 1e-12);
}

#[test]
fn a_disconnected_graph_is_evaluated_with_a_warning_that_names_objects() {
    let table = Table::new(7, 1);
    let edge = |a: usize, b: usize| format!("{},{}\n", table.names[a], table.names[b]);
    let triangles = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)];
    let graph: String = triangles.iter().map(|&(a, b)| edge(a, b)).collect();
    let answer = table
        .folder()
        .with("g.csv", graph)
        .sbmds("eval d.csv --positions x.csv --sigma 0.5 --couplings graph:g.csv --order given");
    assert_eq!(answer.code, Some(0));
    let found = answer.evaluation();
    assert_eq!(found.n_pairs, 6);
    assert_close(found.log_likelihood, table.plain(&triangles, Noise::TruncatedNormal, 0.5).0, 1e-12);
    for part in ["warning: ", "3 connected components", "object/3, object/4, object/5", "; object/6", "Remedy: "] {
        assert!(answer.stderr.contains(part), "{part}: {}", answer.stderr);
    }
}

#[test]
fn objects_with_too_few_partners_are_named_in_a_warning() {
    let folder = Table::new(8, 2).folder();
    let answer = folder.sbmds("eval d.csv --positions x.csv --sigma 0.5 --couplings band:2 --order given");
    assert_eq!((answer.code, answer.evaluation().n_pairs), (Some(0), 13));
    for part in ["warning: 2 of 8 objects", "object/0, object/7"] {
        assert!(answer.stderr.contains(part), "{part}: {}", answer.stderr);
    }
}
