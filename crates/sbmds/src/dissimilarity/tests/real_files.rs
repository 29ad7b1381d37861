//! Published data, where it is at hand: in the folder `SBMDS_SHARED_DATA`, or `shared/data` beside the workspace.

use std::path::PathBuf;

use super::super::{Metric, ReadOptions, read};

/// The path of a data file; says so when it is not there.
fn shared_data(file: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("SBMDS_SHARED_DATA").map_or(beside, PathBuf::from);
    let path = folder.join(file);
    if !path.is_file() {
        eprintln!("skipped: {} is not here", path.display());
        return None;
    }
    Some(path)
}

/// Air-traffic distances between 372 H3N2 samples, BEAST style. The counts are those of the data's own description.
#[test]
fn h3n2_distances() {
    let Some(path) = shared_data("h3n2/h3_Deff.txt") else { return };
    let input = read(&path, &ReadOptions::default()).unwrap();
    let pairs = || (0..input.n_objects()).flat_map(|b| (0..b).map(move |a| (a, b)));
    assert_eq!((input.n_objects(), input.kind()), (372, "matrix"));
    assert_eq!(pairs().filter(|&(a, b)| !input.get(a, b).is_nan()).count(), 69_006);
    assert_eq!(pairs().filter(|&(a, b)| input.get(a, b) == 0.0).count(), 5_001);
    let georgia = input.names().find("A/Georgia/24/2010").unwrap();
    let genoa = input.names().find("A/H3N2Genoa/01/2010").unwrap();
    assert_eq!(input.get(georgia, genoa), 3.8895);
}

/// Sentence embeddings of 9,308 abstracts (float32, 384 columns, unit length).
#[test]
fn abstract_embeddings() {
    let Some(path) = shared_data("abstracts/embeddings.npy") else { return };
    let distance = |metric| {
        let input = read(&path, &ReadOptions { features: Some(metric), ..Default::default() }).unwrap();
        assert_eq!((input.n_objects(), input.kind()), (9_308, "features"));
        input.get(17, 9_000)
    };
    // For unit vectors |x - y|^2 = 2 (1 - cos); the file's lengths are 1 up to single precision.
    let (euclidean, cosine) = (distance(Metric::Euclidean), distance(Metric::Cosine));
    assert!((euclidean * euclidean - 2.0 * cosine).abs() < 1e-5, "{euclidean} {cosine}");
    assert!(cosine > 0.1 && cosine < 2.0);
}
