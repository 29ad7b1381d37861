//! The types of numbers the likelihood can be computed with.

use std::fmt;
use std::str::FromStr;

use super::arrays::Arrays;
use super::density::Energy;
use super::layout::ChunkGradient;
use super::simd::{Number, UNIT};

/// The arithmetic of the kernels; what they return is f64 in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arithmetic {
    /// Double precision: to the last digits.
    #[default]
    F64,
    /// Single precision: three times as fast; errors as docs/model.md says.
    F32,
}

impl Arithmetic {
    /// Both.
    pub const ALL: [Self; 2] = [Self::F64, Self::F32];
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F64 => "f64",
            Self::F32 => "f32",
        })
    }
}

impl FromStr for Arithmetic {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|arithmetic| arithmetic.to_string() == name)
            .ok_or_else(|| format!("{name:?} is no arithmetic: use f64 or f32"))
    }
}

/// Scratch memory for one type of numbers.
pub(super) struct Buffers<T> {
    pub(super) scaled: Arrays<T>,
    pub(super) gradients: Vec<ChunkGradient<T>>,
}

impl<T: Number> Buffers<T> {
    pub(super) fn new() -> Self {
        Self { scaled: Arrays::new(), gradients: Vec::new() }
    }
}

/// The factor from lengths to the unit of the single-precision kernels: about UNIT / sigma, but exact in f32, since locations and
/// dissimilarities must be scaled by the same number.
pub(super) fn per_sigma(sigma: f64) -> f64 {
    f64::from((UNIT / sigma) as f32)
}

/// Lays `x` (dimension by dimension) out in the unit of the kernels. Distances are differences of rounded numbers: the centre
/// of the map is subtracted first, so that it does not matter where the map lies.
pub(super) fn scale(room: &mut Arrays<f32>, x: &[f64], n_dims: usize, per_sigma: f64, interleaved: bool) {
    room.fill_from(x, n_dims, interleaved, |values| {
        let centre = mean(values);
        move |value| ((value - centre) * per_sigma) as f32
    });
}

/// From the kernels' gradient to that of the log-likelihood by x: one factor is the chain rule's 1/sigma, the other brings
/// differences from the unit of the kernels to that of sigma.
pub(super) fn gradient_factor(sigma: f64, per_sigma: f64) -> f64 {
    -1.0 / (sigma * sigma * per_sigma)
}

/// The kernels' sums as those of this sigma: theirs differs in the eighth digit, so that 1 / sigma is exact in f32. The first
/// order of that is put right, or it would add up over millions of pairs.
pub(super) fn corrected(energy: Energy, sigma: f64, per_sigma: f64) -> Energy {
    let log_ratio = (sigma * per_sigma / UNIT).ln();
    Energy { value: energy.value - energy.pull * log_ratio, pull: energy.pull * (1.0 - 2.0 * log_ratio) }
}

/// The mean, summed in eight strands that need not wait for each other.
fn mean(values: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let strands = values.chunks_exact(8);
    let rest: f64 = strands.remainder().iter().sum();
    for values in strands {
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += value;
        }
    }
    (sums.iter().sum::<f64>() + rest) / values.len() as f64
}
