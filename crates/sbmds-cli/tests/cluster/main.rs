//! `sbmds hdbscan` and `sbmds cluster` through the binary.

mod kit;
mod points;
mod runs;
