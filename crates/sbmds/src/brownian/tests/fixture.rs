//! Values of the dense formula in 60 digits: see `tests/brownian_fixtures/README.md`.

use std::path::Path;

use serde::Deserialize;

use super::super::*;
use super::kit::assert_close;
use crate::dissimilarity::{Names, read_positions};
use crate::tree::TreeChoice;

#[derive(Deserialize)]
struct Expected {
    names: Vec<String>,
    cases: Vec<Values>,
}

#[derive(Deserialize)]
struct Values {
    scaling: BranchScaling,
    root_sample_size: f64,
    log_det_v: f64,
    log_density: f64,
    gradient: Vec<Vec<f64>>,
    collapsed_log_density: f64,
}

#[test]
fn prior_and_gradient_are_those_of_the_dense_formula_in_many_digits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/brownian_fixtures");
    let expected: Expected =
        serde_json::from_str(&std::fs::read_to_string(folder.join("expected.json")).unwrap()).unwrap();
    let names = Names::given(expected.names).unwrap();
    let x = read_positions(&folder.join("positions.csv"), &names).unwrap();
    let precision = Precision::read(&folder.join("precision.csv"), 2).unwrap();
    let tree = Tree::read(&folder.join("tree.trees"), TreeChoice::Last).unwrap().match_tips(&names, true).unwrap();
    assert_eq!(tree.dropped(), ["outgroup"]);
    for case in &expected.cases {
        let settings = BrownianSettings {
            scaling: case.scaling,
            root_sample_size: case.root_sample_size,
            ..BrownianSettings::paper(2)
        };
        let prior = BrownianPrior::new(tree.tree(), tree.objects(), settings).unwrap();
        let mut workspace = prior.workspace();
        assert_close(prior.log_det(), case.log_det_v, 1e-13);
        let mut gradient = vec![0.0; 16];
        let found = prior.log_density_and_gradient(&mut workspace, x.as_slice(), &precision, &mut gradient);
        assert_close(found, case.log_density, 1e-13);
        for (object, derivatives) in case.gradient.iter().enumerate() {
            derivatives
                .iter()
                .enumerate()
                .for_each(|(dim, derivative)| assert_close(gradient[dim * 8 + object], *derivative, 1e-12));
        }
        let found = prior.collapsed_log_density(&mut workspace, x.as_slice(), &WishartPrior::paper(2));
        assert_close(found, case.collapsed_log_density, 1e-13);
    }
}
