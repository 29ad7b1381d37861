//! Whole fits: the verdict on the map, and results that follow the unit of the data.

mod anchored;
mod map_verdict;
mod units;
