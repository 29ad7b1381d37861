//! The types of numbers the likelihood can be computed with.

use std::fmt;
use std::str::FromStr;

use super::arrays::Arrays;
use super::density::Energy;
use super::layout::{ChunkGradient, Kernels, Layout};
use super::simd::{Number, UNIT};
use super::{LikelihoodValue, PartialSums, Workspace};
use crate::numeric::dot;

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

impl Arithmetic {
    /// The value of `n_pairs` pairs from the sums over all of them in this arithmetic and the gradient at `x`, which may be empty:
    /// then the derivative by log sigma is NaN.
    pub fn value_of(
        self,
        sums: PartialSums,
        n_pairs: usize,
        x: &[f64],
        sigma: f64,
        gradient: &[f64],
    ) -> LikelihoodValue {
        let n_pairs = n_pairs as f64;
        // Eq. 6: the energy in units of sigma, plus the normalising constant of every pair used.
        let constants = n_pairs * 0.5 * (2.0 * std::f64::consts::PI * sigma * sigma).ln();
        let PartialSums { energy, pull } = match self {
            Self::F64 => sums,
            Self::F32 => corrected(sums, sigma),
        };
        let by_log_sigma = match self {
            _ if gradient.is_empty() => f64::NAN,
            // Eq. 10, by Euler's identity.
            Self::F64 => pull - dot(x, gradient) - n_pairs,
            // Eq. 10a.
            Self::F32 => pull - n_pairs,
        };
        LikelihoodValue { log_likelihood: -energy - constants, by_log_sigma }
    }
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

/// A type of numbers in which the likelihood can be evaluated.
pub(super) trait Precision: Number {
    /// The kernels of an arrangement, if it has any for these numbers.
    fn kernels(layout: &dyn Layout) -> Option<&dyn Kernels<Self>>;

    /// The scratch memory for these numbers, and room for sums that wait.
    fn buffers(workspace: &mut Workspace) -> (&mut Buffers<Self>, &mut Vec<f64>);

    /// The factor from lengths to the unit of the kernels.
    fn per_sigma(sigma: f64) -> f64;

    /// Lays `x` (dimension by dimension) out in the unit of the kernels.
    fn scale(room: &mut Arrays<Self>, x: &[f64], n_dims: usize, per_sigma: f64, interleaved: bool);

    /// From the kernels' gradient to that of the log-likelihood by x.
    fn gradient_factor(sigma: f64, per_sigma: f64) -> f64;
}

/// Scratch memory for one type of numbers.
pub(super) struct Buffers<T> {
    pub(super) scaled: Arrays<T>,
    pub(super) gradients: Vec<ChunkGradient<T>>,
    pub(super) energies: Vec<Energy>,
}

impl<T: Number> Buffers<T> {
    pub(super) fn new() -> Self {
        Self { scaled: Arrays::new(), gradients: Vec::new(), energies: Vec::new() }
    }
}

/// Kernels compute in units of sigma.
impl Precision for f64 {
    fn kernels(layout: &dyn Layout) -> Option<&dyn Kernels<Self>> {
        Some(layout.double())
    }

    fn buffers(workspace: &mut Workspace) -> (&mut Buffers<Self>, &mut Vec<f64>) {
        (&mut workspace.double, &mut workspace.aside)
    }

    fn per_sigma(sigma: f64) -> f64 {
        1.0 / sigma
    }

    fn scale(room: &mut Arrays, x: &[f64], n_dims: usize, per_sigma: f64, interleaved: bool) {
        room.fill_from(x, n_dims, interleaved, |_| move |value| per_sigma * value);
    }

    /// The chain rule's: the kernels differentiate energy by x / sigma.
    fn gradient_factor(sigma: f64, _per_sigma: f64) -> f64 {
        -1.0 / sigma
    }
}

/// Kernels compute in units of 4/3 sigma.
impl Precision for f32 {
    fn kernels(layout: &dyn Layout) -> Option<&dyn Kernels<Self>> {
        layout.single()
    }

    fn buffers(workspace: &mut Workspace) -> (&mut Buffers<Self>, &mut Vec<f64>) {
        (&mut workspace.single, &mut workspace.aside)
    }

    /// About UNIT / sigma, but exact in f32, since locations and dissimilarities must be scaled by the same number.
    fn per_sigma(sigma: f64) -> f64 {
        f64::from((UNIT / sigma) as f32)
    }

    /// Distances are differences of rounded numbers: the centre of the map is subtracted first, so that it does not matter where
    /// the map lies.
    fn scale(room: &mut Arrays<f32>, x: &[f64], n_dims: usize, per_sigma: f64, interleaved: bool) {
        room.fill_from(x, n_dims, interleaved, |values| {
            let centre = mean(values);
            move |value| ((value - centre) * per_sigma) as f32
        });
    }

    /// One factor is the chain rule's 1/sigma, the other brings differences from the unit of the kernels to that of sigma.
    fn gradient_factor(sigma: f64, per_sigma: f64) -> f64 {
        -1.0 / (sigma * sigma * per_sigma)
    }
}

/// Single-precision sums as those of this sigma: that of the kernels differs in the eighth digit, so that 1 / sigma is exact in
/// f32. The first order of that is put right, or it would add up over millions of pairs.
fn corrected(sums: PartialSums, sigma: f64) -> PartialSums {
    let log_ratio = (sigma * f32::per_sigma(sigma) / UNIT).ln();
    PartialSums { energy: sums.energy - sums.pull * log_ratio, pull: sums.pull * (1.0 - 2.0 * log_ratio) }
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
