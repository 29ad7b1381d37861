//! The store of draws: what is written is read, after a kill as well, and damage is seen.

mod checkpoint;
mod crash;
mod kit;
mod numbers;
mod store;
