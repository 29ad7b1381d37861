//! The `sbmds` command: a thin shell around the library.

fn main() {}
