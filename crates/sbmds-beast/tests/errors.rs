//! Wrong calls get an error that says what to do, and leave the instance as it was.

use sbmds::beast::BeastFlags;
use sbmds_beast::{CallError, Instance, Shape, Threads};

fn instance(shape: Shape, flags: i64) -> Result<Instance, CallError> {
    Instance::new(shape, 2, flags, Threads::All)
}

fn ready() -> Instance {
    let mut ready = instance(Shape::Symmetric(3), 1).unwrap();
    ready.set_pairwise_data(&[0.0, 1.0, 2.0, 1.0, 0.0, 1.5, 2.0, 1.5, 0.0]).unwrap();
    ready.update_locations(None, &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]).unwrap();
    ready
}

fn message<T>(result: Result<T, CallError>) -> String {
    result.err().expect("an error").to_string()
}

#[test]
fn sizes_and_flags_are_checked() {
    assert_eq!(
        message(instance(Shape::Symmetric(1), 1)),
        "initialize: 1 x 1 objects in 2 dimensions are no map. Remedy: use one dimension or more and two objects or more"
    );
    assert!(message(Instance::new(Shape::Symmetric(3), 0, 1, Threads::All)).contains("no map"));
    assert!(message(instance(Shape::Rectangular { rows: 0, columns: 2 }, 1)).contains("no map"));
    assert!(message(instance(Shape::Symmetric(100_000), 1)).contains("do not fit into a Java array"));
    assert!(message(instance(Shape::Symmetric(3), 1 << 62)).contains("sbmds beast-flags"));
    let sparse = BeastFlags { couplings: "band:2".parse().ok(), ..BeastFlags::default() }.to_number().unwrap();
    assert_eq!(
        message(instance(Shape::Rectangular { rows: 3, columns: 2 }, sparse)),
        "rows with columns take no sparse couplings. Remedy: leave the couplings out: -Dmds.required.flags=1"
    );
}

#[test]
fn wrong_arrays_leave_everything_as_it_was() {
    let mut ready = ready();
    let sum = ready.sum_of_increments().unwrap();
    assert_eq!(
        message(ready.set_pairwise_data(&[1.0; 8])),
        "setPairwiseData: the array has 8 numbers. Remedy: pass 3 x 3 = 9 dissimilarities"
    );
    assert_eq!(
        message(ready.set_pairwise_data(&[0.0, 1.0, 1.0, 1.0, 0.0, f64::INFINITY, 1.0, 1.0, 0.0])),
        "setPairwiseData: the dissimilarity in row 2, column 3 is infinite. \
         Remedy: write NA for a pair that was not measured"
    );
    assert_eq!(
        message(ready.update_locations(None, &[1.0; 5])),
        "updateLocations: the array has 5 numbers. Remedy: pass 3 locations of 2 coordinates"
    );
    assert_eq!(
        message(ready.update_locations(Some(3), &[1.0; 2])),
        "updateLocations: there is no location 3. Remedy: count from 0 to 2, or use -1 for all"
    );
    assert!(message(ready.update_locations(Some(0), &[1.0; 3])).contains("one location of 2 coordinates"));
    assert!(message(ready.set_parameters(&[])).contains("pass one precision"));
    assert!(message(ready.location_gradient(&mut [0.0; 5])).contains("3 locations of 2 coordinates"));
    assert!(message(ready.observation_gradient(&mut [0.0; 5])).contains("9 derivatives"));
    assert_eq!(ready.sum_of_increments().unwrap(), sum);
}

#[test]
fn calls_out_of_order_say_what_comes_first() {
    let mut fresh = instance(Shape::Symmetric(3), 1).unwrap();
    assert_eq!(
        message(fresh.sum_of_increments()),
        "getSumOfIncrements: there are no dissimilarities. Remedy: call setPairwiseData first"
    );
    assert!(message(fresh.pairwise_data()).contains("setPairwiseData first"));
    assert!(message(fresh.restore_state()).contains("storeState first"));
    assert!(message(fresh.update_locations(Some(0), &[0.0, 0.0])).contains("-1 first"));
    // Locations may come before the dissimilarities.
    fresh.update_locations(None, &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]).unwrap();
    fresh.set_pairwise_data(&[0.0, 1.0, 2.0, 1.0, 0.0, 1.5, 2.0, 1.5, 0.0]).unwrap();
    assert_eq!(fresh.sum_of_increments().unwrap(), ready().sum_of_increments().unwrap());
}

#[test]
fn couplings_that_fall_apart_are_refused() {
    let sparse = BeastFlags { couplings: "band:1".parse().ok(), ..BeastFlags::default() }.to_number().unwrap();
    let mut chain = instance(Shape::Symmetric(4), sparse).unwrap();
    let found = message(chain.set_pairwise_data(&[f64::NAN; 16]));
    assert!(found.starts_with("the coupling graph of band:1 has 4 connected components"), "{found}");
}
