//! Whole fits: their arithmetic, the verdict on the map, and results that follow the unit of the data.

mod anchored;
mod anchored_runs;
mod arithmetic;
mod auto;
mod map_verdict;
mod units;
