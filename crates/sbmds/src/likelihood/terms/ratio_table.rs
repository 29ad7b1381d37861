//! The Mills ratio R(z) = (1 - F(z)) / f(z) of Student's t and the derivative of log(1 - F) by log nu, as a table for one nu.
//!
//! With a(z) = (nu + 1) z / (nu + z^2) = -(log f)', R' = a R - 1, and W = R d log(1 - F)/d log nu has W' = a W - d log f/d log nu.
//! Their singularities are at z = +-i sqrt(nu). With the unit min(1, sqrt(nu)) they are smooth in p = log(1 + z/unit), where the nearest
//! is at least pi/4 away from the real line whatever nu is. They are solved by collocation, interval by interval, down to 0 from where a short series has them to all digits: in this direction errors
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
    /// 1/unit of z.
    per_unit: f64,
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
        let (mut sum, mut derivative) = (0.0, 0.0);
        for n in (0..TERMS).rev() {
            sum = sum * y + self.coefficients[n];
            // dy/d log nu = y (1 - y)
            derivative = derivative * y + self.by_log_nu[n] + n as f64 * (1.0 - y) * self.coefficients[n];
        }
        [z / self.nu.nu * sum, self.nu.log_density_by_log_nu(z) - 1.0 + derivative / sum]
    }

    /// Of z: the smaller nu, the nearer its singularities are to 0.
    fn unit(&self) -> f64 {
        self.nu.nu.sqrt().min(1.0)
    }

    /// Intervals that end before the series is exact.
    fn n_before(&self) -> usize {
        let first = ((self.nu.nu * (FAR.recip() - 1.0)).sqrt() / self.unit()).ln_1p();
        ((first * PER_UNIT).ceil() as usize).clamp(1, INTERVALS)
    }
}

impl RatioTable {
    /// exp(19) - 1: where the last interval ends, in units of z.
    pub(super) const END: f64 = 178_482_299.963_187_26;

    /// z in the table's unit.
    #[inline(always)]
    pub(super) fn in_units<S: Double>(&self, s: S, z: S::V) -> S::V {
        s.mul(z, s.splat(self.per_unit))
    }

    /// Of no nu.
    pub(super) fn empty() -> Self {
        let nu = Nu { nu: f64::NAN, log_constant: 0.0, constant_by_log_nu: 0.0 };
        Self { rows: Vec::new(), per_unit: 1.0, far: Series::new(nu) }
    }

    /// Makes it that of `nu`.
    pub(super) fn update(&mut self, nu: Nu) {
        if self.far.nu.nu.to_bits() == nu.nu.to_bits() {
            return;
        }
        self.far = Series::new(nu);
        self.per_unit = self.far.unit().recip();
        fill(&mut self.rows, &self.far);
    }

    /// Both functions at p = log(1 + z/unit).
    #[inline(always)]
    pub(super) fn look_up<S: Double>(&self, s: S, p: S::V) -> (S::V, S::V) {
        let positions = s.to_array(p, 0.0);
        let (mut ratios, mut by_log_nu) = (positions, positions);
        for lane in 0..S::LANES {
            let scaled = positions[lane] * PER_UNIT;
            let interval = scaled as usize;
            if interval >= self.rows.len() {
                [ratios[lane], by_log_nu[lane]] = self.far.at(positions[lane].exp_m1() / self.per_unit);
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
    let (unit, n_intervals) = (far.unit(), far.n_before());
    rows.resize(n_intervals, [[0.0; 2]; POINTS]);
    let [first, by_log_nu] = far.at((n_intervals as f64 / PER_UNIT).exp_m1() * unit);
    let mut right = [first, first * by_log_nu];
    for interval in (0..n_intervals).rev() {
        let [ratio, product] = shapes.solve(interval, far.nu, unit, right);
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
    /// z/unit at the points of every interval.
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
    fn solve(&self, interval: usize, nu: Nu, unit: f64, right: [f64; 2]) -> [Numbers; 2] {
        let last = POINTS - 1;
        let mut matrix = self.derivative;
        let mut known = [[0.0; POINTS]; 2];
        for k in 0..last {
            let z = unit * self.z[interval][k];
            // dz per unit of the interval's own coordinate.
            let step = (unit + z) * 0.5 / PER_UNIT;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::simd::{Number, Simd};

    /// Of nu = 1: 1 - F = atan(1/z)/pi. Of nu = 2: 1 - F = 1/(2 + z^2 + z sqrt(2 + z^2)). Of tiny nu by hand: with u = z/sqrt(nu) and
    /// w = asinh(u), d log(1 - F)/d nu at nu = 0 is -w, so that 1 - F = exp(-nu w)/2 up to nu^2.
    #[test]
    fn the_ratio_of_known_tails() {
        let log_upper = |nu: f64, z: f64| {
            if nu == 1.0 {
                (z.recip().atan() / PI).ln()
            } else if nu == 2.0 {
                -(2.0 + z * z + z * (2.0 + z * z).sqrt()).ln()
            } else {
                -nu * (z / nu.sqrt()).asinh() - 2.0_f64.ln()
            }
        };
        for nu in [1.0, 2.0, 1e-7, 1e-9] {
            let table = table_of(nu);
            for z in [1e-5, 0.01, 0.3, 1.0, 2.5, 7.0, 40.0, 1e4] {
                let ratio = (log_upper(nu, z) - log_density(nu, z)).exp();
                let [found, _] = look_up(&table, z);
                assert!((found / ratio - 1.0).abs() < 1e-11, "nu {nu}, z {z}: {found} and {ratio}");
            }
        }
    }

    /// Against differences of log(1 - F) = log f + log R of neighbouring tables, for nu from a millionth to a thousand.
    #[test]
    fn the_derivative_is_that_of_the_ratio() {
        for nu in [1e-6, 1e-3, 0.03, 0.4, 1.0, 3.0, 30.0, 1e3] {
            let h = 1e-4;
            let [below, at, above] = [-h, 0.0, h].map(|h: f64| (nu * h.exp(), table_of(nu * h.exp())));
            for z in [0.0, 1e-3, 0.2, 1.0, 3.0, 12.0, 300.0, 1e6] {
                let log_upper = |(nu, table): &(f64, RatioTable)| look_up(table, z)[0].ln() + log_density(*nu, z);
                let expected = (log_upper(&above) - log_upper(&below)) / (2.0 * h);
                let [_, found] = look_up(&at.1, z);
                assert!(
                    (found - expected).abs() < 1e-6 * expected.abs().max(1.0),
                    "nu {nu}, z {z}: {found} and {expected}"
                );
            }
        }
    }

    fn log_constant(nu: f64) -> f64 {
        libm::lgamma(0.5 * (nu + 1.0)) - libm::lgamma(0.5 * nu) - 0.5 * (nu * PI).ln()
    }

    fn constants_of(nu: f64) -> Nu {
        let h: f64 = 1e-4;
        let constant_by_log_nu = (log_constant(nu * h.exp()) - log_constant(nu * (-h).exp())) / (2.0 * h);
        Nu { nu, log_constant: log_constant(nu), constant_by_log_nu }
    }

    fn table_of(nu: f64) -> RatioTable {
        let mut table = RatioTable::empty();
        table.update(constants_of(nu));
        table
    }

    fn log_density(nu: f64, z: f64) -> f64 {
        log_constant(nu) - 0.5 * (nu + 1.0) * (z * z / nu).ln_1p()
    }

    fn look_up(table: &RatioTable, z: f64) -> [f64; 2] {
        let s = f64::portable();
        let p = s.splat((z * table.per_unit).ln_1p());
        let (ratio, by_log_nu) = table.look_up(s, p);
        [s.to_array(ratio, 0.0)[0], s.to_array(by_log_nu, 0.0)[0]]
    }
}
