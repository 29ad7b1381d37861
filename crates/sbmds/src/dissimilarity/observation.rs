//! What was seen of one pair: a number, or a limit that the number lies below, above or within.

use std::fmt;

/// One measurement. Limits are those of the quantity itself: nothing is said of where beyond them it lies.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Observation {
    /// This number.
    Exact(f64),
    /// Less than this (`<40`).
    Below(f64),
    /// More than this (`>1280`).
    Above(f64),
    /// Between these two.
    Within(f64, f64),
}

impl Observation {
    /// The same measurement of the quantity times `factor`, which is above zero.
    pub fn scaled(self, factor: f64) -> Self {
        self.map(|value| value * factor)
    }

    /// The same measurement of an increasing function of the quantity.
    pub(crate) fn map(self, increasing: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Exact(value) => Self::Exact(increasing(value)),
            Self::Below(limit) => Self::Below(increasing(limit)),
            Self::Above(limit) => Self::Above(increasing(limit)),
            Self::Within(lower, upper) => Self::Within(increasing(lower), increasing(upper)),
        }
    }

    /// The number, if there is one.
    pub fn exact(self) -> Option<f64> {
        if let Self::Exact(value) = self { Some(value) } else { None }
    }

    /// A single number to start from or to draw: the value, the limit, or the middle of the interval.
    pub fn representative(self) -> f64 {
        match self {
            Self::Exact(value) | Self::Below(value) | Self::Above(value) => value,
            Self::Within(lower, upper) => 0.5 * (lower + upper),
        }
    }
}

/// As it is written in edge lists.
impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(value) => write!(f, "{value}"),
            Self::Below(limit) => write!(f, "<{limit}"),
            Self::Above(limit) => write!(f, ">{limit}"),
            Self::Within(lower, upper) => write!(f, "{lower}..{upper}"),
        }
    }
}

/// One measurement of one pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// One object.
    pub near: u32,
    /// The other.
    pub far: u32,
    /// What was seen.
    pub seen: Observation,
    /// The term counts this many times.
    pub weight: f64,
    /// Known standard error of this measurement; 0 if nothing is known.
    pub standard_error: f64,
}

impl Term {
    /// A measurement that counts once and whose error is sigma.
    pub fn new(near: usize, far: usize, seen: Observation) -> Self {
        Self { near: near as u32, far: far as u32, seen, weight: 1.0, standard_error: 0.0 }
    }
}
