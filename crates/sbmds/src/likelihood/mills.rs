//! The Mills ratio of the standard normal as a rational function: the one special function of the model.
//!
//! (1 - Phi(z)) / phi(z) = P(z) / Q(z) on 0 <= z <= 8.9, hence Phi = (Q - phi P) / Q (docs/model.md, eq. 8).
//! Degree (6, 6), a near-minimax fit in 60-digit arithmetic with weight exp(-z^2/2) / Phi(z), which is what phi/Phi and
//! log Phi feel: relative error of phi/Phi and absolute error of log Phi below 1e-15 before rounding. Beyond the
//! fitted range phi is below 1e-17 and the ratio no longer matters.

// Coefficients are given with all the digits of their fit.
#![allow(clippy::excessive_precision)]

const SQRT_2PI: f64 = 2.506_628_274_631_000_7;

/// Numerator of M(z) = (1 - Phi(z)) exp(z^2/2), lowest power first.
const P: [f64; 7] = [
    0.49999999999999951997,
    0.41758001924461548619,
    0.17883051521254904518,
    0.043142770983938363011,
    0.0058534439081339079851,
    0.00035267809202678450625,
    7.294165904258600798e-9,
];
/// Denominator, lowest power first.
const Q: [f64; 7] = [
    1.0,
    1.6330445992918760626,
    1.1606421033106236119,
    0.46178317732646686692,
    0.1091625288891433205,
    0.014660727885946193774,
    0.00088469290807883996181,
];

// phi carries 1/sqrt(2 pi), so P carries sqrt(2 pi).
/// Even powers of P.
pub(super) const P_EVEN: [f64; 4] = [P[0] * SQRT_2PI, P[2] * SQRT_2PI, P[4] * SQRT_2PI, P[6] * SQRT_2PI];
/// Odd powers of P.
pub(super) const P_ODD: [f64; 3] = [P[1] * SQRT_2PI, P[3] * SQRT_2PI, P[5] * SQRT_2PI];
/// Even powers of Q.
pub(super) const Q_EVEN: [f64; 4] = [Q[0], Q[2], Q[4], Q[6]];
/// Odd powers of Q.
pub(super) const Q_ODD: [f64; 3] = [Q[1], Q[3], Q[5]];
