//! The Mills ratio R(z) = (1 - F(z)) / f(z) of Student's t and the derivative of log(1 - F) by log nu, as a table for one nu.
//!
//! With a(z) = (nu + 1) z / (nu + z^2) = -(log f)', R' = a R - 1, and W = R d log(1 - F)/d log nu has W' = a W - d log f/d log nu.
//! Both are smooth in p = log(1 + z), whose nearest singularity is about pi/2 away from the real line whatever nu is. They
//! are solved by collocation, interval by interval, down to 0 from where a short series has them to all digits: in this direction errors
//! die out.

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

/// Both functions: near 0 as polynomials in the offset from the middle of their interval, from -1 to 1; beyond, by their series.
#[derive(Clone, Debug)]
pub(super) struct RatioTable {
    /// R and d log(1 - F)/d log nu by powers.
    rows: Vec<[[f64; 2]; POINTS]>,
    far: Series,
}

/// Where nu/(nu + z^2) is below this, the series takes over.
const FAR: f64 = 1e-2;
/// Terms of the series: the first that is left out is below FAR^9.
const TERMS: usize = 9;

/// With a = nu/2 and y = nu/(nu + z^2), R = z/nu sum_n y^n (a + 1/2)_n / (a + 1)_n: the hypergeometric series of the incomplete beta
/// function, in which all terms are positive.
#[derive(Clone, Debug)]
struct Series {
    nu: Nu,
    coefficients: [f64; TERMS],
    /// Their derivatives by log nu.
    by_log_nu: [f64; TERMS],
}

impl Series {
    fn new(nu: Nu) -> Self {
        let a = 0.5 * nu.nu;
        let (mut coefficients, mut by_log_nu) = ([1.0; TERMS], [0.0; TERMS]);
        let (mut coefficient, mut log_by_log_nu) = (1.0, 0.0);
        for n in 1..TERMS {
            let (above, below) = (a - 0.5 + n as f64, a + n as f64);
            coefficient *= above / below;
            log_by_log_nu += 0.5 * a / (above * below);
            (coefficients[n], by_log_nu[n]) = (coefficient, coefficient * log_by_log_nu);
        }
        Self { nu, coefficients, by_log_nu }
    }

    /// R and d log(1 - F)/d log nu.
    fn at(&self, z: f64) -> [f64; 2] {
        let y = self.nu.nu / (self.nu.nu + z * z);
        let (mut sum, mut slope) = (0.0, 0.0);
        for n in (0..TERMS).rev() {
            sum = sum * y + self.coefficients[n];
            // dy/d log nu = y (1 - y)
            slope = slope * y + self.by_log_nu[n] + n as f64 * (1.0 - y) * self.coefficients[n];
        }
        [z / self.nu.nu * sum, self.nu.log_density_by_log_nu(z) - 1.0 + slope / sum]
    }

    /// Intervals that end before the series is exact.
    fn n_before(&self) -> usize {
        let first = (self.nu.nu * (FAR.recip() - 1.0)).sqrt().ln_1p();
        ((first * PER_UNIT).ceil() as usize).clamp(1, INTERVALS)
    }
}

impl RatioTable {
    /// exp(19) - 1: where the last interval ends.
    pub(super) const END: f64 = 178_482_299.963_187_26;

    /// Of no nu.
    pub(super) fn empty() -> Self {
        Self { rows: Vec::new(), far: Series::new(Nu { nu: f64::NAN, log_constant: 0.0, constant_by_log_nu: 0.0 }) }
    }

    /// Makes it that of `nu`.
    pub(super) fn update(&mut self, nu: Nu) {
        if self.far.nu.nu.to_bits() == nu.nu.to_bits() {
            return;
        }
        self.far = Series::new(nu);
        fill(&mut self.rows, &self.far);
    }

    /// Both functions at p = log(1 + z).
    #[inline(always)]
    pub(super) fn look_up<S: Double>(&self, s: S, p: S::V) -> (S::V, S::V) {
        let positions = s.to_array(p, 0.0);
        let (mut ratios, mut by_log_nu) = (positions, positions);
        for lane in 0..S::LANES {
            let scaled = positions[lane] * PER_UNIT;
            let interval = scaled as usize;
            if interval >= self.rows.len() {
                [ratios[lane], by_log_nu[lane]] = self.far.at(positions[lane].exp_m1());
                continue;
            }
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

/// The polynomials of the intervals before the series.
fn fill(rows: &mut Vec<[[f64; 2]; POINTS]>, far: &Series) {
    static SHAPES: LazyLock<Shapes> = LazyLock::new(Shapes::new);
    let shapes = &*SHAPES;
    let n_intervals = far.n_before();
    rows.resize(n_intervals, [[0.0; 2]; POINTS]);
    let [first, by_log_nu] = far.at((n_intervals as f64 / PER_UNIT).exp_m1());
    let mut right = [first, first * by_log_nu];
    for interval in (0..n_intervals).rev() {
        let [ratio, product] = shapes.solve(interval, far.nu, right);
        right = [ratio[0], product[0]];
        let by_log_nu: Numbers = from_fn(|k| product[k] / ratio[k]);
        let powers = [times(&shapes.powers, &ratio), times(&shapes.powers, &by_log_nu)];
        rows[interval] = from_fn(|power| [powers[0][power], powers[1][power]]);
    }
}

fn times(matrix: &Square, vector: &Numbers) -> Numbers {
    from_fn(|row| (0..POINTS).map(|k| matrix[row][k] * vector[k]).sum())
}

/// What is the same in every interval.
struct Shapes {
    /// z at the points of every interval.
    z: Vec<Numbers>,
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
        let position = |interval: usize, k: usize| (interval as f64 + 0.5 * (1.0 + points[k])) / PER_UNIT;
        let z = (0..INTERVALS).map(|interval| from_fn(|k| position(interval, k).exp_m1())).collect();
        Self { z, derivative, powers: from_fn(|power| from_fn(|k| columns[k][power])) }
    }

    /// R and W at the points of an interval, given what they are at its right end.
    fn solve(&self, interval: usize, nu: Nu, right: [f64; 2]) -> [Numbers; 2] {
        let last = POINTS - 1;
        let mut matrix = self.derivative;
        let mut known = [[0.0; POINTS]; 2];
        for k in 0..last {
            let z = self.z[interval][k];
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
