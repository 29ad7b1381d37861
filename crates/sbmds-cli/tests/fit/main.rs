//! `sbmds fit`, `summary`, `report`, `plot` and `export`, tested through the real program.

#[cfg(unix)]
mod crashes;
mod going_on;
mod kit;
mod overwriting;
mod pictures;
#[path = "../common/program.rs"]
mod program;
mod runs;
mod time;
mod trees;
