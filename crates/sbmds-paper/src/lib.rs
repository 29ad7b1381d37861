//! The workshop around `sbmds`: the paper's studies made again ([`reproduce`]) and measurements of speed and memory ([`mod@bench`]).
//!
//! Nothing here is needed to fit a map; the program `sbmds` has it as `sbmds reproduce` and `sbmds bench`.

pub mod bench;
pub mod reproduce;
