//! `sbmds fit`, `summary`, `report`, `plot` and `export`, tested through the real program.

#[cfg(unix)]
mod crashes;
mod inputs;
mod kit;
mod pictures;
#[path = "../common/program.rs"]
mod program;
mod runs;
mod trees;
