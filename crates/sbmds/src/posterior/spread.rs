//! How far the locations spread under their prior: what is given while they move.

use crate::brownian::Precision;

/// The state of the locations' prior; the prior that made it knows its arm.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Spread {
    /// x_n ~ N(0, Lambda): the diagonal of Lambda.
    Scales(Vec<f64>),
    /// Diffusion along the tree given this Sigma^-1 (eq. 12).
    Precision(Precision),
    /// Diffusion along the tree with Sigma integrated out (eq. 20). This Sigma^-1 was drawn given the locations; the
    /// density does not depend on it.
    Collapsed(Precision),
    /// Of a prior of the user's own: the numbers it learns.
    Own(Vec<f64>),
}

impl Spread {
    /// Lambda, if there is no tree.
    pub fn scales(&self) -> Option<&[f64]> {
        match self {
            Self::Scales(scales) => Some(scales),
            Self::Precision(_) | Self::Collapsed(_) | Self::Own(_) => None,
        }
    }

    /// Sigma^-1, if there is a tree.
    pub fn precision(&self) -> Option<&Precision> {
        match self {
            Self::Scales(_) | Self::Own(_) => None,
            Self::Precision(precision) | Self::Collapsed(precision) => Some(precision),
        }
    }

    /// All its numbers.
    pub fn as_slice(&self) -> &[f64] {
        match self {
            Self::Scales(numbers) | Self::Own(numbers) => numbers,
            Self::Precision(precision) | Self::Collapsed(precision) => precision.as_slice(),
        }
    }
}
