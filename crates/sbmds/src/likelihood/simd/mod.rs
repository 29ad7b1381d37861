//! Vectors of f64 or f32: one small trait, three instruction sets, chosen at run time.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_single;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_single;
mod gauss;
mod logarithm;
mod number;
mod portable;
mod portable_single;
mod tables;

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(super) use avx512::Avx512;
pub(super) use logarithm::ln;
pub(super) use number::Number;
pub(super) use portable::Portable;
pub(super) use tables::UNIT;

use super::density::Formulas;

/// A vector instruction set, for one type of numbers.
///
/// A value of an implementing type is the proof that the machine has it: it can only be made after detection, so
/// the arithmetic below is safe to call. Every method must be inlined into a function compiled for that
/// instruction set (see `dispatch`), or each operation becomes a call.
pub(super) trait Simd: Copy + Send + Sync {
    /// What a lane holds.
    type Number: Number;
    /// Number of lanes.
    const LANES: usize;
    /// A vector of [`Simd::LANES`] numbers.
    type V: Copy;
    /// One truth value per lane.
    type Mask: Copy;
    /// How densities are computed and energies summed with these numbers.
    type Formulas: Formulas<Self>;

    /// All lanes the nearest number to `a`.
    fn splat(self, a: f64) -> Self::V;
    /// All lanes `a`.
    fn broadcast(self, a: Self::Number) -> Self::V;
    /// # Safety
    /// `LANES` numbers can be read at `from`.
    unsafe fn load(self, from: *const Self::Number) -> Self::V;
    /// # Safety
    /// `LANES` numbers can be written at `to`.
    unsafe fn store(self, to: *mut Self::Number, a: Self::V);
    /// The numbers at `from` + `step` * index, for `LANES` indices at `indices`.
    ///
    /// # Safety
    /// All of them can be read.
    #[inline(always)]
    unsafe fn gather(self, from: *const Self::Number, indices: *const u32, step: usize) -> Self::V {
        let mut gathered = [Self::Number::ZERO; MOST_LANES];
        // SAFETY: the caller's promise.
        unsafe {
            for lane in 0..Self::LANES {
                gathered[lane] = *from.wrapping_add(step * *indices.add(lane) as usize);
            }
            self.load(gathered.as_ptr())
        }
    }
    /// [`Simd::gather`] from `from` and from the number after it.
    ///
    /// # Safety
    /// All of them can be read.
    #[inline(always)]
    unsafe fn gather_two(self, from: *const Self::Number, indices: *const u32, step: usize) -> (Self::V, Self::V) {
        // SAFETY: the caller's promise.
        unsafe { (self.gather(from, indices, step), self.gather(from.wrapping_add(1), indices, step)) }
    }
    /// Adds every lane to its f64.
    ///
    /// # Safety
    /// `LANES` f64 can be read and written at `to`.
    unsafe fn add_to(self, to: *mut f64, a: Self::V);

    /// A hint that `address` will be read soon; any address will do.
    #[inline(always)]
    fn prefetch(self, address: *const Self::Number) {
        let _ = address;
    }

    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    fn div(self, a: Self::V, b: Self::V) -> Self::V;
    fn sqrt(self, a: Self::V) -> Self::V;
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    /// a * b + c
    fn mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// c - a * b
    fn neg_mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;

    /// Lanes that are not NaN.
    fn is_number(self, a: Self::V) -> Self::Mask;
    /// `a` where the mask holds, else `b`.
    fn select(self, mask: Self::Mask, a: Self::V, b: Self::V) -> Self::V;
    /// Whether every lane exceeds `limit`.
    fn all_above(self, a: Self::V, limit: f64) -> bool;

    /// The lanes as an array, the rest filled with `rest`.
    #[inline(always)]
    fn to_array(self, a: Self::V, rest: f64) -> [f64; MOST_LANES] {
        let mut lanes = [rest; MOST_LANES];
        lanes[..Self::LANES].fill(0.0);
        // SAFETY: LANES <= MOST_LANES in every implementation.
        unsafe { self.add_to(lanes.as_mut_ptr(), a) };
        lanes
    }

    /// Sum over the lanes, always in the same order.
    #[inline(always)]
    fn sum(self, a: Self::V) -> f64 {
        let l = self.to_array(a, 0.0);
        let half = |from: usize| {
            let l = &l[from..from + 8];
            ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
        };
        if Self::LANES > 8 { half(0) + half(8) } else { half(0) }
    }
}

/// Double precision: what the rational form of Phi needs, and logarithms.
pub(super) trait Double: Simd<Number = f64> {
    /// The standard normal density exp(-a / 2) / sqrt(2 pi) of the square `a`, 0 <= a <= 1400.
    fn gauss(self, a: Self::V) -> Self::V;
    /// k and m with a = 2^k m and sqrt(1/2) <= m <= sqrt(2), of normal numbers above zero.
    fn split(self, a: Self::V) -> (Self::V, Self::V);
    /// Lanes below zero.
    fn is_negative(self, a: Self::V) -> Self::Mask;
}

/// Single precision: phi / Phi and log Phi are looked up (see `tables`).
pub(super) trait Single: Simd<Number = f32> {
    /// An interval of the tables and the offset from its middle, for each lane.
    type Cell: Copy;

    /// Where the tables hold the numbers `u`, which are not negative.
    fn cell(self, u: Self::V) -> Self::Cell;
    /// phi / Phi there, in the unit of the tables.
    fn ratio(self, cell: Self::Cell) -> Self::V;
    /// log Phi there.
    fn log_phi(self, cell: Self::Cell) -> Self::V;
}

/// Lanes of the widest vectors: of f32 with AVX-512.
const MOST_LANES: usize = 16;

/// The instruction set the kernels run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum InstructionSet {
    /// 8 lanes, x86-64 with AVX-512 F, DQ, VL and BW.
    Avx512,
    /// 4 lanes, x86-64 with AVX2 and FMA.
    Avx2,
    /// Plain Rust on arrays: any machine.
    Portable,
}

impl InstructionSet {
    /// All of them, fastest first.
    pub const ALL: [Self; 3] = [Self::Avx512, Self::Avx2, Self::Portable];

    /// Whether this machine has it.
    pub fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => Avx512::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => Avx2::detect().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx512 | Self::Avx2 => false,
            Self::Portable => true,
        }
    }

    /// The fastest this machine has, or [the one asked for](Self::asked_for) if the machine has that.
    pub fn best() -> Self {
        static BEST: OnceLock<InstructionSet> = OnceLock::new();
        *BEST.get_or_init(|| {
            let asked_for = Self::asked_for().ok().flatten();
            asked_for.into_iter().chain(Self::ALL).find(|set: &Self| set.is_available()).unwrap_or(Self::Portable)
        })
    }

    /// The one named in the environment variable `SBMDS_SIMD` (`avx512`, `avx2`, `portable`), if it is set.
    ///
    /// # Errors
    /// If there is none of that name, or this machine does not have it; the message says what to do.
    pub fn asked_for() -> Result<Option<Self>, String> {
        let Some(name) = std::env::var_os("SBMDS_SIMD") else { return Ok(None) };
        let set: Self = name.to_string_lossy().parse().map_err(|problem| format!("SBMDS_SIMD: {problem}"))?;
        if set.is_available() {
            return Ok(Some(set));
        }
        Err(format!("SBMDS_SIMD: this machine has no {set}; leave the variable unset to use the fastest it has"))
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::Portable => "portable",
        })
    }
}

impl FromStr for InstructionSet {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|set| set.to_string() == name)
            .ok_or_else(|| format!("{name:?} is no instruction set: use avx512, avx2 or portable"))
    }
}
