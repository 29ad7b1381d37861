//! The noise families: log density of one measurement given what the map says, with all its derivatives.
//!
//! A family is a standard distribution (normal, Student's t) around a location m with a scale s. Truncation to positive values and
//! logarithms are made of these (docs/model.md, "Other noise"). The formulas here are plain; kernels are checked against them.

use std::fmt;
use std::str::FromStr;

use super::student;
use super::tails::{self, Between, LOG_SQRT_2PI, Tail};
use crate::dissimilarity::Observation;
use crate::likelihood::Noise;

/// How a measurement scatters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Family {
    /// Normal around m, truncated to positive values.
    #[default]
    TruncatedNormal,
    /// Normal around m.
    Normal,
    /// Student's t around m, truncated to positive values.
    TruncatedStudentT,
    /// Student's t around m.
    StudentT,
    /// The logarithm is normal around log m: multiplicative noise, whose sigma has no unit.
    LogNormal,
}

/// The log density of a measurement and its derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogDensity {
    /// Log density, or log probability of a censored measurement.
    pub value: f64,
    /// By the location m.
    pub by_location: f64,
    /// By the logarithm of the scale s.
    pub by_log_scale: f64,
    /// By log nu, the logarithm of the degrees of freedom; 0 where there are none.
    pub by_log_nu: f64,
}

impl Family {
    /// All families.
    pub const ALL: [Self; 5] =
        [Self::TruncatedNormal, Self::Normal, Self::TruncatedStudentT, Self::StudentT, Self::LogNormal];

    /// The kernels' family of this name, if they have one.
    pub fn of_kernels(self) -> Option<Noise> {
        match self {
            Self::TruncatedNormal => Some(Noise::TruncatedNormal),
            Self::Normal => Some(Noise::Normal),
            _ => None,
        }
    }

    /// Whether the family has degrees of freedom nu.
    pub fn has_nu(self) -> bool {
        matches!(self, Self::StudentT | Self::TruncatedStudentT)
    }

    /// Whether measurements are positive: zero is no possible value of a log-normal quantity.
    pub fn support(self) -> Support {
        match self {
            Self::Normal | Self::StudentT => Support::Line,
            Self::TruncatedNormal | Self::TruncatedStudentT => Support::NotNegative,
            Self::LogNormal => Support::Positive,
        }
    }

    /// Whether sigma is measured in the unit of the data; a log-normal one has no unit.
    pub fn sigma_has_unit(self) -> bool {
        self != Self::LogNormal
    }

    /// Log density of `seen` around the location `m` with scale `s`; `nu` is only looked at by Student's t.
    pub fn log_density(self, seen: Observation, m: f64, s: f64, nu: f64) -> LogDensity {
        match self {
            Self::Normal => around(Normal, seen, m, s),
            Self::StudentT => around(Student::new(nu), seen, m, s),
            Self::TruncatedNormal => truncated(Normal, seen, m, s),
            Self::TruncatedStudentT => truncated(Student::new(nu), seen, m, s),
            Self::LogNormal => logarithmic(seen, m, s),
        }
    }
}

impl From<Noise> for Family {
    fn from(noise: Noise) -> Self {
        match noise {
            Noise::TruncatedNormal => Self::TruncatedNormal,
            Noise::Normal => Self::Normal,
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TruncatedNormal => "truncated-normal",
            Self::Normal => "normal",
            Self::TruncatedStudentT => "truncated-student-t",
            Self::StudentT => "student-t",
            Self::LogNormal => "log-normal",
        })
    }
}

impl FromStr for Family {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let all = Self::ALL.map(|family| family.to_string());
        let found = Self::ALL.into_iter().find(|family| family.to_string() == name);
        found.ok_or_else(|| format!("{name:?} is no noise family: use {}", all.join(", ")))
    }
}

impl Support {
    /// What is wrong with this number, and what to do about it.
    pub fn refusal(self, value: f64) -> (String, &'static str) {
        let problem = format!("{value} is no possible measurement");
        match self {
            Self::Positive if value == 0.0 => (
                "0 is no possible measurement under log-normal noise: no multiple of a distance is 0".into(),
                "leave out such pairs, give them a limit in an edge list (<0.01, the smallest that could be told from 0), or use \
                 `noise` truncated-normal",
            ),
            _ => (problem, "correct the value, or use `noise` normal or student-t, which admit negative numbers"),
        }
    }
}

/// The values a measurement can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// All numbers.
    Line,
    /// Zero and more.
    NotNegative,
    /// More than zero.
    Positive,
}

/// A symmetric distribution around 0 with scale 1.
trait Standard: Copy {
    /// Log density at z, by z, and by log nu.
    fn density(self, z: f64) -> (Tail, f64);
    /// Log probability below z, by z, and by log nu.
    fn cdf(self, z: f64) -> (Tail, f64);
    /// Log probability between a and b, by both, and by log nu.
    fn between(self, a: f64, b: f64) -> (Between, f64);
}

#[derive(Clone, Copy)]
struct Normal;

impl Standard for Normal {
    fn density(self, z: f64) -> (Tail, f64) {
        (Tail { value: -0.5 * z * z - LOG_SQRT_2PI, derivative: -z }, 0.0)
    }

    fn cdf(self, z: f64) -> (Tail, f64) {
        (tails::log_cdf(z), 0.0)
    }

    fn between(self, a: f64, b: f64) -> (Between, f64) {
        (tails::log_between(a, b), 0.0)
    }
}

#[derive(Clone, Copy)]
struct Student {
    nu: f64,
}

impl Student {
    fn new(nu: f64) -> Self {
        Self { nu }
    }
}

impl Standard for Student {
    fn density(self, z: f64) -> (Tail, f64) {
        student::log_density(z, self.nu)
    }

    fn cdf(self, z: f64) -> (Tail, f64) {
        student::log_cdf(z, self.nu)
    }

    fn between(self, a: f64, b: f64) -> (Between, f64) {
        student::log_between(a, b, self.nu)
    }
}

/// The standard distribution moved to m and stretched by s.
fn around(standard: impl Standard, seen: Observation, m: f64, s: f64) -> LogDensity {
    // z = (y - m) / s: dz/dm = -1/s, dz/d log s = -z.
    let one = |(tail, by_log_nu): (Tail, f64), z: f64, sign: f64| LogDensity {
        value: tail.value,
        by_location: -sign * tail.derivative / s,
        by_log_scale: -times(tail.derivative, z),
        by_log_nu,
    };
    match seen {
        Observation::Exact(y) => {
            let z = (y - m) / s;
            let at = one(standard.density(z), z, 1.0);
            LogDensity { value: at.value - s.ln(), by_log_scale: at.by_log_scale - 1.0, ..at }
        }
        Observation::Below(limit) => {
            let z = (limit - m) / s;
            one(standard.cdf(z), z, 1.0)
        }
        Observation::Above(limit) => {
            let z = (m - limit) / s;
            one(standard.cdf(z), z, -1.0)
        }
        Observation::Within(lower, upper) => {
            let (a, b) = ((lower - m) / s, (upper - m) / s);
            let (at, by_log_nu) = standard.between(a, b);
            LogDensity {
                value: at.value,
                by_location: -(at.by_lower + at.by_upper) / s,
                by_log_scale: -(times(at.by_lower, a) + times(at.by_upper, b)),
                by_log_nu,
            }
        }
    }
}

/// The same, given that the quantity is positive: divided by the probability F(m / s) of that.
fn truncated(standard: impl Standard, seen: Observation, m: f64, s: f64) -> LogDensity {
    let seen = match seen {
        Observation::Below(limit) => Observation::Within(0.0, limit),
        Observation::Within(lower, upper) => Observation::Within(lower.max(0.0), upper),
        Observation::Above(limit) => Observation::Above(limit.max(0.0)),
        seen => seen,
    };
    let at = around(standard, seen, m, s);
    let positive = around(standard, Observation::Above(0.0), m, s);
    LogDensity {
        value: at.value - positive.value,
        by_location: at.by_location - positive.by_location,
        by_log_scale: at.by_log_scale - positive.by_log_scale,
        by_log_nu: at.by_log_nu - positive.by_log_nu,
    }
}

/// The logarithm is normal around log m. Nothing can be measured of objects at one place (m = 0): the value is -inf there.
fn logarithmic(seen: Observation, m: f64, s: f64) -> LogDensity {
    if m <= 0.0 {
        let is_possible = matches!(seen, Observation::Below(_));
        return LogDensity { value: if is_possible { 0.0 } else { f64::NEG_INFINITY }, ..LogDensity::default() };
    }
    let seen = match seen {
        // What is positive in any case.
        Observation::Above(limit) if limit <= 0.0 => return LogDensity::default(),
        Observation::Within(lower, upper) if lower <= 0.0 => Observation::Below(upper),
        seen => seen,
    };
    let at = around(Normal, seen.map(f64::ln), m.ln(), s);
    let jacobian = seen.exact().map_or(0.0, f64::ln);
    LogDensity { value: at.value - jacobian, by_location: at.by_location / m, ..at }
}

/// A derivative times a limit: nothing comes from a limit at infinity.
fn times(derivative: f64, limit: f64) -> f64 {
    if derivative == 0.0 { 0.0 } else { derivative * limit }
}
