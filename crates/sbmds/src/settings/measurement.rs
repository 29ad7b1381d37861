//! Settings of what was measured: noise beyond the kernels' families, known errors, titres.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::measurement::titres::Reading;
use crate::measurement::{Family, KnownErrors};

/// How measurements depend on distances. All at their defaults: one exact number per pair, which is the distance plus noise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MeasurementConfig {
    /// The noise family, if it is not one of `model.noise`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<Family>,
    /// Degrees of freedom of Student's t; learned if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nu: Option<f64>,
    /// What known standard errors do.
    pub known_errors: KnownErrors,
    /// What a titre that is a number says.
    pub reading: Reading,
    /// What is known of the potencies of sera.
    pub potencies: Levels,
    /// What is known of the avidities of viruses; none if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avidities: Option<Levels>,
    /// Whether viruses and sera drift along the first axis with their years.
    pub drift: bool,
    /// The tree along which viruses evolve, while sera are free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<VirusTree>,
}

/// Which tree, of which file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VirusTree {
    /// The file, Newick or NEXUS.
    pub path: PathBuf,
    /// Hash of its content; filled in when the run starts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hash: Option<String>,
    /// Which of its trees, counted from 1; the last if not given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub index: Option<usize>,
    /// Whether tips that are no virus of the table are dropped.
    #[serde(default)]
    pub prune: bool,
    /// Prior sample size of the root's location.
    pub root_sample_size: f64,
}

/// What is known of levels before titres are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Levels {
    /// The largest log2 titre of each.
    Fixed,
    /// Normal, with mean and variance of the largest log2 titres, as in Bedford et al. (2014).
    Estimated,
    /// Normal, with a mean and a variance that are learned.
    #[default]
    Hierarchical,
}

impl MeasurementConfig {
    /// Whether nothing is asked for that needs terms.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Whether sigma is in the unit of the data.
    pub(crate) fn sigma_has_unit(&self) -> bool {
        self.family.is_none_or(Family::sigma_has_unit)
    }

    /// Refuses what cannot be used.
    pub(super) fn check(&self, titers: bool) -> Result<(), RunError> {
        if let Some(nu) = self.nu
            && !(nu.is_finite() && nu > 0.0)
        {
            return Err(RunError::setting("`nu`", format!("{nu} degrees of freedom"), "give a number above zero"));
        }
        if titers && matches!(self.family, Some(Family::LogNormal | Family::TruncatedStudentT)) {
            let problem = "logarithms of titres may be negative";
            return Err(RunError::setting("`noise`", problem, "use normal or student-t"));
        }
        let of_titres = [("`drift`", self.drift), ("`avidities`", self.avidities.is_some())];
        match of_titres.into_iter().find(|(_, given)| *given && !titers) {
            Some((flag, _)) => {
                Err(RunError::setting(flag, "this is no table of titres", "add `titers`, or leave it out"))
            }
            None => Ok(()),
        }
    }
}
