//! `sbmds fit`, `summary`, `report`, `plot` and `export`, tested through the real program.

mod combined;
#[cfg(unix)]
mod crashes;
mod exports;
mod going_on;
mod inputs;
mod kit;
mod modes;
mod overwriting;
mod pictures;
mod pinned;
#[path = "../common/program.rs"]
mod program;
mod runs;
mod time;
mod titres;
mod trees;
mod verdicts;
