//! HDBSCAN against scikit-learn and the hdbscan package (README.md says how the tables were made).

use std::collections::BTreeMap;
use std::path::PathBuf;

use sbmds::Locations;
use sbmds::cluster::{HdbscanSettings, adjusted_rand_index, hdbscan};

/// Alert beyond this difference of a strength or a score: the tables hold nine decimals.
const TOLERANCE: f64 = 2e-8;

struct Table {
    x: Locations,
    /// By column name.
    columns: BTreeMap<String, Vec<String>>,
}

fn read(name: &str) -> Table {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/hdbscan_fixtures").join(format!("{name}.csv"));
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header: Vec<String> = reader.headers().unwrap().iter().map(Into::into).collect();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let n_dims = header.iter().filter(|name| name.starts_with('x')).count();
    let x = Locations::from_fn(rows.len(), n_dims, |object, dim| rows[object][dim].parse().unwrap());
    let column = |index: usize| rows.iter().map(|row| row[index].to_owned()).collect();
    Table { x, columns: header.iter().enumerate().map(|(index, name)| (name.clone(), column(index))).collect() }
}

/// How many numbers were compared; an empty cell is one the packages do not agree on with themselves.
fn compare(what: &str, found: &[f64], expected: &[String]) -> usize {
    let known = expected.iter().zip(found).filter(|(cell, _)| !cell.is_empty());
    known.clone().for_each(|(cell, found)| {
        let expected: f64 = cell.parse().unwrap();
        assert!((found - expected).abs() < TOLERANCE, "{what}: {found}, expected {expected}");
    });
    known.count()
}

fn check(name: &str, n_settings: usize) {
    let table = read(name);
    let of_settings = |column: &&String| column.starts_with("label_");
    assert_eq!(table.columns.keys().filter(of_settings).count(), n_settings);
    for column in table.columns.keys().filter(of_settings) {
        let setting = column.strip_prefix("label_").unwrap();
        let parts: Vec<&str> = setting.split('_').collect();
        let settings = HdbscanSettings {
            min_cluster_size: parts[0].parse().unwrap(),
            min_samples: parts[1].parse().unwrap(),
            selection: parts[2].parse().unwrap(),
        };
        let found = hdbscan(&table.x, &settings).unwrap();
        let n_objects = table.x.n_objects();
        let cells = table.columns[column].iter().zip(&found.labels).filter(|(cell, _)| !cell.is_empty());
        let (expected, labels): (Vec<i32>, Vec<i32>) =
            cells.map(|(cell, &label)| (cell.parse::<i32>().unwrap(), label)).unzip();
        assert!(expected.len() >= n_objects * 99 / 100);
        assert_eq!(adjusted_rand_index(&labels, &expected), 1.0, "{name} {setting}");
        let is_noise = |labels: &[i32]| labels.iter().map(|&label| label < 0).collect::<Vec<_>>();
        assert_eq!(is_noise(&labels), is_noise(&expected), "{name} {setting}");
        let strengths = &table.columns[&format!("probability_{setting}")];
        // Among leaves, ties decide many a cluster's last level, and with it all its strengths.
        assert!(compare(&format!("{name} {setting}: strength"), &found.probabilities, strengths) > n_objects / 2);
        let scores = &table.columns[&format!("outlier_{setting}")];
        let n_compared = compare(&format!("{name} {setting}: outlier"), &found.outlier_scores, scores);
        assert!(n_compared > n_objects * 9 / 10 || settings.min_samples == 1);
    }
}

#[test]
fn separate_blobs() {
    check("separate", 3);
}

#[test]
fn overlapping_blobs() {
    check("overlapping", 3);
}

#[test]
fn moons() {
    check("moons", 2);
}

#[test]
fn circles() {
    check("circles", 1);
}

#[test]
fn uneven_groups_in_noise() {
    check("uneven", 3);
}

#[test]
fn one_dimension() {
    check("line", 2);
}

#[test]
fn three_dimensions() {
    check("solid", 2);
}

#[test]
fn five_dimensions() {
    check("five_dimensions", 2);
}
