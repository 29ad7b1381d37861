//! Gives hostile files to every reader for as long as you like:
//! `cargo run --release -p sbmds --example fuzz_readers -- --minutes 480 --seed 7`.

#[path = "../tests/fuzz_kit/mod.rs"]
mod fuzz_kit;

use std::time::{Duration, Instant};

use fuzz_kit::{Counts, Fuzz};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// The number after a flag.
fn number(flag: &str, default: f64) -> f64 {
    let mut words = std::env::args().skip_while(|word| word != flag).skip(1);
    words.next().and_then(|word| word.parse().ok()).unwrap_or(default)
}

fn main() {
    let (minutes, seed) = (number("--minutes", 1.0), number("--seed", 1.0) as u64);
    let directory = std::env::temp_dir().join(format!("fuzz-readers-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory for files");
    let mut fuzz = Fuzz::new(&directory, StdRng::seed_from_u64(seed));
    let (mut counts, start) = (Counts::default(), Instant::now());
    let mut said = Instant::now();
    while start.elapsed() < Duration::from_secs_f64(60.0 * minutes) {
        fuzz.once(&mut counts);
        if said.elapsed() > Duration::from_secs(60) {
            println!("{counts:?} after {:.0} minutes", start.elapsed().as_secs_f64() / 60.0);
            said = Instant::now();
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
    println!("seed {seed}: {counts:?}, no reader failed");
}
