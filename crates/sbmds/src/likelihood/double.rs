//! Double precision: Phi by a rational function, log Phi as the logarithm of a product.

use super::density::{Energy, Expected, Formulas, Total, masked};
use super::mills::{P_EVEN, P_ODD, Q_EVEN, Q_ODD};
use super::simd::Double;

/// Squares below this count as this: keeps 0/0 away when two objects coincide, whose difference 0 then removes the term.
const SMALLEST_SQUARE: f64 = 1e-290;
/// exp(-700) is the smallest the polynomial exponential gives; Phi is 1 long before.
const LARGEST_SQUARE: f64 = 1400.0;
/// Beyond z = sqrt(79), phi(z) / Phi(z) < 3e-18 and Phi(z) = 1 in f64: the truncation is not felt.
const FAR_SQUARE: f64 = 79.0;

/// The arithmetic of f64.
pub(super) struct DoubleFormulas;

impl<S: Double> Formulas<S> for DoubleFormulas {
    const UNIT: f64 = 1.0;
    const LEAST_SQUARE: f64 = 0.0;
    type Total = DoubleTotal<S>;

    #[inline(always)]
    fn root(s: S, z2: S::V) -> S::V {
        s.sqrt(s.max(z2, s.splat(SMALLEST_SQUARE)))
    }

    /// Phi = N / Q with N = Q - phi P (eq. 8), so that one square root and one division do everything:
    /// c = 1 - (y - phi / Phi) / z = 1 - (y N - phi Q) / (z N)                                            (eq. 9)
    #[inline(always)]
    fn truncated_normal<const VALUE: bool, const GRADIENT: bool, const MASKED: bool>(
        s: S,
        (z2, z): (S::V, S::V),
        y: Expected<S>,
        total: &mut DoubleTotal<S>,
    ) -> S::V {
        if s.all_above(z2, FAR_SQUARE) {
            return Self::normal::<VALUE, GRADIENT, MASKED>(s, (z2, z), y, total);
        }
        let y = y.y(s);
        let (phi, n, q) = normal_cdf(s, z2, z);
        if VALUE {
            total.add_residual::<MASKED>(s, y, z);
            total.add_phi::<MASKED>(s, y, n, q);
        }
        if !GRADIENT {
            return z;
        }
        let derivative = s.sub(s.splat(1.0), s.div(s.neg_mul_add(phi, q, s.mul(y, n)), s.mul(z, n)));
        masked::<S, MASKED>(s, y, derivative, 0.0)
    }

    /// c = (z - y) / z
    #[inline(always)]
    fn normal<const VALUE: bool, const GRADIENT: bool, const MASKED: bool>(
        s: S,
        (_z2, z): (S::V, S::V),
        y: Expected<S>,
        total: &mut DoubleTotal<S>,
    ) -> S::V {
        let y = y.y(s);
        if VALUE {
            total.add_residual::<MASKED>(s, y, z);
        }
        if !GRADIENT {
            return z;
        }
        masked::<S, MASKED>(s, y, s.div(s.sub(z, y), z), 0.0)
    }

    #[inline(always)]
    fn ratio(s: S, z2: S::V, z: S::V) -> S::V {
        let (phi, n, q) = normal_cdf(s, z2, z);
        s.div(s.mul(phi, q), n)
    }
}

/// phi, N and Q with Phi(z) = N / Q, from z and its square.
#[inline(always)]
fn normal_cdf<S: Double>(s: S, z2: S::V, z: S::V) -> (S::V, S::V, S::V) {
    let square = s.min(z2, s.splat(LARGEST_SQUARE));
    let phi = s.gauss(square);
    // Even and odd powers apart: the halves need not wait for the square root.
    let p = s.mul_add(z, polynomial(s, square, &P_ODD), polynomial(s, square, &P_EVEN));
    let q = s.mul_add(z, polynomial(s, square, &Q_ODD), polynomial(s, square, &Q_EVEN));
    (phi, s.neg_mul_add(phi, p, q), q)
}

/// Value of a polynomial, lowest coefficient first.
#[inline(always)]
fn polynomial<S: Double, const N: usize>(s: S, x: S::V, coefficients: &[f64; N]) -> S::V {
    let mut value = s.splat(coefficients[N - 1]);
    for i in (0..N - 1).rev() {
        value = s.mul_add(x, value, s.splat(coefficients[i]));
    }
    value
}

/// The energy of many pairs: half the sum of squared residuals plus sum log Phi.
///
/// No logarithm per pair: log Phi is summed as the logarithm of a product (Phi >= 1/2 cannot underflow soon), and the
/// product as numerators and denominators apart, one division per [`Total::VECTORS_PER_SETTLING`] vectors: a numerator or
/// denominator is below 1e11 for z <= 1e6, so eight stay far from overflow.
pub(super) struct DoubleTotal<S: Double> {
    squares: S::V,
    pulls: S::V,
    numerators: S::V,
    denominators: S::V,
    product: S::V,
    vectors_in_product: usize,
    log_phi: f64,
}

/// 2^-960 is a normal number.
const FACTORS_PER_LOG: usize = 960;

impl<S: Double> DoubleTotal<S> {
    #[inline(always)]
    fn add_residual<const MASKED: bool>(&mut self, s: S, y: S::V, z: S::V) {
        let residual = masked::<S, MASKED>(s, y, s.sub(y, z), 0.0);
        self.squares = s.mul_add(residual, residual, self.squares);
        self.pulls = s.mul_add(masked::<S, MASKED>(s, y, y, 0.0), residual, self.pulls);
    }

    #[inline(always)]
    fn add_phi<const MASKED: bool>(&mut self, s: S, y: S::V, numerator: S::V, denominator: S::V) {
        self.numerators = s.mul(self.numerators, masked::<S, MASKED>(s, y, numerator, 1.0));
        self.denominators = s.mul(self.denominators, masked::<S, MASKED>(s, y, denominator, 1.0));
    }

    #[inline(always)]
    fn take_log(&mut self, s: S) {
        self.log_phi += s.to_array(self.product, 1.0).iter().map(|factor| factor.ln()).sum::<f64>();
        self.product = s.splat(1.0);
        self.vectors_in_product = 0;
    }
}

impl<S: Double> Total<S> for DoubleTotal<S> {
    #[inline(always)]
    fn new(s: S) -> Self {
        let one = s.splat(1.0);
        Self {
            squares: s.splat(0.0),
            pulls: s.splat(0.0),
            numerators: one,
            denominators: one,
            product: one,
            vectors_in_product: 0,
            log_phi: 0.0,
        }
    }

    #[inline(always)]
    fn settle(&mut self, s: S) {
        self.product = s.mul(self.product, s.div(self.numerators, self.denominators));
        self.numerators = s.splat(1.0);
        self.denominators = s.splat(1.0);
        self.vectors_in_product += Self::VECTORS_PER_SETTLING;
        if self.vectors_in_product + Self::VECTORS_PER_SETTLING > FACTORS_PER_LOG {
            self.take_log(s);
        }
    }

    #[inline(always)]
    fn energy(mut self, s: S) -> Energy {
        self.settle(s);
        self.take_log(s);
        Energy { value: 0.5 * s.sum(self.squares) + self.log_phi, pull: s.sum(self.pulls) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::simd::Portable;
    #[cfg(target_arch = "x86_64")]
    use crate::likelihood::simd::{Avx2, Avx512};

    /// z, phi(z) / Phi(z), log Phi(z): mpmath 1.3 with 50 digits, rounded to f64.
    const REFERENCE: [(f64, f64, f64); 28] = [
        (0.0, 0.7978845608028654, -std::f64::consts::LN_2),
        (1e-08, 0.7978845544366676, -0.6931471725810997),
        (0.001, 0.7972480500564331, -0.6923496142726883),
        (0.1, 0.7353317485057806, -0.6165050101150263),
        (0.25, 0.6458393710168173, -0.5129840754094305),
        (0.5, 0.5091604338370335, -0.3689464152886564),
        (0.75, 0.389382056735927, -0.25699426683836524),
        (1.0, 0.2875999709391784, -0.17275377902344988),
        (1.5, 0.13878975045885075, -0.06914345561223398),
        (2.0, 0.055247862678989956, -0.02301290932896349),
        (2.5, 0.017637825486916735, -0.006229025485860002),
        (3.0, 0.004437839042125664, -0.0013508099647481938),
        (4.0, 0.00013383446446857514, -3.167174337748927e-05),
        (5.0, 1.4867199409049056e-06, -2.866516129637636e-07),
        (6.0, 6.075882855817676e-09, -9.865876455243758e-10),
        (7.0, 9.134720408376284e-12, -1.279812543886654e-12),
        (8.0, 5.052271083536895e-15, -6.220960574271786e-16),
        (8.5, 8.16623563166955e-17, -9.479534822203318e-18),
        (8.8, 6.0957581295624165e-18, -6.840807685935546e-19),
        (8.88, 3.0053473160361597e-18, -3.3430181194514315e-19),
        (9.0, 1.0279773571668915e-18, -1.1285884059538405e-19),
        (10.0, 7.694598626706419e-23, -7.619853024160525e-24),
        (12.0, 2.1463837356630605e-32, -1.776482112077679e-33),
        (20.0, 5.520948362159764e-88, -2.7536241186062337e-89),
        (37.0, 2.1200065515246056e-298, -5.725571222524577e-300),
        (100.0, 0.0, 0.0),
        (1e4, 0.0, 0.0),
        (1e6, 0.0, 0.0),
    ];

    /// Relative error of phi / Phi up to z = 37 and absolute error of log Phi.
    fn check<S: Double>(s: S, precision: f64, log_precision: f64) {
        for (z, ratio, log_phi) in REFERENCE {
            let (phi, n, q) = normal_cdf(s, s.splat(z * z), s.splat(z));
            let found = s.to_array(s.div(s.mul(phi, q), n), 0.0)[0];
            let tolerance = precision * ratio + 1e-300;
            assert!((found - ratio).abs() <= tolerance, "phi/Phi at {z}: {found:e} against {ratio:e}");
            let found = s.to_array(s.div(n, q), 1.0)[0].ln();
            assert!((found - log_phi).abs() <= log_precision, "log Phi at {z}: {found:e} against {log_phi:e}");
        }
    }

    #[test]
    fn phi_over_its_integral_and_log_phi_equal_high_precision_values() {
        check(Portable, 2e-13, 1e-15);
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(s) = Avx2::detect() {
                check(s, 1e-13, 1e-15);
            }
            if let Some(s) = Avx512::detect() {
                // Its exponential has a relative error of 4.5e-15, and 1 - Phi = 1/2 of it goes into log Phi at 0.
                check(s, 1e-13, 6e-15);
            }
        }
    }
}
