//! Tables 1 and 2 of the paper: log-likelihoods and gradients of five objects.

use sbmds::coupling::Pairs;
use sbmds_paper::reproduce::paper_example::{
    BAND_GRADIENTS, BAND_VALUES, LANDMARK_GRADIENTS, LANDMARK_VALUES, PRINTED_DELTA, PRINTED_X, X, evaluate, locations,
};

fn check(pairs: &Pairs, value: f64, gradients: &[[f64; 2]; 5]) {
    // The values are robust enough to follow from what is printed.
    let (printed, _) = evaluate(pairs, &locations(&PRINTED_X), |a, b| PRINTED_DELTA[a][b]);
    assert!((printed - value).abs() < 2e-3, "{pairs:?}: {printed}, the paper {value}");

    let x = locations(&X);
    let (found, gradient) = evaluate(pairs, &x, |a, b| x.distance(a, b));
    assert!((found - value).abs() < 2e-3, "{pairs:?}: {found}, the paper {value}");
    for object in 0..5 {
        for dim in 0..2 {
            let (found, expected) = (gradient.get(object, dim), gradients[object][dim]);
            assert!((found - expected).abs() < 2e-3, "{pairs:?} x{}[{dim}]: {found}, the paper {expected}", object + 1);
        }
    }
}

#[test]
fn locations_round_to_those_printed() {
    let x = locations(&X);
    for a in 0..5 {
        assert!((0..2).all(|dim| (X[a][dim] - PRINTED_X[a][dim]).abs() <= 0.005));
        assert!((0..5).all(|b| (x.distance(a, b) - PRINTED_DELTA[a][b]).abs() <= 0.005));
    }
}

#[test]
fn bands() {
    for bands in 1..=4 {
        check(&Pairs::band(5, bands), BAND_VALUES[bands - 1], &BAND_GRADIENTS[bands - 1]);
    }
}

#[test]
fn landmarks() {
    for landmarks in 1..=4 {
        check(&Pairs::landmarks(5, landmarks), LANDMARK_VALUES[landmarks - 1], &LANDMARK_GRADIENTS[landmarks - 1]);
    }
}
