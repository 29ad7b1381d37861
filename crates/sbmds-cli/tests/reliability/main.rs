//! What the program promises when things go wrong: kills, damage, limits, other machines, hostile names.

mod corruption;
#[allow(dead_code)] // The tests of fits use all of it.
#[path = "../fit/kit.rs"]
mod kit;
mod limits;
mod names;
mod other_machines;
#[path = "../common/program.rs"]
mod program;
#[cfg(unix)]
mod sets;
mod unfinished;

/// A quick fit in `run` of the case's matrix.
const QUICK: &str = "fit matrix.csv --out run --chains 2 --warmup 40 --draws 60 --progress none";
