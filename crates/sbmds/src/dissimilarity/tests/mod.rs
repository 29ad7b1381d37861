//! The readers against round trips, hostile bytes and every error message.

mod array_errors;
mod errors;
mod feature_rows;
mod forms;
mod hostile;
mod layouts;
mod real_files;
mod refusals;
mod round_trip;
mod writers;

use std::path::Path;

use proptest::test_runner::{Config, RngSeed};

use super::text::Source;
use super::{Dissimilarities, Format, InputError, Metric, Names, ReadOptions, edges, positions, read_source};
use crate::locations::Locations;

/// The same cases in every run.
fn cases(n_cases: u32) -> Config {
    Config { cases: n_cases, rng_seed: RngSeed::Fixed(20_260_215), failure_persistence: None, ..Config::default() }
}

/// Reads `content` as if it were the file called `file`.
fn read_as(
    file: &str,
    content: &[u8],
    format: Format,
    features: Option<Metric>,
) -> Result<Dissimilarities, InputError> {
    let options = ReadOptions { format, features, ..Default::default() };
    read_source(Path::new(file), Source::from_bytes(file, content), &options)
}

/// Reads `content`, telling the format from it.
fn read_auto(file: &str, content: &[u8]) -> Result<Dissimilarities, InputError> {
    read_as(file, content, Format::Auto, None)
}

fn read_positions_as(file: &str, content: &[u8], names: &Names) -> Result<Locations, InputError> {
    positions::from_source(Path::new(file), Source::from_bytes(file, content), names)
}

fn read_graph_as(file: &str, content: &[u8], names: &Names) -> Result<Vec<(u32, u32)>, InputError> {
    edges::read_graph(Source::from_bytes(file, content), names)
}

fn names(names: &[&str]) -> Names {
    Names::given(names.iter().map(|name| name.to_string()).collect()).unwrap()
}

/// All names, in input order.
fn names_of(input: &Dissimilarities) -> Vec<String> {
    input.names().iter().map(|name| name.into_owned()).collect()
}
