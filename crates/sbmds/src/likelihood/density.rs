//! The density of one dissimilarity given the distance, on vectors: the inner loop of everything.
//!
//! All lengths are in units of sigma (of 3/4 sigma in single precision): z = d / sigma and y = delta / sigma
//! (docs/model.md, eq. 6).

use super::simd::Simd;

/// The density of y given z, up to the normalising constant of a pair.
///
/// One implementation per noise family; everything else in the likelihood is the same for all.
pub(super) trait PairDensity<S: Simd>: Copy + Send + Sync {
    /// Adds the energy of a vector of pairs to `total` (if VALUE) and returns the derivative c (if GRADIENT): the energy's
    /// derivative with respect to x_n / sigma is c (x_n - x_m) / sigma. Lanes whose dissimilarity is NaN are missing (if
    /// MASKED): they add nothing and get c = 0. `z` comes as z^2 and its [`Formulas::root`].
    fn pair<const VALUE: bool, const GRADIENT: bool, const MASKED: bool>(
        self,
        s: S,
        z: (S::V, S::V),
        y: Expected<S>,
        total: &mut TotalOf<S>,
    ) -> S::V;

    /// The derivative c, and how much larger its curvature is along the line between the two objects than across it, per squared
    /// distance: (E'' - c) / z^2, E being the energy by z. Both are 0 where `y` is NaN.
    fn curvature(self, s: S, z2: S::V, y: S::V) -> (S::V, S::V);
}

/// What distances are expected by the dissimilarities: y, as a product that single precision need not round.
pub(super) struct Expected<S: Simd> {
    pub(super) delta: S::V,
    pub(super) per_sigma: S::V,
}

impl<S: Simd> Clone for Expected<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Simd> Copy for Expected<S> {}

impl<S: Simd> Expected<S> {
    /// y.
    #[inline(always)]
    pub(super) fn y(self, s: S) -> S::V {
        s.mul(self.delta, self.per_sigma)
    }

    /// z - y, rounded once.
    #[inline(always)]
    pub(super) fn below(self, s: S, z: S::V) -> S::V {
        s.neg_mul_add(self.delta, self.per_sigma, z)
    }
}

/// How the two normal families are computed in numbers of one type (`double`, `single`).
pub(super) trait Formulas<S: Simd> {
    /// Lengths are measured in sigma / UNIT.
    const UNIT: f64;
    /// What sums of squares start from: keeps 0/0 away when two objects coincide, whose difference 0 then removes the term.
    const LEAST_SQUARE: f64;
    type Total: Total<S>;

    /// z of z^2.
    fn root(s: S, z2: S::V) -> S::V;

    /// [`PairDensity::pair`] of the normal truncated to (0, inf).
    fn truncated_normal<const VALUE: bool, const GRADIENT: bool, const MASKED: bool>(
        s: S,
        z: (S::V, S::V),
        y: Expected<S>,
        total: &mut Self::Total,
    ) -> S::V;

    /// [`PairDensity::pair`] of the normal.
    fn normal<const VALUE: bool, const GRADIENT: bool, const MASKED: bool>(
        s: S,
        z: (S::V, S::V),
        y: Expected<S>,
        total: &mut Self::Total,
    ) -> S::V;

    /// phi / Phi, in the unit of `z`.
    fn ratio(s: S, z2: S::V, z: S::V) -> S::V;
}

/// The energy of many pairs.
pub(super) trait Total<S: Simd> {
    /// [`Total::settle`] is to be called after at most this many vectors.
    const VECTORS_PER_SETTLING: usize = 8;

    fn new(s: S) -> Self;
    /// Brings the sums of the last vectors into a lasting form.
    fn settle(&mut self, s: S);
    /// The energy of all pairs added.
    fn energy(self, s: S) -> Energy;
}

/// The sums that belong to these vectors.
pub(super) type TotalOf<S> = <<S as Simd>::Formulas as Formulas<S>>::Total;

/// Sums over pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Energy {
    /// Half the sum of squared residuals plus sum log Phi (eq. 6).
    pub(super) value: f64,
    /// What the derivative by log sigma needs: in double precision the sum of y (y - z), beside the gradient (eq. 10); in
    /// single precision, where that would cancel, the sum of (y - z)^2 + z phi / Phi alone (eq. 10a).
    pub(super) pull: f64,
}

impl std::ops::Add for Energy {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, pull: self.pull + other.pull }
    }
}

/// Normal truncated to (0, inf): eq. 2 and 3.
#[derive(Clone, Copy)]
pub(super) struct TruncatedNormal;

impl<S: Simd> PairDensity<S> for TruncatedNormal {
    #[inline(always)]
    fn pair<const VALUE: bool, const GRADIENT: bool, const MASKED: bool>(
        self,
        s: S,
        z: (S::V, S::V),
        y: Expected<S>,
        total: &mut TotalOf<S>,
    ) -> S::V {
        S::Formulas::truncated_normal::<VALUE, GRADIENT, MASKED>(s, z, y, total)
    }

    /// With r = phi / Phi, whose derivative is -r (z + r): c = 1 - (y - r) / z and E'' = 1 - r (z + r).
    #[inline(always)]
    fn curvature(self, s: S, z2: S::V, y: S::V) -> (S::V, S::V) {
        let z2 = s.max(z2, s.splat(SMALLEST_CURVATURE_SQUARE));
        let z = s.sqrt(z2);
        let ratio = S::Formulas::ratio(s, z2, z);
        let per_unit = s.splat(1.0 / (S::Formulas::UNIT * S::Formulas::UNIT));
        let second = s.neg_mul_add(ratio, s.mul(s.add(z, ratio), per_unit), s.splat(1.0));
        derivative_and_excess(s, z, y, ratio, second)
    }
}

/// Normal without truncation: eq. 4 and 5.
#[derive(Clone, Copy)]
pub(super) struct Normal;

impl<S: Simd> PairDensity<S> for Normal {
    #[inline(always)]
    fn pair<const VALUE: bool, const GRADIENT: bool, const MASKED: bool>(
        self,
        s: S,
        z: (S::V, S::V),
        y: Expected<S>,
        total: &mut TotalOf<S>,
    ) -> S::V {
        S::Formulas::normal::<VALUE, GRADIENT, MASKED>(s, z, y, total)
    }

    /// c = 1 - y / z and E'' = 1.
    #[inline(always)]
    fn curvature(self, s: S, z2: S::V, y: S::V) -> (S::V, S::V) {
        let z = s.sqrt(s.max(z2, s.splat(SMALLEST_CURVATURE_SQUARE)));
        derivative_and_excess(s, z, y, s.splat(0.0), s.splat(1.0))
    }
}

/// Squares below this count as this in curvatures, which divide by them: an object at the very location of a partner has no
/// direction to it.
const SMALLEST_CURVATURE_SQUARE: f64 = 1e-12;

/// What [`PairDensity::curvature`] returns, from phi / Phi and the second derivative of the energy.
#[inline(always)]
fn derivative_and_excess<S: Simd>(s: S, z: S::V, y: S::V, ratio: S::V, second: S::V) -> (S::V, S::V) {
    let per_z = s.div(s.splat(1.0), z);
    let derivative = s.neg_mul_add(s.sub(y, ratio), per_z, s.splat(1.0));
    let excess = s.mul(s.mul(s.sub(second, derivative), per_z), per_z);
    (masked::<S, true>(s, y, derivative, 0.0), masked::<S, true>(s, y, excess, 0.0))
}

/// `value` where `delta` is a number, `missing` elsewhere.
#[inline(always)]
pub(super) fn masked<S: Simd, const MASKED: bool>(s: S, delta: S::V, value: S::V, missing: f64) -> S::V {
    if MASKED { s.select(s.is_number(delta), value, s.splat(missing)) } else { value }
}
