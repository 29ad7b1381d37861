//! The two quantile functions the diagnostics need: normal and beta.

/// z with Phi(z) = `probability`, to about 16 digits (Wichura 1988, algorithm AS 241, routine PPND16).
pub(super) fn normal_quantile(probability: f64) -> f64 {
    let from_centre = probability - 0.5;
    if from_centre.abs() <= 0.425 {
        let r = 0.180625 - from_centre * from_centre;
        return from_centre * ratio(&CENTRE, r);
    }
    let tail = if from_centre < 0.0 { probability } else { 1.0 - probability };
    let r = (-tail.ln()).sqrt();
    let size = if r <= 5.0 { ratio(&TAIL, r - 1.6) } else { ratio(&FAR_TAIL, r - 5.0) };
    size.copysign(from_centre)
}

/// Coefficients of a rational function, constant term first.
type Rational = ([f64; 8], [f64; 8]);

fn ratio((numerator, denominator): &Rational, r: f64) -> f64 {
    let polynomial = |coefficients: &[f64; 8]| coefficients.iter().rev().fold(0.0, |sum, c| sum * r + c);
    polynomial(numerator) / polynomial(denominator)
}

/// AS 241 for probabilities within 0.425 of a half.
const CENTRE: Rational = (
    [
        3.3871328727963666,
        1.3314166789178438e2,
        1.9715909503065514e3,
        1.373169376550946e4,
        4.592195393154987e4,
        6.72657709270087e4,
        3.343057558358813e4,
        2.5090809287301227e3,
    ],
    [
        1.0,
        4.231333070160091e1,
        6.871870074920579e2,
        5.394196021424751e3,
        2.1213794301586596e4,
        3.930789580009271e4,
        2.8729085735721943e4,
        5.226495278852854e3,
    ],
);

/// AS 241 for tail probabilities down to exp(-25).
const TAIL: Rational = (
    [
        1.4234371107496836,
        4.630337846156546,
        5.769497221460691,
        3.6478483247632045,
        1.2704582524523684,
        2.417807251774506e-1,
        2.2723844989269184e-2,
        7.745450142783414e-4,
    ],
    [
        1.0,
        2.053191626637759,
        1.6763848301838038,
        6.897673349851e-1,
        1.4810397642748008e-1,
        1.5198666563616457e-2,
        5.475938084995345e-4,
        1.0507500716444169e-9,
    ],
);

/// AS 241 beyond.
const FAR_TAIL: Rational = (
    [
        6.657904643501103,
        5.463784911164114,
        1.7848265399172913,
        2.965605718285049e-1,
        2.6532189526576124e-2,
        1.2426609473880784e-3,
        2.7115555687434876e-5,
        2.0103343992922881e-7,
    ],
    [
        1.0,
        5.998322065558879e-1,
        1.369298809227358e-1,
        1.4875361290850615e-2,
        7.868691311456133e-4,
        1.8463183175100547e-5,
        1.421511758316446e-7,
        2.0442631033899397e-15,
    ],
);

/// x with I_x(a, b) = `level`, for a, b >= 1, by bisection to the last bits.
pub(super) fn beta_quantile(level: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    // 60 halvings of the unit interval end below the spacing of doubles near 1.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if incomplete_beta(middle, a, b) < level {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The regularised incomplete beta function I_x(a, b).
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x;
    }
    // The fraction converges fast below the mean; above it, I_x(a, b) = 1 - I_{1-x}(b, a).
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let log_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    (a * x.ln() + b * (-x).ln_1p() - log_beta).exp() / (a * beta_fraction(x, a, b))
}

/// 1 + d_1 / (1 + d_2 / (1 + ...)), the continued fraction DLMF 8.17.22, by the modified Lentz method.
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    let (mut fraction, mut c, mut d) = (1.0, 1.0, 0.0);
    for step in 1..100_000 {
        let m = f64::from(step / 2);
        let term = if step % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        d = 1.0 / (1.0 + term * d);
        c = 1.0 + term / c;
        fraction *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn normal_quantile_inverts_the_distribution_function() {
        for z in [-8.0, -5.5, -3.0, -1.5, -0.7, -1e-3, 0.0] {
            let phi = 0.5 * libm::erfc(-z / std::f64::consts::SQRT_2);
            assert_relative_eq!(normal_quantile(phi), z, max_relative = 1e-13, epsilon = 1e-15);
        }
        assert_relative_eq!(normal_quantile(0.975), 1.959963984540054, max_relative = 1e-15);
        assert_eq!(normal_quantile(0.1), -normal_quantile(0.9));
    }

    #[test]
    fn beta_quantile_agrees_with_closed_forms() {
        for level in [0.01, 0.1586553, 0.5, 0.8413447, 0.999] {
            // I_x(a, 1) = x^a and I_x(1, b) = 1 - (1 - x)^b.
            assert_relative_eq!(beta_quantile(level, 7.5, 1.0), level.powf(1.0 / 7.5), max_relative = 1e-12);
            let one_b = 1.0 - (1.0 - level).powf(1.0 / 40.0);
            assert_relative_eq!(beta_quantile(level, 1.0, 40.0), one_b, max_relative = 1e-12);
        }
        assert_relative_eq!(beta_quantile(0.5, 300.0, 300.0), 0.5, max_relative = 1e-12);
    }

    #[test]
    fn beta_quantile_agrees_with_scipy() {
        // scipy 1.17.1: stats.beta.ppf(level, a, b)
        for (level, a, b, expected) in SCIPY_BETA {
            assert_relative_eq!(beta_quantile(level, a, b), expected, max_relative = 1e-11);
        }
    }

    const SCIPY_BETA: [(f64, f64, f64, f64); 3] = [
        (0.1586553, 21.5, 380.5, 0.0423361796818493),
        (0.8413447, 1.7, 9.3, 0.25840470070567634),
        (0.8413447, 190001.0, 10001.0, 0.9504828510763487),
    ];
}
