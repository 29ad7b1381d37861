//! `sbmds hdbscan` and `sbmds cluster` through the binary.

mod kit;
mod points;
#[path = "../common/program.rs"]
mod program;
mod runs;
