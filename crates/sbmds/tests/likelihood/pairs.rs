//! Pairs that are not what they promise are refused before a kernel reads memory by them.
#![forbid(unsafe_code)]

use std::panic::catch_unwind;

use sbmds::coupling::Pairs;
use sbmds::likelihood::{Likelihood, Noise, Storage, Workspace};

fn value(n_objects: usize, pairs: &Pairs) -> f64 {
    let likelihood = Likelihood::new(n_objects, 2, pairs, Noise::Normal, Storage::F64, |_, _| 1.0);
    likelihood.value_at(&mut Workspace::serial(), &vec![0.5; 2 * n_objects], 1.0)
}

#[test]
fn unchecked_pairs_panic_with_a_message_instead_of_reading_foreign_memory() {
    let graph = |edges: &[(u32, u32)]| Pairs::Graph(edges.to_vec());
    let diagonals = |offsets: &[usize]| Pairs::Diagonals(offsets.to_vec());
    let bad = [
        (10, graph(&[(0, 4_000_000)])),
        (10, graph(&[(0, 4_000_000_000)])),
        (10, graph(&[(0, 11)])),
        (10, graph(&[(0, 10)])),
        (10, graph(&[(3, 3)])),
        (10, graph(&[(4, 3)])),
        (10, graph(&[(1, 2), (1, 2)])),
        (10, graph(&[(1, 2), (0, 2)])),
        (10, diagonals(&[1_000_000, 1])),
        (200, diagonals(&[150, 1])),
        (10, diagonals(&[0, 1])),
        (10, diagonals(&[1, 1])),
        (10, diagonals(&[1, 1_000])),
        (10, Pairs::Landmarks(1_000_000_000)),
        (10, Pairs::Landmarks(11)),
    ];
    for (n_objects, pairs) in bad {
        let refused = catch_unwind(|| value(n_objects, &pairs)).expect_err("a value");
        let message = refused.downcast_ref::<String>().map(String::as_str).unwrap_or_default();
        assert!(message.starts_with("these pairs cannot be used: "), "{pairs:?}: {message:?}");
    }
}

#[test]
fn pairs_that_keep_their_promise_are_used() {
    let good = [
        Pairs::Diagonals(vec![1, 9]),
        Pairs::Diagonals(Vec::new()),
        Pairs::Landmarks(10),
        Pairs::Landmarks(0),
        Pairs::Graph(vec![(0, 9), (8, 9)]),
    ];
    for pairs in good {
        assert!(value(10, &pairs).is_finite(), "{pairs:?}");
    }
}
