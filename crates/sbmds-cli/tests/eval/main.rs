//! `sbmds eval` as people and programs call it: through the built binary.

#[path = "../common/array.rs"]
mod array;
mod beast;
mod couplings;
mod errors;
mod inputs;
mod kit;
mod measured;
mod numbers;
mod paper;
#[path = "../common/program.rs"]
mod program;
mod table;
mod titers;
mod tree;
