//! Every setting of a fit, saved beside the draws so that the run can be repeated.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::measurement::MeasurementConfig;
use crate::brownian::BranchScaling;
use crate::coupling::{Couplings, LandmarkChoice, Order};
use crate::dissimilarity::{Format, Metric, ReadOptions, has_several_columns};
use crate::likelihood::{Arithmetic, InstructionSet, Noise, Storage};
use crate::posterior::PrecisionUpdate;
use crate::sampler::SamplerSettings;

/// All settings of a fit, the same as the flags; `config.toml` of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitConfig {
    /// Version of sbmds that started the run.
    pub sbmds_version: String,
    /// The instruction sets that the draws were made with, in the order in which they were used. Two sets do not give the
    /// same draws, bit for bit. Filled in when the run starts; runs of version 0.1.0 do not say.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub instructions: Vec<InstructionSet>,
    /// The arithmetic of gradients, as decided before sampling for all chains alike; two only where runs were combined that were
    /// decided differently. Filled in when the run starts.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub arithmetic: Vec<Arithmetic>,
    /// What is read.
    pub input: InputConfig,
    /// Which pairs enter the likelihood, and how.
    pub model: ModelConfig,
    /// What was measured, if it is more than one exact number per pair.
    #[serde(skip_serializing_if = "MeasurementConfig::is_default", default)]
    pub measurement: MeasurementConfig,
    /// The priors.
    pub priors: PriorConfig,
    /// The tree along which locations diffuse, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tree: Option<TreeConfig>,
    /// How the posterior is sampled.
    pub sampler: SamplerSettings,
    /// How much is drawn and kept.
    pub run: RunConfig,
    /// What was asked for where the data decided (`"model.couplings" = "auto"`), by key in this file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub asked: BTreeMap<String, toml::Value>,
}

/// What is read. The hashes are filled in when the run starts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputConfig {
    /// The file.
    pub path: PathBuf,
    /// Hash of its content.
    pub hash: String,
    /// Its format.
    #[serde(with = "spelled")]
    pub format: Format,
    /// The metric, if the file holds features.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub metric: Option<Metric>,
    /// A file with the names of a `.npy` input.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub names: Option<PathBuf>,
    /// Hash of the file of names.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub names_hash: Option<String>,
    /// A table of labels of the objects, for the report and for clusters.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub labels: Option<PathBuf>,
    /// The column of an edge list that holds the values.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<String>,
    /// Whether the first column of a table of features is a feature, not the names.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub no_names: bool,
    /// Whether the file holds titres of viruses against sera.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub titers: bool,
    /// Whether dissimilarities may be negative.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub negative: bool,
    /// The column of an edge list that holds weights.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weight: Option<String>,
    /// The column of an edge list that holds standard errors.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// A file with a weight for every pair.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weights: Option<PathBuf>,
    /// A file with a standard error for every pair.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub errors: Option<PathBuf>,
    /// Hash of the file of weights.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weights_hash: Option<String>,
    /// Hash of the file of standard errors.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub errors_hash: Option<String>,
    /// The file of the run's directory that keeps an input which came through a pipe.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub copy: Option<String>,
}

/// What an input that came through a pipe is called in the directory of the run.
pub(crate) const INPUT_COPY: &str = "input";

impl InputConfig {
    /// With a table of labels, whose first column names the rows of a `.npy` that has no names of its own; a single column
    /// names nothing.
    pub fn with_labels(self, labels: Option<PathBuf>) -> Self {
        let is_nameless = self.format == Format::Npy || self.path.extension().is_some_and(|end| end == "npy");
        let names_rows = |labels: &PathBuf| is_nameless && has_several_columns(labels);
        let names = self.names.or_else(|| labels.clone().filter(names_rows));
        Self { names, labels, ..self }
    }

    /// How the file is to be read.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format,
            features: self.metric,
            names: self.names.clone(),
            value: self.value.clone(),
            no_names: self.no_names,
            titers: self.titers,
            negative: self.negative,
            weight: self.weight.clone(),
            error: self.error.clone(),
            weights: self.weights.clone(),
            errors: self.errors.clone(),
        }
    }
}

/// Which pairs enter the likelihood, and how. `couplings` is resolved and `unit` filled in when the run starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Dimensions of the map.
    pub n_dims: usize,
    /// The coupled pairs.
    pub couplings: Couplings,
    /// Hash of the file of pairs, if the couplings are one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub couplings_hash: Option<String>,
    /// Order in which objects are laid before coupling.
    pub order: Order,
    /// Which objects become landmarks.
    pub landmarks: LandmarkChoice,
    /// Noise family.
    pub noise: Noise,
    /// Number type of the stored dissimilarities.
    pub storage: Storage,
    /// Whether the paper's priors count in a unit of the data's own size, as the weak ones always do.
    pub standardize: bool,
    /// What dissimilarities are divided by before the model sees them; draws and summaries are multiplied back.
    pub unit: f64,
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self {
            n_dims: 2,
            couplings: Couplings::default(),
            couplings_hash: None,
            order: Order::default(),
            landmarks: LandmarkChoice::default(),
            noise: Noise::default(),
            storage: Storage::default(),
            standardize: false,
            unit: 1.0,
        }
    }
}

/// The priors. What is given is in the unit of the input; what is not follows the family.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriorConfig {
    /// What is not given below.
    #[serde(default = "PriorFamily::of_old_runs")]
    pub family: PriorFamily,
    /// Standard deviation of the locations.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scale: Option<f64>,
    /// Whether the variances of the locations are learned, under IG(1, scale^2) for each dimension.
    pub learn_scale: bool,
    /// A prior under which superfluous dimensions vanish, if any.
    #[serde(skip_serializing_if = "Shrinkage::is_none", default)]
    pub shrinkage: Shrinkage,
    /// Shape of the inverse gamma prior of sigma^2.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub noise_shape: Option<f64>,
    /// Rate of the inverse gamma prior of sigma^2.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub noise_rate: Option<f64>,
    /// sigma, if it is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sigma: Option<f64>,
    /// The smallest sigma, from how exactly the data are given; filled in when the run starts.
    #[serde(default)]
    pub sigma_floor: f64,
    /// The step to which the input is rounded, if it is; filled in when the run starts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rounded_to: Option<f64>,
}

/// Priors by name: the families are the same, the units are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PriorFamily {
    /// Wide and weak in a unit of the data's own size: N(0, 8^2) for locations, IG(1, 1e-5) for the noise.
    #[default]
    Weak,
    /// The paper's, in the unit of the input: N(0, 1) for locations, IG(1, 1) for the noise.
    Paper,
}

/// A prior under which superfluous dimensions vanish.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Shrinkage {
    /// None: all dimensions are alike.
    #[default]
    None,
    /// The standard deviation of every axis is half-Cauchy; with a tree, the square root of every eigenvalue of Sigma.
    HalfCauchy,
}

impl Shrinkage {
    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

impl PriorFamily {
    /// Runs that say nothing of it were made with the paper's.
    fn of_old_runs() -> Self {
        Self::Paper
    }
}

/// The tree along which locations diffuse. `hash`, `index` and `total_length` are filled in when the run starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeConfig {
    /// The file, Newick or NEXUS.
    pub path: PathBuf,
    /// Hash of its content.
    pub hash: String,
    /// Which of its trees, counted from 1; the last if not given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub index: Option<usize>,
    /// Whether tips that are no object are dropped.
    pub prune: bool,
    /// Total length of the tree, in its own unit of time.
    pub total_length: f64,
    /// Unit of branch lengths.
    pub branch_scaling: BranchScaling,
    /// Prior sample size of the root's location.
    pub root_sample_size: f64,
    /// How the precision of the diffusion is drawn.
    pub precision_update: PrecisionUpdate,
}

impl TreeConfig {
    /// The last tree of a file, with the paper's settings.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            hash: String::new(),
            index: None,
            prune: false,
            total_length: 0.0,
            branch_scaling: BranchScaling::default(),
            root_sample_size: 1e-3,
            precision_update: PrecisionUpdate::default(),
        }
    }
}

/// How much is drawn and kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// Number of chains.
    pub chains: usize,
    /// The only one of them that this run has, counted from 1: the others run elsewhere.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub chain: Option<usize>,
    /// Draws of each chain after warm-up.
    pub draws: usize,
    /// Iterations per draw.
    pub thin: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Where chains start.
    #[serde(with = "spelled")]
    pub start: Start,
    /// What is kept of the draws.
    #[serde(with = "spelled")]
    pub keep: Keep,
    /// Whether locations are stored as the sampler has them, not aligned.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub raw_draws: bool,
    /// Draw until the smallest effective sample size of everything monitored is this.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub until_ess: Option<f64>,
    /// Draws of each chain after which to give up on `until_ess`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_draws: Option<usize>,
}

impl Default for RunConfig {
    fn default() -> Self {
        let (start, keep) = (Start::default(), Keep::default());
        Self {
            chains: 4,
            chain: None,
            draws: 1000,
            thin: 1,
            seed: 1,
            start,
            keep,
            raw_draws: false,
            until_ess: None,
            max_draws: None,
        }
    }
}

/// Draws at most, in multiples of the planned, when an effective sample size is wanted and no limit is set.
const MAX_DRAWS_FACTOR: usize = 20;

impl RunConfig {
    /// Chains of this run: all, or the only one it has.
    pub fn n_own_chains(&self) -> usize {
        if self.chain.is_some() { 1 } else { self.chains }
    }

    /// Which of all chains the `k`-th chain of this run is, both counted from 0.
    pub fn chain_number(&self, k: usize) -> usize {
        k + self.chain.map_or(0, |chain| chain - 1)
    }

    /// Iterations between stored draws.
    pub fn iterations_per_draw(&self) -> usize {
        self.thin.saturating_mul(self.keep.every())
    }

    /// Stored draws of each chain, as planned.
    pub fn stored_draws(&self) -> usize {
        self.draws.div_ceil(self.keep.every())
    }

    /// Stored draws of each chain at most.
    pub fn most_stored_draws(&self) -> usize {
        let most = match (self.until_ess, self.max_draws) {
            (None, _) => self.draws,
            (Some(_), None) => self.draws.saturating_mul(MAX_DRAWS_FACTOR),
            (Some(_), Some(most)) => most.max(self.draws),
        };
        most.div_ceil(self.keep.every())
    }
}

/// Where chains start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Start {
    /// Classical MDS if all pairs of a moderate number of objects are known, else the best that is known is used.
    #[default]
    Auto,
    /// Classical MDS.
    Classical,
    /// Landmark MDS.
    Landmark,
    /// The coupled pairs alone.
    Graph,
    /// A draw from the prior.
    Prior,
    /// A map from a file: names and coordinates.
    Map(PathBuf),
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Classical => f.write_str("classical"),
            Self::Landmark => f.write_str("landmark"),
            Self::Graph => f.write_str("graph"),
            Self::Prior => f.write_str("prior"),
            Self::Map(path) => write!(f, "map:{}", path.display()),
        }
    }
}

impl FromStr for Start {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("map:")) {
            ("auto", _) => Ok(Self::Auto),
            ("classical", _) => Ok(Self::Classical),
            ("landmark", _) => Ok(Self::Landmark),
            ("graph", _) => Ok(Self::Graph),
            ("prior", _) => Ok(Self::Prior),
            (_, Some(path)) if !path.is_empty() => Ok(Self::Map(path.into())),
            _ => Err(format!("{text:?} is no start: use auto, classical, landmark, graph, prior or map:FILE")),
        }
    }
}

/// What is kept of the draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keep {
    /// Every draw.
    #[default]
    All,
    /// Every k-th draw.
    Thin(usize),
    /// No locations, only their running mean and covariance, and what is monitored.
    Summary,
}

impl Keep {
    pub(crate) fn every(self) -> usize {
        if let Self::Thin(every) = self { every } else { 1 }
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Thin(every) => write!(f, "thin:{every}"),
            Self::Summary => f.write_str("summary"),
        }
    }
}

impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("thin:").map(str::parse::<usize>)) {
            ("all", _) => Ok(Self::All),
            ("summary", _) => Ok(Self::Summary),
            (_, Some(Ok(every))) if every > 0 => Ok(Self::Thin(every)),
            _ => Err(format!("{text:?} is nothing to keep: use all, thin:K (every K-th draw) or summary")),
        }
    }
}

/// Serialises by `Display` and `FromStr`.
mod spelled {
    pub(crate) fn serialize<T: std::fmt::Display, S: serde::Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub(crate) fn deserialize<'de, T, D: serde::Deserializer<'de>>(from: D) -> Result<T, D::Error>
    where
        T: std::str::FromStr<Err: std::fmt::Display>,
    {
        let word: String = serde::Deserialize::deserialize(from)?;
        word.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> FitConfig {
        FitConfig { sbmds_version: "0.0.0".into(), ..FitConfig::default() }
    }

    #[test]
    fn toml_keeps_every_setting() {
        let mut config = config();
        config.input.metric = Some(Metric::Cosine);
        config.input.names = Some("names of objects.txt".into());
        config.model.unit = 0.1 + 0.2;
        config.model.couplings = Couplings::Dispersed(17);
        config.priors.sigma = Some(1e-300);
        config.priors.shrinkage = Shrinkage::HalfCauchy;
        config.tree = Some(TreeConfig { index: Some(3), prune: true, ..TreeConfig::new("flu.trees".into()) });
        config.sampler.target_acceptance = Some(0.9);
        config.run.keep = Keep::Thin(3);
        config.run.start = Start::Map("last week's map.csv".into());
        config.run.seed = i64::MAX as u64;
        config.run.until_ess = Some(400.0);
        config.instructions = vec![InstructionSet::Avx512, InstructionSet::Portable];
        config.arithmetic = vec![Arithmetic::F32, Arithmetic::F64];
        let text = toml::to_string(&config).unwrap();
        assert_eq!(toml::from_str::<FitConfig>(&text).unwrap(), config, "{text}");
    }

    #[test]
    fn keeping_every_third_draw_stores_a_third() {
        let run = RunConfig { draws: 100, thin: 2, keep: Keep::Thin(3), ..RunConfig::default() };
        assert_eq!((run.iterations_per_draw(), run.stored_draws()), (6, 34));
        assert!("thin:0".parse::<Keep>().is_err() && "some".parse::<Keep>().is_err());
        assert_eq!("thin:7".parse::<Keep>().unwrap().to_string(), "thin:7");
    }
}
