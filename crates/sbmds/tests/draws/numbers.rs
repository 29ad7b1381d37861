//! A store whose numbers were changed is refused or read as if they were not: never a panic, an abort or fewer draws.

use std::fs;
use std::path::{Path, PathBuf};

use sbmds::draws::{DrawReader, DrawStore, StoreError, StorePlan};
use serde_json::Value;

use crate::kit::{N_CHAINS, names, plan, push, scratch, x};

const N_OBJECTS: usize = 5;
const N_DRAWS: usize = 30;

fn finished_store() -> tempfile::TempDir {
    let run = scratch();
    let (names, reference) = (names(N_OBJECTS), x(N_OBJECTS, 0, 0));
    let store =
        DrawStore::create(run.path(), &StorePlan { reference: Some(&reference), ..plan(&names, N_DRAWS) }).unwrap();
    for chain in 0..N_CHAINS {
        let mut writer = store.writer(chain).unwrap();
        (0..N_DRAWS).for_each(|_| push(&mut writer, N_OBJECTS).unwrap());
        writer.finish().unwrap();
    }
    run
}

/// Everything that can be read, as text.
fn content(run: &Path) -> Result<String, StoreError> {
    let reader = DrawReader::open(run)?;
    let mut text = format!("{} {} {:?}", reader.n_chains(), reader.n_dims(), reader.names().iter().collect::<Vec<_>>());
    text += &format!("\n{:?}", reader.reference()?.map(|map| map.as_slice().to_vec()));
    reader.for_each_x(|chain, draw, x| text += &format!("\n{chain} {draw} {:?}", x.as_slice()))?;
    for chain in 0..reader.n_chains() {
        for variable in reader.variables() {
            text += &format!("\n{} {:?}", variable.name, reader.scalar(&variable.name, chain)?);
        }
        for stat in reader.stats() {
            text += &format!("\n{} {:?}", stat.name, reader.stat(&stat.name, chain)?);
        }
    }
    Ok(text)
}

fn metadata_files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            metadata_files(&path, found);
        } else if path.ends_with("zarr.json") {
            found.push(path);
        }
    }
}

/// Every way to a number in a value.
fn numbers(value: &Value, way: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(way.into()),
        Value::Array(entries) => {
            entries.iter().enumerate().for_each(|(k, entry)| numbers(entry, &format!("{way}/{k}"), found));
        }
        Value::Object(entries) => entries.iter().for_each(|(k, entry)| numbers(entry, &format!("{way}/{k}"), found)),
        _ => {}
    }
}

#[test]
fn no_number_of_the_metadata_crashes_a_reader_or_changes_what_it_reads() {
    let run = finished_store();
    let whole = content(run.path()).unwrap();
    let mut files = Vec::new();
    metadata_files(run.path(), &mut files);
    let (mut n_changed, mut n_refused) = (0, 0);
    for path in files {
        let original = fs::read(&path).unwrap();
        let json: Value = serde_json::from_slice(&original).unwrap();
        let mut ways = Vec::new();
        numbers(&json, "", &mut ways);
        for way in ways {
            for hostile in
                ["0", "1", "2", "7", "48", "1000000", "1000000000000000", "18446744073709551615", "-1", "1e300"]
            {
                let mut changed = json.clone();
                let number = changed.pointer_mut(&way).unwrap();
                *number = serde_json::from_str(hostile).unwrap();
                fs::write(&path, serde_json::to_vec(&changed).unwrap()).unwrap();
                match content(run.path()) {
                    Ok(read) => assert!(read == whole, "{} {way} = {hostile}: other draws", path.display()),
                    Err(_) => n_refused += 1,
                }
                n_changed += 1;
            }
        }
        fs::write(&path, original).unwrap();
    }
    assert!(n_changed > 500 && n_refused > n_changed / 2, "{n_refused} of {n_changed} refused");
    assert_eq!(content(run.path()).unwrap(), whole);
}

/// Opening to write goes further: it completes what a kill while the store was extended left.
#[test]
fn no_length_makes_a_resume_write_without_end() {
    let run = finished_store();
    let path = run.path().join("draws.zarr/posterior/draw/zarr.json");
    let original = fs::read_to_string(&path).unwrap();
    let enlarged = original.replacen("30", "1000000000000000", 1);
    assert_ne!(original, enlarged);
    fs::write(&path, enlarged).unwrap();
    let message = DrawStore::open(run.path()).unwrap_err().to_string();
    assert!(message.contains("has room for 1000000000000000 draws"), "{message}");
    fs::write(&path, original.replacen("30", "60", 1)).unwrap();
    assert!(DrawStore::open_within(run.path(), 30).unwrap_err().to_string().contains("at most 30 were planned"));
    assert_eq!(DrawStore::open_within(run.path(), 60).unwrap().n_draws(), 60, "as a kill may leave it");
}

#[test]
fn an_array_with_less_room_than_the_others_is_refused() {
    let run = finished_store();
    let path = run.path().join("draws.zarr/sample_stats/lp/zarr.json");
    let shrunk = fs::read_to_string(&path).unwrap().replacen("30", "8", 1);
    fs::write(&path, shrunk).unwrap();
    let message = DrawReader::open(run.path()).unwrap_err().to_string();
    assert!(message.contains("lp") && message.contains("room for 8 draws"), "{message}");
}
