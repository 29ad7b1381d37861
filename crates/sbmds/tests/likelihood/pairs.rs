//! Pairs that are not in range cannot be made, so that no kernel reads memory by them.
#![forbid(unsafe_code)]

use sbmds::Locations;
use sbmds::coupling::{Pairs, PairsError, Position};
use sbmds::likelihood::{Conditional, Likelihood, LogLikelihood, MapPoint, NewObject, Noise, Storage, Workspace};

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

/// All pairs of 10 objects in `n_dims` dimensions.
fn full(n_dims: usize) -> Likelihood {
    Likelihood::new(10, n_dims, &Pairs::full(10), Noise::Normal, Storage::F64, |_, _| 1.0)
}

/// Of a map of this size, with the object at position 5 moved to `to`.
fn change(n_objects: usize, n_dims: usize, to: &[f64], listed: bool) -> f64 {
    let (likelihood, mut workspace) = (full(2), Workspace::serial());
    let x = Locations::from_fn(n_objects, n_dims, |object, dim| (object + dim) as f64);
    if listed {
        let lists = likelihood.partner_lists();
        return likelihood.change_when_moved_among(&lists, &mut workspace, &x, 1.0, Position::new(5), to);
    }
    likelihood.change_when_moved(&mut workspace, &x, 1.0, Position::new(5), to)
}

#[test]
fn an_object_moves_on_a_map_of_the_right_size() {
    assert!(change(10, 2, &[0.5; 2], false).is_finite());
    assert_eq!(change(10, 2, &[0.5; 2], false), change(10, 2, &[0.5; 2], true));
}

#[test]
#[should_panic(expected = "locations of another size")]
fn a_map_of_fewer_dimensions_moves_no_object() {
    change(10, 1, &[0.5; 2], false);
}

#[test]
#[should_panic(expected = "locations of another size")]
fn a_map_of_fewer_objects_moves_no_object() {
    change(9, 2, &[0.5; 2], false);
}

#[test]
#[should_panic(expected = "locations of another size")]
fn a_map_of_fewer_dimensions_moves_no_object_among_listed_partners() {
    change(10, 1, &[0.5; 2], true);
}

#[test]
#[should_panic(expected = "locations of another size")]
fn a_map_of_more_objects_moves_no_object_among_listed_partners() {
    change(20, 2, &[0.5; 2], true);
}

#[test]
#[should_panic(expected = "a location of another dimension")]
fn an_object_is_not_moved_out_of_the_map() {
    change(10, 2, &[0.5; 3], false);
}

/// Conditional densities of an object of the map, and of one that is not on it, in 2 or in many dimensions.
fn conditionals(n_dims: usize, use_them: impl Fn(&mut dyn Conditional)) {
    use_them(&mut *full(n_dims).conditional().expect("kernels have one"));
    use_them(&mut NewObject::new(10, n_dims, Noise::Normal, vec![(3, 1.0), (9, 2.0)]));
}

fn panics(work: impl FnOnce()) -> String {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).expect_err("this is refused");
    let plain = caught.downcast_ref::<&str>().map(|text| (*text).to_owned());
    caught.downcast_ref::<String>().cloned().or(plain).unwrap_or_default()
}

#[test]
fn conditional_densities_refuse_what_is_of_another_size() {
    for n_dims in [2, 7] {
        conditionals(n_dims, |conditional| {
            let x = vec![0.5; 10 * n_dims];
            for size in [9 * n_dims, 10 * (n_dims - 1), 10 * (n_dims + 1)] {
                let x = vec![0.5; size];
                let map = MapPoint { x: &x, sigma: 1.0, own: &[] };
                let message = panics(|| conditional.condition_on(map, Position::new(5)));
                assert!(message.contains("locations of another size"), "{message}");
            }
            conditional.condition_on(MapPoint { x: &x, sigma: 1.0, own: &[] }, Position::new(5));
            assert!(conditional.energy(&vec![0.0; n_dims]).is_finite());
            for size in [0, n_dims - 1, n_dims + 1] {
                let at = vec![0.0; size];
                let message = panics(|| _ = conditional.energy(&at));
                assert!(message.contains("a location of another dimension"), "{message}");
                let message = panics(|| _ = conditional.derivatives(&at));
                assert!(message.contains("a location of another dimension"), "{message}");
            }
        });
    }
}

#[test]
fn derivatives_have_a_largest_number_of_dimensions() {
    conditionals(9, |conditional| {
        conditional.condition_on(MapPoint { x: &[0.5; 90], sigma: 1.0, own: &[] }, Position::new(5));
        let message = panics(|| _ = conditional.derivatives(&[0.0; 9]));
        assert!(message.contains("too many dimensions for curvatures"), "{message}");
    });
}
