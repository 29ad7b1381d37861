//! From run-time choices (noise, dimension, instruction set, what is wanted) to one compiled kernel.

use super::Noise;
use super::density::{Energy, Normal, PairDensity, TruncatedNormal};
use super::simd::{InstructionSet, Number, Simd};

/// A loop over pairs, generic in everything the compiler should know.
///
/// `D` = 0 means: the dimension is only known at run time. `run` must be `#[inline(always)]`, so that it is compiled
/// anew inside each function below that carries a `target_feature`.
pub(super) trait Kernel {
    /// What it computes with.
    type Number: Number;

    /// Runs over the pairs and returns their energy (zeros unless VALUE).
    fn run<S: Simd<Number = Self::Number>, P: PairDensity<S>, const D: usize, const VALUE: bool, const GRADIENT: bool>(
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
    match choice.want {
        Want::Value => dispatch_value(choice, kernel),
        Want::Gradient => dispatch_derivative(choice, kernel),
        Want::Both => with_want::<_, true, true>(choice, kernel),
    }
}

/// As [`dispatch`], for kernels that only ever give a value.
pub(super) fn dispatch_value(choice: Choice, kernel: impl Kernel) -> Energy {
    with_want::<_, true, false>(choice, kernel)
}

/// As [`dispatch`], for kernels that only ever give derivatives.
pub(super) fn dispatch_derivative(choice: Choice, kernel: impl Kernel) -> Energy {
    with_want::<_, false, true>(choice, kernel)
}

fn with_want<K: Kernel, const VALUE: bool, const GRADIENT: bool>(choice: Choice, kernel: K) -> Energy {
    // The usual maps and the paper's; other dimensions pay about a tenth for knowing theirs only at run time. Each one more
    // makes the library take several seconds longer to compile.
    match choice.n_dims {
        2 => with_dims::<K, 2, VALUE, GRADIENT>(choice, kernel),
        3 => with_dims::<K, 3, VALUE, GRADIENT>(choice, kernel),
        6 => with_dims::<K, 6, VALUE, GRADIENT>(choice, kernel),
        _ => with_dims::<K, 0, VALUE, GRADIENT>(choice, kernel),
    }
}

fn with_dims<K: Kernel, const D: usize, const VALUE: bool, const GRADIENT: bool>(choice: Choice, kernel: K) -> Energy {
    #[cfg(target_arch = "x86_64")]
    {
        if let (InstructionSet::Avx512, Some(s)) = (choice.instruction_set, K::Number::avx512()) {
            // SAFETY: detected on this machine.
            return unsafe { run_avx512::<K, _, D, VALUE, GRADIENT>(s, kernel, choice.noise) };
        }
        if let (InstructionSet::Avx2, Some(s)) = (choice.instruction_set, K::Number::avx2()) {
            // SAFETY: detected on this machine.
            return unsafe { run_avx2::<K, _, D, VALUE, GRADIENT>(s, kernel, choice.noise) };
        }
    }
    run_portable::<K, VALUE, GRADIENT>(kernel, choice.noise)
}

/// The dimension as a constant buys little without wide vectors: one compiled kernel serves all. Inlined, each dimension would
/// have its own copy.
#[inline(never)]
fn run_portable<K: Kernel, const VALUE: bool, const GRADIENT: bool>(kernel: K, noise: Noise) -> Energy {
    with_density::<K, _, 0, VALUE, GRADIENT>(K::Number::portable(), kernel, noise)
}

/// # Safety
/// The machine has the named features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
unsafe fn run_avx512<K, S, const D: usize, const VALUE: bool, const GRADIENT: bool>(
    s: S,
    kernel: K,
    noise: Noise,
) -> Energy
where
    K: Kernel,
    S: Simd<Number = K::Number>,
{
    with_density::<K, S, D, VALUE, GRADIENT>(s, kernel, noise)
}

/// # Safety
/// The machine has the named features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn run_avx2<K, S, const D: usize, const VALUE: bool, const GRADIENT: bool>(
    s: S,
    kernel: K,
    noise: Noise,
) -> Energy
where
    K: Kernel,
    S: Simd<Number = K::Number>,
{
    with_density::<K, S, D, VALUE, GRADIENT>(s, kernel, noise)
}

#[inline(always)]
fn with_density<K, S, const D: usize, const VALUE: bool, const GRADIENT: bool>(s: S, kernel: K, noise: Noise) -> Energy
where
    K: Kernel,
    S: Simd<Number = K::Number>,
{
    match noise {
        Noise::TruncatedNormal => kernel.run::<S, _, D, VALUE, GRADIENT>(s, TruncatedNormal),
        Noise::Normal => kernel.run::<S, _, D, VALUE, GRADIENT>(s, Normal),
    }
}
