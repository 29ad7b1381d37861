//! Pairs that are not in range cannot be made, so that no kernel reads memory by them.
#![forbid(unsafe_code)]

use sbmds::coupling::{Pairs, PairsError};
use sbmds::likelihood::{Likelihood, Noise, Storage, Workspace};

/// What made a kernel read foreign memory once: each is an error now.
#[test]
fn pairs_out_of_range_are_an_error() {
    let graph = |edges: &[(u32, u32)]| Pairs::graph(10, edges.to_vec());
    for pair in [(0, 4_000_000), (0, 4_000_000_000), (0, 11), (0, 10), (3, 3), (4, 3)] {
        assert_eq!(graph(&[pair]), Err(PairsError::Pair { pair, n_objects: 10 }));
    }
    for edges in [[(1, 2), (1, 2)], [(1, 2), (0, 2)]] {
        assert_eq!(graph(&edges), Err(PairsError::Order { what: "pairs" }));
    }
    let diagonals = |n_objects: usize, offsets: &[usize]| Pairs::diagonals(n_objects, offsets.to_vec());
    for (offset, offsets) in [(1_000_000, [1_000_000, 1]), (0, [0, 1]), (1_000, [1, 1_000]), (10, [1, 10])] {
        assert_eq!(diagonals(10, &offsets), Err(PairsError::Offset { offset, n_objects: 10 }));
    }
    for (n_objects, offsets) in [(200, [150, 1]), (10, [1, 1])] {
        assert_eq!(diagonals(n_objects, &offsets), Err(PairsError::Order { what: "offsets" }));
    }
    let message = graph(&[(0, 4_000_000)]).unwrap_err().to_string();
    assert_eq!(message, "(0, 4000000) is no pair a < b of 10 objects");
}

#[test]
fn pairs_in_range_are_used() {
    let good = [
        (Pairs::diagonals(10, vec![1, 9]).unwrap(), 10),
        (Pairs::diagonals(10, Vec::new()).unwrap(), 0),
        (Pairs::landmarks(10, 10), 45),
        (Pairs::landmarks(10, 1_000_000_000), 45),
        (Pairs::landmarks(10, 0), 0),
        (Pairs::graph(10, vec![(0, 9), (8, 9)]).unwrap(), 2),
        (Pairs::band(10, 99), 45),
    ];
    for (pairs, n_pairs) in good {
        let likelihood = Likelihood::new(10, 2, &pairs, Noise::Normal, Storage::F64, |_, _| 1.0);
        assert_eq!((pairs.count(), likelihood.n_pairs()), (n_pairs, n_pairs), "{pairs:?}");
        assert!(likelihood.value_at(&mut Workspace::serial(), &[0.5; 20], 1.0).is_finite(), "{pairs:?}");
    }
}

#[test]
#[should_panic(expected = "pairs of another number of objects")]
fn pairs_of_more_objects_than_the_likelihood_has_are_refused() {
    Likelihood::new(10, 2, &Pairs::full(11), Noise::Normal, Storage::F64, |_, _| 1.0);
}
