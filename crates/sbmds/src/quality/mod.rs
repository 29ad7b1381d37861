//! Whether the map describes the data: how well it fits, what it leaves unexplained, and a verdict in words.
//!
//! The chains can agree on a map that says nothing. [`judge_map`] asks the other question. It looks at the map that is shown, at the
//! draws that belong to it, at every coupled pair, and at a sample of the pairs that were not coupled but are known. Its cost is
//! that of one look at every coupled pair.
//!
//! - [`PairFit`]: Stress-1 and R^2 of dissimilarities and distances.
//! - [`Curvature`]: whether the Shepard plot is curved.
//! - [`Mixture`], [`predictive_interval`]: where the posterior expects a dissimilarity; coverage is how often it is right.
//! - [`MapVerdict`]: all numbers, what was found, and the sentences.

mod curvature;
mod ellipses;
mod judge;
mod mixture;
mod pair_fit;
mod pairs;
mod predictive;
mod reversed;
mod verdict;
mod words;
mod worst;

#[cfg(test)]
pub(crate) mod test_data;

pub use curvature::Curvature;
pub use judge::{Shown, judge_map};
pub use mixture::Mixture;
pub(crate) use mixture::normal_quantile;
pub use pair_fit::PairFit;
pub use pairs::{KnownPair, KnownPairs};
pub use predictive::predictive_interval;
pub use verdict::{Finding, MapVerdict};
pub use worst::WorstPair;
