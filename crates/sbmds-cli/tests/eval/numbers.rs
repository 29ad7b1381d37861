//! The numbers of the JSON: the library's bits, pairs counted as used, both noise families, both storages.

use sbmds::Locations;
use sbmds::coupling::Pairs;
use sbmds::likelihood::{Likelihood, Noise, Storage, Workspace};

use crate::kit::{assert_close, assert_rows_close};
use crate::table::Table;

#[test]
fn the_json_holds_the_librarys_bits() {
    let table = Table::new(23, 3);
    let sigma = 0.37;
    let pairs = Pairs::full(23);
    let likelihood = Likelihood::new(23, 3, &pairs, Noise::TruncatedNormal, Storage::F64, |a, b| table.deltas[a][b]);
    let mut gradient = Locations::zeros(23, 3);
    let value =
        likelihood.log_likelihood_and_gradient(&mut Workspace::serial(), &table.locations(), sigma, &mut gradient);
    let found = table.folder().eval("d.csv --positions x.csv --sigma 0.37 --order given --couplings full --gradient");
    assert_eq!(found.log_likelihood.to_bits(), value.to_bits());
    let rows: Vec<Vec<f64>> = (0..23).map(|object| gradient.object(object)).collect();
    assert_eq!(found.gradient, Some(rows));
}

#[test]
fn missing_pairs_are_neither_used_nor_counted() {
    let sigma = 0.6;
    let table = Table::new(7, 2).without(&[(0, 1), (2, 5), (3, 6)]);
    let found = table.folder().eval(&format!("d.csv --positions x.csv --sigma {sigma} --couplings full --gradient"));
    let (value, gradient) = table.plain(&table.all_pairs(), Noise::TruncatedNormal, sigma);
    assert_eq!(found.n_pairs, 18);
    assert_close(found.log_likelihood, value, 1e-13);
    assert_rows_close(&found.gradient.unwrap(), &gradient, 1e-12);
}

#[test]
fn both_noise_families() {
    let table = Table::new(9, 2);
    let folder = table.folder();
    let mut values = Vec::new();
    for (name, noise) in [("truncated-normal", Noise::TruncatedNormal), ("normal", Noise::Normal)] {
        let found = folder.eval(&format!("d.csv --positions x.csv --sigma 1.1 --noise {name} --gradient"));
        let (value, gradient) = table.plain(&table.all_pairs(), noise, 1.1);
        assert_close(found.log_likelihood, value, 1e-13);
        assert_rows_close(&found.gradient.unwrap(), &gradient, 1e-12);
        values.push(found.log_likelihood);
    }
    assert!((values[0] - values[1]).abs() > 0.1, "the families differ: {values:?}");
    let default = folder.eval("d.csv --positions x.csv --sigma 1.1").log_likelihood;
    assert_eq!(default, values[0]);
}

#[test]
fn single_precision_is_close_but_not_the_same() {
    let folder = Table::new(9, 2).folder();
    let eval = |storage| folder.eval(&format!("d.csv --positions x.csv --sigma 0.5 --gradient --storage {storage}"));
    let (double, single) = (eval("f64"), eval("f32"));
    assert_ne!(double.log_likelihood, single.log_likelihood);
    assert_close(single.log_likelihood, double.log_likelihood, 1e-6);
    assert_rows_close(&single.gradient.unwrap(), &double.gradient.unwrap(), 1e-5);
}

/// Objects at one location and dissimilarities of zero are legal, and the JSON stays a JSON.
#[test]
fn coincident_objects_have_finite_numbers() {
    let mut table = Table::new(4, 2);
    table.x[1] = table.x[0].clone();
    (table.deltas[0][1], table.deltas[1][0]) = (0.0, 0.0);
    let found = table.folder().eval("d.csv --positions x.csv --sigma 0.5 --gradient");
    let (value, gradient) = table.plain(&table.all_pairs(), Noise::TruncatedNormal, 0.5);
    assert_close(found.log_likelihood, value, 1e-13);
    assert_rows_close(&found.gradient.unwrap(), &gradient, 1e-12);
}

/// Without `--gradient` there is none, and the value is the same.
#[test]
fn the_gradient_comes_when_asked_for() {
    let folder = Table::new(5, 2).folder();
    let without = folder.sbmds("eval d.csv --positions x.csv --sigma 0.5");
    assert!(!without.stdout.contains("gradient"));
    let with = folder.eval("d.csv --positions x.csv --sigma 0.5 --gradient");
    assert_eq!(with.gradient.as_ref().map(|rows| (rows.len(), rows[0].len())), Some((5, 2)));
    assert_close(with.log_likelihood, without.evaluation().log_likelihood, 1e-13);
}
