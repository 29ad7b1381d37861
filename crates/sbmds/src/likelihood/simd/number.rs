//! The two types of numbers the kernels compute with.

use super::Simd;
#[cfg(target_arch = "x86_64")]
use super::avx2_single::Avx2Single;
#[cfg(target_arch = "x86_64")]
use super::avx512_single::Avx512Single;
use super::portable_single::PortableSingle;
use super::{Avx2, Avx512, Portable};

/// f64 or f32, with the vectors of each instruction set.
pub(in crate::likelihood) trait Number: Copy + Send + Sync + 'static {
    /// Lanes of the widest vector: 64 bytes.
    const MAX_LANES: usize = 64 / size_of::<Self>();
    const ZERO: Self;

    #[cfg(target_arch = "x86_64")]
    type Avx512: Simd<Number = Self>;
    #[cfg(target_arch = "x86_64")]
    type Avx2: Simd<Number = Self>;
    type Portable: Simd<Number = Self>;

    /// The vectors, if the machine has them.
    #[cfg(target_arch = "x86_64")]
    fn avx512() -> Option<Self::Avx512>;
    /// The vectors, if the machine has them.
    #[cfg(target_arch = "x86_64")]
    fn avx2() -> Option<Self::Avx2>;
    fn portable() -> Self::Portable;

    fn from_f64(value: f64) -> Self;
}

impl Number for f64 {
    const ZERO: Self = 0.0;

    #[cfg(target_arch = "x86_64")]
    type Avx512 = Avx512;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = Avx2;
    type Portable = Portable;

    #[cfg(target_arch = "x86_64")]
    fn avx512() -> Option<Avx512> {
        Avx512::detect()
    }
    #[cfg(target_arch = "x86_64")]
    fn avx2() -> Option<Avx2> {
        Avx2::detect()
    }
    fn portable() -> Portable {
        Portable
    }

    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
}

impl Number for f32 {
    const ZERO: Self = 0.0;

    #[cfg(target_arch = "x86_64")]
    type Avx512 = Avx512Single;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = Avx2Single;
    type Portable = PortableSingle;

    #[cfg(target_arch = "x86_64")]
    fn avx512() -> Option<Avx512Single> {
        Avx512::detect().map(Avx512Single::new)
    }
    #[cfg(target_arch = "x86_64")]
    fn avx2() -> Option<Avx2Single> {
        Avx2::detect().map(Avx2Single::new)
    }
    fn portable() -> PortableSingle {
        PortableSingle::new()
    }

    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}
