//! From run-time choices (noise, dimension, instruction set, what is wanted) to one compiled kernel.

use super::Noise;
use super::density::{Energy, Normal, PairDensity, TruncatedNormal};
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};
use super::simd::{InstructionSet, Portable, Simd};

/// A loop over pairs, generic in everything the compiler should know.
///
/// `D` = 0 means: the dimension is only known at run time. `run` must be `#[inline(always)]`, so that it is compiled
/// anew inside each function below that carries a `target_feature`.
pub(super) trait Kernel {
    /// Runs over the pairs and returns their energy (zeros unless VALUE).
    fn run<S: Simd, P: PairDensity, const D: usize, const VALUE: bool, const GRADIENT: bool>(
        self,
        s: S,
        density: P,
    ) -> Energy;
}

/// What an evaluation is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// The value.
    Value,
    /// The gradient.
    Gradient,
    /// Both, for little more than the gradient.
    Both,
}

impl Want {
    /// Whether the gradient is wanted.
    pub fn gradient(self) -> bool {
        self != Self::Value
    }
}

/// The run-time choices.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    pub(super) instruction_set: InstructionSet,
    pub(super) noise: Noise,
    pub(super) n_dims: usize,
    pub(super) want: Want,
}

/// Runs the kernel compiled for this choice.
pub(super) fn dispatch(choice: Choice, kernel: impl Kernel) -> Energy {
    match choice.noise {
        Noise::TruncatedNormal => with_density(choice, kernel, TruncatedNormal),
        Noise::Normal => with_density(choice, kernel, Normal),
    }
}

/// As [`dispatch`], for kernels that only ever give a value.
pub(super) fn dispatch_value(choice: Choice, kernel: impl Kernel) -> Energy {
    match choice.noise {
        Noise::TruncatedNormal => with_want::<_, true, false>(choice, kernel, TruncatedNormal),
        Noise::Normal => with_want::<_, true, false>(choice, kernel, Normal),
    }
}

/// As [`dispatch`], for kernels that only ever give derivatives.
pub(super) fn dispatch_derivative(choice: Choice, kernel: impl Kernel) -> Energy {
    match choice.noise {
        Noise::TruncatedNormal => with_want::<_, false, true>(choice, kernel, TruncatedNormal),
        Noise::Normal => with_want::<_, false, true>(choice, kernel, Normal),
    }
}

fn with_density<P: PairDensity>(choice: Choice, kernel: impl Kernel, density: P) -> Energy {
    match choice.want {
        Want::Value => with_want::<P, true, false>(choice, kernel, density),
        Want::Gradient => with_want::<P, false, true>(choice, kernel, density),
        Want::Both => with_want::<P, true, true>(choice, kernel, density),
    }
}

fn with_want<P: PairDensity, const VALUE: bool, const GRADIENT: bool>(
    choice: Choice,
    kernel: impl Kernel,
    density: P,
) -> Energy {
    let set = choice.instruction_set;
    // The usual maps and the paper's; other dimensions pay about a tenth for knowing theirs only at run time. Each one more
    // makes the library take several seconds longer to compile.
    match choice.n_dims {
        2 => with_dims::<P, 2, VALUE, GRADIENT>(set, kernel, density),
        3 => with_dims::<P, 3, VALUE, GRADIENT>(set, kernel, density),
        6 => with_dims::<P, 6, VALUE, GRADIENT>(set, kernel, density),
        _ => with_dims::<P, 0, VALUE, GRADIENT>(set, kernel, density),
    }
}

fn with_dims<P: PairDensity, const D: usize, const VALUE: bool, const GRADIENT: bool>(
    instruction_set: InstructionSet,
    kernel: impl Kernel,
    density: P,
) -> Energy {
    #[cfg(target_arch = "x86_64")]
    {
        if let (InstructionSet::Avx512, Some(s)) = (instruction_set, Avx512::detect()) {
            // SAFETY: detected on this machine.
            return unsafe { run_avx512::<P, D, VALUE, GRADIENT>(s, kernel, density) };
        }
        if let (InstructionSet::Avx2, Some(s)) = (instruction_set, Avx2::detect()) {
            // SAFETY: detected on this machine.
            return unsafe { run_avx2::<P, D, VALUE, GRADIENT>(s, kernel, density) };
        }
    }
    let _ = instruction_set;
    // The dimension as a constant buys little without wide vectors: one compiled kernel serves all.
    kernel.run::<_, P, 0, VALUE, GRADIENT>(Portable, density)
}

/// # Safety
/// The machine has the named features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
unsafe fn run_avx512<P: PairDensity, const D: usize, const VALUE: bool, const GRADIENT: bool>(
    s: Avx512,
    kernel: impl Kernel,
    density: P,
) -> Energy {
    kernel.run::<_, P, D, VALUE, GRADIENT>(s, density)
}

/// # Safety
/// The machine has the named features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn run_avx2<P: PairDensity, const D: usize, const VALUE: bool, const GRADIENT: bool>(
    s: Avx2,
    kernel: impl Kernel,
    density: P,
) -> Energy {
    kernel.run::<_, P, D, VALUE, GRADIENT>(s, density)
}
