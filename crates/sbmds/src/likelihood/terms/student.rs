//! Student's t on vectors (docs/model.md, eq. 26); its slow twin is `measurement/student.rs`.

use super::ratio_table::RatioTable;
use super::standard::{Standard, Tail};
use crate::likelihood::simd::{Double, ln};

/// Degrees of freedom of Student's t, and the logarithm of its density at 0 with the derivative by log nu.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nu {
    pub(crate) nu: f64,
    pub(crate) log_constant: f64,
    pub(crate) constant_by_log_nu: f64,
}

impl Nu {
    /// log(1 + z^2/nu), and with it the derivative of log f(z) by log nu.
    pub(super) fn log_density_by_log_nu(self, z: f64) -> f64 {
        let Self { nu, constant_by_log_nu, .. } = self;
        constant_by_log_nu + 0.5 * ((nu + 1.0) * z * z / (nu + z * z) - nu * (z * z / nu).ln_1p())
    }
}

/// Student's t with nu degrees of freedom.
#[derive(Clone, Copy)]
pub(super) struct Student<'a> {
    pub(super) nu: Nu,
    /// Its Mills ratio.
    pub(super) table: &'a RatioTable,
}

impl Student<'_> {
    /// 1 + z^2/nu
    #[inline(always)]
    fn stretched<S: Double>(self, s: S, z: S::V) -> S::V {
        s.mul_add(s.mul(z, z), s.splat(self.nu.nu.recip()), s.splat(1.0))
    }
}

impl<S: Double> Standard<S> for Student<'_> {
    /// C - (nu + 1)/2 log(1 + z^2/nu)
    #[inline(always)]
    fn density(self, s: S, z: S::V) -> Tail<S> {
        let Nu { nu, log_constant, constant_by_log_nu } = self.nu;
        let stretched = self.stretched(s, z);
        let log = ln(s, stretched);
        // (nu + 1) / (nu + z^2)
        let pull = s.div(s.splat((nu + 1.0) / nu), stretched);
        // nu [C' + ((nu + 1)/nu z^2 / (nu + z^2) - log(1 + z^2/nu)) / 2]
        let by_log_nu = s.mul_add(s.splat(0.5), s.mul(s.mul(z, z), pull), s.splat(constant_by_log_nu));
        Tail {
            value: s.neg_mul_add(s.splat(0.5 * (nu + 1.0)), log, s.splat(log_constant)),
            derivative: s.sub(s.splat(0.0), s.mul(z, pull)),
            by_log_nu: s.neg_mul_add(s.splat(0.5 * nu), log, by_log_nu),
        }
    }

    #[inline(always)]
    fn log_density(self, s: S, z: S::V) -> S::V {
        let log = ln(s, self.stretched(s, z));
        s.neg_mul_add(s.splat(0.5 * (self.nu.nu + 1.0)), log, s.splat(self.nu.log_constant))
    }

    #[inline(always)]
    fn log_fall(self, s: S, l: S::V, u: S::V) -> S::V {
        let ratio = s.div(self.stretched(s, u), self.stretched(s, l));
        s.mul(s.splat(-0.5 * (self.nu.nu + 1.0)), ln(s, ratio))
    }

    #[inline(always)]
    fn mills(self, s: S, z: S::V) -> (S::V, S::V) {
        let in_units = self.table.in_units(s, z);
        let position = ln(s, s.add(s.min(in_units, s.splat(RatioTable::END)), s.splat(1.0)));
        let (ratio, by_log_nu) = self.table.look_up(s, position);
        // Beyond the table the ratio is z / nu.
        (s.mul(ratio, s.max(s.splat(1.0), s.mul(in_units, s.splat(RatioTable::END.recip())))), by_log_nu)
    }
}
