//! Standard distributions on vectors: log densities and log probabilities, exact also where probabilities underflow.
//!
//! Everything rests on the Mills ratio R(z) = (1 - F(z)) / f(z) of z >= 0, which neither under- nor overflows (docs/model.md, eq. 28).

use crate::likelihood::simd::{Double, Simd, ln};

const SQRT_2PI: f64 = 2.506_628_274_631_000_7;
/// Probabilities below this count as this: logarithms are of normal numbers.
const LEAST: f64 = 1e-300;

/// A logarithm of a density or probability at z, its derivative by z, and that by log nu.
pub(super) struct Tail<S: Simd> {
    pub(super) value: S::V,
    pub(super) derivative: S::V,
    pub(super) by_log_nu: S::V,
}

/// A logarithm of the probability between two limits, its derivatives by both, and that by log nu.
pub(super) struct Between<S: Simd> {
    pub(super) value: S::V,
    pub(super) by_lower: S::V,
    pub(super) by_upper: S::V,
    pub(super) by_log_nu: S::V,
}

/// A symmetric distribution around 0 with scale 1; the vector form of `Standard` in `measurement/family.rs`.
pub(super) trait Standard<S: Double>: Copy {
    /// Of the density at z.
    fn density(self, s: S, z: S::V) -> Tail<S>;

    /// The log density at z, alone.
    fn log_density(self, s: S, z: S::V) -> S::V;

    /// log f(u) - log f(l) for 0 <= l <= u, without cancellation.
    fn log_fall(self, s: S, l: S::V, u: S::V) -> S::V;

    /// The Mills ratio of z >= 0, and the derivative by log nu of log(1 - F(z)).
    fn mills(self, s: S, z: S::V) -> (S::V, S::V);

    /// Of the probability below z: f(z) R(-z) below 0, 1 - f(z) R(z) above.
    #[inline(always)]
    fn cdf(self, s: S, z: S::V) -> Tail<S> {
        let (zero, one) = (s.splat(0.0), s.splat(1.0));
        let is_below = s.is_negative(z);
        let (ratio, by_log_nu) = self.mills(s, abs(s, z));
        let log_density = self.log_density(s, z);
        let density = exp(s, log_density);
        let above = s.mul(density, ratio);
        let mass = s.select(is_below, ratio, s.sub(one, above));
        let front = s.select(is_below, log_density, zero);
        let per_mass = s.div(one, mass);
        Tail {
            value: s.add(ln(s, s.max(mass, s.splat(LEAST))), front),
            derivative: s.mul(s.select(is_below, one, density), per_mass),
            by_log_nu: s.mul(by_log_nu, s.select(is_below, one, s.sub(zero, s.mul(above, per_mass)))),
        }
    }

    /// Of the probability between a and b > a. With l < u the sizes of the limits: on one side of 0,
    /// f(l) [R(l) - f(u)/f(l) R(u)]; on both, 1 - f(l) R(l) - f(u) R(u).
    #[inline(always)]
    fn between(self, s: S, a: S::V, b: S::V) -> Between<S> {
        let (zero, one) = (s.splat(0.0), s.splat(1.0));
        let (size_a, size_b) = (abs(s, a), abs(s, b));
        let (l, u) = (s.min(size_a, size_b), s.max(size_a, size_b));
        let (is_both, is_a_less) = (s.is_negative(s.mul(a, b)), s.is_negative(s.sub(size_a, size_b)));
        let log_l = self.log_density(s, l);
        // The densities in units of f(l) where the limits are on one side.
        let at_l = s.select(is_both, exp(s, log_l), one);
        let at_u = exp(s, s.select(is_both, self.log_density(s, u), self.log_fall(s, l, u)));
        let ((ratio_l, nu_l), (ratio_u, nu_u)) = (self.mills(s, l), self.mills(s, u));
        let (beyond_l, beyond_u) = (s.mul(at_l, ratio_l), s.mul(at_u, ratio_u));
        let mass = s.sub(s.select(is_both, s.sub(one, beyond_l), beyond_l), beyond_u);
        let mass = s.max(mass, s.splat(LEAST));
        let per_mass = s.div(one, mass);
        let (by_l, by_u) = (s.mul(at_l, per_mass), s.mul(at_u, per_mass));
        let sign = s.select(is_both, s.splat(-1.0), one);
        let by_nu = s.neg_mul_add(beyond_u, nu_u, s.mul(sign, s.mul(beyond_l, nu_l)));
        Between {
            value: s.add(ln(s, mass), s.select(is_both, zero, log_l)),
            by_lower: s.sub(zero, s.select(is_a_less, by_l, by_u)),
            by_upper: s.select(is_a_less, by_u, by_l),
            by_log_nu: s.mul(by_nu, per_mass),
        }
    }
}

/// |a|
#[inline(always)]
pub(super) fn abs<S: Simd>(s: S, a: S::V) -> S::V {
    s.max(a, s.sub(s.splat(0.0), a))
}

/// exp of numbers that are not above zero; exp(-700) of those below -700.
#[inline(always)]
fn exp<S: Double>(s: S, a: S::V) -> S::V {
    let square = s.min(s.mul(a, s.splat(-2.0)), s.splat(1400.0));
    s.mul(s.gauss(square), s.splat(SQRT_2PI))
}
