//! The store of draws: what is pushed is what is read, by the reader and in the exported files.

use std::fs;

use sbmds::dissimilarity::Names;
use sbmds::draws::{Draw, DrawReader, DrawStore, StoreError, StorePlan, export_npy};

use crate::kit::*;

#[test]
fn what_is_pushed_is_what_is_read() {
    let run = scratch();
    let (names, n_draws) = (names(6), 23);
    let store = create(run.path(), &names, 7, n_draws);
    for chain in 0..N_CHAINS {
        let mut writer = store.writer(chain).unwrap();
        (0..n_draws).for_each(|_| push(&mut writer, names.len()).unwrap());
        assert!(matches!(push(&mut writer, names.len()), Err(StoreError::Full { .. })));
        writer.finish().unwrap();
    }
    let reader = DrawReader::open(run.path()).unwrap();
    assert_eq!((reader.n_chains(), reader.n_draws(), reader.n_dims()), (N_CHAINS, n_draws, N_DIMS));
    assert_eq!(reader.names().iter().collect::<Vec<_>>(), names.iter().collect::<Vec<_>>());
    let mut visited = Vec::new();
    reader
        .for_each_x(|chain, draw, found| {
            assert_eq!(*found, x(names.len(), chain, draw));
            visited.push((chain, draw));
        })
        .unwrap();
    assert_eq!(visited.len(), N_CHAINS * n_draws);
    assert_eq!(reader.x(1, 20).unwrap(), x(names.len(), 1, 20));
    for chain in 0..N_CHAINS {
        assert_eq!(reader.n_complete(chain), n_draws);
        let sigma: Vec<f64> = (0..n_draws).map(|draw| scalars(chain, draw)[0]).collect();
        let lambda: Vec<f64> = (0..n_draws).flat_map(|draw| scalars(chain, draw)[1..].to_vec()).collect();
        assert_eq!(reader.scalar("sigma", chain).unwrap(), sigma);
        assert_eq!(reader.scalar("lambda", chain).unwrap(), lambda);
        for (index, name) in ["lp", "log_likelihood", "diverging", "n_gradients"].iter().enumerate() {
            let expected: Vec<f64> = (0..n_draws).map(|draw| stats(chain, draw)[index]).collect();
            assert_eq!(reader.stat(name, chain).unwrap(), expected, "{name}");
        }
    }
    assert_eq!(reader.variables().map(|v| v.name.as_str()).collect::<Vec<_>>(), ["sigma", "lambda"]);
}

#[test]
fn partial_chunks_are_readable_after_a_flush() {
    let run = scratch();
    let names = names(5);
    let store = create(run.path(), &names, 7, 20);
    let mut writer = store.writer(1).unwrap();
    (0..10).for_each(|_| push(&mut writer, names.len()).unwrap());
    // Seven draws fill a chunk; the other three wait in memory.
    assert_eq!(DrawReader::open(run.path()).unwrap().n_complete(1), 7);
    writer.flush_partial().unwrap();
    let reader = DrawReader::open(run.path()).unwrap();
    assert_eq!((reader.n_complete(0), reader.n_complete(1)), (0, 10));
    assert_eq!(reader.x(1, 9).unwrap(), x(names.len(), 1, 9));
    assert_eq!(reader.scalar("sigma", 1).unwrap().len(), 10);
    assert!(matches!(reader.x(1, 10), Err(StoreError::NoDraw { draw: 10, n_draws: 10, .. })));
    assert!(matches!(reader.x(5, 0), Err(StoreError::NoDraw { chain: 5, .. })));
    // Other readers of the store see draws not yet made as NaN: three draws are in the second chunk of seven.
    let chunk = fs::read(run.path().join("draws.zarr/posterior/sigma/c.1.1")).unwrap();
    let values: Vec<f64> = chunk[..56].as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect();
    assert!(values[..3].iter().all(|value| value.is_finite()) && values[3..].iter().all(|value| value.is_nan()));
    let unknown = reader.scalar("tau", 0).unwrap_err().to_string();
    assert!(unknown.contains("\"tau\"") && unknown.contains("sigma, lambda"), "{unknown}");
}

#[test]
fn a_store_without_locations_keeps_the_scalars() {
    let run = scratch();
    let names = Names::numbered(4);
    let store = DrawStore::create(run.path(), &StorePlan { keep_x: false, ..plan(&names, 3) }).unwrap();
    for chain in 0..N_CHAINS {
        let mut writer = store.writer(chain).unwrap();
        (0..3).for_each(|_| push(&mut writer, names.len()).unwrap());
        writer.finish().unwrap();
    }
    let reader = DrawReader::open(run.path()).unwrap();
    assert!(!reader.has_x());
    assert!(matches!(reader.x(0, 0), Err(StoreError::NoLocations { .. })));
    assert_eq!(reader.scalar("sigma", 0).unwrap().len(), 3);
    assert_eq!(reader.names().get(3), "3");
    let out = run.path().join("npy");
    let written = export_npy(run.path(), &out, &[], None).unwrap();
    assert!(written.len() == 3 && !out.join("draws.npy").exists());
}

#[test]
fn exported_files_hold_the_draws_of_all_chains() {
    let run = scratch();
    let names = names(5);
    let store = create(run.path(), &names, 4, 11);
    let out = run.path().join("npy");
    assert!(matches!(export_npy(run.path(), &out, &[], None), Err(StoreError::NoDraws { .. })));
    // Chain 1 is behind: only what both have is exported.
    for (chain, n_draws) in [(0, 11), (1, 9)] {
        let mut writer = store.writer(chain).unwrap();
        (0..n_draws).for_each(|_| push(&mut writer, names.len()).unwrap());
        writer.finish().unwrap();
    }
    export_npy(run.path(), &out, &[("lambda", "lambda.npy"), ("n_gradients", "n_gradients.npy")], None).unwrap();
    let read = |file: &str| read_npy(&out.join(file));
    let indices = || (0..N_CHAINS).flat_map(|chain| (0..9).map(move |draw| (chain, draw)));
    let expected_x: Vec<f64> = indices()
        .flat_map(|(chain, draw)| {
            let x = x(names.len(), chain, draw);
            (0..names.len()).flat_map(move |object| x.object(object)).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(read("draws.npy"), (vec![2, 9, 5, 2], expected_x));
    assert_eq!(read("sigma.npy"), (vec![2, 9], indices().map(|(c, d)| scalars(c, d)[0]).collect()));
    assert_eq!(read("log_likelihood.npy"), (vec![2, 9], vec![f64::NEG_INFINITY; 18]));
    assert_eq!(read("lambda.npy"), (vec![2, 9, 2], indices().flat_map(|(c, d)| scalars(c, d)[1..].to_vec()).collect()));
    assert_eq!(read("n_gradients.npy"), (vec![2, 9], indices().map(|(c, d)| stats(c, d)[3]).collect()));
    let listed = fs::read_to_string(out.join("names.txt")).unwrap();
    assert!(listed.lines().eq(names.iter()));
}

#[test]
fn draws_of_the_wrong_shape_are_refused() {
    let run = scratch();
    let names = names(5);
    let mut writer = create(run.path(), &names, 4, 4).writer(0).unwrap();
    let (right, wrong) = (x(5, 0, 0), x(6, 0, 0));
    let mut refused = |x, scalars: &[f64], stats: &[f64]| {
        let error = writer.push(&Draw { x, scalars, stats }).unwrap_err();
        assert!(matches!(error, StoreError::DrawShape { .. }), "{error}");
        assert_eq!(writer.n_draws(), 0);
    };
    refused(&wrong, &scalars(0, 0), &stats(0, 0));
    refused(&right, &[1.0], &stats(0, 0));
    refused(&right, &scalars(0, 0), &[1.0; 5]);
}

#[test]
fn extending_leaves_the_draws_and_makes_room() {
    let run = scratch();
    let names = names(5);
    let mut store = DrawStore::create(run.path(), &plan(&names, 5)).unwrap();
    let mut writer = store.writer(0).unwrap();
    (0..5).for_each(|_| push(&mut writer, 5).unwrap());
    assert!(push(&mut writer, 5).is_err());
    store.extend_draws(3000).unwrap();
    (0..8).for_each(|_| push(&mut writer, 5).unwrap());
    writer.finish().unwrap();
    let metadata = |name: &str| fs::read_to_string(run.path().join(name).join("zarr.json")).unwrap();
    let sigma: serde_json::Value = serde_json::from_str(&metadata("draws.zarr/posterior/sigma")).unwrap();
    assert_eq!(sigma["shape"], serde_json::json!([N_CHAINS, 3000]));
    // zarr-python reads no short form of codecs.
    assert!(sigma["codecs"].as_array().unwrap().iter().all(serde_json::Value::is_object), "{}", sigma["codecs"]);
    let reader = DrawReader::open(run.path()).unwrap();
    assert_eq!((reader.n_draws(), reader.n_complete(0)), (3000, 13));
    assert_eq!(reader.x(0, 12).unwrap(), x(5, 0, 12));
}

#[test]
fn damage_is_seen() {
    let run = scratch();
    let names = names(5);
    let mut writer = create(run.path(), &names, 4, 4).writer(0).unwrap();
    (0..4).for_each(|_| push(&mut writer, 5).unwrap());
    writer.finish().unwrap();
    let chunk = run.path().join("draws.zarr/posterior/x/c.0.0.0.0");
    let mut bytes = fs::read(&chunk).unwrap();
    bytes[17] ^= 1;
    fs::write(&chunk, bytes).unwrap();
    let error = DrawReader::open(run.path()).unwrap().x(0, 0).unwrap_err().to_string();
    assert!(error.contains("c.0.0.0.0 is damaged"), "{error}");
    fs::remove_file(&chunk).unwrap();
    let error = DrawReader::open(run.path()).unwrap().x(0, 0).unwrap_err().to_string();
    assert!(error.contains("missing"), "{error}");
    fs::write(run.path().join("draws.zarr/posterior/sigma/zarr.json"), "{").unwrap();
    assert!(matches!(DrawReader::open(run.path()), Err(StoreError::Damaged { .. })));
}
