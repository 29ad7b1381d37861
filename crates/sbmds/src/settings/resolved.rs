//! Settings with what only the data could tell: the third and last type that they go through.

use std::ops::Deref;

use toml::{Table, Value};

use super::check::CheckedConfig;
use super::config::{FitConfig, PriorFamily, Shrinkage, Start, TreeConfig};
use crate::coupling::Couplings;
use crate::error::RunError;
use crate::likelihood::{Arithmetic, InstructionSet};
use crate::posterior::{HalfCauchy, NoisePrior, Priors, ScalePrior};
use crate::sampler::{Sampler, SamplerSettings};

/// Checked settings in which nothing is left open: what a fit is made from and `config.toml` holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved(CheckedConfig);

impl Deref for Resolved {
    type Target = CheckedConfig;

    fn deref(&self) -> &CheckedConfig {
        &self.0
    }
}

/// What only the data could tell.
#[derive(Clone, Debug)]
pub(crate) struct Findings {
    /// The instruction set that makes the next draws.
    pub instructions: InstructionSet,
    /// What dissimilarities are divided by before the model sees them.
    pub unit: f64,
    /// The smallest sigma, in input units; 0 for no limit.
    pub sigma_floor: f64,
    /// The step to which the input is rounded, if it is.
    pub rounded_to: Option<f64>,
    /// The couplings, with `auto` resolved.
    pub couplings: Couplings,
    /// What the sampler `auto` stands for.
    pub sampler: Sampler,
    /// The tree with its number in the file and its length, if there is one.
    pub tree: Option<TreeConfig>,
    /// Hashes of the files; empty for data in memory.
    pub files: FileFindings,
}

/// What only the files could tell.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileFindings {
    pub input: String,
    pub names: Option<String>,
    pub weights: Option<String>,
    pub errors: Option<String>,
    pub couplings: Option<String>,
    pub tree: Option<String>,
    /// Of viruses.
    pub virus_tree: Option<String>,
    /// The file of the run's directory that keeps an input which came through a pipe.
    pub copy: Option<String>,
}

/// Where `config.toml` says how much to draw, where files are and who made the run: none of it changes a draw.
const NOT_OF_THE_DRAWS: [&str; 12] = [
    "sbmds_version",
    "instructions",
    "arithmetic",
    "asked",
    "input.path",
    "input.names",
    "input.labels",
    "tree.path",
    "input.copy",
    "run.draws",
    "run.until_ess",
    "run.max_draws",
];

impl CheckedConfig {
    /// These settings with what the data told.
    pub(crate) fn resolve(self, findings: Findings) -> Resolved {
        let asked = self.clone();
        Resolved(self.with(|config| {
            if config.instructions.last() != Some(&findings.instructions) {
                config.instructions.push(findings.instructions);
            }
            config.model.unit = findings.unit;
            config.priors.sigma_floor = findings.sigma_floor;
            config.priors.rounded_to = findings.rounded_to;
            config.model.couplings = findings.couplings;
            if config.sampler.sampler == Sampler::Auto {
                config.sampler.sampler = findings.sampler;
            }
            config.model.couplings_hash = findings.files.couplings;
            config.input.hash = findings.files.input;
            config.input.names_hash = findings.files.names;
            config.input.weights_hash = findings.files.weights;
            config.input.errors_hash = findings.files.errors;
            if let Some(tree) = &mut config.measurement.tree {
                tree.hash = findings.files.virus_tree;
            }
            config.input.copy = config.input.copy.take().or(findings.files.copy);
            let tree_hash = findings.files.tree.unwrap_or_default();
            config.tree = findings.tree.map(|tree| TreeConfig { hash: tree_hash, ..tree });
            *config = std::mem::take(config).remembering(&asked);
        }))
    }
}

impl Resolved {
    /// The settings of a run that were resolved when it started.
    pub(crate) fn of_run(config: CheckedConfig) -> Self {
        Self(config)
    }

    /// The same of draws that were made with these instruction sets and arithmetics.
    pub(crate) fn drawn_with(self, instructions: Vec<InstructionSet>, arithmetic: Vec<Arithmetic>) -> Self {
        Self(self.0.with(|config| (config.instructions, config.arithmetic) = (instructions, arithmetic)))
    }

    /// The same with other starts of the chains.
    pub(crate) fn starting_from(self, start: Start) -> Self {
        Self(self.0.with(|config| config.run.start = start))
    }

    /// The same with the arithmetic that was decided on; what an earlier start of the run decided stays.
    pub(crate) fn computed_in(self, decided: Arithmetic) -> Self {
        Self(self.0.with(|config| {
            if config.arithmetic.is_empty() {
                config.arithmetic.push(decided);
            }
        }))
    }

    /// How chains sample: with the arithmetic that was decided on.
    pub(crate) fn chain_settings(&self) -> SamplerSettings {
        let asked = self.sampler.arithmetic;
        let arithmetic = self.arithmetic.first().map_or(asked, |&decided| decided.into());
        SamplerSettings { arithmetic, ..self.sampler.clone() }
    }

    /// The priors, in the model's unit.
    pub(crate) fn priors(&self) -> Priors {
        let scale = self.prior_scale();
        let scales = if self.priors.shrinkage == Shrinkage::HalfCauchy {
            ScalePrior::Shrunk(HalfCauchy { scale })
        } else if self.priors.learn_scale {
            ScalePrior::Learned { shape: 1.0, rate: scale * scale }
        } else {
            ScalePrior::Fixed { variances: vec![scale * scale; self.model.n_dims] }
        };
        Priors { scales, noise: self.noise_prior() }
    }

    fn noise_prior(&self) -> NoisePrior {
        let (unit, priors) = (self.sigma_unit(), &self.priors);
        if let Some(sigma) = priors.sigma {
            return NoisePrior::Fixed { sigma: sigma / unit };
        }
        let default_rate = match priors.family {
            PriorFamily::Weak => Priors::WEAK_NOISE_RATE,
            PriorFamily::Paper => 1.0,
        };
        NoisePrior::InverseGamma {
            shape: priors.noise_shape.unwrap_or(1.0),
            rate: priors.noise_rate.map_or(default_rate, |rate| rate / (unit * unit)),
            floor: priors.sigma_floor / unit,
        }
    }

    /// Prior standard deviation of the locations, or where the prior of a learned one has its scale, in the model's unit.
    pub(crate) fn prior_scale(&self) -> f64 {
        self.priors.scale.map_or_else(|| self.default_scale(), |scale| scale / self.model.unit)
    }

    /// A setting that makes other draws than the same of `other`, with both values; `None` if there is none. Which of the chains
    /// they are does not count.
    ///
    /// # Errors
    /// If the settings cannot be written.
    pub(crate) fn first_difference(&self, other: &Self) -> Result<Option<(String, String, String)>, RunError> {
        let (mine, others) = (leaves(&self.written()?), leaves(&other.written()?));
        let counts = |key: &str| key != "run.chain" && !NOT_OF_THE_DRAWS.iter().any(|other| is_of(other, key));
        let value = |of: &[(String, String)], key: &str| {
            of.iter().find(|setting| setting.0 == key).map_or("none".to_owned(), |setting| setting.1.clone())
        };
        let keys = mine.iter().chain(&others).map(|setting| &setting.0);
        let differs = |key: &&String| counts(key) && value(&mine, key) != value(&others, key);
        Ok(keys.into_iter().find(differs).map(|key| (key.clone(), value(&mine, key), value(&others, key))))
    }

    /// What must be the same for a checkpoint to be of use: everything that changes a draw. A setting at its default does not
    /// count, so that a later version with one setting more knows the run again.
    ///
    /// # Errors
    /// If the settings cannot be written.
    pub(crate) fn run_id(&self) -> Result<u64, RunError> {
        let mut settings = leaves(&self.written()?);
        let defaults = leaves(&FitConfig::default().written()?);
        settings.retain(|setting| {
            !defaults.contains(setting) && !NOT_OF_THE_DRAWS.iter().any(|key| is_of(key, &setting.0))
        });
        settings.sort();
        let text: String = settings.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
        let (forward, with_length) = (crc32c::crc32c(text.as_bytes()), crc32c::crc32c_append(1, text.as_bytes()));
        Ok(u64::from(forward) << 32 | u64::from(with_length))
    }
}

/// Whether a setting is that of `key`, or part of it.
fn is_of(key: &str, setting: &str) -> bool {
    setting.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Every setting as text, with its key.
fn leaves(table: &Table) -> Vec<(String, String)> {
    let below = |(key, value): (&String, &Value)| match value {
        Value::Table(table) => leaves(table).into_iter().map(|(rest, text)| (format!("{key}.{rest}"), text)).collect(),
        value => vec![(key.clone(), value.to_string())],
    };
    table.iter().flat_map(below).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(change: impl FnOnce(&mut FitConfig)) -> u64 {
        let mut config = FitConfig { sbmds_version: "0.0.0".into(), ..FitConfig::default() };
        config.model.unit = 0.5;
        change(&mut config);
        Resolved::of_run(config.check().unwrap()).run_id().unwrap()
    }

    #[test]
    fn what_changes_no_draw_changes_no_id() {
        let id = id_of(|_| {});
        assert_eq!(id, id_of(|config| config.run.draws = 5_000));
        assert_eq!(id, id_of(|config| config.sbmds_version = "9.9.9".into()));
        assert_eq!(id, id_of(|config| config.input.path = "elsewhere.csv".into()));
        assert_eq!(id, id_of(|config| config.instructions.push(InstructionSet::Portable)));
    }

    #[test]
    fn what_changes_draws_changes_the_id() {
        let id = id_of(|_| {});
        assert_ne!(id, id_of(|config| config.run.seed = 2));
        assert_ne!(id, id_of(|config| config.model.unit = 0.25));
        assert_ne!(id, id_of(|config| config.input.hash = "abc".into()));
        assert_ne!(id, id_of(|config| config.input.weights_hash = Some("abc".into())));
        assert_ne!(id, id_of(|config| config.input.errors_hash = Some("abc".into())));
        assert_ne!(id, id_of(|config| config.tree = Some(TreeConfig::new("flu.trees".into()))));
    }

    /// The settings of this version, at their defaults, leave no trace: a setting that a later version adds will not either.
    #[test]
    fn defaults_do_not_count() {
        let resolved = Resolved::of_run(FitConfig::default().check().unwrap());
        let nothing = (u64::from(crc32c::crc32c(b"")) << 32) | u64::from(crc32c::crc32c_append(1, b""));
        assert_eq!(resolved.run_id().unwrap(), nothing);
    }
}
