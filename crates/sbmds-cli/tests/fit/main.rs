//! `sbmds fit`, `summary` and `export`, tested through the real program.

#[cfg(unix)]
mod crashes;
mod kit;
mod runs;
