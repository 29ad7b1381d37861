//! The Mills ratio R(z) = (1 - F(z)) / f(z) of Student's t and the derivative of log(1 - F) by log nu, as a table for one nu.
//!
//! With a(z) = (nu + 1) z / (nu + z^2) = -(log f)', R' = a R - 1, and W = R d log(1 - F)/d log nu has W' = a W - d log f/d log nu.
//! Both are smooth in p = log(1 + z), whose nearest singularity is about pi/2 away from the real line whatever nu is. They
//! are solved by collocation, interval by interval, from the far end, where R = z/nu (1 + nu/z^2), to 0: in this direction errors die out.

use std::array::from_fn;
use std::f64::consts::PI;
use std::sync::LazyLock;

use super::student::Nu;
use crate::likelihood::simd::Double;

/// Points of an interval, ends included. With the ellipse of convergence of an interval of 1/4 the error is 25^-10.
const POINTS: usize = 10;
const PER_UNIT: f64 = 4.0;
const INTERVALS: usize = 76;

type Numbers = [f64; POINTS];
type Square = [Numbers; POINTS];

/// Both functions, as polynomials in the offset from the middle of their interval, from -1 to 1.
#[derive(Clone, Debug)]
pub(super) struct RatioTable {
    /// Bits of the nu it is for.
    nu: u64,
    /// R and d log(1 - F)/d log nu by powers.
    rows: Vec<[[f64; 2]; POINTS]>,
}

impl RatioTable {
    /// exp(19) - 1: where the last interval ends.
    pub(super) const END: f64 = 178_482_299.963_187_26;

    /// Of no nu.
    pub(super) fn empty() -> Self {
        Self { nu: f64::NAN.to_bits(), rows: Vec::new() }
    }

    /// Makes it that of `nu`.
    pub(super) fn update(&mut self, nu: Nu) {
        if self.nu == nu.nu.to_bits() {
            return;
        }
        *self = Self { nu: nu.nu.to_bits(), rows: rows(nu) };
    }

    /// Both functions at p = log(1 + z).
    #[inline(always)]
    pub(super) fn look_up<S: Double>(&self, s: S, p: S::V) -> (S::V, S::V) {
        let positions = s.to_array(p, 0.0);
        let (mut ratios, mut by_log_nu) = (positions, positions);
        for lane in 0..S::LANES {
            let scaled = positions[lane] * PER_UNIT;
            let interval = (scaled as usize).min(INTERVALS - 1);
            let offset = 2.0 * (scaled - interval as f64) - 1.0;
            // Even and odd powers apart: two chains of half the length.
            let (rows, square) = (&self.rows[interval], offset * offset);
            let (mut even, mut odd) = ([0.0; 2], [0.0; 2]);
            for power in (0..POINTS / 2).rev() {
                for k in 0..2 {
                    even[k] = even[k] * square + rows[2 * power][k];
                    odd[k] = odd[k] * square + rows[2 * power + 1][k];
                }
            }
            [ratios[lane], by_log_nu[lane]] = [even[0] + offset * odd[0], even[1] + offset * odd[1]];
        }
        // SAFETY: as many numbers as the widest vector has lanes.
        unsafe { (s.load(ratios.as_ptr()), s.load(by_log_nu.as_ptr())) }
    }
}

fn rows(nu: Nu) -> Vec<[[f64; 2]; POINTS]> {
    static SHAPES: LazyLock<Shapes> = LazyLock::new(Shapes::new);
    let (shapes, end) = (&*SHAPES, RatioTable::END);
    // log(1 - F) = log f + log z - log nu + nu/z^2 there.
    let by_log_nu = nu.log_density_by_log_nu(end) - 1.0;
    let first = end / nu.nu * (1.0 + nu.nu / (end * end));
    let mut right = [first, first * by_log_nu];
    let mut rows = vec![[[0.0; 2]; POINTS]; INTERVALS];
    for interval in (0..INTERVALS).rev() {
        let [ratio, product] = shapes.solve(interval, nu, right);
        right = [ratio[0], product[0]];
        let by_log_nu: Numbers = from_fn(|k| product[k] / ratio[k]);
        let powers = [times(&shapes.powers, &ratio), times(&shapes.powers, &by_log_nu)];
        rows[interval] = from_fn(|power| [powers[0][power], powers[1][power]]);
    }
    rows
}

fn times(matrix: &Square, vector: &Numbers) -> Numbers {
    from_fn(|row| (0..POINTS).map(|k| matrix[row][k] * vector[k]).sum())
}

/// What is the same in every interval.
struct Shapes {
    /// From -1 to 1.
    points: Numbers,
    /// From values at the points to derivatives.
    derivative: Square,
    /// From values at the points to coefficients, lowest power first.
    powers: Square,
}

impl Shapes {
    fn new() -> Self {
        let last = POINTS - 1;
        let points: Numbers = from_fn(|k| -(PI * k as f64 / last as f64).cos());
        let weight =
            |k: usize| if k == 0 || k == last { 2.0 } else { 1.0 } * if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        let mut derivative = [[0.0; POINTS]; POINTS];
        for i in 0..POINTS {
            for j in (0..POINTS).filter(|&j| j != i) {
                derivative[i][j] = weight(i) / weight(j) / (points[i] - points[j]);
            }
            derivative[i][i] = -(0..POINTS).filter(|&j| j != i).map(|j| derivative[i][j]).sum::<f64>();
        }
        let vandermonde: Square = from_fn(|i| from_fn(|power| points[i].powi(power as i32)));
        let columns: Square = from_fn(|k| solve(vandermonde, [from_fn(|i| f64::from(u8::from(i == k)))])[0]);
        Self { points, derivative, powers: from_fn(|power| from_fn(|k| columns[k][power])) }
    }

    /// R and W at the points of an interval, given what they are at its right end.
    fn solve(&self, interval: usize, nu: Nu, right: [f64; 2]) -> [Numbers; 2] {
        let last = POINTS - 1;
        let mut matrix = self.derivative;
        let mut known = [[0.0; POINTS]; 2];
        for k in 0..last {
            let p = (interval as f64 + 0.5 * (1.0 + self.points[k])) / PER_UNIT;
            let z = p.exp_m1();
            // dz per unit of the interval's own coordinate.
            let step = (1.0 + z) * 0.5 / PER_UNIT;
            matrix[k][k] -= step * (nu.nu + 1.0) * z / (nu.nu + z * z);
            known[0][k] = -step;
            known[1][k] = -step * nu.log_density_by_log_nu(z);
        }
        matrix[last] = from_fn(|k| f64::from(u8::from(k == last)));
        [known[0][last], known[1][last]] = right;
        solve(matrix, known)
    }
}

/// Solves the same equations for several right sides: elimination with row exchanges.
fn solve<const SIDES: usize>(mut matrix: Square, mut known: [Numbers; SIDES]) -> [Numbers; SIDES] {
    for column in 0..POINTS {
        let size = |row: &usize| matrix[*row][column].abs();
        let pivot = (column..POINTS).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(column);
        matrix.swap(column, pivot);
        known.iter_mut().for_each(|side| side.swap(column, pivot));
        for row in column + 1..POINTS {
            let factor = matrix[row][column] / matrix[column][column];
            let above = matrix[column];
            for k in column..POINTS {
                matrix[row][k] -= factor * above[k];
            }
            known.iter_mut().for_each(|side| side[row] -= factor * side[column]);
        }
    }
    for side in &mut known {
        for row in (0..POINTS).rev() {
            let rest: f64 = (row + 1..POINTS).map(|k| matrix[row][k] * side[k]).sum();
            side[row] = (side[row] - rest) / matrix[row][row];
        }
    }
    known
}
