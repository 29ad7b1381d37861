//! The pairs of a Shepard plot as the page reads them.

use serde::{Serialize, Serializer};

use super::pack;
use crate::fit::Shepard;

/// The fields of [`Shepard`], packed.
#[derive(Serialize)]
#[serde(remote = "Shepard")]
struct PackedShepard {
    #[serde(serialize_with = "pack::u32s")]
    a: Vec<u32>,
    #[serde(serialize_with = "pack::u32s")]
    b: Vec<u32>,
    #[serde(serialize_with = "pack::f32s")]
    observed: Vec<f64>,
    #[serde(serialize_with = "pack::f32s")]
    mean: Vec<f64>,
    #[serde(serialize_with = "pack::f32s")]
    low: Vec<f64>,
    #[serde(serialize_with = "pack::f32s")]
    high: Vec<f64>,
    n_pairs: usize,
}

/// The pairs, or `null`.
pub(super) fn known<S: Serializer>(shepard: &Option<Shepard>, to: S) -> Result<S::Ok, S::Error> {
    match shepard {
        Some(shepard) => PackedShepard::serialize(shepard, to),
        None => to.serialize_none(),
    }
}
