//! Student's t with nu degrees of freedom: log density and log probabilities, by z and by log nu.

use std::f64::consts::PI;

use super::tails::{Between, Tail};

/// Log density at z; its derivatives by z and by log nu.
pub(super) fn log_density(z: f64, nu: f64) -> (Tail, f64) {
    let log_term = (z * z / nu).ln_1p();
    let value = log_constant(nu) - 0.5 * (nu + 1.0) * log_term;
    let by_nu = constant_by_nu(nu) + 0.5 * ((nu + 1.0) / nu * (z * z / (nu + z * z)) - log_term);
    (Tail { value, derivative: -(nu + 1.0) * z / (nu + z * z) }, nu * by_nu)
}

/// log Gamma((nu + 1)/2) - log Gamma(nu/2) - log(nu pi)/2, the logarithm of the density at 0.
pub(super) fn log_constant(nu: f64) -> f64 {
    log_gamma_ratio(nu) - 0.5 * (nu * PI).ln()
}

/// Its derivative by nu.
pub(super) fn constant_by_nu(nu: f64) -> f64 {
    0.5 * (digamma(0.5 * (nu + 1.0)) - digamma(0.5 * nu) - 1.0 / nu)
}

/// From this nu on the two log gammas are so large that their difference is taken from its expansion.
const LARGE_NU: f64 = 200.0;

/// log Gamma((nu + 1)/2) - log Gamma(nu/2).
fn log_gamma_ratio(nu: f64) -> f64 {
    if nu < LARGE_NU {
        return libm::lgamma(0.5 * (nu + 1.0)) - libm::lgamma(0.5 * nu);
    }
    // Tricomi and Erdelyi (1951), with x = nu/2: log sqrt(x) - 1/(8x) + 1/(192 x^3) - 1/(640 x^5) + 17/(14336 x^7).
    let x = 0.5 * nu;
    let x2 = x * x;
    0.5 * x.ln() + (-1.0 / 8.0 + (1.0 / 192.0 + (-1.0 / 640.0 + 17.0 / 14336.0 / x2) / x2) / x2) / x
}

/// The derivative of log Gamma: its expansion for large arguments, reached by psi(x) = psi(x + 1) - 1/x.
fn digamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 10.0 {
        shift -= 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    // Bernoulli numbers over 2k.
    let series = y
        * (1.0 / 12.0
            - y * (1.0 / 120.0
                - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y * (1.0 / 132.0 - y * (691.0 / 32760.0 - y / 12.0))))));
    shift + x.ln() - 0.5 / x - series
}

/// Log probability below z; its derivatives by z and by log nu.
pub(super) fn log_cdf(z: f64, nu: f64) -> (Tail, f64) {
    let value = |nu: f64| if z > 0.0 { (-upper(z, nu)).ln_1p() } else { log_upper(-z, nu) };
    let at = value(nu);
    let derivative = (log_density(z, nu).0.value - at).exp();
    (Tail { value: at, derivative }, by_log_nu(nu, value))
}

/// Log probability between a and b; its derivatives by both and by log nu.
pub(super) fn log_between(a: f64, b: f64, nu: f64) -> (Between, f64) {
    let value = |nu: f64| {
        // Logarithms, because nothing is left of probabilities in the far tails of many degrees of freedom.
        let one_side = |l: f64, u: f64| {
            let of_l = log_upper(l, nu);
            of_l + (-(log_upper(u, nu) - of_l).exp_m1()).ln()
        };
        if a >= 0.0 {
            one_side(a, b)
        } else if b <= 0.0 {
            one_side(-b, -a)
        } else {
            (-(upper(-a, nu) + upper(b, nu))).ln_1p()
        }
    };
    let at = value(nu);
    let ratio = |z: f64| if z.is_finite() { (log_density(z, nu).0.value - at).exp() } else { 0.0 };
    (Between { value: at, by_lower: -ratio(a), by_upper: ratio(b) }, by_log_nu(nu, value))
}

/// Derivative by log nu, which has no closed form: central differences of fourth order.
fn by_log_nu(nu: f64, value: impl Fn(f64) -> f64) -> f64 {
    const STEP: f64 = 2e-3;
    let at = |steps: f64| value(nu * (steps * STEP).exp());
    (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * STEP)
}

/// Probability above z >= 0.
pub(super) fn upper(z: f64, nu: f64) -> f64 {
    log_upper(z, nu).exp()
}

/// Its logarithm: half the incomplete beta function I_x(nu/2, 1/2) at x = nu / (nu + z^2).
fn log_upper(z: f64, nu: f64) -> f64 {
    if z.is_infinite() {
        return f64::NEG_INFINITY;
    }
    let (a, b) = (0.5 * nu, 0.5);
    let (x, y) = (nu / (nu + z * z), z * z / (nu + z * z));
    // log[x^a y^b / B(a, b)], with B(a, 1/2) = Gamma(a) sqrt(pi) / Gamma(a + 1/2).
    let log_front = -a * (z * z / nu).ln_1p() + b * y.ln() + log_gamma_ratio(nu) - 0.5 * PI.ln();
    if x < (a + 1.0) / (a + b + 2.0) {
        log_front - nu.ln() + continued(a, b, x).ln()
    } else if z == 0.0 {
        -std::f64::consts::LN_2
    } else {
        (-log_front.exp() / b * continued(b, a, y)).ln_1p() - std::f64::consts::LN_2
    }
}

/// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8) by Lentz's algorithm.
fn continued(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let (mut c, mut fraction) = (1.0, d);
    for m in 1..500 {
        let m = f64::from(m);
        for numerator in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / away(1.0 + numerator * d);
            c = away(1.0 + numerator / c);
            fraction *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-16 {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    #[test]
    fn probabilities_with_one_two_and_many_degrees_of_freedom_have_closed_forms() {
        for z in [0.0_f64, 1e-8, 0.3, 1.0, 2.5, 40.0, 1e6] {
            assert_relative_eq!(upper(z, 1.0), 1.0_f64.atan2(z) / PI, max_relative = 1e-13);
            let two = 1.0 / ((z * z + 2.0).sqrt() * ((z * z + 2.0).sqrt() + z));
            assert_relative_eq!(upper(z, 2.0), two, max_relative = 1e-13);
        }
        // Cornish and Fisher: at a million degrees of freedom the normal distribution is a part in a million away.
        assert_relative_eq!(upper(2.0, 1e6), 0.022_750_131_948_179_21, max_relative = 2e-5);
    }

    #[test]
    fn derivatives_are_limits_of_differences() {
        let h = 1e-5;
        for nu in [0.7, 3.0, 12.5, 350.0] {
            for z in [-9.0, -1.2, 0.1, 3.3] {
                let by = |f: &dyn Fn(f64, f64) -> f64| {
                    let by_z = (f(z + h, nu) - f(z - h, nu)) / (2.0 * h);
                    (by_z, (f(z, nu * h.exp()) - f(z, nu * (-h).exp())) / (2.0 * h))
                };
                for (found, expected) in [
                    (log_density(z, nu), by(&|z, nu| log_density(z, nu).0.value)),
                    (log_cdf(z, nu), by(&|z, nu| log_cdf(z, nu).0.value)),
                ] {
                    assert_relative_eq!(found.0.derivative, expected.0, max_relative = 1e-6, epsilon = 1e-8);
                    assert_relative_eq!(found.1, expected.1, max_relative = 1e-5, epsilon = 1e-8);
                }
            }
        }
    }

    #[test]
    fn intervals_add_up() {
        for nu in [1.5, 4.0, 60.0] {
            let parts = [f64::NEG_INFINITY, -30.0, -0.4, 0.0, 0.9, 7.0, f64::INFINITY];
            let sum: f64 = parts.windows(2).map(|ends| log_between(ends[0], ends[1], nu).0.value.exp()).sum();
            assert_relative_eq!(sum, 1.0, max_relative = 1e-13);
        }
    }
}
