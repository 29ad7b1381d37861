//! Maps against maps whose difference is known.

use approx::assert_relative_eq;
use rand_distr::{Distribution, StandardNormal};

use super::*;
use crate::embedding::test_maps::gaussian_map;
use crate::random::{Purpose, stream};

fn names(n_objects: usize, shift: usize) -> Names {
    Names::given((0..n_objects).map(|object| format!("o{}", object + shift)).collect()).unwrap()
}

/// Turned by 40 degrees, reflected, doubled and shifted.
fn moved(map: &Locations) -> Locations {
    let (sin, cos) = 40_f64.to_radians().sin_cos();
    Locations::from_fn(map.n_objects(), 2, |object, dim| {
        let (x, y) = (map.get(object, 0), map.get(object, 1));
        if dim == 0 { 3.0 - 2.0 * (cos * x + sin * y) } else { 2.0 * (cos * y - sin * x) - 5.0 }
    })
}

#[test]
fn a_map_moved_and_scaled_is_the_same_map() {
    let map = gaussian_map(30, 2, 4);
    let first = MapDraws::new("a".into(), names(30, 0), map.clone(), Vec::new());
    let second = MapDraws::new("b".into(), names(30, 0), moved(&map), Vec::new());
    let scaled = compare_maps(&first, &second, true).unwrap();
    assert_relative_eq!(scaled.scale, 0.5, max_relative = 1e-12);
    assert!(scaled.residuals.iter().all(|residual| residual.shown < 1e-12 && residual.p_same.is_nan()));
    assert_relative_eq!(scaled.correlation, 1.0, epsilon = 1e-12);
    let rigid = compare_maps(&first, &second, false).unwrap();
    assert!(rigid.rms.mean > 0.5 && rigid.scale == 1.0);
}

#[test]
fn objects_are_matched_by_name_and_dimensions_are_added() {
    let map = gaussian_map(20, 2, 4);
    let first = MapDraws::new("a".into(), names(20, 0), map.clone(), Vec::new());
    // Its objects are o3, o4, ... with a third dimension that is flat.
    let later = Locations::from_fn(20, 3, |object, dim| match dim {
        0 | 1 if object + 3 < 20 => moved(&map).get(object + 3, dim),
        0 | 1 => 7.0,
        _ => 1.5,
    });
    let second = MapDraws::new("b".into(), names(20, 3), later, Vec::new());
    let found = compare_maps(&first, &second, true).unwrap();
    assert_eq!((found.names.len(), found.unmatched, found.first.n_dims()), (17, [3, 3], 3));
    assert!(found.residuals.iter().all(|residual| residual.shown < 1e-12));
    let nobody = MapDraws::new("c".into(), names(20, 100), map, Vec::new());
    assert!(compare_maps(&first, &nobody, true).unwrap_err().to_string().contains("share 0 objects"));
}

#[test]
fn one_object_that_moved_is_told_from_those_that_only_scatter() {
    let mut rng = stream(5, 0, Purpose::Simulation);
    let map = gaussian_map(25, 2, 9);
    let mut elsewhere = map.clone();
    elsewhere.set(7, 0, map.get(7, 0) + 1.0);
    let mut draws = |centre: &Locations| -> Vec<Locations> {
        let jitter = |rng: &mut _| -> f64 { StandardNormal.sample(rng) };
        (0..300).map(|_| Locations::from_fn(25, 2, |o, d| centre.get(o, d) + 0.1 * jitter(&mut rng))).collect()
    };
    let first = MapDraws::new("a".into(), names(25, 0), map.clone(), draws(&map));
    let second = MapDraws::new("b".into(), names(25, 0), elsewhere.clone(), draws(&elsewhere));
    let found = compare_maps(&first, &second, false).unwrap();
    assert_eq!(found.n_draws, 300);
    // Fitted over 25 objects, the motion follows the one that moved by a few hundredths.
    assert!(
        found.residuals[7].p_same < 0.01 && (found.residuals[7].shown - 1.0).abs() < 0.15,
        "{:?}",
        found.residuals[7]
    );
    assert!(found.residuals[7].length.low > 0.5);
    let n_certain = found.residuals.iter().filter(|residual| residual.p_same < 0.05).count();
    assert!(n_certain <= 4, "{n_certain} objects are said to have moved");
    // Two locations with a standard deviation of 0.1 per coordinate: sqrt(2 * 2) * 0.1, and 1 / sqrt(25) for the one that moved.
    assert_relative_eq!(found.rms.mean, (0.04_f64 + 0.04).sqrt(), max_relative = 0.08);
}
