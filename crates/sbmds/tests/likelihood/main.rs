//! The likelihood against the double loop, and against pairs that are out of range.

mod anchored;
mod anchored_twin;
mod golden;
mod measurement;
mod pairs;
mod paths;
mod single;
mod terms;
