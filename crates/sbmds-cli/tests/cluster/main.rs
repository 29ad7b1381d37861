//! `sbmds hdbscan` and `sbmds cluster` through the binary.

#[path = "../common/array.rs"]
mod array;
#[path = "../common/folder.rs"]
mod folder;
mod kit;
mod points;
#[path = "../common/program.rs"]
mod program;
mod runs;
