//! Checkpoints come back bit for bit or say why they cannot.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use sbmds::draws::checkpoint::{CheckpointError, load, previous_path, save};
use serde::{Deserialize, Serialize};

const RUN: u64 = 0x0123_4567_89ab_cdef;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    iteration: u64,
    position: Vec<f64>,
    name: String,
}

fn state(iteration: u64) -> State {
    let position = vec![-0.0, f64::MIN_POSITIVE / 3.0, f64::NAN, f64::NEG_INFINITY, 0.1 + 0.2, iteration as f64];
    State { iteration, position, name: "chain".into() }
}

fn bits(state: &State) -> Vec<u64> {
    state.position.iter().map(|value| value.to_bits()).collect()
}

/// Two checkpoints of one run: iteration 2 at the path, iteration 1 before it.
fn two_checkpoints(directory: &Path) -> PathBuf {
    let path = directory.join("checkpoint");
    save(&path, RUN, &state(1)).unwrap();
    save(&path, RUN, &state(2)).unwrap();
    path
}

fn change(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

#[test]
fn every_bit_comes_back_and_nothing_else_is_left() {
    let directory = tempfile::tempdir().unwrap();
    let path = two_checkpoints(directory.path());
    let loaded = load::<State>(&path, RUN).unwrap();
    assert!(loaded.newest_unusable.is_none());
    assert_eq!(bits(&loaded.value), bits(&state(2)));
    assert_eq!(load::<State>(&previous_path(&path), RUN).unwrap().value.iteration, 1);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
}

#[test]
fn a_damaged_checkpoint_is_replaced_by_the_previous_one_and_says_so() {
    type Damage = fn(&mut Vec<u8>);
    type Reason = fn(&CheckpointError) -> bool;
    let cases: [(&str, Damage, Reason); 5] = [
        ("flipped bit", |b| b[40] ^= 4, |e| matches!(e, CheckpointError::Corrupt { .. })),
        ("cut content", |b| b.truncate(45), |e| matches!(e, CheckpointError::Truncated { found: 45, .. })),
        ("cut header", |b| b.truncate(5), |e| matches!(e, CheckpointError::Truncated { found: 5, .. })),
        ("empty", Vec::clear, |e| matches!(e, CheckpointError::Truncated { found: 0, .. })),
        ("other file", |b| b[0] = b'S', |e| matches!(e, CheckpointError::NotACheckpoint(_))),
    ];
    for (name, damage, is_reason) in cases {
        let directory = tempfile::tempdir().unwrap();
        let path = two_checkpoints(directory.path());
        change(&path, damage);
        let loaded = load::<State>(&path, RUN).unwrap();
        assert_eq!(loaded.value.iteration, 1, "{name}");
        assert!(is_reason(loaded.newest_unusable.as_ref().unwrap()), "{name}: {:?}", loaded.newest_unusable);
        change(&previous_path(&path), damage);
        assert!(is_reason(&load::<State>(&path, RUN).unwrap_err()), "{name}, both damaged");
    }
}

#[test]
fn other_runs_and_other_versions_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = two_checkpoints(directory.path());
    assert!(matches!(load::<State>(&path, RUN + 1), Err(CheckpointError::WrongRun(_))));
    for file in [path.clone(), previous_path(&path)] {
        change(&file, |bytes| bytes[8] = 77);
    }
    assert!(matches!(load::<State>(&path, RUN), Err(CheckpointError::WrongVersion { found: 77, .. })));
}

#[test]
fn a_kill_between_the_two_renames_leaves_the_previous_checkpoint() {
    let directory = tempfile::tempdir().unwrap();
    let path = two_checkpoints(directory.path());
    fs::remove_file(&path).unwrap();
    let loaded = load::<State>(&path, RUN).unwrap();
    assert_eq!(loaded.value.iteration, 1);
    assert!(matches!(loaded.newest_unusable, Some(CheckpointError::Missing(_))));
    save(&path, RUN, &state(3)).unwrap();
    assert_eq!(load::<State>(&path, RUN).unwrap().value.iteration, 3);
}

#[test]
fn nothing_there_and_nowhere_to_write() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("checkpoint");
    assert!(matches!(load::<State>(&path, RUN), Err(CheckpointError::Missing(_))));
    fs::write(directory.path().join("file"), "").unwrap();
    let error = save(&directory.path().join("file/checkpoint"), RUN, &state(1)).unwrap_err().to_string();
    assert!(error.contains("file/checkpoint") && error.contains("`out`"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(4), failure_persistence: None, ..ProptestConfig::default()
    })]

    /// Whatever byte is changed or wherever the file ends, a wrong value never comes back.
    #[test]
    fn no_damage_goes_unseen(index in 0_usize..1000, flip in 1_u8.., cut: bool) {
        let directory = crate::kit::scratch();
        let path = directory.path().join("checkpoint");
        save(&path, RUN, &state(5)).unwrap();
        change(&path, |bytes| {
            let index = index % bytes.len();
            if cut { bytes.truncate(index) } else { bytes[index] ^= flip }
        });
        prop_assert!(load::<State>(&path, RUN).is_err());
    }
}
