//! Every reader of the library survives a minute of hostile files. For hours:
//! `cargo run --release -p sbmds --example fuzz_readers -- --minutes 480`.
mod fuzz_kit;

use fuzz_kit::{Counts, Fuzz};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// About a minute, on one core.
const N_EXECUTIONS: usize = 400_000;

#[test]
fn readers_answer_hostile_files_with_an_error_or_a_value() {
    let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let mut fuzz = Fuzz::new(directory.path(), StdRng::seed_from_u64(1));
    let mut counts = Counts::default();
    while counts.n_executions < N_EXECUTIONS {
        fuzz.once(&mut counts);
    }
    // A loop whose files are all refused at the first byte would say nothing.
    assert!(counts.n_accepted > N_EXECUTIONS / 50, "{counts:?}");
}
