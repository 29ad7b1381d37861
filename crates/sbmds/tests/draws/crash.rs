//! Killed and resumed, the store ends with the same bytes; refused by the disk, it stays readable.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use sbmds::draws::{Buffered, ChainWriter, DrawReader, DrawStore, StoreError, checkpoint};

use crate::kit::*;

const RUN: u64 = 7;

/// What the chain's thread does next.
#[derive(Clone, Copy, Debug)]
enum Step {
    Push(usize),
    Flush,
    Checkpoint,
    Kill,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1_usize..9).prop_map(Step::Push),
        1 => Just(Step::Flush),
        2 => Just(Step::Checkpoint),
        2 => Just(Step::Kill),
    ];
    prop::collection::vec(step, 0..40)
}

/// Opens the run as `--resume` does, at the last checkpoint or at the start.
fn resume(run: &Path, chain: usize) -> ChainWriter {
    let mut writer = DrawStore::open(run).unwrap().writer(chain).unwrap();
    let path = run.join(format!("chain-{chain}.checkpoint"));
    match checkpoint::load::<Buffered>(&path, RUN) {
        Ok(loaded) => writer.restore(loaded.value).unwrap(),
        Err(checkpoint::CheckpointError::Missing(_)) => {}
        Err(error) => panic!("{error}"),
    }
    writer
}

/// Leaves what a kill in the middle of writing a chunk and a metadata file leaves.
fn leave_half_written_files(run: &Path) {
    for file in ["posterior/x/.c.0.2.0.0.tmp", "posterior/sigma/.zarr.json.tmp", "progress/n_draws/.c.1.tmp"] {
        fs::write(run.join("draws.zarr").join(file), "half").unwrap();
    }
}

fn run_chain(run: &Path, chain: usize, n_objects: usize, n_draws: usize, steps: &[Step]) {
    let mut writer = resume(run, chain);
    for &step in steps {
        match step {
            Step::Push(n) => {
                (0..n.min(n_draws - writer.n_draws())).for_each(|_| push(&mut writer, n_objects).unwrap());
            }
            Step::Flush => writer.flush_partial().unwrap(),
            Step::Checkpoint => {
                let path = run.join(format!("chain-{chain}.checkpoint"));
                checkpoint::save(&path, RUN, &writer.buffered().unwrap()).unwrap();
            }
            Step::Kill => {
                drop(writer);
                leave_half_written_files(run);
                writer = resume(run, chain);
            }
        }
        assert_readable(run, n_objects);
    }
    (writer.n_draws()..n_draws).for_each(|_| push(&mut writer, n_objects).unwrap());
    writer.finish().unwrap();
}

/// What the store calls complete is there and right.
fn assert_readable(run: &Path, n_objects: usize) {
    let reader = DrawReader::open(run).unwrap();
    for chain in 0..N_CHAINS {
        if let Some(last) = reader.n_complete(chain).checked_sub(1) {
            assert_eq!(reader.x(chain, last).unwrap(), x(n_objects, chain, last));
            assert_eq!(reader.scalar("sigma", chain).unwrap()[last], scalars(chain, last)[0]);
            assert_eq!(reader.stat("n_gradients", chain).unwrap()[last], stats(chain, last)[3]);
        }
    }
}

fn check_interrupted_equals_uninterrupted(
    n_objects: usize,
    chunk: usize,
    n_draws: usize,
    interruptions: &[Vec<Step>; N_CHAINS],
) {
    let names = names(n_objects);
    let [quiet, troubled] = [scratch(), scratch()];
    for run in [&quiet, &troubled] {
        create(run.path(), &names, chunk, n_draws);
    }
    for chain in 0..N_CHAINS {
        run_chain(quiet.path(), chain, n_objects, n_draws, &[]);
        run_chain(troubled.path(), chain, n_objects, n_draws, &interruptions[chain]);
    }
    // Opening once more sweeps what the last kill left.
    DrawStore::open(troubled.path()).unwrap();
    assert_same_files(&quiet.path().join("draws.zarr"), &troubled.path().join("draws.zarr"));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48, rng_seed: RngSeed::Fixed(3), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn killed_at_any_moment_the_store_ends_with_the_same_bytes(
        chunk in 1_usize..8, n_draws in 8_usize..60, interruptions in [steps(), steps()]
    ) {
        check_interrupted_equals_uninterrupted(5, chunk, n_draws, &interruptions);
    }
}

/// 30,000 objects in 2 dimensions make chunks of 4 draws of `x`, while all else has chunks of 7.
#[test]
fn chunks_of_different_length_survive_a_kill() {
    use Step::*;
    let first = vec![Push(6), Checkpoint, Push(5), Kill, Push(3), Flush, Kill, Push(9), Checkpoint, Push(1)];
    let second = vec![Push(4), Checkpoint, Kill, Push(4), Flush, Checkpoint, Push(1), Kill];
    check_interrupted_equals_uninterrupted(30_000, 7, 19, &[first, second]);
}

/// A kill while the store is extended leaves some arrays short: opening it to resume finishes the work.
#[test]
fn a_half_extended_store_is_completed() {
    let [quiet, troubled] = [scratch(), scratch()];
    let names = names(5);
    for run in [&quiet, &troubled] {
        create(run.path(), &names, 4, 10);
    }
    // The array that is enlarged last.
    let short = troubled.path().join("draws.zarr/sample_stats/n_gradients/zarr.json");
    let before = fs::read(&short).unwrap();
    DrawStore::open(quiet.path()).unwrap().extend_draws(2000).unwrap();
    DrawStore::open(troubled.path()).unwrap().extend_draws(2000).unwrap();
    fs::write(&short, before).unwrap();
    assert_eq!(DrawReader::open(troubled.path()).unwrap().n_draws(), 10);
    assert_eq!(DrawStore::open(troubled.path()).unwrap().n_draws(), 2000);
    assert_same_files(quiet.path(), troubled.path());
}

#[test]
fn checkpoints_of_other_stores_are_refused() {
    let [here, there] = [scratch(), scratch()];
    let names = names(5);
    let mut other = create(there.path(), &names, 3, 10).writer(0).unwrap();
    (0..5).for_each(|_| push(&mut other, 5).unwrap());
    let buffered = other.buffered().unwrap();
    let store = create(here.path(), &names, 4, 10);
    for chain in 0..N_CHAINS {
        let error = store.writer(chain).unwrap().restore(buffered.clone()).unwrap_err();
        assert!(matches!(error, StoreError::WrongCheckpoint { .. }), "{error}");
    }
    // The same shape, but the chunk written before the checkpoint is gone.
    fs::remove_file(there.path().join("draws.zarr/posterior/sigma/c.0.0")).unwrap();
    let error = resume(there.path(), 0).restore(buffered).unwrap_err().to_string();
    assert!(error.contains("c.0.0 is missing"), "{error}");
}

#[test]
fn existing_draws_are_never_overwritten() {
    let run = scratch();
    let names = names(5);
    create(run.path(), &names, 4, 10);
    let before = contents(run.path());
    let error = DrawStore::create(run.path(), &plan(&names, 5)).unwrap_err();
    assert!(matches!(error, StoreError::Exists { .. }), "{error}");
    assert_eq!(contents(run.path()), before);
}

#[test]
fn an_unwritable_directory_is_named_and_nothing_is_left() {
    let run = scratch();
    fs::write(run.path().join("file"), "").unwrap();
    let error = DrawStore::create(&run.path().join("file/run"), &plan(&names(5), 5)).unwrap_err().to_string();
    assert!(error.contains("file/run") && error.contains("choose another directory"), "{error}");
    let error = DrawReader::open(&run.path().join("nothing")).unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    assert_eq!(contents(run.path()).len(), 1);
}

/// A directory in the place of the temporary file is a disk that refuses exactly one chunk.
#[cfg(target_os = "linux")]
fn refuse_the_disk_for(run: &Path, array: &str, chunk: &str) -> std::path::PathBuf {
    let temporary = run.join("draws.zarr").join(array).join(format!(".{chunk}.tmp"));
    std::fs::create_dir(&temporary).unwrap();
    temporary
}

/// Resumed from before the last flush, a second flush replaces fuller chunks by emptier ones: if it breaks off half-way,
/// the draws that are no longer in every array must not count as complete.
#[cfg(target_os = "linux")]
#[test]
fn a_flush_that_breaks_off_after_a_resume_leaves_a_readable_store() {
    let run = scratch();
    create(run.path(), &names(5), 10, 10);
    let mut writer = resume(run.path(), 0);
    (0..9).for_each(|_| push(&mut writer, 5).unwrap());
    writer.flush_partial().unwrap();
    drop(writer);

    let mut writer = resume(run.path(), 0);
    (0..2).for_each(|_| push(&mut writer, 5).unwrap());
    assert_eq!(DrawReader::open(run.path()).unwrap().n_complete(0), 9);
    let temporary = refuse_the_disk_for(run.path(), "sample_stats/lp", "c.0.0");
    assert!(matches!(writer.flush_partial(), Err(StoreError::Io { .. })));
    std::fs::remove_dir(temporary).unwrap();
    assert_readable(run.path(), 5);
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_refuses_is_named_and_the_store_stays_readable() {
    let [quiet, troubled] = [scratch(), scratch()];
    let names = names(5);
    create(quiet.path(), &names, 4, 10);
    (0..N_CHAINS).for_each(|chain| run_chain(quiet.path(), chain, 5, 10, &[]));

    let store = create(troubled.path(), &names, 4, 10);
    run_chain(troubled.path(), 1, 5, 10, &[]);
    let mut writer = store.writer(0).unwrap();
    (0..8).for_each(|_| push(&mut writer, 5).unwrap());
    let temporary = refuse_the_disk_for(troubled.path(), "sample_stats/lp", "c.0.1");
    let error = push(&mut writer, 5).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error}");
    assert!(error.to_string().contains("c.0.1") && error.to_string().contains("check the disk"), "{error}");
    std::fs::remove_dir(temporary).unwrap();
    assert_readable(troubled.path(), 5);
    assert_eq!(DrawReader::open(troubled.path()).unwrap().n_complete(0), 4);

    // With room again, the same writer goes on and nothing is lost.
    assert_eq!(writer.n_draws(), 8);
    (8..10).for_each(|_| push(&mut writer, 5).unwrap());
    writer.finish().unwrap();
    assert_same_files(quiet.path(), troubled.path());
}
