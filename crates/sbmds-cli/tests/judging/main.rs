//! `sbmds predict`, `place`, `choose` and `compare --maps` through the binary.

mod choose;
#[path = "../common/folder.rs"]
mod folder;
mod maps;
mod place;
mod predict;
#[path = "../common/program.rs"]
mod program;
