//! One thing to choose: a number of dimensions with a noise family.

use std::fmt;

use crate::likelihood::Noise;
use crate::measurement::{Family, Support};
use crate::settings::FitConfig;

/// A number of dimensions with a noise family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Dimensions of the map.
    pub n_dims: usize,
    /// Noise family; `None`: that of the settings, with nothing to compare.
    pub noise: Option<Family>,
}

impl Candidate {
    /// Every number of dimensions with every noise family.
    pub fn all(dims: &[usize], noises: &[Family]) -> Vec<Self> {
        let of_dims = |&n_dims: &usize| match noises {
            [] => vec![Self { n_dims, noise: None }],
            noises => noises.iter().map(|&noise| Self { n_dims, noise: Some(noise) }).collect(),
        };
        dims.iter().flat_map(of_dims).collect()
    }

    /// The settings of its fit.
    pub fn config(&self, base: &FitConfig) -> FitConfig {
        let mut config = base.clone();
        config.model.n_dims = self.n_dims;
        if let Some(family) = self.noise {
            // Terms are evaluated instead of the kernels, whose family then means nothing.
            config.model.noise = family.of_kernels().unwrap_or(Noise::Normal);
            config.measurement.family = Some(family).filter(|family| family.of_kernels().is_none());
            config.input.negative = family.support() == Support::Line;
        }
        config
    }
}

/// As directories are called: `dims-3`, `dims-3-normal`.
impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "dims-{}", self.n_dims)?;
        self.noise.map_or(Ok(()), |noise| write!(f, "-{}", noise.to_string().replace(':', "-")))
    }
}
